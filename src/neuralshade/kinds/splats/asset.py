"""A cloud of Gaussians in a file: its levels as a stream, and what they mean.

The ``cloud`` of a header says what levels mean: Gaussian i has attribute a equal to (first[a] +
level) * step[a], in the order of ``model/gaussian.py``; ``count`` is that of Gaussians, ``levels``
that of an attribute's levels, ``background`` a color. Its ``recipe`` has the settings that are not
the default: the file should stay small.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.asset import Asset
from neuralshade.errors import AssetError
from neuralshade.kinds.splats.coding.stream import decode, encode

CURVE_POINTS = 6  # of the training curve that are kept: the file should stay small
STREAM = "stream"
NAMES = ("x", "y", "a", "c", "b")  # of rows: log width and height are a and c, shear is b


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


def unpack_cloud(asset: Asset, ordered: bool) -> NDArray[np.float32]:
    """Return the attributes float32 [A, N] of what ``pack_cloud`` packed.

    Raises: AssetError naming the file where header or stream are not whole.
    """
    cloud, place = asset.header.own["cloud"], asset.path
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
