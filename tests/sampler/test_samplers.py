"""sampler/draw: shapes, ranges, repeatability and uniformity of every kind."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.sampler.draw import (
    SAMPLINGS,
    PixelLattice,
    Pixels,
    Positions,
    lattice_shape,
    sampler_of,
    samples_per_step,
)

SIZES = [(1, 1), (1, 9), (7, 1), (5, 12), (40, 3)]  # height, width


def tensors(sample) -> list[torch.Tensor]:
    return list(vars(sample).values())


def chi_squared(counts: np.ndarray) -> float:
    """Return the statistic's distance from its mean, in standard deviations."""
    expected, freedom = counts.mean(), counts.size - 1
    return float((((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5)


@pytest.mark.parametrize("height, width", SIZES)
@pytest.mark.parametrize("batch", [1, 6, 300])
def test_lattices_draw_rows_and_columns_without_replacement(batch, height, width, rng):
    sample = sampler_of("lattice", batch, height, width)(rng)
    assert isinstance(sample, PixelLattice)
    assert (len(sample.rows), len(sample.cols)) == lattice_shape(batch, height, width)
    for index, size in ((sample.rows, height), (sample.cols, width)):
        assert index.dtype == torch.int64
        assert len(set(index.tolist())) == len(index)
        assert index.min() >= 0
        assert index.max() < size


@pytest.mark.parametrize("height, width", SIZES)
@pytest.mark.parametrize("batch", [1, 7, 300])
@pytest.mark.parametrize("kind", SAMPLINGS)
def test_samples_are_counted_as_they_are_drawn(kind, batch, height, width, rng):
    sample = sampler_of(kind, batch, height, width)(rng)
    sizes = [len(index) for index in tensors(sample)]
    drawn = sizes[0] * sizes[1] if isinstance(sample, PixelLattice) else sizes[0]
    assert samples_per_step(kind, batch, height, width) == drawn


@pytest.mark.parametrize("height, width", SIZES)
def test_pixels_lie_in_the_picture(height, width, rng):
    sample = sampler_of("pixels", 500, height, width)(rng)
    assert isinstance(sample, Pixels)
    for index, size in ((sample.row, height), (sample.col, width)):
        assert index.shape == (500,)
        assert index.dtype == torch.int64
        assert set(index.tolist()) == set(range(size))  # 500 draws of at most 40


def test_positions_lie_in_the_unit_square(rng):
    sample = sampler_of("positions", 500, 3, 8)(rng)
    assert isinstance(sample, Positions)
    assert sample.uv.shape == (500, 2)
    assert sample.uv.dtype == torch.float32
    assert sample.uv.min() >= 0
    assert sample.uv.max() < 1


@pytest.mark.parametrize("kind", SAMPLINGS)
def test_equal_generators_give_equal_samples_and_move_on(kind):
    draw = sampler_of(kind, 64, 30, 20)
    first, second = torch.Generator().manual_seed(5), torch.Generator().manual_seed(5)
    one, other = tensors(draw(first)), tensors(draw(second))
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    later = tensors(draw(first))
    assert not all(torch.equal(a, b) for a, b in zip(one, later, strict=True))


@pytest.mark.parametrize("kind, batch", [("lattice", 1), ("pixels", 16), ("positions", 16)])
def test_every_pixel_is_equally_likely(kind, batch, rng):
    """Batches of one for lattices: larger ones draw pixels in clusters that share a row."""
    height, width = 6, 10
    draw = sampler_of(kind, batch, height, width)
    counts = np.zeros((height, width))
    for _ in range(4000 // batch):
        sample = draw(rng)
        if isinstance(sample, PixelLattice):
            counts[np.ix_(sample.rows.numpy(), sample.cols.numpy())] += 1
        elif isinstance(sample, Pixels):
            np.add.at(counts, (sample.row.numpy(), sample.col.numpy()), 1)
        else:
            col, row = (sample.uv.numpy() * [width, height]).astype(int).T
            np.add.at(counts, (row, col), 1)
    assert counts.sum() == 4000
    assert abs(chi_squared(counts)) < 4


def test_lattice_rows_and_columns_are_each_uniform(rng):
    """Without replacement counts vary less than chi-squared says; only its upper end counts."""
    draw = sampler_of("lattice", 16, 6, 10)  # 3 rows, 5 columns
    rows, cols = np.zeros(6), np.zeros(10)
    for _ in range(2000):
        sample = draw(rng)
        rows[sample.rows.numpy()] += 1
        cols[sample.cols.numpy()] += 1
    assert chi_squared(rows) < 4
    assert chi_squared(cols) < 4


@given(st.integers(0, 2**24), st.integers(1, 20_000), st.integers(1, 20_000))
@settings(max_examples=400, deadline=None)
def test_a_lattice_fits_the_picture_and_nearly_fills_the_batch(batch, height, width):
    rows, cols = lattice_shape(batch, height, width)
    assert 1 <= rows <= height
    assert 1 <= cols <= width
    assert rows * cols <= max(batch, 1)
    assert rows * cols >= min(batch, height * width) / 4


@pytest.mark.parametrize(
    "batch, height, width, wanted",
    [
        (8192, 1000, 1000, (64, 128)),  # columns are twice the rows
        (8192, 20, 1000, (20, 409)),
        (8192, 1000, 30, (273, 30)),
        (8192, 1, 1, (1, 1)),
        (100, 1, 1000, (1, 100)),
        (100, 1000, 1, (100, 1)),
        (1, 500, 500, (1, 1)),
    ],
)
def test_lattice_shapes(batch, height, width, wanted):
    assert lattice_shape(batch, height, width) == wanted
