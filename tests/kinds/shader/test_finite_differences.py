"""kinds/shader/finite_differences: verdicts on derivatives of functions in closed form."""

import numpy as np
import pytest

from neuralshade.kinds.shader.finite_differences import (
    NOISE,
    NOT_SMOOTH,
    RIGHT,
    WIDTHS,
    WRONG,
    judge,
    overall,
    slope_of,
)


def slope_at(function, place, noise=0.0):
    rng = np.random.default_rng(0)

    def loss(x):
        return function(x) + noise * rng.standard_normal()

    widths = np.array(WIDTHS)[:, None].repeat(2, axis=1)
    losses = np.array([[loss(place - w), loss(place + w)] for w in WIDTHS])
    return slope_of(losses, widths, loss(place), abs(function(place)))


SMOOTH = {
    "sine": (np.sin, 0.7, np.cos(0.7)),
    "cube": (lambda x: x**3, 1.0, 3.0),
    "flat": (lambda x: 1.0, 0.3, 0.0),
    "large and nearly flat": (lambda x: 100 + x, 0.0, 1.0),
    "middle of a parabola": (lambda x: x * x, 0.0, 0.0),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_of_smooth_functions_are_judged(name):
    function, place, derivative = SMOOTH[name]
    slope = slope_at(function, place)
    assert not slope.kink
    assert slope.middle == pytest.approx(derivative, abs=1e-3)
    assert judge(derivative, slope, max(abs(derivative), 1.0)) == RIGHT
    for wrong in (derivative + 0.1, -derivative - 0.1, derivative * 1.1 + 0.1):
        assert judge(wrong, slope, max(abs(wrong), 1.0)) == WRONG


def test_a_kink_is_no_error_unless_the_derivative_is_beyond_both_sides():
    slope = slope_at(lambda x: max(x, 0.0) + 1, 0.0)
    assert slope.kink and (slope.below, slope.above) == (0.0, pytest.approx(1.0))
    for one_side in (0.0, 0.5, 1.0):
        assert judge(one_side, slope, 1.0) == NOT_SMOOTH
    for beyond in (-0.2, 1.2):
        assert judge(beyond, slope, 1.2) == WRONG


@pytest.mark.parametrize("away", [-3e-2, -1e-3, -2e-4, -1e-5, 1e-5, 4e-4, 2e-3, 1e-2])
@pytest.mark.parametrize("bend", [0.0, 0.8, -2.0])
def test_a_kink_nearer_than_the_widths_is_no_error(away, bend):
    """One side tells: the derivative is that of the side without the kink."""
    slope = slope_at(lambda x: max(x - away, 0.0) + bend * x * x + 0.5 * x + 1, 0.0)
    assert judge(1.5 if away < 0 else 0.5, slope, 1.5) in (RIGHT, NOT_SMOOTH)
    assert judge(2.0, slope, 2.0) == judge(0.0, slope, 1.5) == WRONG


def test_what_drowns_in_noise_is_told():
    slope = slope_at(lambda x: x + 1000, 0.0, noise=1.0)
    assert judge(0.0, slope, 1.0) == NOISE
    assert judge(1e6, slope, 1e6) == WRONG  # far beyond all noise


def test_a_loss_that_is_no_number_beside_the_place():
    losses = np.full((4, 2), np.nan)
    assert slope_of(losses, np.ones((4, 2)), 1.0, 1.0) is None
    assert judge(1.0, None, 1.0) == NOISE


def test_one_wrong_number_is_enough():
    assert overall([RIGHT, WRONG, NOISE]) == WRONG
    assert overall([NOISE, RIGHT, NOT_SMOOTH]) == RIGHT
    assert overall([NOISE, NOT_SMOOTH]) == NOT_SMOOTH
    assert overall([NOISE]) == NOISE
