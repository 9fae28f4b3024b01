"""What a material may be given as, and what tells one from another."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.document_errors import one_line
from neuralshade.kinds.material.references.reference_bsdf import GIVEN, ReferenceBsdf
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
    """Return the reference of a file, told by its name, or of a folder of maps.

    A MaterialX document, a stack of layers in TOML, a Slang module, a manifest of maps in JSON.

    Args:
        element: which material of a document.
        wrap: what lies beyond the border of a set of maps, "repeat" or "clamp"; documents say it.
        trust: code that a MaterialX document brings may run here, once it was looked through.

    Raises: ConfigError for another file, and what ``load_materialx``, ``load_stack``,
        ``load_slang`` and ``load_set`` raise.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise ConfigError(f"material: got {shown(path)}, need the path of a material. Name a file "
                          "or a folder.")  # fmt: skip
    with one_line(path):
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
    """Return the reference that an asset was fitted to, whose header says ``element`` and ``wrap``.

    Raises: what ``load_reference`` raises.
    """
    named = element if Path(path).suffix.lower() == MATERIALX else None
    return load_reference(path, named, wrap, trust=trust)


def reference_digest(reference: ReferenceBsdf) -> str:
    """Return the SHA-256 of the text and the pictures, whichever inputs are varied."""
    if reference.origin is not None:
        return reference_digest(reference.origin)
    text = reference.text.replace(GIVEN, "")
    for new, old in STORED_NAMES.items():
        text = text.replace(new, old)
    state = hashlib.sha256(text.encode())
    for name in sorted(reference.variables):
        state.update(reference.variables[name].tobytes())
    return state.hexdigest()
