"""Lossless stream of a cloud of 2D Gaussians' levels.

A Gaussian is a position on a lattice and some attributes, each rounded to a level. The stream is
one run of a range coder: positions (point_set.py), then attribute after attribute by name
(column.py), then a checksum of 16 bits. Sizes and count are in the asset's header, not in the
stream. Readers on all machines decode the same levels; mixture.py says on what that relies.
"""

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.errors import AssetError, ConfigError, ShapeError
from neuralshade.kinds.splats.coding.column import Columns, has_neighborhood
from neuralshade.kinds.splats.coding.point_order import morton, neighborhood, square_bits
from neuralshade.kinds.splats.coding.point_set import code_list, code_set
from neuralshade.kinds.splats.coding.range_coder import Coder, Decoder, Encoder, Ints, damaged

MOST = 1 << 20  # Gaussians
POSITION_LEVELS = 1 << 20  # the most along x and y
ATTRIBUTE_LEVELS = 1 << 16  # the most of any other attribute
CHECKS = 1 << 16  # values of the checksum
PLACE = ("x", "y")


def encode(
    columns: Mapping[str, NDArray[Any]], sizes: Mapping[str, int], ordered: bool
) -> NDArray[np.uint8]:
    """Return the stream of the columns.

    Args:
        columns: integers [N] by name, "x" and "y" among them, each in 0 ... ``sizes[name]`` - 1;
            N is 1 ... 2**20.
        sizes: the number of levels of each column: up to 2**20 of "x" and "y", 2**16 of others.
        ordered: whether the order of the Gaussians is kept; else they are a set, which saves
            log2(N!) bits, and decoding returns them as ``canonical`` sorts them.

    Raises: ShapeError, ConfigError for anything else.
    """
    fault = _fault(sizes)
    if fault:
        raise ConfigError(f"splats: got {fault}. Use another number of bits.")
    levels = _checked(columns, sizes)
    if not ordered:
        order = canonical(levels, sizes)
        levels = {name: column[order] for name, column in levels.items()}
    coder = Encoder()
    _code(coder, levels, sizes, ordered)
    return coder.to_bytes(CHECKS, _checksum(levels))


def decode(
    stream: NDArray[np.uint8], count: int, sizes: Mapping[str, int], ordered: bool, place: str
) -> dict[str, NDArray[np.int32]]:
    """Return the columns, int32 [count] in the order of ``sizes``, of a stream from ``encode``.

    Raises: AssetError naming ``place`` where count or sizes are impossible, or the stream is
        damaged, truncated, or was encoded with another count, other sizes or ``ordered``.
    """
    fault = _fault(sizes) or _fault_of_count(count)
    if fault:
        raise AssetError(f"{place}: got {fault}. Fit it again.")
    if stream.dtype != np.uint8 or stream.ndim != 1:
        raise damaged(place)
    coder = Decoder(stream, place)
    levels = {name: np.zeros(count, np.int64) for name in sizes}
    levels = _code(coder, levels, sizes, ordered)
    check = coder.code_evenly(np.array([CHECKS]), np.zeros(1, np.int64))
    if int(check[0]) != _checksum(levels):
        raise damaged(place)
    return {name: levels[name].astype(np.int32) for name in sizes}


def canonical(columns: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> Ints:
    """Return the order, int64 [N], in which a set's Gaussians are decoded.

    They follow the Z curve; those in one place are sorted by the other columns, by name.
    """
    others = [columns[name] for name in reversed(_attributes(sizes))]
    return np.lexsort([*others, _along_curve(columns, sizes)])


def _code(
    coder: Coder, levels: dict[str, Ints], sizes: Mapping[str, int], ordered: bool
) -> dict[str, Ints]:
    """Code the whole stream, in either direction."""
    width, height = (int(sizes[name]) for name in PLACE)
    code_points = code_list if ordered else code_set
    x, y = code_points(coder, levels["x"], levels["y"], width, height)
    found = {"x": x, "y": y}
    order = np.argsort(_along_curve(found, sizes), kind="stable")
    near = neighborhood(x[order], y[order], width, height) if has_neighborhood(len(x)) else None
    columns = Columns(coder, len(x), near)
    for name in _attributes(sizes):
        found[name] = np.zeros_like(x)
        found[name][order] = columns.code(levels[name][order], int(sizes[name]))
    return found


def _attributes(sizes: Mapping[str, int]) -> list[str]:
    return sorted(name for name in sizes if name not in PLACE)


def _along_curve(columns: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> Ints:
    x, y = (columns[name].astype(np.int64) for name in PLACE)
    return morton(x, y, square_bits(int(sizes["x"]), int(sizes["y"])))


def _checksum(levels: dict[str, Ints]) -> int:
    state = 0
    for name in sorted(levels):
        state = zlib.crc32(levels[name].astype("<i4").tobytes(), state)
    return state % CHECKS


def _fault(sizes: Mapping[str, int]) -> str | None:
    """Return what is wrong with the sizes and what is needed; None for nothing."""
    for name in PLACE:
        if name not in sizes:
            return f"no levels of {name}, need them of every Gaussian's position"
    for name, size in sizes.items():
        most = POSITION_LEVELS if name in PLACE else ATTRIBUTE_LEVELS
        if not isinstance(size, (int, np.integer)) or not 1 <= size <= most:
            return f"{size!r} levels of {name}, need a whole number in 1 ... {most}"
    return None


def _fault_of_count(count: int) -> str | None:
    return None if 1 <= count <= MOST else f"{count} Gaussians, need 1 ... {MOST}"


def _checked(columns: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]) -> dict[str, Ints]:
    """Return the columns as int64; ShapeError where they do not fit each other or their sizes."""
    if columns.keys() != sizes.keys():
        raise ShapeError(f"splats: got columns {sorted(columns)}, need {sorted(sizes)}. "
                         "Give every column its size.")  # fmt: skip
    count = columns["x"].size
    fault = _fault_of_count(count)
    if fault:
        raise ShapeError(f"splats: got {fault}. Change the count.")
    for name, column in columns.items():
        if column.shape != (count,) or column.dtype.kind not in "iu":
            raise ShapeError(f"splats.{name}: got {column.dtype} {list(column.shape)}, need "
                             f"integers [{count}]. Round to levels first.")  # fmt: skip
        if column.min() < 0 or column.max() >= sizes[name]:
            raise ShapeError(f"splats.{name}: got levels {column.min()} ... {column.max()}, need "
                             f"0 ... {sizes[name] - 1}. Clamp them first.")  # fmt: skip
    return {name: column.astype(np.int64) for name, column in columns.items()}
