"""many_steps: groups share all numbers, and steps share a dispatch only where they may.

The kernel itself is compiled in test_kernel_plan.py, and runs in test_network_trainer.py on a GPU.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from neuralshade.engine.kernel_plan import FusedPlan, refusal_of
from neuralshade.engine.kernels.matrix.matrix import LANES, matrix_plan
from neuralshade.engine.kernels.step.many_steps import (
    BLOCK,
    LINE_HALVES,
    MOST_BLOCKS,
    MOST_LOADS,
    MOST_SAMPLES,
    all_at_once,
    copy_size,
    live_numbers,
    many_constants,
    resident_groups,
    takes_many,
)
from neuralshade.engine.kernels.wgmma.wgmma import wgmma_plan
from neuralshade.engine.layout import NetworkLayout
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding

HOPPER_BYTES = 227 * 1024  # of group-shared memory for one group
PATHS = ["matrix", "wgmma"]


def network(inputs: int, outputs: int, layers: int, width: int, bias: bool = True) -> MLP:
    return MLP(inputs, outputs, layers, width, bias=bias, rng=torch.Generator())


def plan_of(path: str, mlp: MLP, batch: int, multiprocessors: int) -> FusedPlan:
    if path == "wgmma":
        return wgmma_plan(mlp, batch, multiprocessors)
    return matrix_plan(mlp, batch, multiprocessors, shared_bytes=HOPPER_BYTES, mma=True)


@given(
    path=st.sampled_from(PATHS), inputs=st.integers(1, 64), outputs=st.integers(1, 16),
    layers=st.integers(1, 8), width=st.integers(49, 64), batch=st.integers(1, 2**22),
    multiprocessors=st.integers(1, 200),
)  # fmt: skip
@example("matrix", 16, 16, 1, 112, 128, 29)  # as many numbers as groups take: no block more
@settings(max_examples=100, deadline=None)
def test_groups_share_all_numbers(path, inputs, outputs, layers, width, batch, multiprocessors):
    mlp = network(inputs, outputs, layers, width)
    assume(refusal_of(path, mlp) is None)
    plan = plan_of(path, mlp, batch, multiprocessors)
    layout = NetworkLayout(mlp, plan.align)
    resident = resident_groups(plan, multiprocessors)
    assert resident >= max(plan.groups, multiprocessors)  # those that train, and one for each
    text = many_constants(plan, layout, resident)
    blocks, loads, apart = (int(line.rstrip(";").split(" = ")[1]) for line in text.splitlines())
    assert (blocks - 1) * BLOCK * resident < layout.size <= blocks * BLOCK * resident
    waves = plan.threads // LANES
    assert 1 <= loads <= MOST_LOADS and (loads - 1) * waves < plan.slots
    assert loads == MOST_LOADS or loads * waves >= plan.slots  # else a thread loads once more
    assert apart == 1
    encoding = build_encoding("identity", torch.Generator())
    fits = blocks <= MOST_BLOCKS and (path == "wgmma" or batch <= MOST_SAMPLES)
    assert takes_many(plan, layout, encoding, batch, resident) == fits


def test_waves_read_whole_lines_where_a_load_takes_one_number():
    mlp = network(12, 3, 4, 64)
    text = many_constants(matrix_plan(mlp, 2**12, 132), NetworkLayout(mlp, 16), 132)
    assert f"APART = {LANES};" in text


def test_groups_are_unknown_where_multiprocessors_are():
    plan = plan_of("matrix", network(12, 3, 4, 64), 2**12, 132)
    assert resident_groups(plan, None) is None
    assert resident_groups(plan, 132) == 132


def answer(path: str, *, encoding: str = "identity", bits: int = 16, batch: int = 2**12,
           layers: int = 2, resident: int | None = 132) -> bool:  # fmt: skip
    """Return what ``takes_many`` says of a network of 64 wide layers."""
    grid = build_encoding(encoding, torch.Generator())
    mlp = network(grid.width, 3, layers, 64)
    Field(grid, mlp).store_as(16, bits)
    plan = plan_of(path, mlp, batch, 132)
    return takes_many(plan, NetworkLayout(mlp, plan.align), grid, batch, resident)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("bits", [16, 32])
def test_small_steps_of_a_network_share_a_dispatch(path, bits):
    assert answer(path, bits=bits) and answer(path, bits=bits, resident=13)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("other", [
    {"encoding": "dense_grid:features=1,width=2,height=2"}, {"bits": 8}, {"resident": None},
    {"resident": 12},
])  # fmt: skip
def test_others_do_not(path, other):
    assert not answer(path, **other)


@pytest.mark.parametrize("path, takes", [("matrix", False), ("wgmma", True)])
def test_large_steps_do_on_warpgroup_products_only(path, takes):
    assert answer(path, batch=MOST_SAMPLES)
    assert answer(path, batch=MOST_SAMPLES + 1) == takes


@pytest.mark.parametrize("each, resident, runs", [
    (None, 132, True), (None, 133, False), (0, 1, False), (1, 132, True), (1, 133, False),
    (2, 133, True), (2, 264, True), (2, 265, False),
])  # fmt: skip
def test_all_groups_must_run_at_once(each, resident, runs):
    gpu = SimpleNamespace(occupancy=lambda kernel: each, multiprocessors=132)
    assert all_at_once(gpu, None, resident) == runs
    gpu.multiprocessors = None
    assert not all_at_once(gpu, None, resident)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(1, 1, 1, 49), (13, 3, 4, 64), (64, 16, 2, 50)])
def test_copies_are_whole_lines_and_filling_is_not_trained(shape, bias):
    mlp = network(*shape, bias)
    layout = NetworkLayout(mlp, 16)
    size = copy_size(layout)
    assert size % LINE_HALVES == 0 and layout.size <= size < layout.size + LINE_HALVES
    ones = layout.flatten([torch.ones_like(p) for p in mlp.parameters()])
    np.testing.assert_array_equal(live_numbers(layout), ones)
