"""What a material may be given as, and what tells one from another."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.slang_teacher import SUFFIX, load_slang
from neuralshade.kinds.material.teacher import Teacher

MATERIALX = ".mtlx"


def load_teacher(path: str | os.PathLike[str], element: str | None = None) -> Teacher:
    """Return the teacher of a MaterialX document or of a Slang module, by the file's name.

    ``element``: which material of a document. Raises: ConfigError for another file, and what
    ``load_materialx`` and ``load_slang`` raise.
    """
    suffix = Path(path).suffix.lower()
    if suffix == MATERIALX:
        from neuralshade.kinds.material.materialx import load_materialx

        return load_materialx(path, element)
    if suffix != SUFFIX:
        raise ConfigError(f"{path}: got a file that ends with {shown(suffix)}, need {MATERIALX} or "
                          f"{SUFFIX}. Name a MaterialX document or a Slang module.")  # fmt: skip
    if element is not None:
        raise ConfigError(f"element: got {shown(element)} for a Slang module, which is one "
                          "material, need none. Leave it out.")  # fmt: skip
    return load_slang(path)


def teacher_digest(teacher: Teacher) -> str:
    """Return what tells one teacher from another: its text and its pictures."""
    state = hashlib.sha256(teacher.text.encode())
    for name in sorted(teacher.variables):
        state.update(teacher.variables[name].tobytes())
    return state.hexdigest()
