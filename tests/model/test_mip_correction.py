"""model/mip_correction: it begins with nothing, turns with its vectors, and knows its range."""

import math

import pytest
import torch

from neuralshade.model.mip_correction import FAR, MipCorrection
from neuralshade.model.widths import SCALARS, correction_shapes


def trained_like(rng, invariants=5, vectors=3):
    """Return a network whose last layer is not zero, that has seen some numbers."""
    network = MipCorrection(invariants, vectors, 1, 8, rng=rng)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=rng))
    seen = torch.randn(1001, invariants, generator=rng) * 3 + 2
    network.see(seen)
    return network, seen


def test_begins_by_correcting_nothing(rng):
    network = MipCorrection(5, 3, rng=rng)
    found = network(torch.randn(9, 5, generator=rng), torch.randn(9, 3, 2, generator=rng))
    assert found.shape == (9, 2 + SCALARS) and not found.any()


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_shapes_are_known_without_it(layers):
    state = MipCorrection(5, 3, layers, 8, rng=None).state_dict()
    known = correction_shapes(5, 3, layers, 8)
    assert list(known.items()) == [(name, tuple(values.shape)) for name, values in state.items()]


def test_slopes_turn_with_the_vectors(rng):
    network, seen = trained_like(rng)
    vectors = torch.randn(len(seen), 3, 2, generator=rng)
    angle = 0.7
    turn = torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    found, turned = network(seen, vectors), network(seen, vectors @ turn.T)
    torch.testing.assert_close(turned[:, :2], found[:, :2] @ turn.T, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(turned[:, 2:], found[:, 2:], rtol=0, atol=0)
    assert found[:, :2].abs().mean() > 0.1  # there is something to turn


def test_beyond_what_was_seen_is_the_edge(rng):
    network, seen = trained_like(rng)
    vectors = torch.ones(2, 3, 2)
    edge = seen.sort(dim=0).values[len(seen) - 1 - int(FAR * (len(seen) - 1))]
    found = network(torch.stack([edge, edge + 100]), vectors)
    torch.testing.assert_close(found[0], found[1], rtol=1e-4, atol=1e-4)
    inside = network(torch.stack([edge, edge - 1]), vectors)
    assert not torch.allclose(inside[0], inside[1], rtol=1e-3)


def test_what_is_equal_everywhere_stays_a_number(rng):
    network = MipCorrection(2, 1, rng=rng)
    network.see(torch.full((10, 2), 7.0))
    assert torch.isfinite(network(torch.zeros(4, 2), torch.ones(4, 1, 2))).all()


def test_gradients_reach_all_of_it(rng):
    network, seen = trained_like(rng)
    network(seen, torch.ones(len(seen), 3, 2)).square().sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in network.parameters())


@pytest.mark.parametrize("invariants, vectors", [(1, 1), (7, 2)])
def test_what_it_keeps_makes_it_again(rng, invariants, vectors):
    network, seen = trained_like(rng, invariants, vectors)
    other = MipCorrection(invariants, vectors, 1, 8, rng=None)
    other.load_state_dict(network.state_dict())
    given = seen, torch.randn(len(seen), vectors, 2, generator=rng)
    torch.testing.assert_close(other(*given), network(*given), rtol=0, atol=0)
