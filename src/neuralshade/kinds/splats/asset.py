"""A cloud of Gaussians in a file: its levels as a stream, and what they mean."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.file import (
    AssetFile,
    content_of,
    header_of,
    read_asset_file,
    to_bytes,
    write_asset_file,
)
from neuralshade.asset.image import thin
from neuralshade.errors import AssetError
from neuralshade.kinds.splats.coding.stream import decode, encode

KIND = "splats"
CURVE_POINTS = 6  # of the training curve that are kept: the file should stay small
STREAM = "stream"
NAMES = ("x", "y", "a", "c", "b")  # of rows: log width and height are a and c, shear is b


@dataclass(frozen=True)
class SplatsHeader:
    """What such an asset says of itself, besides its numbers.

    ``recipe`` has the settings that are not the default; ``picture`` is the fitted picture's
    name, width and height in pixels, channels, color_space and dtype; ``training`` and
    ``quality`` as an ImageHeader's. ``cloud`` says what levels mean: Gaussian i has attribute a
    equal to (first[a] + level) * step[a], in the order of ``model/gaussian.py``; ``count`` is
    that of Gaussians, ``levels`` that of an attribute's levels, ``background`` a color.
    """

    recipe: dict[str, Any]
    picture: dict[str, Any]
    training: dict[str, Any]
    quality: dict[str, Any]
    cloud: dict[str, Any]


@dataclass(frozen=True)
class SplatsAsset:
    """Header and stream of a cloud, and the size of its file in bytes."""

    header: SplatsHeader
    tensors: dict[str, NDArray[Any]]
    byte_count: int
    path: str


def cloud_facts(count: int, ranges: NDArray[Any], background: NDArray[Any]) -> dict[str, Any]:
    """Return the ``cloud`` of a header, of RANGE [A] that attributes were rounded in."""
    levels = ranges["levels"].astype(int)
    low = ranges["low"].astype(np.float64)
    steps = (ranges["high"] - low) / np.maximum(levels - 1, 1)
    steps = np.where(steps > 0, steps, np.where(low != 0, low, 1.0))  # one level: it is the step
    return {
        "count": count,
        "first": np.rint(low / steps).astype(int).tolist(),
        "levels": levels.tolist(),
        "step": [float(f"{step:.8g}") for step in steps],
        "background": [round(float(number), 5) for number in background],
    }


def pack_cloud(levels: NDArray[np.int32], cloud: dict[str, Any], ordered: bool) -> Any:
    """Return the file's tensors of ``levels`` [A, N]; ``ordered`` if their order counts."""
    columns, sizes = _columns(levels, cloud)
    return {STREAM: encode(columns, sizes, ordered)}


def unpack_cloud(asset: SplatsAsset, ordered: bool) -> NDArray[np.float32]:
    """Return the attributes float32 [A, N] of what ``pack_cloud`` packed.

    Raises: AssetError naming the file where header or stream are not whole.
    """
    cloud, place = asset.header.cloud, asset.path
    try:
        sizes = dict(zip(_names(len(cloud["levels"])), cloud["levels"], strict=True))
        stream, count = asset.tensors[STREAM], int(cloud["count"])
        scale = np.array([cloud["first"], cloud["step"]], np.float64)[:, :, None]
        if scale.shape[1] != len(sizes):
            raise ValueError(f"{scale.shape[1]} steps for {len(sizes)} attributes")
    except (KeyError, TypeError, ValueError) as error:
        raise AssetError(f"{place}: got no whole description of its Gaussians ({error}), need "
                         "one. Fit it again.") from error  # fmt: skip
    levels = decode(stream, count, sizes, ordered, place)
    stacked = np.stack([levels[name] for name in sizes])
    return ((scale[0] + stacked) * scale[1]).astype(np.float32)


def _columns(levels: NDArray[Any], cloud: dict[str, Any]) -> tuple[Any, dict[str, int]]:
    names = _names(len(levels))
    return dict(zip(names, levels, strict=True)), dict(zip(names, cloud["levels"], strict=True))


def _names(count: int) -> list[str]:
    return [*NAMES, *(f"y{i}" for i in range(count - len(NAMES)))]


def splats_file(header: SplatsHeader, tensors: dict[str, NDArray[Any]]) -> AssetFile:
    """Return the asset as the file holds it, its curve thinned out."""
    content = content_of(header)
    content["training"] = {**header.training, "curve": thin(header.training["curve"], CURVE_POINTS)}
    return AssetFile({"kind": KIND, **content}, tensors)


def save_splats_asset(
    path: str | os.PathLike[str], header: SplatsHeader, tensors: dict[str, NDArray[Any]]
) -> int:
    """Write the asset whole or not at all; return its size in bytes. Raises OutputError."""
    return write_asset_file(path, splats_file(header, tensors))


def splats_size(header: SplatsHeader, tensors: dict[str, NDArray[Any]]) -> int:
    """Return how many bytes the file would have."""
    return len(to_bytes(splats_file(header, tensors)))


def load_splats_asset(path: str | os.PathLike[str]) -> SplatsAsset:
    """Read what ``save_splats_asset`` wrote; AssetError says why a file is refused."""
    return splats_asset(read_asset_file(path, KIND), path)


def splats_asset(file: AssetFile, path: str | os.PathLike[str]) -> SplatsAsset:
    """Return the asset of a file that was read; AssetError where its header is not whole."""
    header = header_of(SplatsHeader, file, path)
    return SplatsAsset(header, file.tensors, os.path.getsize(path), str(path))
