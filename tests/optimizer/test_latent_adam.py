"""optimizer/adam: LatentAdam is PyTorch's Adam that keeps to [0, 1]."""

import pytest
import torch

from neuralshade.optimizer.adam import LatentAdam

RATE, BETAS, EPSILON = 0.05, (0.9, 0.99), 1e-8


def latents(low, high, rng):
    return torch.nn.Parameter(torch.empty(40, 3).uniform_(low, high, generator=rng))


def test_where_nothing_is_clamped_it_is_adam(rng):
    p = latents(0.4, 0.6, rng)
    q = torch.nn.Parameter(p.detach().clone())
    ours = LatentAdam([p], 0.01, BETAS, EPSILON)
    theirs = torch.optim.Adam([q], lr=0.01, betas=BETAS, eps=EPSILON)
    for step in range(8):
        gradient = torch.randn(40, 3, generator=rng)
        p.grad, q.grad = gradient.clone(), gradient.clone()
        theirs.param_groups[0]["lr"] = 0.01 * (1 - step / 8)
        ours.step(1 - step / 8)
        theirs.step()
    assert float(p.detach().min()) > 0 and float(p.detach().max()) < 1
    torch.testing.assert_close(p.detach(), q.detach(), rtol=1e-6, atol=1e-7)


def test_latents_stay_in_0_to_1(rng):
    p = latents(0, 1, rng)
    adam, gradient = LatentAdam([p], RATE, BETAS, EPSILON), torch.randn(40, 3, generator=rng)
    for _ in range(60):
        p.grad = gradient.clone()
        adam.step(1.0)
        assert bool(((p >= 0) & (p <= 1)).all())
    assert torch.equal(p.detach(), (gradient < 0).float())  # each at the end that it was sent to


def test_one_that_was_clamped_comes_back_at_once(rng):
    """What it would have had beyond the border is not kept."""
    p = torch.nn.Parameter(torch.zeros(1, 1))
    adam = LatentAdam([p], RATE, (0.0, 0.99), EPSILON)
    for sign in (1.0, 1.0, 1.0, -1.0):
        p.grad = torch.full((1, 1), sign)
        adam.step(1.0)
    assert float(p.detach()) == pytest.approx(RATE, rel=1e-3)


def test_latents_without_a_gradient_stay(rng):
    moving, frozen = latents(0, 1, rng), latents(0, 1, rng)
    before = frozen.detach().clone()
    adam = LatentAdam([moving, frozen], RATE, BETAS, EPSILON)
    for _ in range(3):
        moving.grad, frozen.grad = torch.ones(40, 3), None
        adam.step(1.0)
    assert torch.equal(frozen.detach(), before)
    moving.grad, frozen.grad = torch.zeros(40, 3), torch.ones(40, 3)
    at = moving.detach().clone()
    adam.step(1.0)
    assert bool((moving.detach() <= at).all())  # by what its moments still have
    assert not torch.equal(frozen.detach(), before)
