"""Files for Mitsuba 3: a module that registers the asset on import, its numbers, README.md."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar

import numpy as np

from neuralshade.languages.drjit import DrJit
from neuralshade.languages.software_textures import in_words
from neuralshade.verbs.export.engines.engine import Contents, EngineSource
from neuralshade.verbs.export.engines.mitsuba.mitsuba_readme import readme_text
from neuralshade.verbs.export.engines.mitsuba.plugin_constants import constants, principled_maps

HIDDEN = {*sys.stdlib_module_names, "drjit", "mitsuba", "numpy"}  # by a module of that name


@dataclass(frozen=True)
class _Functions(DrJit):
    """The functions, and the imports of the plugin below them."""

    imports: ClassVar[tuple[str, ...]] = ("pathlib",)
    third_party: ClassVar[tuple[str, ...]] = ("import mitsuba as mi",)


def mitsuba_files(source: EngineSource) -> Contents:
    """Return the files of an asset for Mitsuba."""
    form = source.form
    light = form.meaning("light")
    if form.program is not None or not (light or form.maps or form.meaning("color")):
        raise source.refused("mitsuba", "an asset without Slang code of its own",
                             "Export it --to slang or cuda, and call that.")  # fmt: skip
    if form.halves:
        raise source.refused("mitsuba", "numbers of 32 bits, as its floats have them",
                             "Leave half out.")  # fmt: skip
    stem = f"{source.stem}_mitsuba" if source.stem in HIDDEN else source.stem
    printer = _Functions(in_words(form), False)
    parts = ["plugins", "bsdf" if light else "texture"]
    if principled_maps(form):
        parts.append("principled")
    code = [files(__package__).joinpath(f"{one}.py.txt").read_text("utf-8") for one in parts]
    text = "\n\n".join([printer.text(), "\n".join(constants(form, stem)) + "\n", *code])
    numbers = io.BytesIO()
    np.save(numbers, printer.words.astype("<u4"))
    return {f"{stem}.py": text.replace("@NAME@", form.name).encode(),
            f"{stem}.npy": numbers.getvalue(),
            "README.md": readme_text(form, stem).encode()}  # fmt: skip
