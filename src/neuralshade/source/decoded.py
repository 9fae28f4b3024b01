"""Pixels of a file as its reader returns them, their colors, and the memory that they take."""

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
    """Colors that are not sRGB, or of floats not linear sRGB, and how to make them so.

    ``curves``, one or three, lead to light and ``matrix``, where there is one, to sRGB's.
    Without curves littleCMS applies ``profile``, to 8 bits; without that nobody does.
    """

    name: str
    curves: tuple[Callable[[npt.NDArray[Any]], npt.NDArray[Any]], ...] = ()
    matrix: npt.NDArray[Any] | None = None  # [3, 3]
    bright: bool = False  # light goes beyond 1: becomes linear
    hlg: bool = False
    profile: bytes | None = None
    inks: bool = False  # of cyan, magenta, yellow and black


@dataclass
class Decoded:
    """Pixels of a file as it stores them, and how they are meant."""

    pixels: npt.NDArray[Any]  # [H, W, C], alpha last
    straight: bool = True  # alpha is unassociated
    orientation: int = 1  # EXIF's number
    tag: ColorTag | None = None
    moves: bool = False  # an animation, of which this is the first frame
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
    """Return the refusal of a picture for which the machine has no memory."""
    height, width, channels = shape
    return PictureError(
        f"{path}: got {width} x {height} pixels of {channels} {dtype} for which no "
        "memory is left, need room for them. Scale the picture down, or end other programs."
    )
