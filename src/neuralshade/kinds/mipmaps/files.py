"""Output files of a mip chain beside its asset: plan, checks and writing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.asset.texture.texture_files import map_files
from neuralshade.base.atomic import check_writable
from neuralshade.base.message_text import folder_failure
from neuralshade.errors import ConfigError, OutputError
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds.mipmaps.asset import FORMATS, stored_level, write_chain
from neuralshade.measure.plane.mip_filters import Maps
from neuralshade.source.image_output import save_picture

USUAL_FORMATS = ("dds",)


def checked_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return each format once; ConfigError for an unknown one, or two with the same files."""
    if isinstance(formats, str):
        formats = (formats,)
    chosen = tuple(dict.fromkeys(formats))
    for form in chosen:
        if form not in FORMATS:
            raise ConfigError(f"format: got {form!r}, need one of {', '.join(FORMATS)}. "
                              "Write for example dds.")  # fmt: skip
        if f"{form}-bc" in chosen:
            raise ConfigError(f"format: got {form} and {form}-bc, need one of the two: their files "
                              "have the same names. Leave one out.")  # fmt: skip
    return chosen


def planned_files(
    folder: Path, formats: Iterable[str], names: Sequence[str], levels: int
) -> list[Path]:
    """Return the files of ``write_files`` for so many levels, 0 included."""
    return [path for form in formats
            for path in map_files(folder, form.partition("-")[0], names, levels)]  # fmt: skip


def check_folder(folder: Path, files: Sequence[Path], inputs: Iterable[Any]) -> None:
    """Raise OutputError unless ``files`` can be written into ``folder``, which may not exist.

    None of ``files`` may be one of ``inputs``.
    """
    check_writable(files[0] if os.path.exists(folder) else folder)
    sources = list(inputs)
    for file in files:
        check_no_input(file, *sources)


def make_folder(folder: Path) -> None:
    """Create the folder if it is missing. Raises OutputError."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: got {folder_failure(error)}, need a folder for the levels. "
                          "Choose another path.") from error  # fmt: skip


def write_files(folder: Path, formats: Iterable[str], chain: Sequence[Maps]) -> list[Path]:
    """Write a chain, level 0 first, in each of ``formats``; return the files.

    A metallic that is 0 everywhere gets none.
    """
    stored = [stored_level(level) for level in chain]
    if not any(level["metallic"].any() for level in stored):  # engines take 0 where there is none
        stored = [{n: v for n, v in level.items() if n != "metallic"} for level in stored]
    written: list[Path] = []
    for form in formats:
        if form == "exr":
            written += _write_exr(folder, chain, list(stored[0]))
        elif form == "png":
            written += _write_png(folder, stored)
        else:
            written += write_chain(folder, form, stored)
    return written


def _write_exr(folder: Path, chain: Sequence[Maps], names: Sequence[str]) -> list[Path]:
    written = []
    for i, level in enumerate(chain):
        for name, values in ((name, level.arrays()[name]) for name in names):
            written.append(folder / f"{name}_{i}.exr")
            texels = values if values.ndim == 3 else values[..., None]
            save_picture(written[-1], texels.astype(np.float32), "linear")
    return written


def _write_png(folder: Path, stored: Sequence[dict[str, Any]]) -> list[Path]:
    written = []
    for i, level in enumerate(stored):
        for name, values in level.items():
            written.append(folder / f"{name}_{i}.png")
            save_picture(written[-1], values.astype(np.float32) / 255, "srgb")
    return written
