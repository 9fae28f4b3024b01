"""gradients: integer sums are exact in any order, float sums close to float64's."""

import re
from typing import Any

import numpy as np
import pytest

from neuralshade.engine.kernels.step.gradients import (
    COPIES,
    CROWDED_ENTRIES,
    GRADIENTS,
    choose_gradients,
    crowded_numbers,
)
from neuralshade.model.parameters import Table

STEP = 2.0**-16  # what FIXED_STEP is; read back below
NUMBERS = 10
ADD = """
import neuralshade.engine.kernels.step.gradients;
BUFFERS
StructuredBuffer<uint> indices;
StructuredBuffer<float> values;
RWStructuredBuffer<float> shown;
uniform uint count;
static const uint crowded = CROWDED;
static const uint COPIES = COUNT;

[shader("compute")]
[numthreads(64, 1, 1)]
void add(uint3 thread : SV_DispatchThreadID, uint3 group_id : SV_GroupID)
{
    if (thread.x >= count)
        return;
    uint group = group_id.x;
    KIND gradients = { FIELDS };
    uint index = indices[thread.x];
    if (index == PAIR)
        gradients.add2(index, float2(values[thread.x], -values[thread.x]));
    else
        gradients.add(index, values[thread.x]);
}
"""
SHOW = """
[shader("compute")]
[numthreads(64, 1, 1)]
void show(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    if (i < NUMBERS)
        shown[i] = fixed_sum(grid_sums[2u * i].load(), grid_sums[2u * i + 1u].load());
    else if (i == NUMBERS)
        shown[i] = FIXED_STEP;
}
"""
CROWDED = 2  # numbers 0 and 1 have several sums, but not fixed ones
PAIR = 8  # this number and the next get pairs


class Sums:
    """What one way of summing made of additions; ``read`` says of which buffers."""

    def __init__(self, dispatch: Any, name: str, index: np.ndarray, values: np.ndarray):
        kind = GRADIENTS[name]
        words = {"BUFFERS": kind.declarations, "KIND": kind.type, "FIELDS": kind.fields,
                 "CROWDED": CROWDED, "COUNT": COPIES, "PAIR": PAIR, "NUMBERS": NUMBERS}  # fmt: skip
        text = ADD + (SHOW if name == "fixed" else "")
        text = re.sub("|".join(words), lambda found: str(words[found[0]]), text)
        sums = kind.sum_bytes * NUMBERS + 4 * COPIES * CROWDED
        self.run = dispatch(text, {
            "indices": index.astype(np.uint32), "values": values.astype(np.float32),
            "grid_sums": np.zeros(sums, np.uint8), "shown": np.zeros(NUMBERS + 1, np.float32),
            "grid_halves": np.zeros(kind.half_bytes * NUMBERS, np.uint8),
        }, count=len(index))  # fmt: skip
        self.groups = -(-len(index) // 64)
        self.run.run(("add", self.groups), *([("show", 1)] if name == "fixed" else []))

    def fixed(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the words, and what they stand for."""
        shown = self.run.read("shown", np.float32, NUMBERS + 1)
        assert shown[NUMBERS] == STEP
        return self.run.read("grid_sums", np.int64, NUMBERS), shown[:NUMBERS]

    def copied(self, rest: np.ndarray) -> np.ndarray:
        """Return the sums where the first are spread over copies, and the others ``rest``."""
        copies = self.run.read("grid_sums", np.float32, COPIES * CROWDED)
        copies = copies.reshape(COPIES, CROWDED)
        assert copies[: self.groups].any(axis=1).all()  # each group has its own
        assert not copies[self.groups :].any() and not rest[:CROWDED].any()
        return np.concatenate([copies.sum(axis=0), rest[CROWDED:].astype(np.float32)])


def additions() -> tuple[np.ndarray, np.ndarray]:
    """Return where and what is added: sums of both signs, carries, values below a step."""
    rng = np.random.default_rng(3)
    sizes = np.array([1e-5, 1.0, 3e3, 3e4, 3e4, 3e4, 2.0**-17, 0.0, 70.0])
    signs = [None, None, None, 1, -1, None, None, None, None]  # of numbers 3, 4: always carries
    index = np.repeat(np.arange(9), 60)
    values = rng.normal(size=index.size) * sizes[index]
    for number, sign in enumerate(signs):
        if sign is not None:
            values[index == number] = sign * np.abs(values[index == number])
    order = rng.permutation(index.size)
    return index[order], values[order].astype(np.float32)


def wanted_steps(index: np.ndarray, values: np.ndarray) -> np.ndarray:
    limit = 2**31 - 128
    steps = np.clip(np.rint(values.astype(np.float64) / STEP), -limit, limit).astype(np.int64)
    sums = np.zeros(NUMBERS, np.int64)
    np.add.at(sums, index, steps)
    np.add.at(sums, index[index == PAIR] + 1, -steps[index == PAIR])
    return sums


def test_integer_sums_are_exact_in_any_order(dispatch):
    index, values = additions()
    wanted = wanted_steps(index, values)
    assert (np.abs(wanted[3:5]) > 2**32).all() and wanted[4] < 0 < wanted[3]
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(index))
        words, shown = Sums(dispatch, "fixed", index[order], values[order]).fixed()
        np.testing.assert_array_equal(words, wanted)
        np.testing.assert_allclose(shown, wanted * STEP, rtol=2.0**-22)  # two roundings


def test_a_huge_gradient_counts_as_the_largest(dispatch):
    values = np.array([1e9, -1e9, 3.4e38, -3.4e38, 1e9, 1e9], np.float32)
    index = np.array([0, 1, 2, 3, 4, 4])
    words, shown = Sums(dispatch, "fixed", index, values).fixed()
    np.testing.assert_array_equal(words, wanted_steps(index, values))
    np.testing.assert_allclose(shown[:5], [32768, -32768, 32768, -32768, 65536], rtol=1e-6)


def test_sums_cross_zero_and_come_back(dispatch):
    """A borrow and a carry of the high word, one step apart."""
    values = np.array([STEP, -2 * STEP, STEP, -STEP, -(2.0**15), -(2.0**15)], np.float32)
    words, shown = Sums(dispatch, "fixed", np.array([0, 0, 1, 1, 2, 2]), values).fixed()
    assert words[:3].tolist() == [-1, 0, -(2**32) + 256]  # clamped below 2^31 steps
    assert shown[:2].tolist() == [-STEP, 0.0]


def float64_sums(index: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums, and those of the magnitudes."""
    index = np.concatenate([index, index[index == PAIR] + 1])
    values = np.concatenate([values, -values[index[: len(values)] == PAIR]]).astype(np.float64)
    sums, sizes = np.zeros(NUMBERS), np.zeros(NUMBERS)
    np.add.at(sums, index, values)
    np.add.at(sizes, index, np.abs(values))
    return sums, sizes


def test_float_sums_are_close(dispatch):
    index, values = additions()
    ran = Sums(dispatch, "float", index, values)
    rest = ran.run.read("grid_sums", np.float32, COPIES * CROWDED + NUMBERS)[COPIES * CROWDED :]
    sums, (wanted, sizes) = ran.copied(rest), float64_sums(index, values)
    # 60 additions, each rounded to 2^-24 of a partial sum
    assert (np.abs(sums - wanted) <= 60 * 2.0**-24 * sizes).all()
    assert np.count_nonzero(sums) == 9  # all but number 7


@pytest.mark.gpu
def test_sums_of_float16_pairs_are_close(gpu, dispatch):
    if choose_gradients(gpu, exact=False, halves=True) != "half":
        pytest.skip(f"{gpu.name} does not add pairs of float16")
    index, values = additions()
    values = np.where(np.isin(index, (2, 3, 4, 5)), values * 1e-3, values)  # below 65504
    ran = Sums(dispatch, "half", index, values)
    sums = ran.copied(ran.run.read("grid_halves", np.float16, NUMBERS))
    wanted, sizes = float64_sums(index, values)
    # each value and each of 60 additions is rounded to 2^-11, or to 2^-25 near zero
    assert (np.abs(sums - wanted) <= 61 * (2.0**-11 * sizes + 2.0**-25)).all()


def test_a_software_device_takes_other_sums_than_pairs(gpu):
    assert choose_gradients(gpu, exact=True, halves=True) == "fixed"
    assert choose_gradients(gpu, exact=False, halves=False) == "float"
    if gpu.adapter.software:
        assert choose_gradients(gpu, exact=False, halves=True) == "float"


def test_the_levels_that_many_samples_share_come_first():
    small, large = CROWDED_ENTRIES, CROWDED_ENTRIES + 1
    assert crowded_numbers([]) == 0
    assert (
        crowded_numbers([Table(0, 9, 2, 32), Table(18, small, 3, 32)]) == 16 + 3 * small
    )  # a multiple of 8
    assert crowded_numbers([Table(0, 9, 2, 32), Table(18, large, 3, 32)]) == 16
    assert crowded_numbers([Table(0, large, 1, 32), Table(large + 1, 9, 2, 32)]) == 0
    assert crowded_numbers([Table(0, 5, 3, 32)]) == 8
    assert crowded_numbers([Table(0, 5, 3, 32), Table(16, 9, 2, 32)]) == 8  # one fills up
    assert crowded_numbers([Table(0, 5, 3, 4, unit=True, padding=1)]) == 16
