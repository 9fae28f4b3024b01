"""Drawing a batch, three ways. Device half: draw.slang."""

from collections.abc import Callable
from functools import partial

import torch

from neuralshade.sampler.sample import PixelLattice, Pixels, Positions, Sample

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
    """Return how many samples the sampler of that kind draws: a lattice only nears ``batch``."""
    if kind == "lattice":
        rows, cols = lattice_shape(batch, height, width)
        return rows * cols
    return batch


def sampler_of(kind: str, batch: int, height: int, width: int) -> Sampler:
    """Return the sampler that a recipe calls 'lattice', 'pixels' or 'positions'."""
    if kind == "lattice":
        rows, cols = lattice_shape(batch, height, width)
        return partial(draw_lattice, rows, cols, height, width)
    if kind == "pixels":
        return partial(draw_pixels, batch, height, width)
    return partial(draw_positions, batch)


SAMPLINGS = ("lattice", "pixels", "positions")
