"""Decoded pixels of a file with their color tag, and the memory limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import PictureError

MIB = 2**20


@dataclass(frozen=True)
class ColorTag:
    """Colors other than sRGB (for floats: linear sRGB), and their conversion.

    ``curves``, one or three, convert to light and ``matrix``, if there is one, to sRGB's
    primaries. Without curves littleCMS applies ``profile``, to 8 bits; without both, colors stay.
    """

    name: str
    curves: tuple[Callable[[npt.NDArray[Any]], npt.NDArray[Any]], ...] = ()
    matrix: npt.NDArray[Any] | None = None  # [3, 3]
    bright: bool = False  # light exceeds 1: converted to linear
    hlg: bool = False
    profile: bytes | None = None
    inks: bool = False  # of cyan, magenta, yellow and black


@dataclass
class Decoded:
    """Pixels of a file as stored, and their interpretation."""

    pixels: npt.NDArray[Any]  # [H, W, C], alpha last
    straight: bool = True  # alpha is unassociated
    orientation: int = 1  # EXIF's number
    tag: ColorTag | None = None
    animated: bool = False  # the first frame of an animation
    notes: list[str] = field(default_factory=list)


def check_memory(path: Path, shape: tuple[int, int, int], dtype: str, memory_limit: int) -> None:
    """Raise PictureError where [H, W, C] of ``dtype`` take more than ``memory_limit`` bytes."""
    size = math.prod(shape) * np.dtype({"half": "float16", "float": "float32"}.get(dtype, dtype)
                                       ).itemsize  # fmt: skip
    if size > memory_limit:
        height, width, channels = shape
        raise PictureError(
            f"{path}: got {width} x {height} pixels of {channels} {dtype} "
            f"({size / MIB:.1f} MiB), need at most {memory_limit / MIB:.1f} MiB. "
            "Scale the picture down, or raise memory_limit."
        )


def too_little_memory(path: Path, shape: tuple[int, int, int], dtype: str) -> PictureError:
    """Return the refusal of a picture that does not fit into memory."""
    height, width, channels = shape
    return PictureError(
        f"{path}: got {width} x {height} pixels of {channels} {dtype} for which no "
        "memory is left, need room for them. Scale the picture down, or end other programs."
    )
