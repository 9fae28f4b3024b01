"""What a material may be given as, and what tells one from another."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.document_errors import one_line
from neuralshade.kinds.material.references.reference_bsdf import GIVEN, Teacher
from neuralshade.kinds.material.references.slang_reference import SUFFIX as SLANG
from neuralshade.kinds.material.references.slang_reference import load_slang
from neuralshade.kinds.material.references.stack import SUFFIX as STACK
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.kinds.material.references.texture_set import load_set
from neuralshade.source.map_sets import names_files

MATERIALX = ".mtlx"
MANIFEST = ".json"
ONE = {SLANG: "a Slang module", STACK: "a stack of layers", MANIFEST: "a set of maps"}


def load_teacher(
    path: str | os.PathLike[str], element: str | None = None, wrap: str = "repeat", *,
    trust: bool = False,
) -> Teacher:  # fmt: skip
    """Return the teacher of a file, told by its name, or of a folder of maps.

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


def _loaded(path: str | os.PathLike[str], element: str | None, wrap: str, trust: bool) -> Teacher:
    place = Path(path)
    of_folder = os.path.isdir(place) or names_files(place)
    suffix = MANIFEST if of_folder else place.suffix.lower()
    if suffix == MATERIALX:
        from neuralshade.kinds.material.references.materialx import load_materialx
        from neuralshade.kinds.material.sandbox.loading import ApartDocument

        if isinstance(path, ApartDocument):
            return path.teacher(element)
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
) -> Teacher:
    """Return the teacher that an asset was fitted to, whose header says ``element`` and ``wrap``.

    Raises: what ``load_teacher`` raises.
    """
    named = element if Path(path).suffix.lower() == MATERIALX else None
    return load_teacher(path, named, wrap, trust=trust)


def teacher_digest(teacher: Teacher) -> str:
    """Return what tells one teacher from another: its text and its pictures, not what is varied."""
    if teacher.origin is not None:
        return teacher_digest(teacher.origin)
    # as our names began not always, and without what tells where to give values: files keep digests
    text = teacher.text.replace("TEACHER_", "").replace(GIVEN, "")
    state = hashlib.sha256(text.encode())
    for name in sorted(teacher.variables):
        state.update(teacher.variables[name].tobytes())
    return state.hexdigest()
