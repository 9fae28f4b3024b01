"""Loading of reference materials by file type, and their digests."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.document_errors import as_config_error
from neuralshade.kinds.material.references.reference_bsdf import VALUES_MARK, ReferenceBsdf
from neuralshade.kinds.material.references.slang_reference import SUFFIX as SLANG
from neuralshade.kinds.material.references.slang_reference import load_slang
from neuralshade.kinds.material.references.stack import SUFFIX as STACK
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.kinds.material.references.texture_set import load_set
from neuralshade.source.map_sets import names_files

MATERIALX = ".mtlx"
MANIFEST = ".json"
# Digests are stored in assets: names in generated text are hashed as the first version wrote them.
STORED_NAMES = {
    "TEACHER_": "", "REFERENCE_PARAMETERS": "PARAMETERS", "REFERENCE_LOWEST": "LOWEST",
    "kinds.material.references.": "kinds.material.teachers.",
}  # fmt: skip
ONE = {SLANG: "a Slang module", STACK: "a stack of layers", MANIFEST: "a set of maps"}


def load_reference(
    path: str | os.PathLike[str], element: str | None = None, wrap: str = "repeat", *,
    trust: bool = False,
) -> ReferenceBsdf:  # fmt: skip
    """Load the reference of a file, by its suffix, or of a folder of maps.

    A MaterialX document, a stack of layers in TOML, a Slang module, a manifest of maps in JSON.

    Args:
        element: the material's name in a document.
        wrap: border of a set of maps, "repeat" or "clamp"; documents have their own.
        trust: run the code of a MaterialX document, after it was checked.

    Raises: ConfigError for another file; errors of ``load_materialx``, ``load_stack``,
        ``load_slang`` and ``load_set``.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise ConfigError(f"material: got {shown(path)}, need the path of a material. Name a file "
                          "or a folder.")  # fmt: skip
    with as_config_error(path):
        return _loaded(path, element, wrap, trust)


def _loaded(
    path: str | os.PathLike[str], element: str | None, wrap: str, trust: bool
) -> ReferenceBsdf:
    place = Path(path)
    of_folder = os.path.isdir(place) or names_files(place)
    suffix = MANIFEST if of_folder else place.suffix.lower()
    if suffix == MATERIALX:
        from neuralshade.kinds.material.references.materialx import load_materialx
        from neuralshade.kinds.material.sandbox.loading import SandboxedDocument

        if isinstance(path, SandboxedDocument):
            return path.reference(element)
        return load_materialx(path, element, trust=trust)
    if suffix not in ONE:
        raise ConfigError(f"{path}: got a file that ends with {shown(suffix)}, need {MATERIALX}, "
                          f"{', '.join(ONE)}, or a folder of maps. Name a MaterialX document, a "
                          "stack of layers, a Slang module or a set of maps.")  # fmt: skip
    if element is not None:
        raise ConfigError(f"element: got {shown(element)} for {ONE[suffix]}, which is one "
                          "material, need none. Leave it out.")  # fmt: skip
    if suffix == STACK:
        return load_stack(path)
    return load_slang(path) if suffix == SLANG else load_set(path, wrap)


def load_same(
    path: str | os.PathLike[str], element: str | None, wrap: str, *, trust: bool = False
) -> ReferenceBsdf:
    """Load the reference of an asset, with ``element`` and ``wrap`` of its header.

    Raises: errors of ``load_reference``.
    """
    named = element if Path(path).suffix.lower() == MATERIALX else None
    return load_reference(path, named, wrap, trust=trust)


def reference_digest(reference: ReferenceBsdf) -> str:
    """Return the SHA-256 of the text and the pictures, whichever inputs are varied."""
    if reference.origin is not None:
        return reference_digest(reference.origin)
    text = reference.text.replace(VALUES_MARK, "")
    for new, old in STORED_NAMES.items():
        text = text.replace(new, old)
    state = hashlib.sha256(text.encode())
    for name in sorted(reference.variables):
        state.update(reference.variables[name].tobytes())
    return state.hexdigest()
