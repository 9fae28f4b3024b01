"""model/activation: every kind equals its formula and its central difference."""

import numpy as np
import pytest
import torch

from neuralshade.model.activation import ACTIVATIONS, activate

FORMULAS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "tanh": np.tanh,
    "sigmoid": lambda x: np.exp(-np.logaddexp(0, -x)),
    "exp": np.exp,
    "softplus": lambda x: np.logaddexp(0, x),
    "silu": lambda x: x * np.exp(-np.logaddexp(0, -x)),
    "hard_gelu": lambda x: x * np.clip(x / 3 + 0.5, 0, 1),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "sine": np.sin,
}
# Both sides of 0 but not 0 itself, where relu and leaky_relu have no derivative.
SMALL = np.concatenate([np.linspace(-6, -0.01, 40), np.linspace(0.01, 6, 40)])
LARGE = np.array([-80.0, -50.0, -19.0, 19.0, 21.0, 50.0, 80.0])


def test_every_registered_kind_has_a_formula():
    assert set(FORMULAS) == set(ACTIVATIONS)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_value_equals_the_formula(kind):
    x = np.concatenate([SMALL, LARGE, [0.0]])
    got = activate(kind, torch.from_numpy(x)).numpy()
    # 3e-9: torch's softplus is x itself beyond 20, where log(1 + e^-x) is 2e-9
    np.testing.assert_allclose(got, FORMULAS[kind](x), rtol=1e-12, atol=3e-9)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_derivative_equals_central_difference(kind):
    x = torch.from_numpy(np.concatenate([SMALL, LARGE])).requires_grad_()
    d_y = torch.linspace(-2, 2, len(x), dtype=torch.float64)
    activate(kind, x).backward(d_y)
    at, h = x.detach().numpy(), 1e-5
    difference = (FORMULAS[kind](at + h) - FORMULAS[kind](at - h)) / (2 * h)
    np.testing.assert_allclose(x.grad, d_y.numpy() * difference, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kind", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_value_and_derivative_stay_finite_far_out(kind, dtype):
    """80: e^80 is the largest power of e below float32's end that ends in a zero."""
    x = torch.tensor([-1e4, -300.0, -80.0, 0.0, 80.0], dtype=dtype)
    if kind != "exp":
        x = torch.cat([x, torch.tensor([300.0, 1e4], dtype=dtype)])
    x.requires_grad_()
    y = activate(kind, x)
    y.sum().backward()
    assert y.dtype == dtype
    assert torch.isfinite(y).all()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_the_input_is_left_as_it_was(kind, rng):
    x = torch.randn(30, generator=rng, requires_grad=True)
    before = x.detach().clone()
    y = activate(kind, x)
    y.sum().backward()
    assert torch.equal(x, before)


@pytest.mark.parametrize("kind", ["relu", "leaky_relu"])
def test_the_derivative_at_zero_is_that_of_the_left_side(kind):
    x = torch.zeros(1, requires_grad=True)
    activate(kind, x).backward()
    assert x.grad.item() == pytest.approx({"relu": 0.0, "leaky_relu": 0.01}[kind])
