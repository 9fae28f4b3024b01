"""File form of a cloud of Gaussians: a coded stream of levels, and their scale in the header.

The header's ``cloud`` scales the levels: attribute a of Gaussian i is (first[a] + level) *
step[a], in the order of ``model/gaussian.py``; ``count`` is the number of Gaussians, ``levels``
that of an attribute's levels, ``background`` a color. The ``recipe`` holds only settings that are
not the default, to keep the file small.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.asset import Asset
from neuralshade.asset.rules import PSNR, TRAINING
from neuralshade.asset.schema import Form, ListOf, Number, ObjectOf
from neuralshade.errors import AssetError
from neuralshade.kinds.splats.coding.stream import MOST, POSITION_LEVELS, decode, encode
from neuralshade.model.gaussian import COLOR

CURVE_POINTS = 6  # of the training curve in the file, which should stay small
STREAM = "stream"
NAMES = ("x", "y", "a", "c", "b")  # of rows: log width and height are a and c, shear is b
LARGEST_COLOR = 1e30  # so that sums over all Gaussians fit into float32
LARGEST = (2.0**26, 2.0**26, 60.0, 60.0, 1e3)  # of NAMES, which drawing squares or exponentiates
# Most Gaussians per byte of the stream, and in any stream: each that a fit writes takes more than
# 2 bits.
COUNT_PER_BYTE, FREE_COUNT = 64, 1024
ATTRIBUTES = (COLOR + 1, COLOR + 5)  # one color to four, and opacity
CLOUD = ObjectOf({
    "count": Number(1, MOST, whole=True),
    "first": ListOf(Number(-(2**53), 2**53, whole=True), *ATTRIBUTES),
    "levels": ListOf(Number(1, POSITION_LEVELS, whole=True), *ATTRIBUTES),
    "step": ListOf(Number(), *ATTRIBUTES),
    "background": ListOf(Number(-LARGEST_COLOR, LARGEST_COLOR), 1, 4),
})  # fmt: skip

RULES = {"training": TRAINING, "quality": PSNR, "cloud": CLOUD}


def cloud_forms(asset: Asset, channels: int, ordered: bool) -> dict[str, Form]:
    """Return the form of the stream, whose length is not in the header.

    Raises: AssetError where the cloud's attributes do not fit the channels,
        or the stream has no room for so many Gaussians.
    """
    cloud, stream = asset.header.own["cloud"], asset.tensors.get(STREAM)
    need = COLOR + channels + ordered
    for name in ("first", "levels", "step"):
        if len(cloud[name]) != need:
            raise AssetError(f"{asset.path}: got {len(cloud[name])} numbers for cloud.{name}, need "
                             f"{need}, one an attribute. Fit it again.")  # fmt: skip
    if len(cloud["background"]) != channels:
        raise AssetError(f"{asset.path}: got {len(cloud['background'])} numbers for "
                         f"cloud.background, need {channels}, one a channel. Fit it "
                         "again.")  # fmt: skip
    size = 0 if stream is None else stream.size
    if cloud["count"] > FREE_COUNT + COUNT_PER_BYTE * size:
        most = FREE_COUNT + COUNT_PER_BYTE * size
        raise AssetError(f"{asset.path}: got {cloud['count']} Gaussians in {size} bytes, need "
                         f"{most} or fewer. Fit it again.")  # fmt: skip
    return {STREAM: ("uint8", (size,))}


def cloud_facts(count: int, ranges: NDArray[Any], background: NDArray[Any]) -> dict[str, Any]:
    """Return the ``cloud`` of a header, from the RANGE [A] that attributes were rounded in."""
    levels = ranges["levels"].astype(int)
    low = ranges["low"].astype(np.float64)
    steps = (ranges["high"] - low) / np.maximum(levels - 1, 1)
    steps = np.where(steps > 0, steps, np.where(low != 0, low, 1.0))  # one level: the step is it
    return {
        "count": count,
        "first": np.rint(low / steps).astype(int).tolist(),
        "levels": levels.tolist(),
        "step": [float(f"{step:.8g}") for step in steps],
        "background": [round(float(number), 5) for number in background],
    }


def pack_cloud(levels: NDArray[np.int32], cloud: dict[str, Any], ordered: bool) -> Any:
    """Return the file's tensors of ``levels`` [A, N]; ``ordered`` if their order matters."""
    columns, sizes = _columns(levels, cloud)
    return {STREAM: encode(columns, sizes, ordered)}


class CloudPacker:
    """``pack_cloud`` for one ``ordered``; packs what it is given twice in a row once."""

    def __init__(self, ordered: bool):
        self._ordered = ordered
        self._last: Any = None

    def __call__(self, levels: NDArray[np.int32], cloud: dict[str, Any]) -> Any:
        """Return the file's tensors."""
        last = self._last
        if last is None or last[1] != cloud or not np.array_equal(last[0], levels):
            last = self._last = levels, cloud, pack_cloud(levels, cloud, self._ordered)
        return last[2]


def unpack_cloud(asset: Asset, ordered: bool) -> NDArray[np.float32]:
    """Return the attributes float32 [A, N] from the tensors of ``pack_cloud``.

    Raises: AssetError naming the file where the stream is damaged, or numbers are too large to
        be drawn.
    """
    cloud, place = asset.header.own["cloud"], asset.path
    sizes = dict(zip(_names(len(cloud["levels"])), cloud["levels"], strict=True))
    scale = np.array([cloud["first"], cloud["step"]], np.float64)[:, :, None]
    levels = decode(asset.tensors[STREAM], cloud["count"], sizes, ordered, place)
    values = (scale[0] + np.stack([levels[name] for name in sizes])) * scale[1]
    limits = [*LARGEST, *[LARGEST_COLOR] * (len(values) - len(LARGEST))]
    for name, row, limit in zip(sizes, values, limits, strict=True):
        if not np.abs(row).max() <= limit:
            raise AssetError(f"{place}: got Gaussians with {name} beyond {limit:g}, need smaller "
                             "numbers. Fit it again.")  # fmt: skip
    return values.astype(np.float32)


def _columns(levels: NDArray[Any], cloud: dict[str, Any]) -> tuple[Any, dict[str, int]]:
    names = _names(len(levels))
    return dict(zip(names, levels, strict=True)), dict(zip(names, cloud["levels"], strict=True))


def _names(count: int) -> list[str]:
    return [*NAMES, *(f"y{i}" for i in range(count - len(NAMES)))]
