"""Mip chain for a texture file: checked whole, then encoded a few rows at a time."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.block_compression import compress_blocks
from neuralshade.asset.texture.texture_format import TextureFormat, find_format, formats_of
from neuralshade.base.cores import core_count
from neuralshade.errors import PictureError, ShapeError
from neuralshade.source.picture import check_finite, check_shape

DTYPES = ("uint8", "uint16", "float16", "float32")
LARGEST_PX = 32_768  # a side of the largest texture that any GPU takes
# Encoded at once by each core. Few, as Ctrl-C waits for the BC7 encoder's C code: a second or two.
BAND_TEXELS = 1 << 20
HALF_PEAK = 65504.0
MOST_BANDS = 8  # at once, whatever cores there are: a band takes some 50 MB

MipChain = Sequence[NDArray[Any]]


def check_chain(levels: MipChain, format: str) -> TextureFormat:
    """Return the format of that name; raise unless ``levels`` can be stored in it.

    Raises: ConfigError for an unknown format; ShapeError for no level, a wrong shape, dtype or
        count of channels, a level that is not max(1, floor(size / 2)) of the one before, or
        levels after 1 x 1; PictureError for NaN, infinity, or what float16 cannot hold.
    """
    chosen = find_format(format)
    if len(levels) == 0:
        raise ShapeError("levels: got none, need at least the largest. Pass a list of arrays.")
    for number, level in enumerate(levels):
        _check_level(f"levels[{number}]", level, levels[0], chosen)
    _check_sizes(levels)
    for number, level in enumerate(levels):
        _check_values(f"levels[{number}]", level, chosen)
    return chosen


def shapes_of(sizes: Sequence[tuple[int, int]], channels: int) -> list[NDArray[np.float32]]:
    """Return levels that only have shapes: views of one 0. Sizes: width, height."""
    return [np.broadcast_to(np.float32(0), (down, across, channels)) for across, down in sizes]


def stored_levels(
    levels: MipChain, chosen: TextureFormat, blocks: Sequence[bytes] = ()
) -> Iterator[Iterable[bytes]]:
    """Yield the bytes of each checked level, in parts; ``blocks``: already encoded ones."""
    if not blocks:
        yield from (encoded(level, chosen) for level in levels)
        return
    for level, data in zip(levels, blocks, strict=True):
        assert len(data) == chosen.level_bytes(level), (chosen.name, level.shape, len(data))
        yield [data]


def encoded(level: NDArray[Any], chosen: TextureFormat) -> Iterator[bytes]:
    """Yield the bytes of a checked level, some rows at a time, the upper ones first."""
    rows = band_rows(level.shape[1])
    for top in range(0, level.shape[0], rows):
        texels = stored_texels(level[top : top + rows], chosen)
        if chosen.compressed_bytes:
            yield compress_blocks(texels, chosen)
        else:
            yield texels.astype(texels.dtype.newbyteorder("<"), copy=False).tobytes()


def band_rows(width: int) -> int:
    """Return how many rows are encoded at once: whole blocks."""
    texels = BAND_TEXELS * min(core_count(), MOST_BANDS)
    return max(1, texels // width // 4) * 4


def stored_texels(level: NDArray[Any], chosen: TextureFormat) -> NDArray[Any]:
    """Return [H, W, C] as a format stores it, or, where compressed, as its encoder takes it.

    Whole numbers mean themselves divided by their largest; floats mean themselves. Formats of
    whole numbers, and blocks, clamp to [0, 1]. No color curve is applied. Three channels become
    four, the last of which is 1.
    """
    if chosen.dtype.startswith("float"):
        values = _as_float(level)
        if chosen.compressed_bytes:
            values = np.clip(values, 0, HALF_PEAK if chosen.name == "bc6h" else 1)
        values = values.astype(chosen.dtype)
        peak = 1
    else:
        peak = np.iinfo(chosen.dtype).max
        values = level
        if level.dtype != chosen.dtype:
            values = np.rint(np.clip(_as_float(level), 0, 1) * peak).astype(chosen.dtype)
    if values.shape[2] == chosen.channels:
        return values
    opaque = np.full((*values.shape[:2], 1), peak, values.dtype)
    return np.concatenate((values, opaque), axis=2)


def _as_float(level: NDArray[Any]) -> NDArray[np.float32]:
    peak = np.iinfo(level.dtype).max if level.dtype.kind == "u" else 1
    return level.astype(np.float32) / np.float32(peak)


def _check_level(
    place: str, level: NDArray[Any], first: NDArray[Any], chosen: TextureFormat
) -> None:
    check_shape(place, level)
    if level.dtype.name not in DTYPES:
        raise ShapeError(
            f"{place}: got dtype {level.dtype}, need one of {', '.join(DTYPES)}. "
            "Convert it with astype."
        )
    if level.dtype != first.dtype or level.shape[2] != first.shape[2]:
        raise ShapeError(
            f"{place}: got {level.shape[2]} channels of {level.dtype}, need {first.shape[2]} of "
            f"{first.dtype} as in levels[0]. Make all levels alike."
        )
    channels = level.shape[2]
    if channels != chosen.channels and (channels, chosen.channels) != (3, 4):
        fitting = formats_of({channels, 4 if channels == 3 else channels})
        raise ShapeError(
            f"{place}: got {channels} channels, need {chosen.channels} for {chosen.name}. "
            f"Choose one of {fitting}, or pass other channels."
        )


def _check_sizes(levels: MipChain) -> None:
    height, width = levels[0].shape[:2]
    if max(height, width) > LARGEST_PX:
        raise ShapeError(
            f"levels[0]: got {width} x {height} pixels, need at most {LARGEST_PX} a side. "
            "Begin with a smaller level."
        )
    most = max(height, width).bit_length()
    if len(levels) > most:
        raise ShapeError(
            f"levels: got {len(levels)}, need at most {most} for {width} x {height} pixels. "
            "End with 1 x 1."
        )
    for number, level in enumerate(levels):
        need = tuple(max(1, side >> number) for side in (width, height))
        if level.shape[1::-1] != need:
            raise ShapeError(
                f"levels[{number}]: got {level.shape[1]} x {level.shape[0]} pixels, need "
                f"{need[0]} x {need[1]}. Halve each side per level, rounded down, down to 1."
            )


def _check_values(place: str, level: NDArray[Any], chosen: TextureFormat) -> None:
    check_finite(place, level)
    largest = float(np.finfo(np.float16).max)
    if chosen.dtype == "float16" and level.dtype == np.float32:
        most = max(float(level.max()), -float(level.min()))
        if most > largest:
            wider = chosen.name.replace("16f", "32f")
            raise PictureError(
                f"{place}: got a value of size {most:g}, need at most {largest:g} for "
                f"{chosen.name}. Choose {wider}."
            )
