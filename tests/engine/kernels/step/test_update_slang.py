"""update: sums of gradients move and round a network's numbers as the Python halves do."""

from typing import Any

import numpy as np
import pytest
import torch
from fixtures.updates import (
    BETAS,
    EPSILON,
    FACTORS,
    LOSSES,
    PENALTY,
    RATE,
    SAMPLES,
    SCALE,
    SLOTS,
    STEPS,
    Mean,
    buffers,
    settings,
    state_at,
    unread,
)

from neuralshade.engine.kernels.step.step_state import STATE, StepState
from neuralshade.engine.kernels.step.update import levels_of, update_text
from neuralshade.engine.layout import NetworkLayout
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.adam import Adam

NETWORKS = [  # inputs, outputs, hidden layers, width, bits
    (5, 3, 2, 20, 8),
    (70, 18, 1, 33, 16),
    (2, 3, 0, 8, 32),
]


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
        settings=settings({"network_numbers": layout.size, "slot_size": layout.size,
                           "row_count": len(rows)}),
    )  # fmt: skip
    run.others |= unread(run.gpu, run.buffers)
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
