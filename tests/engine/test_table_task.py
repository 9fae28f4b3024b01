"""engine/network_trainer: positions of three numbers, outputs of 1 to 16, against PyTorch."""

import copy

import numpy as np
import pytest
import torch
from fixtures.table_tasks import BETAS, Table, field_over, smooth_table

from neuralshade.engine.draw import draw_field
from neuralshade.engine.kernel_path import training_paths
from neuralshade.engine.kernel_plan import refusal_of
from neuralshade.errors import ShapeError
from neuralshade.model.field import Field

LEVELS = "dense_grid:features=2,width=5,height=4 + frequency:octaves=2"  # of (u, v, level)
BATCH = 100  # no multiple of any tile
PATHS = ["fma", *(pytest.param(path, marks=pytest.mark.gpu) for path in ("matrix", "wgmma"))]
# relative norm of the error of a gradient, and of the loss: float32 sums; float16 activations
ROOM = {"fma": (5e-5, 1e-5), "matrix": (2e-2, 5e-3), "wgmma": (2e-2, 5e-3)}
FAR = {"fma": 2e-5, "matrix": 5e-3, "wgmma": 5e-3}  # of values in [0, 1]


def reference(table: Table, field: Field) -> tuple[float, list[torch.Tensor]]:
    """Return the mean loss of step 0 and its gradient by every parameter, in float64."""
    rows = table.rows(0)
    exact = copy.deepcopy(field).double()
    wanted = torch.from_numpy(table.wanted[rows]).double()
    loss = (exact(torch.from_numpy(table.at[rows]).double()) - wanted).square().mean()
    return float(loss.detach()), list(torch.autograd.grad(loss, list(exact.parameters())))


def first_moments(state: dict[str, torch.Tensor], field: Field) -> list[torch.Tensor]:
    """Return Adam's first moments in the order of the field's parameters."""
    halves = ((1, field.encoding), (0, field.network))
    return [
        state[f"optimizer.{group}.{i}.exp_avg"].double()
        for group, half in halves
        for i, _ in enumerate(half.parameters())
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "outputs", [5, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 16))]
)
def test_loss_gradient_and_value_are_those_of_pytorch(gpu, rng, outputs, path):
    if path not in training_paths(gpu.adapter):
        pytest.skip(f"{gpu.name} does not train by {path}")
    field = field_over(LEVELS, 3, outputs, rng, width=64 if path == "wgmma" else 16)
    table = smooth_table(3, outputs, BATCH)
    trainer = table.trainer(gpu, field, path)
    at = torch.from_numpy(table.at)
    with torch.no_grad():
        trainer.round_mean()
        drawn = trainer.inference.at_positions(table.at)
        np.testing.assert_allclose(drawn, field(at).numpy(), rtol=0, atol=FAR[path])
    loss, gradients = reference(table, field)
    of_gradient, of_loss = ROOM[path]
    assert trainer.advance([0.0]) == pytest.approx(loss, rel=of_loss)  # a step of size 0
    moments = first_moments(trainer.state(), field)
    largest = max(float(gradient.norm()) for gradient in gradients)
    for index, (moment, gradient) in enumerate(zip(moments, gradients, strict=True)):
        error = float((moment / (1.0 - BETAS[0]) - gradient).norm())
        assert error <= of_gradient * (float(gradient.norm()) + 1e-2 * largest), index
    assert trainer.skipped == 0


@pytest.mark.slow
def test_steps_are_those_of_pytorch(gpu, rng):
    field = field_over(LEVELS, 3, 5, rng)
    table = smooth_table(3, 5, BATCH)
    trainer, host = table.trainer(gpu, field, "fma"), table.torch_engine(copy.deepcopy(field))
    assert trainer.advance([1.0]) == pytest.approx(host.advance([1.0]), rel=1e-5)
    factors = np.linspace(1.0, 0.3, 40).tolist()
    losses = trainer.advance(factors), host.advance(factors)
    assert losses[0] == pytest.approx(losses[1], rel=1e-2)  # rounding drives the two apart
    assert losses[0] < 0.3 * reference(table, field)[0]
    trainer.round_mean()
    drawn = torch.from_numpy(trainer.inference.at_positions(table.at))
    with torch.no_grad():
        torch.testing.assert_close(drawn, host.field(torch.from_numpy(table.at)), rtol=0, atol=2e-2)
    host.load_state(trainer.state())  # the same names, so that either can go on


@pytest.mark.slow
def test_a_position_of_eight_numbers_and_outputs_beyond_matrices(gpu, rng):
    text = "dense_grid:features=1,width=3,height=2 + identity + frequency:octaves=1,first=5"
    field = field_over(text, 8, 17, rng)
    table = smooth_table(8, 17, 32, count=32)
    trainer = table.trainer(gpu, field, "fma")
    assert trainer.advance([0.0]) == pytest.approx(reference(table, field)[0], rel=1e-5)
    trainer.round_mean()
    drawn = trainer.inference.at_positions(table.at)
    np.testing.assert_allclose(
        drawn, field(torch.from_numpy(table.at)).detach().numpy(), rtol=0, atol=2e-5
    )


def test_other_positions_and_pictures_are_refused(gpu, rng, refusal):
    field = field_over("identity", 3, 1, rng)
    inference = smooth_table(3, 1, 8, count=8).trainer(gpu, field, "fma").inference
    uv = np.zeros((4, 2), np.float32)
    assert refusal(ShapeError, inference.at_positions, uv) == (
        "at_positions: got shape [4, 2], need [N, 3]. "
        "Put the 3 numbers of one position into one row."
    )
    over = (
        "got a field over 3 numbers, need one over (u, v) for a picture. Evaluate it at positions."
    )
    assert refusal(ShapeError, inference.picture, 4, 4) == f"picture.field: {over}"
    assert refusal(ShapeError, inference.into_texture, None) == f"into_texture.field: {over}"
    assert refusal(ShapeError, draw_field, field, 4, 4) == f"draw_field.field: {over}"


@pytest.mark.parametrize("path", ["matrix", "wgmma"])
def test_more_outputs_than_a_fragment_are_refused(rng, path):
    network = field_over("identity", 2, 17, rng, width=64).network
    assert refusal_of(path, network) == "it has 17 outputs, more than 16"
    assert refusal_of("fma", network) is None
