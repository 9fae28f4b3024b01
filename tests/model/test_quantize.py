"""model/quantize: how far rounded numbers are off, and what gradients do."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.model.quantize import LEVELS, dequantize, fake_quantize, quantize, step_of

FLOATS = st.floats(-(2.0**60), 2.0**60, width=32, allow_subnormal=False)
SQUARABLE = FLOATS.filter(lambda x: x == 0 or abs(x) >= 1e-18)  # in float32, to no subnormal
SHAPES = hnp.array_shapes(min_dims=2, max_dims=3, max_side=5)
ARRAYS = hnp.arrays(np.float32, SHAPES, elements=FLOATS)
GRIDS = hnp.arrays(np.float32, SHAPES, elements=SQUARABLE)
BITS = pytest.mark.parametrize("bits", [4, 8])


@BITS
@given(values=ARRAYS)
@settings(max_examples=80, deadline=None)
def test_a_weight_is_at_most_half_a_step_off(bits, values):
    x = torch.from_numpy(values)
    levels, step = quantize(x, bits, grid=False)
    assert levels.dtype == torch.int8
    assert step.dtype == torch.float32
    assert step.shape == (len(x), *[1] * (x.dim() - 1))
    assert levels.min() >= LEVELS[bits].low
    assert levels.max() <= LEVELS[bits].high
    shown = dequantize(levels, step, bits)
    off = (shown.double() - x.double()).abs()
    # 2^-18: the quotient is rounded to float32 before it is rounded to a whole number
    assert (off <= step.double() * (0.5 + 128 * 2**-18)).all()
    torch.testing.assert_close(fake_quantize(x, bits), shown, rtol=1e-6, atol=0)


@BITS
@given(values=GRIDS)
@settings(max_examples=40, deadline=None)
def test_in_a_grid_only_what_lies_far_out_is_further_off(bits, values):
    x = torch.from_numpy(values).double()
    step = step_of(x, bits, grid=True).double()
    shown = fake_quantize(x.float(), bits, grid=True).double()
    rms = x.square().mean(dim=tuple(range(1, x.dim())), keepdim=True).sqrt()
    inside = x.abs() <= rms * LEVELS[bits].reach
    assert ((shown - x).abs() <= step * (0.5 + 128 * 2**-18) + 1e-25)[inside].all()
    assert (shown.abs() <= x.abs().amax() * (1 + 1e-5) + 1e-25).all()


def test_the_levels_of_eight_bits():
    x = torch.tensor([[0.0, 0.0, 0.0], [2.0, -4.0, 1.0], [4.0, 1.0, 0.0]])
    levels, step = quantize(x, 8, grid=False)
    assert levels.tolist() == [[0, 0, 0], [64, -127, 32], [127, 32, 0]]  # 63.5 rounds to even
    torch.testing.assert_close(step[1:], torch.tensor([[4 / 127], [4 / 127]]))
    assert torch.equal(fake_quantize(x, 8)[0], torch.zeros(3))


def test_the_levels_of_four_bits():
    x = torch.tensor([[7.5, -7.5, 0.4, -0.4, 1.2]])
    levels, step = quantize(x, 4, grid=False)
    assert step.item() == 1.0
    assert levels.tolist() == [[7, -8, 0, -1, 1]]
    assert dequantize(levels, step, 4).tolist() == [[7.5, -7.5, 0.5, -0.5, 1.5]]


def test_an_outlier_of_a_grid_does_not_make_the_steps_coarse(rng):
    x = torch.randn(1, 10_000, generator=rng)
    x[0, 0] = 1000.0
    assert step_of(x, 4, grid=False).item() == pytest.approx(1000 / 7.5)
    rms = x.square().mean().sqrt().item()
    assert step_of(x, 4, grid=True).item() == pytest.approx(1.8 * rms / 7.5, rel=1e-5)
    assert fake_quantize(x, 4, grid=True).max().item() == pytest.approx(1.8 * rms, rel=1e-5)


@BITS
def test_a_slice_of_the_smallest_numbers_stays_finite(bits):
    """1e-44 / 127 is no float32: the step must not become 0 and the values not NaN."""
    x = torch.full((1, 3), 1e-44)
    assert step_of(x, bits, grid=False).item() > 0
    assert fake_quantize(x, bits).abs().max() < 1e-29


def test_sixteen_bits_are_float16_and_32_leave_alone(rng):
    x = torch.randn(4, 5, generator=rng)
    wanted = x.numpy().astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(fake_quantize(x, 16), wanted)
    assert fake_quantize(x, 32) is x


@pytest.mark.parametrize("bits", [4, 8, 16, 32])
@pytest.mark.parametrize("grid", [False, True])
def test_gradient_passes_straight_through(bits, grid, rng):
    x = torch.randn(3, 4, generator=rng, requires_grad=True)
    d_y = torch.randn(3, 4, generator=rng)
    fake_quantize(x, bits, grid).backward(d_y)
    assert torch.equal(x.grad, d_y)
