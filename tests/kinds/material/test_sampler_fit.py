"""kinds/material/sampler_fit and noise: the last part of a fit, and what it is worth."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.small_material import paint_reference

import neuralshade
from neuralshade.asset.asset import save_asset
from neuralshade.errors import AssetError
from neuralshade.kinds.material import noise as noises
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.noise import sampler_noise
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.sampler_fit import (
    PREFETCHED,
    SampledEngine,
    SamplerTrainer,
    untrained_sampler,
)
from neuralshade.kinds.material.staged_loop import StagedLoop

FEW = {"size": 8, "batch": 256, "hidden_width": 16}


@pytest.fixture(scope="module", autouse=True)
def _small():
    """Let fits be judged by little, and their samplers see few directions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
        patch.setattr("neuralshade.kinds.material.judging.measures.PAIRS", 1024)
        patch.setattr("neuralshade.kinds.material.sampler_fit.BATCH", 1024)
        yield


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, share_device):
    """Give a fit of the paint whose map had 150 steps, and its sampler 250."""
    path = tmp_path_factory.mktemp("paint") / "paint.nsh"
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        fit_material(paint_reference(), path, steps=400, sampler=0.625, **FEW)
    return neuralshade.load(path)


def test_it_is_better_than_the_cosine_and_than_lobes(fitted):
    told = fitted.header.quality
    assert told["noise_sampler"] < 0.5 * told["noise_lobes"]
    assert told["noise_sampler"] < told["noise_cosine"]  # which is good for so matt a paint
    assert f"{told['noise_sampler']:.2f}" in fitted.summary()["sampler"]


def test_without_steps_it_is_what_lobes_are(tmp_path, one_device):
    fit_material(paint_reference(), tmp_path / "x.nsh", steps=2, sampler=0, **FEW)
    opened = neuralshade.load(tmp_path / "x.nsh")
    assert not opened.tensors["sampler.2.weight"].any()
    told = opened.header.quality
    assert told["noise_sampler"] == pytest.approx(told["noise_lobes"], rel=1e-4)


def test_noise_is_what_drawing_tells(fitted, monkeypatch):
    """The deviation of many samples of one place, by each way, drawn by itself; tails are heavy."""
    monkeypatch.setattr(noises, "PLACES", 1)
    monkeypatch.setattr(noises, "DIRECTIONS", 2**15)
    told = sampler_noise(fitted.field, fitted.sampler)
    rng = torch.Generator().manual_seed(noises.SEED)
    place = torch.rand((4, 1, 1), generator=rng).flatten()
    count = 2**16
    u = torch.rand((count, 3), generator=rng).numpy()
    wo = noises.hemisphere(noises.LOWEST + (1 - noises.LOWEST) * place[:1], place[1:2])
    uv, wo = np.tile(place[2:].numpy(), (count, 1)), np.tile(wo.numpy().T, (count, 1))
    radius, angle, up = np.sqrt(u[:, 0]), 2 * np.pi * u[:, 1], np.sqrt(1 - u[:, 0])
    plain = np.stack([radius * np.cos(angle), radius * np.sin(angle), up], 1)
    drawn = {"cosine": (plain, up / np.pi), "sampler": fitted.sample(uv, wo, u)}
    for way, (wi, density) in drawn.items():
        shares = fitted.eval(uv, wi, wo) @ np.float32([0.2126, 0.7152, 0.0722]) / density
        shares *= wi[:, 2] > noises.LEAST
        assert shares.std() / shares.mean() == pytest.approx(told[f"noise_{way}"], rel=0.25)


def test_an_opened_asset_samples_by_its_own_density(fitted):
    """The mean of what is scattered over it is that of an even lattice."""
    i = np.arange(4096) + 0.5
    z, turn = i / 4096, np.pi * (1 + 5**0.5) * i
    around = np.sqrt(1 - z * z)
    lattice = np.stack([around * np.cos(turn), around * np.sin(turn), z], 1).astype(np.float32)
    uv, wo = np.full((4096, 2), 0.3, np.float32), np.tile(np.float32([[0.6, 0, 0.8]]), (4096, 1))
    wanted = fitted.eval(uv, lattice, wo).mean(0) * 2 * np.pi
    assert fitted.pdf(uv, lattice, wo).mean() * 2 * np.pi == pytest.approx(1, abs=0.01)
    wi, density = fitted.sample(uv, wo, np.random.default_rng(0).random((4096, 3), np.float32))
    np.testing.assert_allclose(fitted.pdf(uv, wi, wo), density, rtol=1e-6)
    shares = fitted.eval(uv, wi, wo) / density[:, None]
    assert (np.abs(shares.mean(0) - wanted) < 5 * shares.std(0) / 64).all()


def sampled(fitted):
    """Return an engine whose field is done."""
    done = SimpleNamespace(
        device=torch.device("cpu"),
        every=1,
        batch=1,
        skipped=3,
        state=dict,
        load_state=lambda state: None,
    )
    return SampledEngine(done, fitted.recipe, lambda: fitted.field)


@pytest.mark.parametrize(
    "before", [2, PREFETCHED, PREFETCHED + 1]
)  # steps; so many are drawn at once
def test_what_is_kept_goes_on_with_the_same_bits(fitted, before):
    whole, parted = sampled(fitted), sampled(fitted)
    assert whole.state() == {}
    whole.begin()
    whole.advance([1.0] * before)
    kept = {name: value.clone() for name, value in whole.state().items()}
    whole.advance([0.8, 0.7])
    parted.load_state(kept)
    parted.advance([0.8, 0.7])
    state = whole.state()
    assert state.keys() == parted.state().keys() and not torch.equal(
        state["sampler.network.layers.2.weight"], kept["sampler.network.layers.2.weight"]
    )
    assert all(torch.equal(value, parted.state()[name]) for name, value in state.items())


@pytest.mark.gpu
def test_recorded_steps_are_those_of_the_cpu(fitted):
    """The loss of each, and what it changes."""
    if not torch.cuda.is_available():
        pytest.skip("needs CUDA")
    one, other = (SamplerTrainer(copy.deepcopy(fitted.field), untrained_sampler(fitted.recipe), 3,
                                 torch.device(name)) for name in ("cuda", "cpu"))  # fmt: skip
    before = one.state()["network.layers.2.weight"].clone()
    for factors in ([1.0, 0.5, 0.25], [1.0]):
        assert one.advance(factors) == pytest.approx(other.advance(factors), rel=1e-3)
    told = other.state()
    assert not torch.allclose(told["network.layers.2.weight"], before, atol=1e-3)
    for name, value in one.state().items():
        torch.testing.assert_close(value, told[name], rtol=1e-2, atol=1e-3, msg=name)


def test_a_state_of_another_sampler_is_refused(fitted):
    engine = sampled(fitted)
    state = engine.begin().state() | {"network.layers.0.bias": torch.zeros(3)}
    with pytest.raises(ValueError, match="bias"):
        engine.load_state({f"sampler.{name}": value for name, value in state.items()})


def test_a_file_without_a_sampler_is_refused(fitted, tmp_path):
    tensors = {n: v for n, v in fitted.tensors.items() if not n.startswith("sampler.")}
    save_asset(tmp_path / "old.nsh", "material", fitted.header, tensors)
    with pytest.raises(AssetError, match="got no such tensor for sampler"):
        neuralshade.load(tmp_path / "old.nsh")


def test_step_sizes_have_a_schedule_for_each_part():
    """Steps of a call that goes on beyond its part are as small as the part's last."""
    engine = SimpleNamespace(stages_begun=1)
    recipe = MaterialRecipe(steps=100, seconds=None, warmup=0)
    loop = StagedLoop(engine, recipe, None, starts=(0.0, 0.6, 0.9, 0.9))
    shares = []
    for begun, steps in enumerate([(0, 30, 60), (60, 75, 95), (90, 95, 100)], 1):
        engine.stages_begun = begun
        shares += [loop._rate_share(step, 0.0) for step in steps]
    assert shares == pytest.approx([0, 0.5, 1, 0, 0.5, 1, 0, 0.5, 1])


class Parted:
    """An engine of three parts, of which each takes its own time for a step."""

    def __init__(self, clock, step_seconds):
        self.clock, self.step_seconds = clock, step_seconds
        self.stages_begun, self.baked, self.steps = 1, False, [0, 0, 0]

    @property
    def setup_count(self):
        return self.stages_begun + self.baked

    def advance(self, factors):
        self.clock.now += self.step_seconds[self.stages_begun - 1] * len(factors)
        self.steps[self.stages_begun - 1] += len(factors)
        return 0.1

    def due(self, loop, share):
        if not self.baked and share >= 0.2:
            self.clock.now += 3.0  # which begins no part
            self.baked = True
        if self.stages_begun < 3 and share >= loop.starts[self.stages_begun]:
            self.clock.now += 5.0  # to make it ready
            self.stages_begun += 1
            loop.progress.breaks.append(loop.progress.step)
        return [*loop.starts, 1.0][self.stages_begun] if self.baked else 0.2


@pytest.fixture
def parted(monkeypatch):
    """Give what runs a fit of three parts to its end: its loop and engine."""

    def run(step_seconds=(0.001, 0.2, 40.0), **ends):
        clock = SimpleNamespace(now=50.0)
        monkeypatch.setattr("neuralshade.fitting.loop.time.perf_counter", lambda: clock.now)
        engine, recipe = Parted(clock, step_seconds), MaterialRecipe(**ends, warmup=0)
        loop = StagedLoop(engine, recipe, None, starts=(0.0, 0.5, 0.75))
        loop.due = lambda share: engine.due(loop, share)
        assert loop.run()
        return loop, engine

    return run


@pytest.mark.parametrize("seconds", [0.05, 2.0, 100.0])
def test_no_part_is_left_out_by_a_clock(parted, seconds):
    """What makes a part ready is beside it; steps that take much longer are clipped soon."""
    loop, engine = parted(steps=None, seconds=seconds)
    assert engine.steps[0] == pytest.approx(500 * seconds, rel=0.1)
    assert engine.steps[1] >= max(1, round(1.2 * seconds)) and engine.steps[2] >= 1
    assert loop.progress.seconds < 1.1 * seconds + 2 * (0.2 + 40)


def test_a_part_that_begins_late_has_its_whole_time(parted):
    loop, engine = parted((0.001, 0.4, 0.01), steps=None, seconds=2.0)
    assert engine.steps[1] <= 3 and engine.steps[2] == pytest.approx(50, rel=0.2)
    assert loop.progress.seconds < 2.5 and loop.progress.share == 1.0


@pytest.mark.parametrize("steps, each", [(1, [1, 0, 0]), (2, [1, 1, 0]), (100, [50, 25, 25])])
def test_steps_are_as_many_as_were_asked_for(parted, steps, each):
    loop, engine = parted(steps=steps, seconds=None)
    assert loop.progress.step == steps and engine.steps == each


def test_steps_without_finite_gradients_are_skipped(fitted):
    engine = sampled(fitted)
    steps = engine.begin()
    with torch.no_grad():
        engine.sampler.network.members[-1].bias[0] = torch.nan
    engine.advance([1.0, 1.0])
    assert steps.skipped == 2 and engine.skipped == 2 + 3
