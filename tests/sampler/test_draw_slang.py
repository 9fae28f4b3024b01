"""sampler/draw: both halves draw the same bits; orders are permutations that look random."""

import numpy as np
import pytest
import torch

from neuralshade.sampler.draw import (
    SAMPLINGS,
    PixelLattice,
    Pixels,
    device_batch,
    lattice_shape,
    shuffled,
)

COUNTS = (1, 2, 3, 5, 64, 100, 512, 1000)
KEYS = ((0, 0), (7, 2**32 - 1), (2**31, 12345))
SIZES = ((1, 1), (5, 1), (7, 30), (64, 48))  # height, width
DRAWS = """
import neuralshade.sampler.draw;
import neuralshade.source.target;

struct NoPicture : ITarget
{
    int2 size_px;
    int2 size() { return size_px; }
    float4 load(int2 pixel) { return float4(float2(pixel), 0.0f, 0.0f); }
}

uint order(uint index, uint count, uint2 key)
{
    return shuffled(index, count, key);
}

float4 drawn<S : ISampler>(S sampler, int2 size, uint index, uint2 key)
{
    NoPicture picture = { size };
    Asked asked = sampler.draw(picture, index, key.x, key.y);
    return float4(asked.uv, asked.wanted.xy);
}

float4 lattice(uint2 shape, int2 size, uint index, uint2 key)
{
    LatticeSampler sampler = { shape.x, shape.y };
    return drawn(sampler, size, index, key);
}

float4 pixels(uint2 shape, int2 size, uint index, uint2 key)
{
    PixelSampler sampler = {};
    return drawn(sampler, size, index, key);
}

float4 positions(uint2 shape, int2 size, uint index, uint2 key)
{
    PositionSampler sampler = {};
    return drawn(sampler, size, index, key);
}
"""


@pytest.fixture(scope="module")
def kernels(device):
    spy = pytest.importorskip("slangpy")
    return spy.Module(device.load_module_from_source("test_draw_slang", DRAWS))


def order(count: int, key: tuple[int, int]) -> np.ndarray:
    return shuffled(np.arange(count, dtype=np.uint32), count, key)


@pytest.mark.parametrize("count", COUNTS)
def test_an_order_is_a_permutation_on_both_halves(kernels, count):
    spy = pytest.importorskip("slangpy")
    for key in KEYS:
        host = order(count, key)
        np.testing.assert_array_equal(np.sort(host), np.arange(count))
        index = np.arange(count, dtype=np.uint32)
        device = kernels.order(index, count, spy.uint2(*key), _result="numpy")
        np.testing.assert_array_equal(device, host)


def deviations(counts: np.ndarray) -> float:
    """Return Pearson's statistic in standard deviations from its mean, for equal cells."""
    expected, freedom = counts.mean(), counts.size - 1
    return (np.sum((counts - expected) ** 2) / expected - freedom) / np.sqrt(2 * freedom)


def spread(where: np.ndarray, count: int) -> float:
    """Return the deviations of 0 ... count - 1, in at most 20 cells of equal size."""
    cells = max(d for d in range(1, 21) if count % d == 0)
    return abs(deviations(np.bincount(where.astype(np.int64) * cells // count, minlength=cells)))


@pytest.mark.parametrize("count", [2, 3, 5, 7, 8, 64, 100, 512, 1000])
def test_each_place_is_as_likely_for_each_index(count):
    orders = np.array([order(count, (step, 9)) for step in range(2000)])
    for index in {0, 1, count // 2, count - 1}:
        assert spread(orders[:, index], count) < 5, index


@pytest.mark.parametrize("count", [64, 100, 512, 1000])
def test_neighbors_are_unrelated(count):
    """Not so below 20 or so: few bits have few orders."""
    orders = np.array([order(count, (step, 9)) for step in range(1000)]).astype(np.int64)
    distance = (orders[:, 1:] - orders[:, :-1]) % count - 1  # 0 .. count - 2
    for at in (0, count // 2, count - 2):
        assert spread(distance[:, at], count - 1) < 5, at
    ahead, behind = (orders[:, part] - (count - 1) / 2 for part in (slice(1, None), slice(-1)))
    correlation = np.mean(ahead * behind) / np.mean(np.square(behind))
    assert abs(correlation + 1 / (count - 1)) < 0.01  # without replacement: -1 / (count - 1)


def test_orders_of_neighboring_keys_are_unrelated():
    count = 256
    orders = np.array([order(count, (step, 0)) for step in range(64)])
    same = np.mean(orders[1:] == orders[:-1])
    assert 0.2 / count < same < 4 / count
    assert np.mean(order(count, (3, 5)) == order(count, (3, 5 ^ 0xFFFFFFFF))) < 8 / count


def pixel_of(sample, width, height):
    """Return row and col of each sample of a lattice or of pixels."""
    if isinstance(sample, PixelLattice):
        row, col = torch.meshgrid(sample.rows, sample.cols, indexing="ij")
        return row.flatten().numpy(), col.flatten().numpy()
    assert isinstance(sample, Pixels)
    return sample.row.numpy(), sample.col.numpy()


@pytest.mark.parametrize("height, width", SIZES)
@pytest.mark.parametrize("kind", SAMPLINGS)
def test_both_halves_draw_the_same(kernels, kind, height, width):
    spy = pytest.importorskip("slangpy")
    step, seed, batch = 11, 0xFFFF_FF03, 48
    shape = lattice_shape(batch, height, width)
    count = shape[0] * shape[1] if kind == "lattice" else batch
    host = device_batch(kind, batch, height, width, step, seed)
    ask = getattr(kernels, kind)
    index = np.arange(count, dtype=np.uint32)
    size, key = spy.int2(width, height), spy.uint2(step, seed)
    got = ask(spy.uint2(*shape), size, index, key, _result="numpy")
    if kind == "positions":
        np.testing.assert_array_equal(got[:, :2], host.uv)
        return
    row, col = pixel_of(host, width, height)
    np.testing.assert_array_equal(got[:, 2:], np.stack([col, row], axis=1))
    centers = np.stack([(col + 0.5) / width, (row + 0.5) / height], axis=1)
    np.testing.assert_allclose(got[:, :2], centers, rtol=3e-7)  # a GPU's quotient: 2.5 units


@pytest.mark.parametrize("height, width", SIZES)
def test_a_lattice_never_repeats_a_row_or_a_column(height, width):
    rows, cols = lattice_shape(48, height, width)
    for step in range(20):
        drawn = device_batch("lattice", 48, height, width, step, 3)
        assert len(set(drawn.rows.tolist())) == len(drawn.rows) == rows
        assert len(set(drawn.cols.tolist())) == len(drawn.cols) == cols
        assert drawn.rows.min() >= 0 and drawn.rows.max() < height
        assert drawn.cols.min() >= 0 and drawn.cols.max() < width


@pytest.mark.parametrize("kind", SAMPLINGS)
def test_every_pixel_is_as_likely(kind):
    height, width, batch = 6, 11, 2**15
    if kind == "lattice":  # 8 samples a step share rows: count what a row gets, over many steps
        steps = [device_batch(kind, 8, height, width, step, 1) for step in range(3000)]
        rows = np.bincount(np.concatenate([s.rows for s in steps]), minlength=height)
        cols = np.bincount(np.concatenate([s.cols for s in steps]), minlength=width)
        # drawn without replacement, so more even than independent draws
        assert deviations(rows) < 5 and deviations(cols) < 5
        return
    drawn = device_batch(kind, batch, height, width, 5, 1)
    if kind == "positions":
        place = drawn.uv.numpy() * [width, height]
        assert drawn.uv.min() >= 0 and drawn.uv.max() < 1
        col, row = place.astype(np.int64).T
    else:
        row, col = pixel_of(drawn, width, height)
    counts = np.bincount(row * width + col, minlength=height * width)
    assert abs(deviations(counts)) < 5
