"""Resizing of a surface's maps to the largest one's size."""

import math
from collections.abc import Collection, Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, PictureError

Floats = npt.NDArray[np.float32]

WRAPS = {"repeat": "wrapping around", "clamp": "clamped at the border"}  # with their text in notes


def common_size(
    place: str,
    sizes: Mapping[str, tuple[int, int]],
    notes: list[str],
    wrap: str = "repeat",
    constant: Collection[str] = (),
) -> tuple[int, int]:
    """Return the (height, width) of the largest map, at which no stored detail is lost.

    Constant maps fit any aspect ratio.

    Args:
        place: the set's name in messages.
        sizes: (height, width) by map.
        notes: gets a sentence for each smaller map.
        wrap: border of their enlargement, see ``resized``.
        constant: names of the constant maps.

    Raises: PictureError where two maps have different aspect ratios.
    """

    def area(name: str) -> int:
        return sizes[name][0] * sizes[name][1]

    shape = sizes[max([name for name in sizes if name not in constant] or sizes, key=area)]
    largest = max((name for name, size in sizes.items() if same_shape(size, shape)), key=area)
    height, width = sizes[largest]
    for name, size in sizes.items():
        if size == (height, width):
            continue
        if name not in constant and not same_shape(size, (height, width)):
            raise PictureError(
                f"{place}: got {name} of {size[1]} x {size[0]} beside {largest} of "
                f"{width} x {height}, need one aspect ratio. Scale or crop one of them."
            )
        notes.append(
            f"{name}: {size[1]} x {size[0]} resized to {width} x {height}, the size of "
            f"{largest} (bilinear, {WRAPS[wrap]})."
        )
    return height, width


def misfits(
    sizes: Mapping[str, tuple[int, int]],
    optional: Collection[str],
    constant: Collection[str] = (),
) -> dict[str, str]:
    """Return the optional maps of another aspect ratio, each with a map that it differs from.

    The aspect ratio is that of the required maps, else the most frequent one; empty where two
    ratios are equally frequent.

    Args:
        sizes: (height, width) by map.
        optional: names of the maps that may be left out.
        constant: names of the constant maps, which fit any.
    """
    shaped = sorted((n for n in sizes if n not in constant), key=lambda n: -math.prod(sizes[n]))
    kept = [name for name in shaped if name not in optional]
    if shaped and not kept:
        alike = {n: sum(same_shape(sizes[n], sizes[m]) for m in shaped) for n in shaped}
        most = [name for name in shaped if alike[name] == max(alike.values())]
        if not all(same_shape(sizes[most[0]], sizes[name]) for name in most):
            return {}
        kept = most[:1]
    found: dict[str, str] = {}
    for name in shaped:
        unlike = [other for other in kept if not same_shape(sizes[name], sizes[other])]
        if name not in optional or not unlike:
            kept.append(name)
        else:
            found[name] = unlike[0]
    return found


def check_wrap(wrap: str) -> None:
    """Raise ConfigError unless ``wrap`` is one of WRAPS."""
    if wrap not in WRAPS:
        raise ConfigError(f"wrap: got {shown(wrap)}, need one of {', '.join(WRAPS)}. Write repeat "
                          "for maps that tile.")  # fmt: skip


def resized(values: Floats, height: int, width: int, wrap: str = "repeat") -> Floats:
    """Return float32 [h, w] or [h, w, C] as [height, width(, C)], bilinear.

    Texel centers lie at (i + 0.5) / size, as in texture units, so a renderer that filters the small
    map gets the same values. One texel fills any size.

    Args:
        wrap: beyond an edge: "repeat" the texels of the opposite one, "clamp" its own.
    """
    for axis, size in enumerate((height, width)):
        values = _resized_along(values, axis, size, wrap)
    return np.ascontiguousarray(values)


def same_shape(size: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether two (height, width) have one aspect ratio, up to half a coarse texel.

    One texel has any aspect ratio.
    """
    (h, w), (H, W) = sorted((size, other))
    return (h, w) == (1, 1) or 2 * abs(W * h - w * H) <= max(H, W)


def _resized_along(values: Floats, axis: int, size: int, wrap: str) -> Floats:
    old = values.shape[axis]
    if old == size:
        return values
    place = (np.arange(size) + 0.5) * (old / size) - 0.5
    first = np.floor(place).astype(np.int64)
    share = (place - first).astype(np.float32)
    share = share.reshape([-1 if at == axis else 1 for at in range(values.ndim)])
    mode: Literal["wrap", "clip"] = "wrap" if wrap == "repeat" else "clip"
    low = values.take(first, axis, mode=mode)
    high = values.take(first + 1, axis, mode=mode)
    high -= low
    high *= share
    high += low  # in this order equal values stay exactly equal
    return high
