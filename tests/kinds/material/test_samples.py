"""kinds/material/samples: points are drawn more often where what a graph says there is rare."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.kinds.material.samples import (
    LEAST_SPREAD,
    MOST_RARE,
    normalize,
    often_drawn,
    rareness,
)

POINTS = 20_000


def scratched(numbers: int, share: float) -> torch.Tensor:
    """Return a graph's values of which one is another in scratches, others are noise."""
    rng = torch.Generator().manual_seed(3)
    values = torch.randn((POINTS, numbers), generator=rng)
    values[:, 0] = (torch.arange(POINTS) < share * POINTS).float()
    return (values - values.mean(0)) / values.std(0)


@given(numbers=st.integers(1, 40), share=st.sampled_from([0.002, 0.01, 0.05]))
def test_a_scratch_is_drawn_many_times_as_often_however_many_numbers_a_graph_has(numbers, share):
    """As often as its number is from the usual, beside all others' spread, up to the most."""
    often = rareness(scratched(numbers, share))
    scratch, rest = often[: int(share * POINTS)].mean(), often[int(share * POINTS) :].mean()
    told = min(1 + (1 / share - 2) / numbers, MOST_RARE)  # its own square, and others' of about 1
    assert scratch == pytest.approx(told, rel=0.12)
    assert 0.3 * (1 - 1 / numbers) < rest <= 1.01


def test_a_uniform_graph_is_drawn_evenly():
    often = rareness(torch.zeros((64, 3)))
    assert (often > 0).all() and (often == often[0]).all()


def test_values_are_normalized_in_place_however_many_blocks_they_are():
    values = torch.rand((POINTS, 4), generator=torch.Generator().manual_seed(1)) * 3 + 2
    mean, spread = values.mean(0), values.std(0)
    wanted = (values - mean) / (spread + LEAST_SPREAD)
    found = normalize(values)
    torch.testing.assert_close(found, (mean, spread + LEAST_SPREAD))
    torch.testing.assert_close(values, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 7, POINTS])
def test_points_are_drawn_as_pytorch_draws_them(count):
    """The same numbers of the generator, too: what is drawn after them stays the same."""
    weights = torch.rand(count, generator=torch.Generator().manual_seed(1)) ** 8 + 1e-6
    ours, theirs = (torch.Generator().manual_seed(2) for _ in range(2))
    wanted = torch.multinomial(weights, count, replacement=True, generator=theirs)
    assert torch.equal(often_drawn(weights, ours), wanted)
    assert torch.equal(ours.get_state(), theirs.get_state())
