"""update.cells: grids move as the Python halves do, and round by the extents of the step before."""

from typing import Any

import numpy as np
import pytest
import torch
from fixtures.updates import (
    BETAS,
    EPSILON,
    FACTORS,
    RATE,
    SAMPLES,
    SCALE,
    STEPS,
    Mean,
    buffers,
    settings,
    state_at,
    unread,
)

from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS, crowded_numbers
from neuralshade.engine.kernels.step.step_state import FLAGS, StepState
from neuralshade.engine.kernels.step.update import (
    EXTENTS,
    GROUP_THREADS,
    MOST_FEATURES,
    QUAD,
    group_span,
    levels_of,
    table_words,
    update_text,
    whole_quads,
)
from neuralshade.errors import ConfigError
from neuralshade.model.encoding import Encoding
from neuralshade.model.parameters import Table
from neuralshade.model.quantize import LEVELS, fake_quantize, step_of
from neuralshade.model.registry import build_encoding
from neuralshade.optimizer.adam import Adam, TouchedAdam

GRIDS = (
    "dense_grid:levels=2,features=3,coarsest=3,width=57,height=37 + "
    "hash_grid:levels=2,features=2,log2_entries=9,coarsest=3,finest=40"
)


def grids_of(bits: int, rng: torch.Generator) -> Encoding:
    encoding = build_encoding(GRIDS, rng)
    for module in encoding.modules():
        if hasattr(module, "bits"):
            module.bits = bits
    for p in encoding.parameters():
        torch.nn.init.normal_(p, 0.0, 0.3, generator=rng)
    return encoding


class Grids:
    """The update kernels of grids, with what they read and write."""

    def __init__(self, dispatch: Any, encoding: Encoding, gradients: str, touched: bool,
                 halves: bool = False):  # fmt: skip
        self.encoding, self.gradients, self.halves = encoding, gradients, halves
        tables, kind = encoding.tables(), GRADIENTS[gradients]
        words, self.groups, self.entries = table_words(tables)
        assert self.groups > len(tables)  # some level has several groups
        self.count = encoding.number_count()
        self.crowded = 0 if gradients == "fixed" else crowded_numbers(tables)
        self.sum_bytes = kind.sum_bytes * whole_quads(self.count) + 4 * COPIES * self.crowded
        self.room = room = whole_quads(self.count)
        start = encoding.flatten(list(encoding.parameters())).numpy()
        start = np.pad(start, (0, room - self.count))
        arrays = buffers(start, halves)
        for name in ("values", "moments", "means", "stored"):
            arrays[f"grid_{name}"] = arrays.pop(name)
        self.start = {name: array.copy() for name, array in arrays.items()}
        most = max(table.features for table in tables)
        arrays |= {
            "tables": words, "hits": np.zeros(self.entries, np.uint32),
            "sum_quads": np.zeros(self.sum_bytes, np.uint8),
            "grid_halves": np.zeros(kind.half_bytes * room, np.uint8),
            "group_extents": np.zeros(2 * self.groups * most, np.float32),
            "extents": np.zeros(2 * EXTENTS * len(tables) * most, np.float32),
        }  # fmt: skip
        counts = {"grid_numbers": room, "table_count": len(tables), "crowded": self.crowded}
        text = update_text(tables, halves=halves, gradients=gradients, touched=touched)
        self.run = dispatch(
            text, arrays, levels4=levels_of(4), levels8=levels_of(8), settings=settings(counts)
        )
        views = {"half_sum_quads": "grid_halves",
                 "extent_maxima": "extents", "extent_squares": "extents"}  # fmt: skip
        self.run.others |= {name: self.run.buffers[of] for name, of in views.items()}
        self.run.others |= unread(self.run.gpu, {*arrays, *views})
        self.measuring = ("measure_grid", self.groups), ("sum_extents", len(tables))
        self.rounding = self.measuring[1], ("round_cells", self.groups)

    def sums_of(self, gradients: list[torch.Tensor]) -> np.ndarray:
        """Return the buffer of sums for these gradients, spread over copies where there are."""
        flat = self.encoding.flatten(gradients).numpy() * (SCALE * SAMPLES)
        flat = np.pad(flat, (0, self.room - self.count))
        if self.gradients == "fixed":
            return np.rint(flat.astype(np.float64) * 2**16).astype(np.int64)
        shares = np.random.default_rng(1).dirichlet(np.ones(COPIES), self.crowded).T
        single = flat.copy()
        single[: self.crowded] = 7.0  # not read: these numbers have copies
        copies = (shares * flat[: self.crowded]).ravel()
        return np.concatenate([copies, single]).astype(np.float32)

    def left(self) -> np.ndarray:
        """Return the sums after a step, but for those that nothing reads."""
        words = self.run.read("sum_quads", np.uint32, self.sum_bytes // 4)
        first = COPIES * self.crowded
        return np.concatenate([words[:first], words[first + self.crowded :]])


@pytest.mark.slow
@pytest.mark.parametrize(
    "bits, gradients, touched, halves",
    [(4, "float", True, False), (8, "fixed", False, False), (4, "float", False, True),
     (16, "float", False, False), (32, "fixed", True, False)],
)  # fmt: skip
def test_grids_move_by_their_optimizer_and_are_rounded(
    dispatch, rng, bits, gradients, touched, halves
):
    encoding = grids_of(bits, rng)
    grids = Grids(dispatch, encoding, gradients, touched, halves)
    kind = TouchedAdam if touched else Adam
    optimizer, mean = kind(list(encoding.parameters()), RATE, BETAS, EPSILON), Mean()
    grids.run.run(*grids.measuring)
    for step in range(STEPS):
        before = grids.run.read("grid_values", np.float32, grids.count).copy()
        slopes = sparse_gradients(encoding, rng)
        grids.run.write(states=state_at(step), sum_quads=grids.sums_of(slopes))
        grids.run.run(("update_network", grids.groups))
        for p, d_p in zip(encoding.parameters(), slopes, strict=True):
            p.grad = d_p
        optimizer.step(FACTORS[step])
        mean.take(encoding.flatten(list(encoding.parameters())).double().numpy())
        assert not grids.left().any()  # the next sum starts
    if gradients == "fixed":
        grids.run.run(*grids.rounding)
        before = grids.run.read("grid_values", np.float32, grids.count)
    check_grids(grids, mean, before)


def sparse_gradients(encoding: Encoding, rng: torch.Generator) -> list[torch.Tensor]:
    """Return gradients of which whole entries are 0, as are single features; in steps of 2^-27."""
    gradients = []
    for p in encoding.parameters():
        axis = 0 if p.dim() == 3 else 1
        entry = torch.rand([1 if i == axis else n for i, n in enumerate(p.shape)], generator=rng)
        kept = (entry < 0.6) & (torch.rand(p.shape, generator=rng) < 0.8)
        gradients.append(torch.randn(p.shape, generator=rng).mul(2**12).round() * 2**-16 * kept)
    return gradients


def check_grids(grids: Grids, mean: Mean, measured: np.ndarray) -> None:
    """Check numbers and their copies, rounded by the extents of ``measured``."""
    run, encoding, count = grids.run, grids.encoding, grids.count
    values = run.read("grid_values", np.float32, count)
    wanted = encoding.flatten(list(encoding.parameters())).numpy()
    np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(run.read("grid_means", np.float32, count), mean.value, atol=1e-5)
    stored = run.read("grid_stored", np.float16 if grids.halves else np.float32, count)
    every = (by_feature(encoding, flat) for flat in (stored, values, measured))
    bits = encoding.tables()[0].bits
    for got, master, extent in zip(*every, strict=True):
        held = rounded_by(master, extent, bits)
        off = (got - held).abs()
        # the step differs in its last bits, so a number between two levels may go either way
        room = 1e-5 + (2.0**-11 * held.abs().max() if grids.halves else 0)
        assert (off > room).float().mean() < 0.005
        assert off.max() <= 2 * (master - held).abs().max() + room


def by_feature(encoding: Encoding, flat: np.ndarray) -> list[torch.Tensor]:
    parts = encoding.unflatten(torch.from_numpy(flat.astype(np.float32)))
    return [part if part.dim() == 3 else part.t() for part in parts]


def rounded_by(master: torch.Tensor, extent: torch.Tensor, bits: int) -> torch.Tensor:
    if bits >= 16:
        return fake_quantize(master, bits, grid=True)
    levels, step = LEVELS[bits], step_of(extent, bits, grid=True)
    nearest = (master / step - levels.offset).round().clamp(levels.low, levels.high)
    return (nearest + levels.offset) * step


def test_skipped_steps_leave_the_extents_of_rounding(dispatch, rng):
    grids = Grids(dispatch, grids_of(4, rng), "float", False, False)
    sums = grids.sums_of([torch.zeros_like(p) for p in grids.encoding.parameters()])
    grids.run.run(*grids.measuring)
    for step in range(6):
        broken = np.array([0, 1, 1, 0], np.uint32) if step < 3 else np.zeros(FLAGS, np.uint32)
        grids.run.write(states=state_at(step % STEPS), sum_quads=sums, broken=broken)
        state = StepState(step, step, step, 0, SCALE).pair(0.0).view(np.uint8)
        grids.run.write(states=state)
        grids.run.run(("update_network", grids.groups))
    values = grids.run.read("grid_values", np.float32, grids.count).copy()
    np.testing.assert_array_equal(values, grids.start["grid_values"][: grids.count])
    stored = grids.run.read("grid_stored", np.float32, grids.count).copy()
    grids.run.run(*grids.measuring, ("round_cells", grids.groups))
    exact = grids.run.read("grid_stored", np.float32, grids.count)
    assert (np.abs(stored - exact) > 1e-5).mean() < 0.005


def test_a_step_that_is_not_finite_moves_nothing_and_clears_the_sums(dispatch, rng):
    grids = Grids(dispatch, grids_of(16, rng), "float", True)
    sums = grids.sums_of([torch.full_like(p, torch.nan) for p in grids.encoding.parameters()])
    grids.run.write(broken=np.array([1, 0, 0, 0], np.uint32), sum_quads=sums)
    grids.run.run(("update_network", grids.groups))
    for name in ("grid_values", "grid_moments", "grid_means", "grid_stored"):
        after = grids.run.read(name, np.float32, grids.start[name].size)
        np.testing.assert_array_equal(after, grids.start[name], err_msg=name)
    assert not grids.run.read("hits", np.uint32, grids.entries).any()
    assert not grids.left().any()


@pytest.mark.slow
def test_a_float16_sum_that_overflowed_moves_nothing(dispatch, rng):
    grids = Grids(dispatch, grids_of(16, rng), "half", True)
    halves = np.zeros(grids.room, np.float16)
    halves[grids.crowded :] = np.inf
    grids.run.write(states=state_at(0), grid_halves=halves)
    grids.run.run(("update_network", grids.groups))
    assert np.isfinite(grids.run.read("grid_values", np.float32, grids.count)).all()


def test_groups_step_whole_entries_and_whole_quads():
    for features in range(1, MOST_FEATURES + 1):
        span = group_span(features)
        assert 0 < span <= QUAD * (GROUP_THREADS - 1) and span % features == span % QUAD == 0


def test_entries_of_more_numbers_than_a_group_steps_are_refused(same_message):
    with pytest.raises(ConfigError) as caught:
        table_words([Table(0, 5, MOST_FEATURES + 1, 16)])
    same_message(str(caught.value), "encoding", str(MOST_FEATURES))
