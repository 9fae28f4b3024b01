"""optimizer/average: the running mean equals its formula."""

import numpy as np
import pytest
import torch

from neuralshade.optimizer.average import WeightAverage

DECAY = 0.9


def moved(p: torch.nn.Parameter, value: torch.Tensor) -> None:
    with torch.no_grad():
        p.copy_(value)


def test_values_are_the_corrected_exponential_mean(rng):
    parameters = [torch.nn.Parameter(torch.zeros(shape)) for shape in [(3, 4), (2,)]]
    average = WeightAverage(parameters, DECAY)
    seen: list[list[np.ndarray]] = [[], []]
    for _ in range(7):
        for p, history in zip(parameters, seen, strict=True):
            moved(p, torch.randn(p.shape, generator=rng))
            history.append(p.detach().double().numpy().copy())
        average.update()
        for value, history in zip(average.values(), seen, strict=True):
            weights = DECAY ** np.arange(len(history))[::-1]  # the last counts most
            wanted = np.tensordot(weights / weights.sum(), np.array(history), axes=1)
            np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


def test_before_any_update_the_parameters_themselves_are_the_mean(rng):
    p = torch.nn.Parameter(torch.randn(3, generator=rng))
    [value] = WeightAverage([p], DECAY).values()
    assert torch.equal(value, p)
    value.add_(1.0)
    assert not torch.equal(value, p)  # a copy: changing it does not change the parameter


def test_updating_and_reading_leave_the_parameters_alone(rng):
    p = torch.nn.Parameter(torch.randn(3, generator=rng))
    before = p.detach().clone()
    average = WeightAverage([p], DECAY)
    average.update()
    average.values()[0].add_(5.0)
    assert torch.equal(p, before)
    torch.testing.assert_close(average.values()[0], before)


@pytest.mark.parametrize("updates", [0, 3])
def test_a_restart_continues_bit_for_bit(updates, rng):
    p = torch.nn.Parameter(torch.zeros(4))
    first, second = WeightAverage([p], DECAY), WeightAverage([p], DECAY)
    for _ in range(updates):
        moved(p, torch.randn(4, generator=rng))
        first.update()
    second.load_state({name: value.clone() for name, value in first.state().items()})
    for _ in range(3):
        moved(p, torch.randn(4, generator=rng))
        first.update()
        second.update()
    assert torch.equal(first.values()[0], second.values()[0])
    assert int(second.state()["count"]) == updates + 3
