"""model/quantize: how far rounded numbers are off, and what gradients do."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.model.quantize import fake_quantize, quantize, scale_of

FLOATS = st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False)
ARRAYS = hnp.arrays(
    np.float32, hnp.array_shapes(min_dims=2, max_dims=3, max_side=5), elements=FLOATS
)


@given(ARRAYS)
@settings(max_examples=80, deadline=None)
def test_eight_bits_are_at_most_half_a_step_off(values):
    x = torch.from_numpy(values)
    stored, scale = quantize(x)
    assert stored.dtype == torch.int8
    assert scale.dtype == torch.float32
    assert scale.shape == (len(x), *[1] * (x.dim() - 1))
    assert stored.min() >= -127  # -128 is never used
    peak = np.abs(values.astype(np.float64)).reshape(len(values), -1).max(axis=1)
    step = np.where(peak > 0, peak / 127, 1.0).reshape(scale.shape)
    # 2^-20: the quotient is rounded to float32 before it is rounded to a whole number
    off = np.abs(stored.double().numpy() * scale.double().numpy() - values)
    assert (off <= step * (0.5 + 127 * 2**-20)).all()
    np.testing.assert_allclose(scale, step, rtol=1e-6)
    shown = fake_quantize(x, 8)
    torch.testing.assert_close(shown, stored * scale, rtol=1e-6, atol=0)


def test_peaks_become_127_and_zero_slices_get_step_1():
    x = torch.tensor([[0.0, 0.0, 0.0], [2.0, -4.0, 1.0], [4.0, 1.0, 0.0]])
    stored, scale = quantize(x)
    assert stored.tolist() == [[0, 0, 0], [64, -127, 32], [127, 32, 0]]  # 63.5 rounds to even
    torch.testing.assert_close(scale, torch.tensor([[1.0], [4 / 127], [4 / 127]]))
    assert torch.equal(fake_quantize(x, 8)[0], torch.zeros(3))


def test_a_slice_of_the_smallest_numbers_stays_finite():
    """1e-44 / 127 is no float32: the step must not become 0 and the values not NaN."""
    x = torch.full((1, 3), 1e-44)
    assert scale_of(x).item() > 0
    assert torch.isfinite(fake_quantize(x, 8)).all()


def test_sixteen_bits_are_float16_and_32_leave_alone(rng):
    x = torch.randn(4, 5, generator=rng)
    wanted = x.numpy().astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(fake_quantize(x, 16), wanted)
    assert fake_quantize(x, 32) is x


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_gradient_passes_straight_through(bits, rng):
    x = torch.randn(3, 4, generator=rng, requires_grad=True)
    d_y = torch.randn(3, 4, generator=rng)
    fake_quantize(x, bits).backward(d_y)
    assert torch.equal(x.grad, d_y)
