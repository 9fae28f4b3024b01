"""model/bilinear: sums whose order nobody knows, with equal bits."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.model.bilinear import mix_scattered, summed_whole


def drawn(seed, scale=1.0):
    rng = torch.Generator().manual_seed(seed)
    rows = torch.randn(500, 3, generator=rng) * scale
    return rows, torch.randint(0, 7, (500,), generator=rng), torch.randperm(500, generator=rng)


@given(st.integers(0, 2**31), st.sampled_from([1e-20, 1.0, 1e20]))
def test_sums_are_right_in_any_order(seed, scale):
    rows, into, order = drawn(seed, scale)
    found = summed_whole(rows, into, 8)
    assert torch.equal(found, summed_whole(rows[order], into[order], 8))
    exact = torch.zeros(8, 3, dtype=torch.double).index_add_(0, into, rows.double())
    torch.testing.assert_close(found.double(), exact, rtol=1e-6, atol=1e-9 * scale)
    assert not found[7].any()


@pytest.mark.parametrize("broken", [float("inf"), float("nan")])
def test_what_is_not_finite_is_told(broken):
    rows, into, _ = drawn(0)
    rows[3, 1] = broken
    assert not summed_whole(rows, into, 8).isfinite().all()


def test_zeros_are_zeros():
    rows, into, _ = drawn(0)
    assert not summed_whole(rows * 0, into, 8).any()


def test_weights_that_want_a_gradient_have_it(rng):
    """Positions do, in a module of an asset; those of a fit do not."""
    seen = torch.rand(9, 3, generator=rng, dtype=torch.float64)
    trained = torch.zeros(9, 3, dtype=torch.float64, requires_grad=True)
    index = torch.randint(0, 9, (5, 4), generator=rng)
    weights = torch.rand(5, 4, generator=rng, dtype=torch.float64, requires_grad=True)
    d_mixed = torch.rand(5, 3, generator=rng, dtype=torch.float64)
    mix_scattered(trained, seen, index, weights).backward(d_mixed)
    wanted = torch.einsum("nkf,nf->nk", seen[index], d_mixed)
    torch.testing.assert_close(weights.grad, wanted)
    assert trained.grad.any()
