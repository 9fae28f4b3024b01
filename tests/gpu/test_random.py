"""gpu/random: the two halves agree bit for bit, and the numbers are uniform."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError, ShapeError
from neuralshade.gpu.random import Random, hash_bits

DRAW_TWICE = """
import neuralshade.gpu.random;
uint4 second_bits(uint sample, uint step, uint seed)
{
    Random random = { sample, step, seed, 0 };
    random.next_bits();
    return random.next_bits();
}
float4 second_uniform(uint sample, uint step, uint seed)
{
    Random random = { sample, step, seed, 0 };
    random.next_uniform();
    return random.next_uniform();
}
"""


@pytest.fixture(scope="module")
def kernels(device):
    spy = pytest.importorskip("slangpy")
    return spy.Module(device.load_module_from_source("test_random", DRAW_TWICE))


@pytest.mark.parametrize("count", [1, 33, 4096])
@pytest.mark.parametrize("step, seed", [(0, 0), (7, 2**32 - 1), (2**31, 12345)])
def test_both_halves_agree(kernels, count, step, seed):
    sample = np.arange(count, dtype=np.uint32) + np.uint32(2**32 - 20)  # wraps around
    where = (sample, step, seed)
    host = Random(sample, step, seed)
    host.next_bits()
    np.testing.assert_array_equal(kernels.second_bits(*where, _result="numpy"), host.next_bits())
    host.draw = 1
    uniform = kernels.second_uniform(*where, _result="numpy")
    np.testing.assert_array_equal(uniform, host.next_uniform())


def chi_squared(cells, cell_count):
    """Return Pearson's statistic in standard deviations from its mean, for equal cells."""
    counts = np.bincount(cells, minlength=cell_count)
    expected = len(cells) / cell_count
    freedom = cell_count - 1
    return (np.sum((counts - expected) ** 2) / expected - freedom) / np.sqrt(2 * freedom)


def test_numbers_are_uniform_and_unrelated():
    random = Random(np.arange(2**17, dtype=np.uint32), step=3, seed=0)
    first, second = ((random.next_uniform() * 16).astype(np.int64) for _ in range(2))
    pairs = {
        f"components {i}, {j}": (first[:, i], first[:, j]) for i, j in [(0, 1), (2, 3), (0, 3)]
    }
    for i in range(4):
        pairs[f"neighbors in {i}"] = first[:-1, i], first[1:, i]
        pairs[f"draws in {i}"] = first[:, i], second[:, i]
    for name, (a, b) in pairs.items():
        # 5 sigma both ways: a lattice is too even, a poor hash too uneven
        assert abs(chi_squared(a * 16 + b, 256)) < 5, name


def test_every_bit_of_the_counter_reaches_every_word():
    rng = np.random.default_rng(0)
    counter = rng.integers(0, 2**32, (2000, 4), dtype=np.uint32)
    for field in range(4):
        for bit in (0, 1, 15, 16, 23):  # bit 31 of the third reaches the first in 3 of 4 cases
            changed = counter.copy()
            changed[:, field] ^= np.uint32(1 << bit)
            differs = np.mean(hash_bits(counter) != hash_bits(changed), axis=0)
            assert differs.min() > 0.99, (field, bit, differs)


def test_uniform_stays_below_one(monkeypatch):
    ones = np.full((1, 4), 2**32 - 1, np.uint32)
    random = Random(np.zeros(1, np.uint32), 0, 0)
    monkeypatch.setattr(random, "next_bits", lambda: ones)
    assert random.next_uniform().max() == 1 - 2.0**-24


def test_refusals(same_message):
    with pytest.raises(ShapeError) as refused:
        hash_bits(np.zeros((2, 3), np.int64))
    same_message(str(refused.value), "hash_bits.counter", "Cast")
    with pytest.raises(ShapeError) as refused:
        Random(np.zeros((2, 2), np.uint32), 0, 0)
    assert str(refused.value) == "Random.sample: got uint32 [2, 2], need uint32 [N]. Cast it."
    for step, seed, name in [(0, -1, "seed"), (2**32, 0, "step")]:
        with pytest.raises(ConfigError) as refused:
            Random(np.zeros(1, np.uint32), step, seed)
        value = min(step, seed) or step
        remedy = f"need 0 .. 2**32 - 1. Pass {name} % 2**32."
        assert str(refused.value) == f"Random.{name}: got {value}, {remedy}"
