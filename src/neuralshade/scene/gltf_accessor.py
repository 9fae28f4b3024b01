"""Accessors of a glTF file: rows of numbers in a buffer, read on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import shown
from neuralshade.scene.gltf_file import GltfFile, is_whole

MOST_VALUES = 2**26  # of an accessor
TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
UNSIGNED = (5121, 5123, 5125)  # allowed types of indices
COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


@dataclass(frozen=True)
class Accessor:
    """Rows of 1 to 4 numbers, as a view of the file's buffer, which accessors may share."""

    base: npt.NDArray[Any]  # [count, width]: a view of the buffer, or of one zero
    normalized: bool  # integers are fractions of the largest
    sparse: tuple[npt.NDArray[np.int64], npt.NDArray[Any]] | None  # rows in order, their values

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return len(self.base)

    def take(self, rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[Any]:
        """Return a copy of some rows, or of all (None): float32 where normalized."""
        found = self.base.copy() if rows is None else self.base[rows]
        if self.sparse is not None:
            places, values = self.sparse
            queried = np.arange(self.count) if rows is None else rows
            at = np.minimum(np.searchsorted(places, queried), len(places) - 1)
            hit = places[at] == queried
            found[hit] = values[at[hit]]
        if not self.normalized:
            return found
        return np.maximum(found.astype(np.float32) / np.iinfo(found.dtype).max, -1)


def read_accessor(file: GltfFile, index: Any, kinds: tuple[str, ...]) -> Accessor:
    """Return an accessor of one of the types ``kinds``. Raises ConfigError."""
    row = file.entry("accessors", index)
    kind, code = row.get("type"), row.get("componentType")
    count: Any = row.get("count")
    if kind not in kinds or not is_whole(code) or code not in TYPES or not is_whole(count):
        raise file.wrong(f"accessors[{index}] of {shown(kind)}, {shown(code)} and "
                         f"{shown(count)}")  # fmt: skip
    width, dtype = COUNTS[kind], np.dtype(TYPES[code])
    if not 0 < count * width <= MOST_VALUES:
        raise file.wrong(f"accessors[{index}] of {count:,} rows")
    place = f"accessors[{index}]"
    base = (np.broadcast_to(np.zeros(1, dtype), (count, width)) if "bufferView" not in row
            else _rows(file, row, place, (count, width), dtype))  # fmt: skip
    sparse = _sparse(file, row["sparse"], place, base) if "sparse" in row else None
    return Accessor(base, row.get("normalized") is True and dtype.kind in "iu", sparse)


def _rows(
    file: GltfFile, row: dict[str, Any], place: str, shape: tuple[int, int], dtype: np.dtype[Any]
) -> npt.NDArray[Any]:
    """Return the numbers of a bufferView from byteOffset on, as a view: ``shape``."""
    view = file.entry("bufferViews", row.get("bufferView"))
    size, at = shape[1] * dtype.itemsize, row.get("byteOffset", 0)
    start: Any = view.get("byteOffset", 0)
    length: Any = view.get("byteLength")
    stride = view.get("byteStride", size)
    data = file.buffer(view.get("buffer"))
    whole = all(map(is_whole, (at, start, length, stride))) and size <= stride <= 252 + size
    if not whole or start + length > len(data) or at + stride * (shape[0] - 1) + size > length:
        raise file.wrong(f"{place}, which lies beyond its buffer")
    found: npt.NDArray[Any] = np.ndarray(shape, dtype, data, start + at, (stride, dtype.itemsize))
    return found


def _sparse(
    file: GltfFile, row: Any, place: str, base: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the indices of rows with other values, in order, and these values."""
    table: dict[str, Any] = row if isinstance(row, dict) else {}
    count: Any = table.get("count")
    at, to = (table.get(name) for name in ("indices", "values"))
    if (
        not (isinstance(at, dict) and isinstance(to, dict))
        or not is_whole(count) or not 0 < count <= len(base)
        or at.get("componentType") not in UNSIGNED
    ):  # fmt: skip
        raise file.wrong(f"{place}.sparse of {shown(row)}")
    of_places = np.dtype(TYPES[at["componentType"]])
    places = _rows(file, at, f"{place}.sparse.indices", (count, 1), of_places)
    values = _rows(file, to, f"{place}.sparse.values", (count, base.shape[1]), base.dtype)
    found = places[:, 0].astype(np.int64)
    if (np.diff(found) <= 0).any() or found[-1] >= len(base):
        raise file.wrong(f"{place}.sparse.indices that are not in order, or beyond "
                         f"{len(base):,}")  # fmt: skip
    return found, values
