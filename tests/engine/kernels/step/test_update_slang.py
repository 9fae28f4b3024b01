"""update: sums of gradients move and round the numbers as the Python halves do."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS, crowded_numbers
from neuralshade.engine.kernels.step.step_state import STATE, StepState
from neuralshade.engine.kernels.step.update import levels_of, table_words, update_text
from neuralshade.engine.layout import NetworkLayout
from neuralshade.model.encoding import Encoding
from neuralshade.model.mlp import MLP
from neuralshade.model.quantize import fake_quantize
from neuralshade.model.registry import build_encoding
from neuralshade.optimizer.adam import Adam, TouchedAdam

RATE, BETAS, EPSILON, AVERAGE, SCALE = 0.02, (0.8, 0.95), 1e-5, 0.75, 32.0
PENALTY = 0.3  # of networks; what a grid has has none
SLOTS, LOSSES, SAMPLES = 21, 5, 100.0  # SLOTS: not a multiple of 8, nor below 8
STEPS = 4
FACTORS = np.linspace(1.0, 0.4, STEPS).tolist()  # of the step size
ADAM = {"rate": RATE, "beta1": BETAS[0], "beta2": BETAS[1], "epsilon": EPSILON}
NETWORKS = [  # inputs, outputs, hidden layers, width, bits
    (5, 3, 2, 20, 8),
    (70, 18, 1, 33, 16),
    (2, 3, 0, 8, 32),
]
GRIDS = (
    "dense_grid:levels=2,features=3,coarsest=3,width=25,height=17 + "
    "hash_grid:levels=2,features=2,log2_entries=9,coarsest=3,finest=40"
)


def settings(numbers: dict[str, int], **others: Any) -> dict[str, Any]:
    counts = {"slots": SLOTS, "losses": LOSSES, "numbers": SAMPLES, "rounds_mean": 0, "noisy": 0}
    counts |= {"slot_size": 0, "table_count": 0, "crowded": 0}
    counts |= {"network_numbers": 0, "grid_numbers": 0}
    return {"network": ADAM, "grid": ADAM, "penalty": PENALTY, "average": AVERAGE, **counts,
            **numbers, **others}  # fmt: skip


def buffers(values: np.ndarray, halves: bool) -> dict[str, np.ndarray]:
    """Return what both kinds of numbers have; what is stored is nonsense at first."""
    kind = np.float16 if halves else np.float32
    return {
        "values": values.astype(np.float32),
        "moments": np.zeros(2 * values.size, np.float32),
        "means": np.zeros(values.size, np.float32),
        "stored": np.full(values.size, 77, kind),
        "states": np.repeat(StepState(0, 0, 0, 0, SCALE).pair(), 1),
        "broken": np.zeros(2, np.uint32),
        "partial_losses": np.full(LOSSES, 2.0, np.float32),
    }


def state_at(step: int) -> np.ndarray:
    return StepState(step, step, step, 0, SCALE).pair(FACTORS[step]).view(np.uint8)


@dataclass
class Mean:
    """The running mean in float64."""

    value: Any = 0.0

    def take(self, values: np.ndarray) -> None:
        self.value = AVERAGE * self.value + (1 - AVERAGE) * values


@pytest.mark.parametrize("align, halves", [(1, False), (16, True)])
@pytest.mark.parametrize("sizes", NETWORKS)
def test_a_network_moves_by_adam_and_its_filling_stays_zero(dispatch, rng, sizes, align, halves):
    *sizes, bits = sizes
    network = MLP(*sizes, rng=rng)
    for layer in network.members:
        layer.bits = bits
    layout = NetworkLayout(network, align)
    rows, start = layout.rows(), layout.flatten(list(network.parameters()))
    text = update_text([], halves=halves, gradients="float", touched=False)
    arrays = {"rows": rows, "partials": np.zeros(SLOTS * layout.size, np.float32)}
    run = dispatch(
        text, arrays | buffers(start, halves), levels4=levels_of(4), levels8=levels_of(8),
        settings=settings({"network_numbers": layout.size, "slot_size": layout.size}),
    )  # fmt: skip
    adam, mean = Adam(list(network.parameters()), RATE, BETAS, EPSILON, PENALTY), Mean()
    for step in range(STEPS):
        # the filling gets gradients too: it must not move
        partials = torch.randn(SLOTS, layout.size, generator=rng).numpy()
        run.write(states=state_at(step), partials=partials)
        run.run(("update_network", len(rows)))
        sums = layout.unflatten(partials.sum(axis=0, dtype=np.float64).astype(np.float32))
        for p, d_p in zip(network.parameters(), sums, strict=True):
            p.grad = d_p / (SCALE * SAMPLES)
        adam.step(FACTORS[step])
        mean.take(layout.flatten(list(network.parameters())).astype(np.float64))
    check_network(run, network, layout, mean, halves)
    state = StepState.of(run.read("states", STATE, 1))
    assert state == StepState(4, 4, 4, 0, SCALE, pytest.approx(LOSSES * 2.0 / SAMPLES))


def check_network(run: Any, network: MLP, layout: NetworkLayout, mean: Mean, halves: bool) -> None:
    values = run.read("values", np.float32, layout.size)
    wanted = layout.flatten(list(network.parameters()))
    np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=2e-6)
    np.testing.assert_allclose(run.read("means", np.float32, layout.size), mean.value, atol=2e-6)
    filling = layout.flatten([torch.ones_like(p) for p in network.parameters()]) == 0
    stored = run.read("stored", np.float16 if halves else np.float32, layout.size)
    assert (
        not values[filling].any() and not run.read("means", np.float32, layout.size)[filling].any()
    )
    columns = np.zeros(layout.size, bool)
    for row in layout.rows():
        columns[row["first"] : row["first"] + row["columns"]] = True
    assert not stored[filling & columns].any()  # other rows keep what they began with, zeros
    with torch.no_grad():
        for p, value in zip(network.parameters(), layout.unflatten(values), strict=True):
            p.copy_(value)  # the device's own: rounding jumps
    rounded = [t for layer in network.members for t in layer.stored() if t is not None]
    held = layout.flatten(rounded)
    close = {"rtol": 2e-3 if halves else 1e-6, "atol": 1e-7}
    np.testing.assert_allclose(stored[~filling], held[~filling], **close)


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

    def __init__(self, dispatch: Any, encoding: Encoding, gradients: str, touched: bool):
        self.encoding, self.gradients = encoding, gradients
        tables, kind = encoding.tables(), GRADIENTS[gradients]
        words, self.groups, self.entries = table_words(tables)
        assert self.groups > len(tables)  # some level has several groups
        self.count = encoding.number_count()
        self.crowded = 0 if gradients == "fixed" else crowded_numbers(tables)
        self.sum_bytes = kind.sum_bytes * self.count + 4 * COPIES * self.crowded
        arrays = buffers(encoding.flatten(list(encoding.parameters())).numpy(), False)
        self.start = {name: array.copy() for name, array in arrays.items()}
        most = max(table.features for table in tables)
        arrays |= {
            "tables": words, "hits": np.zeros(self.entries, np.uint32),
            "grid_gradients": np.zeros(self.sum_bytes, np.uint8),
            "grid_halves": np.zeros(kind.half_bytes * self.count, np.uint8),
            "extents": np.zeros(2 * self.groups * most, np.float32),
        }  # fmt: skip
        counts = {"grid_numbers": self.count, "table_count": len(tables), "crowded": self.crowded}
        text = update_text(tables, halves=False, gradients=gradients, touched=touched)
        self.run = dispatch(
            text, arrays, levels4=levels_of(4), levels8=levels_of(8), settings=settings(counts)
        )

    def sums_of(self, gradients: list[torch.Tensor]) -> np.ndarray:
        """Return the buffer of sums for these gradients, spread over copies where there are."""
        flat = self.encoding.flatten(gradients).numpy() * (SCALE * SAMPLES)
        if self.gradients == "fixed":
            return np.rint(flat.astype(np.float64) * 2**16).astype(np.int64)
        shares = np.random.default_rng(1).dirichlet(np.ones(COPIES), self.crowded).T
        single = flat.copy()
        single[: self.crowded] = 7.0  # not read: these numbers have copies
        copies = (shares * flat[: self.crowded]).ravel()
        return np.concatenate([copies, single]).astype(np.float32)

    def left(self) -> np.ndarray:
        """Return the sums after a step, but for those that nothing reads."""
        words = self.run.read("grid_gradients", np.uint32, self.sum_bytes // 4)
        first = COPIES * self.crowded
        return np.concatenate([words[:first], words[first + self.crowded :]])


@pytest.mark.slow
@pytest.mark.parametrize(
    "bits, gradients, touched",
    [(4, "float", True), (8, "fixed", False), (16, "float", False), (32, "fixed", True)],
)
def test_grids_move_by_their_optimizer_and_are_rounded(dispatch, rng, bits, gradients, touched):
    encoding = grids_of(bits, rng)
    grids = Grids(dispatch, encoding, gradients, touched)
    kind = TouchedAdam if touched else Adam
    optimizer, mean = kind(list(encoding.parameters()), RATE, BETAS, EPSILON), Mean()
    for step in range(STEPS):
        slopes = sparse_gradients(encoding, rng)
        grids.run.write(states=state_at(step), grid_gradients=grids.sums_of(slopes))
        grids.run.run(("update_cells", grids.groups), ("round_cells", grids.groups))
        for p, d_p in zip(encoding.parameters(), slopes, strict=True):
            p.grad = d_p
        optimizer.step(FACTORS[step])
        mean.take(encoding.flatten(list(encoding.parameters())).double().numpy())
        assert not grids.left().any()  # the next sum starts
    check_grids(grids.run, encoding, mean)


def sparse_gradients(encoding: Encoding, rng: torch.Generator) -> list[torch.Tensor]:
    """Return gradients of which whole entries are 0, as are single features; in steps of 2^-27."""
    gradients = []
    for p in encoding.parameters():
        axis = 0 if p.dim() == 3 else 1
        entry = torch.rand([1 if i == axis else n for i, n in enumerate(p.shape)], generator=rng)
        kept = (entry < 0.6) & (torch.rand(p.shape, generator=rng) < 0.8)
        gradients.append(torch.randn(p.shape, generator=rng).mul(2**12).round() * 2**-16 * kept)
    return gradients


def check_grids(run: Any, encoding: Encoding, mean: Mean) -> None:
    count = encoding.number_count()
    values = run.read("values", np.float32, count)
    wanted = encoding.flatten(list(encoding.parameters())).numpy()
    np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(run.read("means", np.float32, count), mean.value, atol=1e-5)
    stored = encoding.unflatten(torch.from_numpy(run.read("stored", np.float32, count).copy()))
    masters = encoding.unflatten(torch.from_numpy(values.copy()))
    bits = encoding.tables()[0].bits
    for got, master in zip(stored, masters, strict=True):
        by_feature = master if master.dim() == 3 else master.t()
        rounded = fake_quantize(by_feature, bits, grid=True)
        held = rounded if master.dim() == 3 else rounded.t()
        off = (got - held).abs()
        # the step differs in its last bits, so a number between two levels may go either way
        assert (off > 1e-5).float().mean() < 0.005
        assert off.max() <= 2 * (master - held).abs().max() + 1e-6


def test_a_step_that_is_not_finite_moves_nothing_and_clears_the_sums(dispatch, rng):
    grids = Grids(dispatch, grids_of(16, rng), "float", True)
    sums = grids.sums_of([torch.full_like(p, torch.nan) for p in grids.encoding.parameters()])
    grids.run.write(broken=np.array([1, 0], np.uint32), grid_gradients=sums)
    grids.run.run(("update_cells", grids.groups))
    for name in ("values", "moments", "means", "stored"):
        after = grids.run.read(name, np.float32, grids.start[name].size)
        np.testing.assert_array_equal(after, grids.start[name], err_msg=name)
    assert not grids.run.read("hits", np.uint32, grids.entries).any()
    assert not grids.left().any()


@pytest.mark.slow
def test_a_float16_sum_that_overflowed_moves_nothing(dispatch, rng):
    grids = Grids(dispatch, grids_of(16, rng), "half", True)
    halves = np.zeros(grids.count, np.float16)
    halves[grids.crowded :] = np.inf
    grids.run.write(states=state_at(0), grid_halves=halves)
    grids.run.run(("update_cells", grids.groups))
    assert np.isfinite(grids.run.read("values", np.float32, grids.count)).all()
