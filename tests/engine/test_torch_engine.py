"""engine/torch_engine: one step equals autograd of the reference; a restart changes nothing."""

import numpy as np
import pytest
import torch

from neuralshade.engine.threads import Threads
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_engine
from neuralshade.kinds.image.engine import TorchImageTask
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding
from neuralshade.optimizer.adam import Adam
from neuralshade.optimizer.average import WeightAverage
from neuralshade.sampler.draw import SAMPLINGS, PixelLattice, Pixels, Sample, sampler_of
from neuralshade.source.picture import picture_from_array
from neuralshade.source.target import Target

CPU = torch.device("cpu")
ENCODING = (
    "dense_grid:levels=2,features=2,coarsest=3,width=8,height=5 + "
    "hash_grid:levels=2,log2_entries=5,coarsest=3,finest=9 + frequency:octaves=2"
)
LOSSES = {  # of prediction and target; written again from the formulas
    "l1": lambda p, t: (p - t).abs(),
    "l2": lambda p, t: (p - t) ** 2,
    "huber": lambda p, t: torch.nn.functional.huber_loss(p, t, reduction="none", delta=0.1) / 0.1,
    "log_l2": lambda p, t: (1 + t) ** (1 / 3) * ((p + 0.01) / (t + 0.01)).log() ** 2,
    "relative_l2": lambda p, t: (p - t) ** 2 / (p.detach() ** 2 + 0.01),
    "log_l1": lambda p, t: torch.log(1 + (p - t).abs()),
    "smape": lambda p, t: (p - t).abs() / ((p.detach().abs() + t.abs()) / 2 + 0.01),
}


def random_pixels(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, (height, width, 3), dtype=np.uint8)


def field_of(rng: torch.Generator, outputs: int = 3) -> Field:
    encoding = build_encoding(ENCODING, rng)
    for p in encoding.parameters():
        torch.nn.init.uniform_(p, -0.5, 0.5, generator=rng)
    return Field(encoding, MLP(encoding.width, outputs, 2, 8, "tanh", "sigmoid", rng=rng))


def engine_of(
    rng, pixels, sampling="lattice", loss="l2", batch=40, compute=torch.float32, **settings
) -> TorchEngine:
    field, target = field_of(rng), Target(pixels, CPU)
    sampler = sampler_of(sampling, batch, target.height, target.width)
    adam = Adam(list(field.parameters()), 1e-2)
    task = TorchImageTask(field, target, sampler, compute)
    return TorchEngine(field, task, loss, [adam], rng, **settings)


def reference_batch(sample: Sample, pixels: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Return uv [N, 2] of a sample and the picture there, [N, C] in [0, 1], in NumPy."""
    height, width, _ = pixels.shape
    values = pixels.astype(np.float64) / 255
    if isinstance(sample, PixelLattice):
        row, col = (x.ravel() for x in np.meshgrid(sample.rows, sample.cols, indexing="ij"))
    elif isinstance(sample, Pixels):
        row, col = sample.row.numpy(), sample.col.numpy()
    else:
        uv = sample.uv.numpy()
        centers = [(np.arange(size) + 0.5) / size for size in (width, height)]
        across, down = (
            np.stack([np.interp(uv[:, axis], centers[axis], e) for e in np.eye(size)], axis=1)
            for axis, size in ((0, width), (1, height))
        )
        picked = np.einsum("nr,nc,rck->nk", down, across, values)
        return sample.uv, torch.from_numpy(picked).float()
    uv = np.stack([(col + 0.5) / width, (row + 0.5) / height], axis=1)
    return torch.from_numpy(uv).float(), torch.from_numpy(values[row, col]).float()


@pytest.mark.parametrize("height, width", [(9, 14), (14, 9), (1, 1), (1, 6), (6, 1)])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_gradient_equals_autograd_of_the_reference(sampling, height, width, rng):
    check_gradient(engine_of(rng, random_pixels(height, width), sampling), "l2", height, width)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_reaches_the_parameters(loss, rng):
    check_gradient(engine_of(rng, random_pixels(7, 8), loss=loss), loss, 7, 8)


def check_gradient(engine: TorchEngine, loss: str, height: int, width: int) -> None:
    """One step of size 0 must leave in ``grad`` what autograd finds for the mean loss."""
    sample = engine.task.sampler(torch.Generator().manual_seed(3))
    engine.task.sampler = lambda rng: sample
    uv, wanted = reference_batch(sample, random_pixels(height, width))
    mean = LOSSES[loss](engine.field(uv), wanted).mean()
    gradients = torch.autograd.grad(mean, engine.parameters)
    got = engine.advance([0.0])
    assert got == pytest.approx(float(mean.detach()), rel=1e-4)
    for p, gradient in zip(engine.parameters, gradients, strict=True):
        torch.testing.assert_close(p.grad, gradient, rtol=1e-3, atol=1e-6)


def test_a_step_moves_the_parameters_by_adam(rng):
    """The first step of Adam is rate * sign of the gradient."""
    engine = engine_of(rng, random_pixels(7, 8))
    before = [p.detach().clone() for p in engine.parameters]
    engine.advance([0.5])
    for p, old in zip(engine.parameters, before, strict=True):
        hit = p.grad.abs() > 1e-5  # epsilon, 1e-8, must not matter
        wanted = old - 0.5e-2 * p.grad.sign()
        torch.testing.assert_close(p.detach()[hit], wanted[hit], rtol=0, atol=1e-5)


def test_advance_runs_one_step_per_factor_and_returns_the_last_loss(rng):
    one, many = (engine_of(torch.Generator().manual_seed(2), random_pixels(7, 8)) for _ in range(2))
    losses = [one.advance([factor]) for factor in (1.0, 0.5, 2.0)]
    assert many.advance([1.0, 0.5, 2.0]) == losses[-1]
    assert all(torch.equal(a, b) for a, b in zip(one.parameters, many.parameters, strict=True))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_step_that_is_not_finite_is_skipped_and_counted(bad, rng):
    pixels = np.full((4, 5, 3), 0.5, np.float32)
    engine = engine_of(rng, pixels)
    engine.average = WeightAverage(engine.parameters, 0.9)
    engine.advance([1.0])
    before = {k: v.clone() for k, v in engine.state().items() if k not in ("rng", "skipped")}
    engine.task.target.planes[:] = bad
    engine.advance([1.0, 1.0])
    assert engine.skipped == 2
    after = engine.state()
    assert int(after["skipped"]) == 2
    for name, value in before.items():
        assert torch.equal(value, after[name]), name
    engine.task.target.planes[:] = 0.5
    engine.advance([1.0])
    assert engine.skipped == 2
    assert not torch.equal(before["field.network.layers.0.weight"], engine.parameters[-6])


def test_loss_scale_changes_nothing_but_rounding(rng):
    """float16 products have 11 bits; the scale keeps small gradients from vanishing."""
    gradients = {}
    for scale in (1.0, 1024.0):
        generator = torch.Generator().manual_seed(11)
        engine = engine_of(
            generator, random_pixels(4, 4), batch=8, compute=torch.float16, scale=scale
        )
        engine.advance([0.0])
        assert engine.skipped == 0
        gradients[scale] = torch.cat([p.grad.flatten() for p in engine.parameters])
    exact = engine_of(torch.Generator().manual_seed(11), random_pixels(4, 4), batch=8)
    exact.advance([0.0])
    wanted = torch.cat([p.grad.flatten() for p in exact.parameters])
    for got in gradients.values():
        error = torch.linalg.vector_norm(got - wanted)
        assert error <= 0.02 * torch.linalg.vector_norm(wanted)  # three layers of 2^-11


def test_an_overflowing_loss_scale_skips_the_step(rng):
    engine = engine_of(rng, random_pixels(4, 4), batch=8, compute=torch.float16, scale=2.0**24)
    before = [p.detach().clone() for p in engine.parameters]
    engine.advance([1.0])
    assert engine.skipped == 1
    assert all(torch.equal(p, old) for p, old in zip(engine.parameters, before, strict=True))


RESTARTS = {
    "lattice": {"sampling": "lattice"},
    "lattice, averaged": {"sampling": "lattice", "average": 0.9},
    "pixels": {"sampling": "pixels"},
    "pixels, touched cells": {"sampling": "pixels", "grid_optimizer": "touched_adam"},
    "positions": {"sampling": "positions", "precision": "bfloat16"},
    "positions, averaged": {"sampling": "positions", "average": 0.99, "loss": "l1"},
}


@pytest.mark.parametrize("settings", RESTARTS.values(), ids=RESTARTS)
def test_a_restart_continues_bit_for_bit(settings):
    picture = picture_from_array(random_pixels(23, 31))
    ends = {"steps": 8, "seconds": None}  # a fit of so many steps is repeatable
    recipe = resolve(ImageRecipe(encoding=ENCODING, batch=200, **ends, **settings), picture)
    factors = [1.0, 0.9, 0.8, 0.7]
    whole = build_engine(recipe, picture, CPU).trainer
    whole.advance(factors)
    saved = {name: value.clone() for name, value in whole.state().items()}
    last = whole.advance(factors)
    other_seed = resolve(ImageRecipe(**{**vars(recipe), "seed": 99}), picture)
    restarted = build_engine(other_seed, picture, CPU).trainer
    restarted.load_state(saved)
    assert restarted.advance(factors) == last
    for name, value in whole.state().items():
        assert torch.equal(value, restarted.state()[name]), name


def test_two_runs_of_the_same_seed_are_equal_with_several_threads():
    """A batch as large as preset lake's, whose grid gradient is a sum over scattered pixels."""
    picture = picture_from_array(random_pixels(60, 80))
    recipe = ImageRecipe(
        encoding="dense_grid:features=3,width=20,height=13", batch=16_384, sampling="pixels"
    )
    recipe = resolve(recipe, picture)
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        engines = [build_engine(recipe, picture, CPU).trainer for _ in range(2)]
        for engine in engines:
            engine.threads.hold(4)
        losses = [engine.advance([1.0] * 4) for engine in engines]
    finally:
        torch.set_num_threads(threads)
    assert losses[0] == losses[1]
    for a, b in zip(engines[0].parameters, engines[1].parameters, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_the_steps_that_choose_a_number_of_threads_leave_no_trace(average):
    picture = picture_from_array(random_pixels(23, 31))
    settings = {"sampling": "pixels", "grid_optimizer": "touched_adam", "average": average}
    recipe = ImageRecipe(encoding=ENCODING, batch=200, steps=3, seconds=None, **settings)
    trying, held = (build_engine(resolve(recipe, picture), picture, CPU).trainer for _ in range(2))
    assert trying.repeatable
    trying.threads = Threads(2)
    assert not trying.threads.held
    trying.advance([1.0, 0.5])
    assert trying.threads.held
    held.threads.hold(trying.threads.count)
    held.advance([1.0, 0.5])
    for name, value in held.state().items():
        assert torch.equal(value, trying.state()[name]), name


def test_averaged_lends_the_mean_and_takes_it_back(rng):
    engine = engine_of(rng, random_pixels(7, 8))
    engine.average = WeightAverage(engine.parameters, 0.5)
    engine.advance([1.0] * 3)
    trained = [p.detach().clone() for p in engine.parameters]
    means = engine.average.values()

    def inside() -> None:
        with engine.averaged():
            assert all(torch.equal(p, m) for p, m in zip(engine.parameters, means, strict=True))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        inside()
    assert all(torch.equal(p, old) for p, old in zip(engine.parameters, trained, strict=True))
    assert not torch.equal(means[0], trained[0])


def test_an_interruption_while_the_mean_is_lent_leaves_what_is_trained(rng, monkeypatch):
    engine = engine_of(rng, random_pixels(7, 8))
    engine.average = WeightAverage(engine.parameters, 0.5)
    engine.advance([1.0] * 3)
    trained = [p.detach().clone() for p in engine.parameters]
    first, *_ = engine.average.values()

    def cut_off():
        yield first
        raise KeyboardInterrupt

    monkeypatch.setattr(engine.average, "values", cut_off)
    with pytest.raises(KeyboardInterrupt), engine.averaged():
        pass
    assert all(torch.equal(p, old) for p, old in zip(engine.parameters, trained, strict=True))


def test_averaged_without_an_average_changes_nothing(rng):
    engine = engine_of(rng, random_pixels(7, 8))
    before = [p.detach().clone() for p in engine.parameters]
    with engine.averaged():
        assert all(torch.equal(p, old) for p, old in zip(engine.parameters, before, strict=True))
