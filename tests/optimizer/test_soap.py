"""optimizer/soap: Adam in axes that follow the gradients."""

import numpy as np
import pytest
import torch

from neuralshade.optimizer.adam import Adam
from neuralshade.optimizer.soap import EVERY, WIDEST, Soap

RATE, BETAS, EPSILON = 0.05, (0.8, 0.95), 1e-8


def walked(kind: type, start: torch.Tensor, gradients: torch.Tensor) -> torch.Tensor:
    """Return where steps along ``gradients`` lead."""
    p = torch.nn.Parameter(start.clone())
    optimizer = kind([p], RATE, BETAS, EPSILON)
    for gradient in gradients:
        p.grad = gradient
        optimizer.step(1.0)
    return p.detach()


def turn(side: int, rng: torch.Generator) -> torch.Tensor:
    """Return a rotation [side, side]."""
    return torch.linalg.qr(torch.randn((side, side), generator=rng))[0]


def test_vectors_are_stepped_as_adam_steps_them(rng):
    start, gradients = torch.randn(7, generator=rng), torch.randn((30, 7), generator=rng)
    torch.testing.assert_close(walked(Soap, start, gradients), walked(Adam, start, gradients),
                               rtol=1e-4, atol=1e-6)  # fmt: skip


def test_what_turns_the_gradients_turns_the_steps_with_them():
    """Adam's own steps change with the axes that weights happen to have."""
    beside = {kind: [] for kind in (Soap, Adam)}
    for seed in range(20):
        rng = torch.Generator().manual_seed(seed)
        left, right = turn(4, rng), turn(3, rng)
        spread = torch.tensor([2.0, 1.0, 0.6, 0.4])[:, None] * torch.tensor([1.0, 0.6, 0.3])
        gradients = spread * torch.randn((120, 4, 3), generator=rng)
        for kind, found in beside.items():
            plain, turned = (walked(kind, torch.zeros(4, 3), g)
                             for g in (gradients, left @ gradients @ right.t()))  # fmt: skip
            wanted = left @ plain @ right.t()
            found.append(float((turned - wanted).norm() / wanted.norm()))
    assert np.median(beside[Soap]) < 0.25 * np.median(beside[Adam])


def test_a_valley_that_lies_across_the_weights_is_gone_down_faster_than_by_adam(rng):
    """As inputs do that are nearly alike: least squares, whose inputs vary together."""
    inputs = torch.randn((512, 6), generator=rng)
    inputs = inputs[:, :1] + 0.1 * inputs
    wanted = inputs @ torch.randn((6, 2), generator=rng)
    left = {}
    for kind in (Adam, Soap):
        p = torch.nn.Parameter(torch.zeros(2, 6))
        optimizer = kind([p], 0.1, (0.9, 0.999), EPSILON)
        for step in range(400):
            p.grad = 2 * (inputs @ p.detach().t() - wanted).t() @ inputs / len(inputs)
            optimizer.step(1 - step / 400)
        left[kind] = float((inputs @ p.detach().t() - wanted).square().mean())
    assert left[Soap] < 0.1 * left[Adam]


def test_matrices_that_are_too_wide_are_stepped_as_adam_steps_them(rng):
    start = torch.randn((WIDEST + 1, 2), generator=rng)
    gradients = torch.randn((15, WIDEST + 1, 2), generator=rng)
    torch.testing.assert_close(walked(Soap, start, gradients), walked(Adam, start, gradients),
                               rtol=1e-4, atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("stopped", [1, EVERY - 1, EVERY, 17])
def test_a_state_goes_on_as_if_nothing_had_stopped(rng, stopped):
    start, gradients = torch.randn((5, 3), generator=rng), torch.randn((30, 5, 3), generator=rng)
    p = torch.nn.Parameter(start.clone())
    first = Soap([p], RATE, BETAS, EPSILON)
    for gradient in gradients[:stopped]:
        p.grad = gradient
        first.step(1.0)
    kept = {name: value.clone() for name, value in first.state().items()}
    second = Soap([p], RATE, BETAS, EPSILON)
    second.load_state(kept)
    for gradient in gradients[stopped:]:
        p.grad = gradient
        second.step(1.0)
    assert torch.equal(p.detach(), walked(Soap, start, gradients))


def test_a_state_of_adams_begins_anew(rng):
    start, gradients = torch.randn((5, 3), generator=rng), torch.randn((12, 5, 3), generator=rng)
    p = torch.nn.Parameter(start.clone())
    adam, soap = Adam([p], RATE, BETAS), Soap([p], RATE, BETAS, EPSILON)
    p.grad = gradients[0]
    adam.step(0.0)
    soap.load_state(adam.state())
    for gradient in gradients:
        p.grad = gradient
        soap.step(1.0)
    assert torch.equal(p.detach(), walked(Soap, start, gradients))


def test_axes_follow_gradients_that_turn(rng):
    """The first one says little: in the end no two axes vary together."""
    p = torch.nn.Parameter(torch.zeros(4, 3))
    soap, left = Soap([p], RATE, BETAS), turn(4, rng)
    sizes = torch.tensor([4.0, 2.0, 1.0, 0.5])[:, None]
    for gradient in [torch.randn((4, 3), generator=rng),
                     *(left @ (sizes * torch.randn((600, 4, 3), generator=rng)))]:  # fmt: skip
        p.grad = gradient
        soap.step(1.0)
    state = soap.state()
    found = state["0.left_axes"].t() @ state["0.left"] @ state["0.left_axes"]
    beside = found - torch.diag(torch.diag(found))
    assert float(beside.abs().max()) < 0.05 * float(torch.diag(found).max())


@pytest.mark.parametrize("seed", range(4))
def test_axes_that_change_places_leave_steps_as_long_as_they_were(seed):
    """A gradient that is always the same, until another one becomes the largest: its axis has seen
    next to nothing before."""
    rng = torch.Generator().manual_seed(seed)
    held, left = torch.randn(4, generator=rng), turn(4, rng)
    p = torch.nn.Parameter(torch.zeros(4, 4))
    soap, lengths = Soap([p], 1.0), []
    for step in range(400):
        gradient = 1e-4 * torch.randn((4, 4), generator=rng)
        gradient[0] = held
        if step >= 300:
            gradient[1] = 5 * torch.randn(4, generator=rng)
        before, p.grad = p.detach().clone(), left @ gradient
        soap.step(1.0)
        lengths.append(float((p.detach() - before).norm()))
    assert max(lengths[300:]) < 4 * max(lengths[:300])


def test_what_has_no_gradient_stays_and_keeps_its_axes(rng):
    moved, still = (torch.nn.Parameter(torch.randn((4, 4), generator=rng)) for _ in range(2))
    soap, before = Soap([moved, still], RATE, BETAS), still.detach().clone()
    for _ in range(EVERY):
        moved.grad = torch.randn((4, 4), generator=rng)
        soap.step(1.0)
    assert torch.equal(still.detach(), before) and int(soap.state()["1.step"]) == 0
    axes = soap.state()["0.left_axes"].numpy()
    np.testing.assert_allclose(axes @ axes.T, np.eye(4), atol=1e-5)


def test_gradients_of_nothing_move_nothing(rng):
    start = torch.randn((3, 2), generator=rng)
    assert torch.equal(walked(Soap, start, torch.zeros((25, 3, 2))), start)
