"""wgmma: plans keep to what a multiprocessor has, and refusals name their reason.

Sums of gradients are checked in test_training_slang.py, on a GPU; where they lie, here on any.
"""

import pathlib

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from neuralshade.engine.kernels.wgmma.wgmma import (
    ALIGN_BYTES,
    FEWER_REGISTERS,
    HALF_TILES,
    LAUNCH_REGISTERS,
    MORE_REGISTERS,
    SIDE,
    TILE,
    WARPGROUP,
    WIDTH,
    WgmmaPlan,
    fits_wgmma,
    wgmma_constants,
    wgmma_infer_constants,
    wgmma_plan,
)
from neuralshade.engine.layout import NetworkLayout, sizes_text
from neuralshade.model.mlp import MLP

GROUP_BYTES = 227 * 1024  # of group-shared memory that a group may have
SHARED_BYTES, RESERVED_BYTES = 228 * 1024, 1024  # of a multiprocessor; of it beside each group
REGISTERS = 65_536  # of a multiprocessor
MOST_WARPGROUPS = 3  # of a multiprocessor: their threads have 168 registers each
CHECKS = pathlib.Path(__file__).with_name("wgmma_checks.slang")


def network(inputs: int, outputs: int, layers: int, width: int) -> MLP:
    return MLP(inputs, outputs, layers, width, rng=torch.Generator())


NETWORKS = st.builds(
    network, st.integers(1, 64), st.integers(1, 16), st.integers(1, 4), st.integers(49, 64)
)


@given(
    mlp=NETWORKS, batch=st.integers(1, 2**22), multiprocessors=st.integers(1, 200),
    small=st.booleans(),
)  # fmt: skip
@example(network(16, 16, 4, 64), 2**22, 132, True)
@example(network(64, 16, 3, 64), 2**22, 132, True)
@example(network(64, 16, 3, 64), 2**14, 132, True)
@settings(max_examples=300, deadline=None)
def test_plans_keep_to_what_a_multiprocessor_has(mlp, batch, multiprocessors, small):
    assume(fits_wgmma(mlp) is None)
    plan = wgmma_plan(mlp, batch, multiprocessors, small_samples=small)
    at_once = -(-plan.groups // multiprocessors)  # groups of a multiprocessor
    assert plan.shared_bytes <= GROUP_BYTES
    assert at_once * (plan.shared_bytes + RESERVED_BYTES) <= SHARED_BYTES
    assert at_once * plan.warpgroups <= MOST_WARPGROUPS
    assert plan.infer_shared_bytes <= plan.shared_bytes
    assert plan.threads == (plan.warpgroups + plan.apart) * WARPGROUP
    assert plan.slots == plan.groups


@given(
    mlp=NETWORKS, batch=st.integers(1, 2**22), multiprocessors=st.integers(1, 200),
    small=st.booleans(),
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_every_group_has_a_tile_and_none_is_left_idle(mlp, batch, multiprocessors, small):
    assume(fits_wgmma(mlp) is None)
    plan = wgmma_plan(mlp, batch, multiprocessors, small_samples=small)
    assert (plan.tiles - 1) * TILE < batch <= plan.tiles * TILE
    assert (plan.groups - 1) * plan.warpgroups < plan.tiles
    if plan.tiles > plan.groups * plan.warpgroups:  # there are several turns
        assert plan.groups >= multiprocessors


def test_registers_are_handed_over_not_made():
    """A fourth warpgroup takes what the other three give up, and all have started with."""
    assert MOST_WARPGROUPS * FEWER_REGISTERS + MORE_REGISTERS <= 4 * LAUNCH_REGISTERS
    assert 4 * LAUNCH_REGISTERS * WARPGROUP <= REGISTERS
    assert all(count % 8 == 0 for count in (FEWER_REGISTERS, MORE_REGISTERS, LAUNCH_REGISTERS))


@pytest.mark.parametrize("layers, batch, apart", [
    (4, 2**10, 1), (4, 2**14, 0), (4, 2**16, 3), (4, 2**21, 3), (2, 2**10, 0), (2, 2**21, 0),
])  # fmt: skip
def test_a_warpgroup_sums_for_the_others_where_sums_are_large(layers, batch, apart):
    plan = wgmma_plan(network(24, 3, layers, WIDTH), batch, 132, small_samples=True)
    assert plan.apart == (apart > 0)
    assert plan.warpgroups == apart or not apart
    assert not wgmma_plan(network(24, 3, layers, WIDTH), batch, 132).apart


@pytest.mark.parametrize("batch, groups", [
    (64, 1), (2**13, 128), (2**14, 256), (2**16, 264), (2**17, 396), (2**20, 396),
])  # fmt: skip
def test_small_networks_have_groups_of_one_warpgroup_for_any_batch(batch, groups):
    plan = wgmma_plan(network(12, 3, 2, WIDTH), batch, 132)
    assert (plan.groups, plan.warpgroups) == (groups, 1)


@given(mlp=NETWORKS, batch=st.integers(1, 2**22), many=st.booleans())
@settings(max_examples=100, deadline=None)
def test_only_sums_of_few_tiles_are_float16(mlp, batch, many):
    assume(fits_wgmma(mlp) is None)
    plan = wgmma_plan(mlp, batch, 132)
    halves = many and plan.tiles <= HALF_TILES * plan.groups
    lines = wgmma_constants(plan, many=many).splitlines()
    assert f"#define HALF_PARTIALS {int(halves)}" in lines
    assert f"#define MANY_STEPS {int(many)}" in lines


@pytest.mark.parametrize("shape, reason", [
    ((12, 3, 0, 64), "it has no hidden layers"),
    ((12, 3, 2, 48), "its hidden layers are 48 wide, not 49 to 64"),
    ((12, 3, 2, 65), "its hidden layers are 65 wide, not 49 to 64"),
    ((65, 3, 2, 64), "its input is 65 wide, beyond 64"),
    ((12, 17, 2, 64), "it has 17 outputs, more than 16"),
    ((16, 3, 5, 64), "sums for 5 hidden layers do not fit the registers"),
    ((49, 3, 4, 64), "sums for 4 hidden layers do not fit the registers"),
])  # fmt: skip
def test_refusals_name_their_reason(shape, reason):
    assert fits_wgmma(network(*shape)) == reason


@pytest.mark.parametrize("shape", [(1, 1, 1, 49), (16, 16, 4, 64), (48, 3, 4, 64), (64, 16, 3, 64)])
def test_the_largest_and_smallest_are_taken(shape):
    assert fits_wgmma(network(*shape)) is None


def fragments(rows: int, columns: int) -> np.ndarray:
    """Return which row and column of 64 x ``columns`` float32 a thread's registers hold.

    int [WARPGROUP, columns / 2, 2]: as instructions/wgmma.slang tells, a warp has sixteen rows,
    a thread a pair of columns in each eight of them, of its row first, then of eight rows below.
    """
    held = np.zeros((WARPGROUP, columns // 2, 2), int)
    for thread in range(WARPGROUP):
        warp, lane = divmod(thread, 32)
        row, pair = warp * SIDE + lane // 4, lane % 4
        found = [
            (row + below, eight * 8 + 2 * pair + beside)
            for eight in range(columns // 8)
            for below in (0, 8)
            for beside in (0, 1)
        ]
        held[thread] = found
    assert rows == held[..., 0].max() + 1
    return held


def register_numbers(layout: NetworkLayout) -> np.ndarray:
    """Return which number of the network each register sums: int [layers, WARPGROUP, 32]."""
    numbers = np.full((len(layout.layers), WARPGROUP, 32), -1)
    for at, layer in enumerate(layout.layers):
        weights = layer.first + np.arange(layer.padded_rows * layer.padded_cols)
        weights = weights.reshape(layer.padded_rows, layer.padded_cols)
        if at == len(layout.layers) - 1:
            weights = weights.T  # a row for each input
        held = fragments(*weights.shape)
        numbers[at, :, : held.shape[1]] = weights[held[..., 0], held[..., 1]]
    return numbers


class Checks:
    """The checks of one plan, compiled and run."""

    def __init__(self, dispatch, mlp: MLP, plan: WgmmaPlan, constants: str):
        self.layout = NetworkLayout(mlp, plan.align)
        self.size, self.inputs = self.layout.size, plan.inputs
        numbers = register_numbers(self.layout)
        text = f"import neuralshade.model.activation;\n{constants}{sizes_text(mlp)}"
        self.halves = "#define HALF_PARTIALS 1" in text
        self.run = dispatch(text + CHECKS.read_text(), {
            "registers": self.rounded(numbers).astype(np.float32),
            "partials": np.zeros(self.size, np.float32), "broken": np.zeros(1, np.uint32),
            "order": np.zeros(self.size, np.uint32), "sizes": np.zeros(4, np.uint32),
            "words": np.zeros(self.size // 4, np.uint32),
        }, slot_size=self.size, by_row=0)  # fmt: skip

    def rounded(self, numbers: np.ndarray) -> np.ndarray:
        """Return what a register holds that sums such numbers: integers that stay as they are."""
        return numbers % 2048 if self.halves else numbers

    def written(self, by_row: int) -> np.ndarray:
        """Return the partial sums as ``write_layer`` leaves them, -1 where it leaves none."""
        dtype = np.float16 if self.halves and not by_row else np.float32
        self.run.others["by_row"] = by_row
        self.run.kernels.clear()  # it is bound for good
        self.run.write(partials=np.full(self.size, -1, dtype))
        self.run.run(("write_sums", 1))
        return self.run.read("partials", dtype, self.size).astype(int)

    def places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ``number_of`` of every place, the words of the weights, and the sizes."""
        self.run.run(("show_places", -(-self.size // 64)))
        words = sum(layer.padded_rows * layer.padded_cols for layer in self.layout.layers) // 8
        return (self.run.read("order", np.uint32, self.size),
                self.run.read("words", np.uint32, 2 * words).reshape(words, 2),
                self.run.read("sizes", np.uint32, 4))  # fmt: skip

    def weights(self) -> np.ndarray:
        """Return which numbers are weights, not biases: bool [size]."""
        found = np.zeros(self.size, bool)
        for layer in self.layout.layers:
            found[layer.first : layer.first_bias] = True
        return found

    def summed(self) -> np.ndarray:
        """Return which of them are summed: what fills the first layer up is in part left out."""
        found = self.weights()
        first, inputs = self.layout.layers[0], self.inputs
        rows = found[first.first : first.first_bias].reshape(first.padded_rows, -1)
        rows[:, inputs if inputs % SIDE == 0 else inputs // 8 * 8 + 8 :] = False
        return found


PLANS = [  # inputs, outputs, hidden layers, batch
    (1, 1, 1, 2**20), (16, 3, 4, 2**20), (30, 16, 3, 2**16), (48, 4, 2, 2**16), (64, 3, 3, 2**14),
]  # fmt: skip


# more warpgroups and more layers are more of the same text
EACH = [PLANS[0], *(pytest.param(p, marks=pytest.mark.slow) for p in PLANS[1:])]


@pytest.fixture(scope="module", params=EACH, ids=str)
def checks(request, dispatch):
    """Give the plan of a network for many steps in a dispatch, and its checks."""
    inputs, outputs, layers, batch = request.param
    mlp = network(inputs, outputs, layers, WIDTH)
    plan = wgmma_plan(mlp, batch, 132, small_samples=True)
    return plan, Checks(dispatch, mlp, plan, wgmma_constants(plan, many=True))


def test_the_plans_differ_in_what_counts():
    plans = [
        wgmma_plan(network(i, o, layers, WIDTH), batch, 132, small_samples=True)
        for i, o, layers, batch in PLANS
    ]
    assert {plan.warpgroups for plan in plans} == {1, 2, 3}
    assert {plan.tiles <= HALF_TILES * plan.slots for plan in plans} == {False, True}
    assert {plan.apart for plan in plans} == {False, True}


def test_sums_are_told_from_their_places(checks):
    _, at = checks
    order, _, _ = at.places()
    np.testing.assert_array_equal(np.sort(order), np.arange(at.size))
    weights, summed = at.weights(), at.summed()[order]
    np.testing.assert_array_equal(order[~weights], np.flatnonzero(~weights))
    written = at.written(by_row=0)
    np.testing.assert_array_equal(written[summed], at.rounded(order[summed]))
    assert (written[~summed] == -1).all() and not at.run.read("broken", np.uint32, 1).any()


def test_rows_lie_as_the_network_does(checks):
    _, at = checks
    written, summed = at.written(by_row=1), at.summed()
    np.testing.assert_array_equal(written[summed], at.rounded(np.flatnonzero(summed)))
    assert (written[~summed] == -1).all()


def test_all_weights_are_staged_once_and_memory_is_as_large_as_planned(checks):
    plan, at = checks
    _, words, (own, bias_sums, end, shared_end) = at.places()
    numbers = (words[:, :1] + np.arange(8)).reshape(-1)
    np.testing.assert_array_equal(np.sort(numbers), np.flatnonzero(at.weights()))
    np.testing.assert_array_equal(np.sort(words[:, 1]), np.arange(0, own, 16))
    assert end + ALIGN_BYTES == plan.shared_bytes
    if plan.warpgroups > 1 and not plan.apart:  # what they leave spares the sums of biases
        assert own < shared_end <= bias_sums


def test_memory_is_as_large_as_planned_to_evaluate(dispatch):
    mlp = network(30, 3, 3, WIDTH)
    plan = wgmma_plan(mlp, 2**12, 132)
    at = Checks(dispatch, mlp, plan, wgmma_infer_constants(plan))
    _, _, sizes = at.places()
    assert sizes[1] + ALIGN_BYTES == plan.infer_shared_bytes
