"""One map of a surface: read from a picture, checked, and resized."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError, ShapeError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.map_values import (
    clipped,
    color_values,
    green,
    grey_everywhere,
    normal_values,
    number_values,
)
from neuralshade.source.map_words import COLORS, EITHER, NAMES
from neuralshade.source.normal_map import make_unit
from neuralshade.source.picture import Picture, check_finite
from neuralshade.source.resize import resized

if TYPE_CHECKING:
    from neuralshade.source.map_entry import MapFile

Floats = npt.NDArray[np.float32]

MEANINGS = ("srgb", "linear", "normal", "data")
BITS = (8, 16, 32)


@dataclass(frozen=True, eq=False)
class MaterialMap:
    """The values of one map; do not write to them.

    ``meaning`` is "srgb": display-coded color in [0, 1]; "linear": linear light, 0 and above,
    which may exceed 1; "normal": unit vectors, OpenGL (green up), z > 0; "data": stored numbers,
    integers as fractions of their maximum.

    Raises: ShapeError or ConfigError for an invalid form, PictureError for NaN or infinity.
    """

    name: str  # one of NAMES, or a custom one
    values: Floats  # [H, W, C], C in 1..3; 3 for normals
    meaning: str  # one of MEANINGS
    bits: int = 32  # of a number in the file: 8, 16 (half as well) or 32 (float)
    path: Path | None = None  # None: made in memory

    @property
    def constant(self) -> bool:
        """Return whether all texels are equal."""
        first = self.values[:1, :1]  # compared with a row first: few maps have equal ones
        return bool((self.values[:1] == first).all() and (self.values == first).all())

    def __post_init__(self) -> None:
        shape, dtype = list(self.values.shape), self.values.dtype
        most = (3,) if self.meaning == "normal" else (1, 2, 3)
        if len(shape) != 3 or 0 in shape or shape[2] not in most or dtype != np.float32:
            need = "3" if self.meaning == "normal" else "1 to 3"
            raise ShapeError(f"{self.name}: got {dtype} {shape}, need float32 [H, W, C] with H, "
                             f"W >= 1 and C {need}. Pass grey as [H, W, 1].")  # fmt: skip
        if self.meaning not in MEANINGS or self.bits not in BITS:
            raise ConfigError(f"{self.name}: got meaning {self.meaning!r} and bits {self.bits!r}, "
                              f"need one of {', '.join(MEANINGS)} and one of 8, 16, 32. "
                              "Say what the numbers are.")  # fmt: skip
        if self.path is None:  # files are checked as they are read
            check_finite(self.name, self.values)


def read_map(
    name: str, file: MapFile, picture: Picture, convention: str | None, notes: list[str]
) -> MaterialMap:
    """Return the map ``name`` from a picture of ``file``.

    A picture in color is a color for albedo, emissive, maps of either kind, and those marked as
    color; for a custom name it is three numbers; else refused.

    Args:
        convention: of normals, overriding the file: "opengl", "directx" or None.
        notes: gets a sentence for each detection, correction or omission.

    Raises: PictureError for a picture that cannot be such a map.
    """
    bits = picture.pixels.dtype.itemsize * 8
    if name == "normal":
        values = normal_values(file.path, picture, convention or file.convention, notes)
        return MaterialMap(name, values, "normal", bits, file.on_disk)
    numbers = name in NAMES and name not in EITHER and name not in COLORS and not file.color
    if file.channel is not None or numbers:
        values = number_values(name, file, picture)[..., None]
        return MaterialMap(name, values, "data", bits, file.on_disk)
    values = color_values(picture)
    if _is_color(name, file, values):
        if picture.tag is not None:
            from neuralshade.source.tagged_colors import apply_tag  # few pictures are tagged

            picture = apply_tag(picture, str(file.path))
            values = color_values(picture)
        if picture.color_space == "linear":
            values = clipped(name, values, notes)
        return MaterialMap(name, values, picture.color_space, bits, file.on_disk)
    if grey_everywhere(values):
        values = green(values)[..., None]
    return MaterialMap(name, values, "data", bits, file.on_disk)


def alpha_map(name: str, file: MapFile, picture: Picture) -> MaterialMap:
    """Return the alpha of ``picture`` as the map ``name``."""
    values = np.ascontiguousarray(picture.as_float()[..., -1:])
    return MaterialMap(name, values, "data", picture.pixels.dtype.itemsize * 8, file.on_disk)


def resized_map(one: MaterialMap, height: int, width: int, wrap: str = "repeat") -> MaterialMap:
    """Return the map resized: bilinear, colors in linear light; ``wrap`` as for ``resized``."""
    if one.values.shape[:2] == (height, width):
        return one
    if one.meaning == "srgb":
        linear = resized(srgb_to_linear(one.values), height, width, wrap)
        return replace(one, values=linear_to_srgb(linear).clip(0, 1))
    values = resized(one.values, height, width, wrap)
    if one.meaning == "normal":
        make_unit(values)
    return replace(one, values=values)


def _is_color(name: str, file: MapFile, values: Floats) -> bool:
    """Return whether a picture's ``values`` are a color in that map."""
    if name in COLORS or file.color is not None:
        return name in COLORS or bool(file.color)
    return name in EITHER and not grey_everywhere(values)
