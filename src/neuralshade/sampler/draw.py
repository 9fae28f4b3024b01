"""Batches of pixels, pixel lattices or positions. Device half: draw.slang."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.gpu.random import Random, Words, hash_bits

ORDER_KEY = 0x5BD1E995  # third counter of what ``shuffled`` hashes; samples have theirs there


@dataclass(frozen=True)
class PixelLattice:
    """Every pixel where one of ``rows`` [R] crosses one of ``cols`` [C]; int64 indices."""

    rows: torch.Tensor
    cols: torch.Tensor


@dataclass(frozen=True)
class Pixels:
    """Pixels (row[i], col[i]); int64 [N]."""

    row: torch.Tensor
    col: torch.Tensor


@dataclass(frozen=True)
class Positions:
    """Continuous positions ``uv`` float32 [N, 2] in [0, 1)."""

    uv: torch.Tensor


Sample = PixelLattice | Pixels | Positions
Sampler = Callable[[torch.Generator], Sample]


def draw_lattice(rows: int, cols: int, height: int, width: int, rng: torch.Generator) -> Sample:
    """Draw ``rows`` of ``height`` and ``cols`` of ``width``, each without replacement.

    Every pixel is equally likely, so the batch mean is an unbiased gradient; what depends on
    one coordinate alone is computed rows + cols times instead of rows * cols.
    """
    row = torch.randperm(height, generator=rng)[:rows]
    col = torch.randperm(width, generator=rng)[:cols]
    return PixelLattice(row, col)


def draw_pixels(batch: int, height: int, width: int, rng: torch.Generator) -> Sample:
    """Draw ``batch`` pixels with replacement, uniformly."""
    row = torch.randint(height, (batch,), generator=rng)
    return Pixels(row, torch.randint(width, (batch,), generator=rng))


def draw_positions(batch: int, rng: torch.Generator) -> Sample:
    """Draw ``batch`` positions uniformly in the unit square."""
    return Positions(torch.rand(batch, 2, generator=rng))


def lattice_shape(batch: int, height: int, width: int) -> tuple[int, int]:
    """Return how many rows and columns make about ``batch`` pixels, at least one of each.

    Columns are twice the rows where the picture allows it: reading along a row is cheaper.
    """
    rows = max(1, min(height, round((batch / 2) ** 0.5)))
    cols = max(1, min(width, batch // rows))
    return max(1, min(height, batch // cols)), cols


def samples_per_step(kind: str, batch: int, height: int, width: int) -> int:
    """Return the samples per step of a sampler: a lattice has only about ``batch``."""
    if kind == "lattice":
        rows, cols = lattice_shape(batch, height, width)
        return rows * cols
    return batch


def sampler_of(kind: str, batch: int, height: int, width: int) -> Sampler:
    """Return the sampler for a recipe's 'lattice', 'pixels' or 'positions'."""
    if kind == "lattice":
        rows, cols = lattice_shape(batch, height, width)
        return partial(draw_lattice, rows, cols, height, width)
    if kind == "pixels":
        return partial(draw_pixels, batch, height, width)
    return partial(draw_positions, batch)


SAMPLINGS = ("lattice", "pixels", "positions")


def shuffled(index: Words, count: int, key: tuple[int, int]) -> Words:
    """Return the place of each ``index`` in a random order of 0 ... count - 1, as on the device.

    Multiplications by odd numbers and shifted exclusive-ors turn the numbers below a power of
    two into one another; what lands beyond ``count`` is turned again until it lands inside. A
    random rotation then makes each place as likely for each index, which few bits alone do not.

    Args:
        index: uint32 [N], below ``count``.
        count: 1 .. 2^31.
        key: two words; another order for each.

    Returns:
        uint32 [N]. The Python half of ``shuffled`` in draw.slang, bit for bit. Source: ours.
    """
    bits = (count - 1).bit_length()
    mask, half_bits = np.uint32(2**bits - 1), np.uint32((bits + 1) // 2)
    drawn = hash_bits(np.array([*key, ORDER_KEY, count], np.uint32)) | np.uint32(1)
    x = np.zeros_like(index) if count == 1 else index.copy()
    turned = np.arange(len(x))
    while len(turned):
        y = x[turned]
        for i in range(4):
            y = (y * drawn[i] + drawn[3 - i] // np.uint32(2)) & mask
            y ^= y >> half_bits
        x[turned] = y
        turned = turned[y >= count]
    turn = (drawn[0] >> np.uint32(16)) * np.uint32(min(count, 0xFFFF)) >> np.uint32(16)
    return (x + turn) % np.uint32(count)


def device_batch(kind: str, batch: int, height: int, width: int, step: int, seed: int) -> Sample:
    """Return the samples of the device's sampler of that kind in training step ``step``.

    Samples 0 ... batch - 1 in order; ``step`` and ``seed`` in 0 .. 2^32 - 1. Positions and
    pixels are those of the device bit for bit, so the device half can be tested on them.
    """
    if kind == "lattice":
        rows, cols = lattice_shape(batch, height, width)
        row = shuffled(np.arange(rows, dtype=np.uint32), height, (step, seed ^ 0xFFFFFFFF))
        col = shuffled(np.arange(cols, dtype=np.uint32), width, (step, seed))
        return PixelLattice(_indices(row), _indices(col))
    share = Random(np.arange(batch, dtype=np.uint32), step, seed).next_uniform()[:, :2]
    if kind == "positions":
        return Positions(torch.from_numpy(share.copy()))
    size = np.array([width, height])
    pixel = np.minimum((share * size.astype(np.float32)).astype(np.int64), size - 1)
    return Pixels(_indices(pixel[:, 1]), _indices(pixel[:, 0]))


def _indices(values: npt.NDArray[np.integer]) -> torch.Tensor:
    return torch.from_numpy(values.astype(np.int64))
