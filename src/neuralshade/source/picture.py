"""Picture in memory, the source of image fits and evaluations; its validation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.short_repr import ShortRepr
from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.decoded import ColorTag

DTYPES = ("uint8", "uint16", "float16", "float32")
COLOR_SPACES = ("srgb", "linear")
LARGEST_FITTED = 1e15  # its square, summed over the largest batch, is still a float32
BLOCK_ROWS = 64  # rows per pass over a picture, which bounds temporary memory


@dataclass(frozen=True, eq=False)
class Picture(ShortRepr):
    """One picture in its stored dtype; it is neither rescaled nor copied.

    Alpha, where there is one, is the last channel, linear, in [0, 1]. It is unassociated
    (color not multiplied by it) in "srgb" pictures and associated (color multiplied by it)
    in "linear" ones, which is what PNG and OpenEXR each prescribe.
    """

    pixels: npt.NDArray[Any]  # [H, W, C], C-contiguous, one of DTYPES; do not write to it
    color_space: str  # "srgb": display-encoded; "linear": linear light
    name: str  # file name, or "array"
    alpha_weighted: bool = False  # errors of color count by alpha; see source/hidden_color.py
    tag: ColorTag | None = None  # of a file's colors, if not applied: see apply_tag

    def brief(self) -> str:
        size = f"{self.width} x {self.height} x {self.channels}"
        return f"{self.name}, {size} {self.pixels.dtype.name}, {self.color_space}"

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def channels(self) -> int:
        return int(self.pixels.shape[2])

    @property
    def has_alpha(self) -> bool:
        """True for grey + alpha and RGB + alpha."""
        return self.channels in (2, 4)

    @property
    def straight_alpha(self) -> bool:
        """True where alpha is unassociated: color under alpha 0 is stored but invisible."""
        return is_straight(self.channels, self.color_space)

    @property
    def hdr(self) -> bool:
        """True for linear floats, which have no upper bound, whatever their values."""
        return self.color_space == "linear" and self.pixels.dtype.kind == "f"

    @cached_property
    def digest(self) -> str:
        """SHA-256 hex of shape, dtype and values; equal for equal pictures."""
        header = f"{self.height}x{self.width}x{self.channels} {self.pixels.dtype.name}\n"
        state = hashlib.sha256(header.encode())
        state.update(self.pixels.reshape(-1).view(np.uint8).data)
        return state.hexdigest()

    def as_float(
        self, rows: slice = slice(None), cols: slice = slice(None)
    ) -> npt.NDArray[np.float32]:
        """Return a part as float32 [h, w, C], same color space; integers become [0, 1]."""
        block = self.pixels[rows, cols]
        if block.dtype.kind == "f":
            return block.astype(np.float32)
        peak = np.float32(np.iinfo(block.dtype).max)
        scaled: npt.NDArray[np.float32] = np.divide(block, peak, dtype=np.float32)
        return scaled


@dataclass(frozen=True)
class PictureForm:
    """Size, channels, color space and name of something that is drawn like a picture."""

    width: int
    height: int
    channels: int
    color_space: str
    name: str

    @property
    def hdr(self) -> bool:
        """True for linear colors, which have no upper bound."""
        return self.color_space == "linear"


def is_straight(channels: int, color_space: str | None) -> bool:
    """Return whether a picture's alpha is unassociated, see Picture."""
    return channels in (2, 4) and color_space == "srgb"


def picture_from_array(values: npt.ArrayLike, color_space: str = "srgb") -> Picture:
    """Return ``values`` as a picture named "array", not copied if already C-contiguous.

    Args:
        values: uint8, uint16, float16 or float32 [H, W, C] with C in 1..4, or [H, W] (grey);
            H and W >= 1, finite. Integers span [0, 1]; sRGB floats must lie in [0, 1].
        color_space: "srgb" or "linear"; see Picture on alpha.

    Raises: ShapeError for a wrong dtype or shape, ConfigError for an unknown color space,
        PictureError for NaN, infinity, or sRGB floats outside [0, 1].
    """
    pixels = np.asarray(values)
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    check_color_space(color_space)
    check_shape("picture", pixels)
    if pixels.dtype.name not in DTYPES:
        raise ShapeError(
            f"picture: got dtype {pixels.dtype}, need one of {', '.join(DTYPES)}. "
            "Pass values.astype(numpy.float32)."
        )
    check_finite("picture", pixels)
    if color_space == "srgb" and pixels.dtype.kind == "f":
        low, high = float(pixels.min()), float(pixels.max())
        if low < 0 or high > 1:
            raise PictureError(
                f"picture: got sRGB values from {low:g} to {high:g}, need [0, 1]. "
                'Clip them, or pass color_space="linear".'
            )
    native = pixels.dtype.newbyteorder("=")
    return Picture(np.ascontiguousarray(pixels, dtype=native), color_space, "array")


def check_color_space(color_space: str) -> None:
    """Raise ConfigError unless ``color_space`` is one of COLOR_SPACES."""
    if color_space not in COLOR_SPACES:
        raise ConfigError(
            f'color_space: got {color_space!r}, need "srgb" or "linear". '
            'Photographs and PNG files are "srgb".'
        )


def check_shape(place: str, pixels: npt.NDArray[Any]) -> None:
    """Raise ShapeError unless ``pixels`` is [H, W, C] with H, W >= 1 and C in 1..4."""
    if pixels.ndim != 3 or 0 in pixels.shape or pixels.shape[2] > 4:
        raise ShapeError(
            f"{place}: got shape {list(pixels.shape)}, need [H, W, C] with H, W >= 1 and "
            "C in 1..4. Pass grey as [H, W, 1]."
        )


def check_finite(place: str, pixels: npt.NDArray[Any]) -> None:
    """Raise PictureError with count and position if [H, W, C] ``pixels`` hold NaN or infinity."""
    if pixels.dtype.kind != "f":
        return
    count, first = 0, None
    for top in range(0, pixels.shape[0], BLOCK_ROWS):
        bad = ~np.isfinite(pixels[top : top + BLOCK_ROWS])
        if first is None and bad.any():
            row, column, channel = np.argwhere(bad)[0]
            first = f"row {top + row}, column {column}, channel {channel}"
        count += int(bad.sum())
    if first is not None:
        values = "1 value" if count == 1 else f"{count} values"
        raise PictureError(
            f"{place}: got NaN or infinity in {values}, first at {first}, "
            "need finite values only. Replace them first."
        )


def check_squares(picture: Picture) -> None:
    """Raise PictureError with a pixel's position if its squared error may exceed float32."""
    if picture.pixels.dtype.name != "float32":
        return
    for top in range(0, picture.height, BLOCK_ROWS):
        block = np.abs(picture.pixels[top : top + BLOCK_ROWS])
        if block.max() > LARGEST_FITTED:
            row, column, channel = np.argwhere(block > LARGEST_FITTED)[0]
            raise PictureError(
                f"{picture.name}: got {picture.pixels[top + row, column, channel]:g} at row "
                f"{top + row}, column {column}, channel {channel}, need values within "
                f"{LARGEST_FITTED:g}: errors are squared in float32. Clip them first."
            )
