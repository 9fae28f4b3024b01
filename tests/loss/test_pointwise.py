"""loss/pointwise: every loss equals its formula and its central difference."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch

from neuralshade.loss.pointwise import LOSSES

Pair = tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]


def logarithm(x):
    return np.log(x.clip(0) + 0.01) + np.minimum(x, 0) / 0.01


# (numerator, denominator) of p and t; the denominator is held constant in the gradient.
ONE = np.ones_like
FORMULAS: dict[str, Pair] = {
    "l1": (lambda p, t: abs(p - t), lambda p, t: ONE(p)),
    "l2": (lambda p, t: (p - t) ** 2, lambda p, t: ONE(p)),
    "huber": (
        lambda p, t: np.where(abs(p - t) > 0.1, abs(p - t) - 0.05, (p - t) ** 2 / 0.2),
        lambda p, t: ONE(p),
    ),
    "log_l2": (
        lambda p, t: (1 + t.clip(0)) ** (1 / 3) * (logarithm(p) - logarithm(t)) ** 2,
        lambda p, t: ONE(p),
    ),
    "relative_l2": (lambda p, t: (p - t) ** 2, lambda p, t: p**2 + 0.01),
    "log_l1": (lambda p, t: np.log1p(abs(p - t)), lambda p, t: ONE(p)),
    "smape": (lambda p, t: abs(p - t), lambda p, t: (abs(p) + abs(t)) / 2 + 0.01),
}


def samples(rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return p, t float64 [3, 40] of both signs and several sizes, never closer than 1e-3."""
    size = torch.tensor([0.02, 1.0, 300.0], dtype=torch.float64)[:, None]
    p, t = (size * torch.randn(3, 40, generator=rng, dtype=torch.float64) for _ in "pt")
    return torch.where((p - t).abs() < 1e-3, p + 0.01, p), t


def test_every_registered_loss_has_a_formula():
    assert set(FORMULAS) == set(LOSSES)


@pytest.mark.parametrize("kind", LOSSES)
def test_value_equals_the_formula(kind, rng):
    p, t = samples(rng)
    above, below = (part(p.numpy(), t.numpy()) for part in FORMULAS[kind])
    value, _ = LOSSES[kind](p, t)
    assert value.shape == p.shape
    np.testing.assert_allclose(value, above / below, rtol=1e-12)


@pytest.mark.parametrize("kind", LOSSES)
def test_gradient_equals_central_difference(kind, rng):
    p, t = (x.numpy() for x in samples(rng))
    if kind == "log_l2":  # below 0 squares of thousands leave nothing over
        p, t = abs(p), abs(t)
    above, below = FORMULAS[kind]
    h = 1e-6
    wanted = (above(p + h, t) - above(p - h, t)) / (2 * h) / below(p, t)
    _, d_p = LOSSES[kind](torch.from_numpy(p), torch.from_numpy(t))
    # 1e-6: values of up to 1e5 leave that much of a float64 over in a difference of 2e-6
    np.testing.assert_allclose(d_p, wanted, rtol=1e-6, atol=2e-5)


@pytest.mark.parametrize("kind", LOSSES)
def test_a_perfect_prediction_costs_nothing_and_pulls_nowhere(kind):
    t = torch.tensor([-3.0, 0.0, 0.5, 1e4])
    value, d_p = LOSSES[kind](t.clone(), t)
    assert torch.equal(value, torch.zeros(4))
    assert torch.equal(d_p, torch.zeros(4))


@pytest.mark.parametrize("kind", LOSSES)
def test_arguments_are_left_alone_and_gradients_are_tensors_of_their_own(kind, rng):
    """The engine scales the gradient in place."""
    p, t = (x.float() for x in samples(rng))
    p_before, t_before = p.clone(), t.clone()
    value, d_p = LOSSES[kind](p, t)
    kept = value.clone()
    d_p.mul_(7.0)
    assert torch.equal(p, p_before)
    assert torch.equal(t, t_before)
    assert torch.equal(value, kept)


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("p, t", [(math.nan, 0.5), (0.5, math.nan), (math.inf, 0.5)])
def test_an_error_that_is_not_finite_shows_in_the_gradient(kind, p, t):
    """The engine skips a step by its gradient; torch.sign(NaN) is 0."""
    _, d_p = LOSSES[kind](torch.tensor([p, 0.3]), torch.tensor([t, 0.1]))
    assert d_p.isfinite().tolist() == [False, True]


@pytest.mark.parametrize("kind", ["relative_l2", "smape"])
def test_relative_losses_stay_finite_at_black(kind):
    value, d_p = LOSSES[kind](torch.tensor([0.0, 1e-3]), torch.zeros(2))
    assert torch.isfinite(value).all()
    assert torch.isfinite(d_p).all()
