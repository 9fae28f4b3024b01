"""Networks of many materials in one buffer; shared layers are stored once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.batched_maps import Mapped
from neuralshade.kinds.material.field import lobe_inputs
from neuralshade.kinds.material.shared import shared_digest

ALIGNED = 64  # bytes, as cooperative vectors require
PLACE = ("range", "read", "biases", "first", "second", "stride", "map", "layer")
LOG2_E = np.float32(np.log2(np.e))
SIDE, LANES = 16, 32  # of a matrix product: rows and columns of a fragment, and its threads
Halves = npt.NDArray[np.float16]
Bytes = npt.NDArray[np.uint8]
SizeOf = Callable[[int, int], int]  # bytes of a matrix of so many rows and columns


@dataclass(frozen=True)
class PackedNetworks:
    """Packed networks: ``data``, and the matrices to write into it."""

    data: Bytes  # zeros where matrices go
    places: npt.NDArray[np.uint32]  # [materials, PLACE]
    matrices: tuple[tuple[int, Halves], ...]  # first byte, and values [rows, columns]


def pack_networks(
    materials: Sequence[Mapped], of_maps: Sequence[tuple[int, int]], size_of: SizeOf,
    largest: float = 1.0,
) -> PackedNetworks:  # fmt: skip
    """Return the packed networks of materials of one architecture; equal first layers stored once.

    ``of_maps``: map and layer of each; ``largest``: the value of the largest code in look-ups.
    The decoders' last layers return logarithms to base 2.
    """
    blocks: list[Bytes] = []
    matrices: list[tuple[int, Halves]] = []
    shared: dict[str, int] = {}
    end = 0

    def put(block: npt.NDArray[Any]) -> int:
        nonlocal end
        raw = np.ascontiguousarray(block).reshape(-1).view(np.uint8)
        blocks.append(np.pad(raw, (0, -len(raw) % ALIGNED)))
        end += len(blocks[-1])
        return end - len(blocks[-1])

    def put_matrix(values: Halves) -> int:
        first = put(np.zeros(size_of(*values.shape), np.uint8))
        matrices.append((first, values))
        return first

    places = np.zeros((len(materials), len(PLACE)), np.uint32)
    for row, one, of_map in zip(places, materials, of_maps, strict=True):
        layers = [f"decoder.{i}" for i in range(one.recipe.hidden_layers + 1)]
        weights, own_biases = (
            [one.tensors[f"{name}.{sort}"].astype(np.float32) for name in ["lobes", *layers]]
            for sort in ("weight", "bias")
        )
        lobes = lobe_inputs(one.recipe, None)
        weights[0], own_biases[0] = lobes.folded_read(weights[0], own_biases[0])
        weights[1] = lobes.folded_weights(weights[1])
        weights[-1], own_biases[-1] = weights[-1] * LOG2_E, own_biases[-1] * LOG2_E
        filled = [_filled(each) for each in weights]
        biases = [_filled(each[None])[0] for each in own_biases]
        digest = shared_digest(one.tensors)
        if digest not in shared:
            shared[digest] = put_matrix(filled[1])
        low, high = one.tensors["range"].astype("<f4")
        ends = put(np.stack([low, (high - low) / np.float32(largest)]))
        read = put_matrix(filled[0])
        later = [put_matrix(matrix) for matrix in filled[2:]]
        stride = later[1] - later[0] if len(later) > 1 else 0
        # products of 16 columns read 8 biases beyond the last layer's
        own = put(np.concatenate([*biases, np.zeros(8, np.float16)]))
        row[:] = (ends, read, own, shared[digest], later[0], stride, *of_map)
    return PackedNetworks(np.concatenate(blocks), places, tuple(matrices))


def row_major(packed: PackedNetworks) -> Bytes:
    """Return the bytes of networks with row-major matrices."""
    return _with_matrices(packed, lambda values: values)


def as_fragments(packed: PackedNetworks) -> Bytes:
    """Return the bytes of networks with matrices as fragments of warp products.

    Tiles of 16 rows, and in these tiles of 16 columns: lane 4 r + c has the columns 2 c, 2 c + 1,
    2 c + 8, 2 c + 9 of row r, then of row r + 8.
    """
    return _with_matrices(packed, _fragments)


def fragment_bytes(rows: int, columns: int) -> int:
    """Return the bytes of a matrix as fragments."""
    return 2 * (-(-rows // SIDE) * SIDE) * (-(-columns // SIDE) * SIDE)


def _with_matrices(packed: PackedNetworks, form: Callable[[Halves], Halves]) -> Bytes:
    data = packed.data.copy()
    for first, values in packed.matrices:
        raw = np.ascontiguousarray(form(values)).reshape(-1).view(np.uint8)
        data[first : first + len(raw)] = raw
    return data


def _fragments(values: Halves) -> Halves:
    padded = np.pad(values, [(0, -size % SIDE) for size in values.shape])
    tall, wide = padded.shape[0] // SIDE, padded.shape[1] // SIDE
    # row tile, upper or lower, row; column tile, left or right, pair, number of a pair
    split = padded.reshape(tall, 2, 8, wide, 2, 4, 2)
    return split.transpose(0, 3, 2, 5, 1, 4, 6).reshape(-1, LANES, 8)


def _filled(matrix: npt.NDArray[Any]) -> Halves:
    """Return a matrix zero-padded to multiples of 8; a single row only in its columns."""
    rows, columns = matrix.shape
    below = 0 if rows == 1 else -rows % 8
    return np.pad(matrix.astype(np.float16), ((0, below), (0, -columns % 8)))
