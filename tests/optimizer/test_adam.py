"""optimizer/adam: both forms equal Kingma and Ba's algorithm 1 written in NumPy."""

import numpy as np
import pytest
import torch

from neuralshade.optimizer.adam import GRID_OPTIMIZERS, Adam, TouchedAdam

RATE, BETAS, EPSILON = 0.05, (0.8, 0.95), 1e-6
FACTORS = [1.0, 1.0, 0.5, 0.25, 2.0, 1.0, 0.0, 1.0]
SHAPES = {"grid": (3, 4, 5), "table": (6, 2)}  # [features, height, width], [entries, features]


class NumpyAdam:
    """Algorithm 1, for one array in float64."""

    def __init__(self, theta: np.ndarray):
        self.theta, self.m, self.v, self.t = theta.astype(np.float64), 0.0, 0.0, 0

    def step(self, g: np.ndarray, rate: float) -> None:
        self.t += 1
        self.m = BETAS[0] * self.m + (1 - BETAS[0]) * g
        self.v = BETAS[1] * self.v + (1 - BETAS[1]) * g**2
        m_hat, v_hat = self.m / (1 - BETAS[0] ** self.t), self.v / (1 - BETAS[1] ** self.t)
        self.theta = self.theta - rate * m_hat / (np.sqrt(v_hat) + EPSILON)


def parameter(shape: tuple[int, ...], rng: torch.Generator) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.randn(shape, generator=rng))


def built(kind: type, *parameters: torch.nn.Parameter):
    return kind(parameters, RATE, BETAS, EPSILON)


def test_adam_follows_algorithm_1(rng):
    parameters = [parameter(shape, rng) for shape in [(3, 4), (5,), (2, 3, 4)]]
    references = [NumpyAdam(p.detach().numpy()) for p in parameters]
    adam = built(Adam, *parameters)
    for factor in FACTORS:
        for p, reference in zip(parameters, references, strict=True):
            p.grad = torch.randn(p.shape, generator=rng)
            reference.step(p.grad.double().numpy(), RATE * factor)
        adam.step(factor)
        for p, reference in zip(parameters, references, strict=True):
            np.testing.assert_allclose(p.detach(), reference.theta, rtol=1e-5, atol=1e-6)


def cell_views(values: np.ndarray) -> list[np.ndarray]:
    """Return each cell's features: one array per grid position or table entry."""
    if values.ndim == 3:
        return [values[:, i, j] for i in range(values.shape[1]) for j in range(values.shape[2])]
    return list(values)


def touched(mask: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return float32 ``shape``: 1 in the cells of ``mask``, 0 in the others."""
    full = np.zeros(shape, np.float32)
    for view, hit in zip(cell_views(full), mask, strict=True):
        view[...] = hit
    return full


@pytest.mark.parametrize("layout", SHAPES)
def test_touched_adam_is_adam_for_each_cell_with_its_own_count(layout, rng):
    shape = SHAPES[layout]
    p = parameter(shape, rng)
    references = [NumpyAdam(view.copy()) for view in cell_views(p.detach().numpy())]
    optimizer = built(TouchedAdam, p)
    for factor in FACTORS:
        hit = (torch.rand(len(references), generator=rng) < 0.5).numpy()
        p.grad = torch.randn(shape, generator=rng) * torch.from_numpy(touched(hit, shape))
        gradients = cell_views(p.grad.double().numpy())
        for reference, gradient, was_hit in zip(references, gradients, hit, strict=True):
            if was_hit:
                reference.step(gradient, RATE * factor)
        optimizer.step(factor)
        for view, reference in zip(cell_views(p.detach().numpy()), references, strict=True):
            np.testing.assert_allclose(view, reference.theta, rtol=1e-5, atol=1e-6)
    counts = optimizer.state()["0.count"].flatten().tolist()
    assert counts == [reference.t for reference in references]
    assert len(set(counts)) > 2  # or the test would not tell own counts from one


@pytest.mark.parametrize("layout", SHAPES)
def test_untouched_cells_keep_value_moments_and_count_bit_for_bit(layout, rng):
    shape = SHAPES[layout]
    p = parameter(shape, rng)
    optimizer = built(TouchedAdam, p)
    p.grad = torch.randn(shape, generator=rng)
    optimizer.step(1.0)
    before = [x.clone() for x in (p.detach(), *optimizer.state().values())]
    cells = len(cell_views(p.detach().numpy()))
    mask = torch.from_numpy(touched(np.arange(cells) % 2 == 0, shape))
    p.grad = torch.randn(shape, generator=rng) * mask
    optimizer.step(1.0)
    for old, new in zip(before, (p.detach(), *optimizer.state().values()), strict=True):
        kept, moved = (mask == 0).expand(shape), (mask == 1).expand(shape)
        assert torch.equal(new.expand(shape)[kept], old.expand(shape)[kept])
        assert (new.expand(shape)[moved] != old.expand(shape)[moved]).all()


def test_a_cell_with_one_nonzero_feature_is_touched_whole(rng):
    p = parameter((3, 2, 2), rng)
    optimizer = built(TouchedAdam, p)
    p.grad = torch.zeros(3, 2, 2)
    p.grad[1, 0, 1] = 0.3
    optimizer.step(1.0)
    assert optimizer.state()["0.count"].flatten().tolist() == [0, 1, 0, 0]


def test_touched_adam_passes_over_parameters_without_a_gradient(rng):
    with_gradient, without = parameter((2, 3), rng), parameter((2, 3), rng)
    before = without.detach().clone()
    optimizer = built(TouchedAdam, without, with_gradient)
    with_gradient.grad = torch.ones(2, 3)
    optimizer.step(1.0)
    assert torch.equal(without, before)
    assert optimizer.state()["1.count"].flatten().tolist() == [1, 1]


@pytest.mark.parametrize("kind", GRID_OPTIMIZERS)
def test_a_restart_continues_bit_for_bit(kind, rng):
    gradients = [torch.randn(3, 2, 4, generator=rng) for _ in range(8)]
    p = parameter((3, 2, 4), rng)
    optimizer = built(GRID_OPTIMIZERS[kind], p)

    def run(optimizer, p, steps):
        for gradient, factor in zip(gradients[steps], FACTORS[steps], strict=True):
            p.grad = gradient.clone()
            optimizer.step(factor)

    run(optimizer, p, slice(0, 4))
    saved = {name: value.clone() for name, value in optimizer.state().items()}
    again = torch.nn.Parameter(p.detach().clone())
    restarted = built(GRID_OPTIMIZERS[kind], again)
    restarted.load_state(saved)
    run(optimizer, p, slice(4, 8))
    run(restarted, again, slice(4, 8))
    assert torch.equal(p, again)
    for name, value in optimizer.state().items():
        assert torch.equal(value, restarted.state()[name]), name
        assert not torch.equal(value, saved[name]), name


@pytest.mark.parametrize("kind", GRID_OPTIMIZERS)
def test_a_state_is_whole_before_the_first_step(kind, rng):
    optimizer = built(GRID_OPTIMIZERS[kind], parameter((2, 3, 4), rng), parameter((5, 2), rng))
    state = optimizer.state()
    assert {name.partition(".")[0] for name in state} == {"0", "1"}
    assert len(state) == 6  # two moments and a count for each
    assert all(not value.any() for value in state.values())


def test_recorded_steps_are_those_told_at_once_but_for_skipped_ones(rng):
    plain, recorded = (torch.nn.Parameter(torch.ones(5)) for _ in range(2))
    one, other = (Adam([p], 0.1) for p in (plain, recorded))
    skip = torch.zeros(())
    other.record(skip)
    for factor in (1.0, 0.5, 0.25):
        plain.grad = recorded.grad = torch.randn(5, generator=rng)
        one.step(factor)
        other.set_rate(factor)
        other.step_as_set()
        torch.testing.assert_close(plain, recorded)
        skip.fill_(1)
        before = [recorded.detach().clone(), *(v.clone() for v in other.state().values())]
        other.step_as_set()
        assert all(map(torch.equal, before, [recorded.detach(), *other.state().values()]))
        skip.fill_(0)
