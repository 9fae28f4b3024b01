"""engine/gpu_engine: the same samples take both engines to the same numbers."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from neuralshade.engine.gpu_engine import GpuEngine
from neuralshade.engine.paths import training_paths
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.gpu.open import open_gpu
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.image_build import build_engine, build_gpu_engine
from neuralshade.recipes.resolve import resolve
from neuralshade.sampler.draw import device_batch
from neuralshade.sampler.sample import PixelLattice
from neuralshade.source.picture import Picture, picture_from_array

HEIGHT, WIDTH = 29, 41
GRID = "dense_grid:levels=2,features=3,coarsest=5,width=16,height=12 + "
HASH = "hash_grid:levels=3,features=2,log2_entries=7,coarsest=4,finest=25"
RECIPES = {  # after the presets, small
    "grid": {"encoding": GRID + "frequency:octaves=1", "hidden_width": 16, "batch": 200},
    "lake": {
        "encoding": GRID + "cell_wave:width=16,height=12", "hidden_width": 16, "batch": 150,
        "output_activation": "sigmoid", "grid_optimizer": "touched_adam", "grid_rate": 2e-2,
        "average": 0.0, "grid_bits": 16, "network_bits": 16, "sampling": "pixels",
    },
    "rtxns": {
        "encoding": "frequency:octaves=3", "hidden_layers": 4, "hidden_width": 32,
        "activation": "leaky_relu", "output_activation": "sigmoid", "network_bits": 16,
        "sampling": "positions", "batch": 128, "rate": 1e-3, "beta2": 0.999, "average": 0.0,
    },
    "hash": {
        "encoding": HASH, "hidden_layers": 1, "hidden_width": 16, "grid_bits": 8, "average": 0.9,
        "grid_optimizer": "touched_adam", "sampling": "positions", "batch": 100, "loss": "l1",
        "bias": False,
    },
    "tiny-9": {
        "encoding": "identity", "hidden_layers": 0, "network_bits": 32, "batch": 64, "rate": 0.1,
    },
}  # fmt: skip
GAINS_DB = {"rtxns": 1.5, "tiny-9": 0.05}  # over one color, after 100 steps
PATHS = ["fma", *(pytest.param(path, marks=pytest.mark.gpu) for path in ("matrix", "wgmma"))]


def smooth_picture() -> Picture:
    """Return waves of all lengths, so that fits differ in quality: float32 in [0, 1]."""
    row, col = np.mgrid[:HEIGHT, :WIDTH]
    waves = [np.sin(0.2 * row + 0.1 * col), np.cos(0.02 * row * col), np.sin(0.7 * col)]
    return picture_from_array(np.float32(0.5 + 0.4 * np.stack(waves, axis=-1)))


@dataclass
class Pair:
    """Both engines for one recipe, at its start; the PyTorch one draws what the device does."""

    gpu: GpuEngine
    host: TorchEngine
    recipe: ImageRecipe
    start: dict[str, torch.Tensor]

    def restart(self) -> "Pair":
        self.gpu.load_state({name: value.clone() for name, value in self.start.items()})
        return self


def host_engine(recipe: ImageRecipe, picture: Picture) -> TorchEngine:
    host = build_engine(recipe, picture, torch.device("cpu"))
    steps = iter(range(10**6))

    def drawn(rng: torch.Generator) -> Any:
        place = (picture.height, picture.width)
        return device_batch(recipe.sampling, recipe.batch, *place, next(steps), recipe.seed)

    host.sampler = drawn
    host.repeatable = False
    return host


def pair_of(gpu: Any, name: str, kernels: str, exact: bool = False, **settings: Any) -> Pair:
    if kernels not in training_paths(gpu.adapter):
        pytest.skip(f"{gpu.name} does not train by {kernels}")
    settings = {**RECIPES.get(name, {}), **settings}
    if kernels == "wgmma":  # which take one width only
        if settings.get("hidden_layers") == 0:
            pytest.skip("it has no hidden layers")
        settings["hidden_width"] = 64
    picture = settings.pop("picture", None) or smooth_picture()
    precision = "float32" if kernels == "fma" else "auto"
    # epsilon: else the first step is the sign of a gradient, which rounding may turn
    recipe = ImageRecipe(
        **{"epsilon": 1e-5, "loss": "l2", "seed": 5, "precision": precision, **settings}
    )
    recipe = resolve(recipe, picture)
    engine = build_gpu_engine(recipe, picture, gpu, kernels, exact)
    exact_recipe = resolve(ImageRecipe(**{**vars(recipe), "precision": "float32"}), picture)
    return Pair(engine, host_engine(exact_recipe, picture), exact_recipe, engine.state())


@pytest.fixture(scope="module")
def pairs(gpu):
    """Give a function that builds the pair of a recipe once for the float32 kernels."""
    built: dict[str, Pair] = {}

    def get(name: str) -> Pair:
        if name not in built:
            built[name] = pair_of(gpu, name, "fma", exact=name == "hash")
        return built[name].restart()

    return get


def far(got: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> dict[str, float]:
    """Return the relative norm of the error of every tensor that both engines keep."""
    names = [n for n in wanted if n.partition(".")[0] in ("field", "optimizer", "average")]
    assert set(names) <= set(got)
    return {
        n: float((got[n].float() - wanted[n]).norm() / (wanted[n].norm() + 1e-12)) for n in names
    }


@pytest.mark.parametrize("name", RECIPES)
def test_steps_are_those_of_the_reference(pairs, name):
    pair = pairs(name)
    gpu, host = pair.gpu, pair.host
    assert max(far(gpu.state(), host.state()).values()) == 0.0
    assert gpu.advance([1.0]) == pytest.approx(host.advance([1.0]), rel=1e-5)
    first = far(gpu.state(), host.state())
    assert max(first.values()) < 2e-4, first
    assert gpu.advance([0.5, 1.0]) == pytest.approx(host.advance([0.5, 1.0]), rel=1e-4)
    third = far(gpu.state(), host.state())
    assert max(third.values()) < 2e-3, third


def whole_picture(engine: Any) -> tuple[torch.Tensor, torch.Tensor]:
    return engine.glance(PixelLattice(torch.arange(HEIGHT), torch.arange(WIDTH)))


def pixel_centers() -> torch.Tensor:
    row, col = torch.meshgrid(torch.arange(HEIGHT), torch.arange(WIDTH), indexing="ij")
    return torch.stack([(col + 0.5) / WIDTH, (row + 0.5) / HEIGHT], dim=-1).reshape(-1, 2)


def psnr_db(drawn: torch.Tensor, wanted: torch.Tensor) -> float:
    return -10 * math.log10(float((drawn - wanted).square().mean()))


def host_psnr_db(host: TorchEngine) -> float:
    wanted = host.target.at_lattice(torch.arange(HEIGHT), torch.arange(WIDTH))
    with torch.no_grad(), host.averaged():
        return psnr_db(host.field(pixel_centers()).t(), wanted)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", RECIPES)
def test_quality_is_that_of_the_reference(gpu, pairs, name, path):
    """Rounding drives the two apart; what they learn is as good."""
    pair = pairs(name) if path == "fma" else pair_of(gpu, name, path)
    host = host_engine(pair.recipe, smooth_picture())  # one that has not begun
    factors = list(np.linspace(1.0, 0.1, 100))
    losses = pair.gpu.advance(factors), host.advance(factors)
    drawn, wanted = whole_picture(pair.gpu)
    torch.testing.assert_close(
        wanted, host.target.at_lattice(torch.arange(HEIGHT), torch.arange(WIDTH))
    )
    flat = -10 * math.log10(float(wanted.var()))  # of one color, the best
    assert psnr_db(drawn, wanted) > flat + GAINS_DB.get(name, 3)
    assert psnr_db(drawn, wanted) == pytest.approx(host_psnr_db(host), abs=0.3)
    assert losses[0] == pytest.approx(losses[1], rel=0.1)
    assert pair.gpu.skipped == host.skipped == 0


@pytest.mark.parametrize("name", ["grid", "lake", "hash"])
def test_what_is_drawn_is_what_the_field_gives(pairs, name):
    """Of the averaged numbers where there are any, rounded as the asset will be."""
    pair = pairs(name)
    pair.gpu.advance([1.0] * 5)
    drawn, _ = whole_picture(pair.gpu)
    with pair.gpu.averaged(), torch.no_grad():
        wanted = pair.gpu.field(pixel_centers()).t()
        key = next(iter(dict(pair.gpu.field.named_parameters())))
        held = dict(pair.gpu.field.named_parameters())[key].clone()
    np.testing.assert_allclose(drawn, wanted, rtol=1e-3, atol=2e-4)
    trained = pair.gpu.state()["field." + key]
    assert torch.equal(held, trained) == (name == "lake")  # which keeps no mean


def assert_equal_states(
    got: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor], but: tuple[str, ...] = ()
) -> None:
    assert got.keys() == wanted.keys()
    for name in set(wanted) - set(but):
        torch.testing.assert_close(
            got[name], wanted[name], rtol=0, atol=0, equal_nan=True, msg=lambda m, n=name: n + m
        )


@pytest.mark.parametrize("name, planted", [("grid", "0.bias"), ("lake", "0.weight")])
def test_a_step_that_is_not_finite_changes_counts_alone(pairs, name, planted):
    """Planted where rounding to 8 bits does not hide it."""
    gpu = pairs(name).gpu
    gpu.advance([1.0, 1.0])
    broken = gpu.state()
    number = f"field.network.layers.{planted}"
    broken[number].view(-1)[0] = torch.nan
    gpu.load_state({key: value.clone() for key, value in broken.items()})
    gpu.advance([1.0, 1.0, 1.0])
    assert gpu.skipped == 3
    after = gpu.state()
    assert_equal_states(after, broken, but=("skipped", "gpu.steps", "gpu.scale"))
    assert after["gpu.scale"] == broken["gpu.scale"] / 8
    assert after["gpu.steps"].tolist() == [5, 2, 0, 3]


@pytest.mark.parametrize("name", ["tiny-9", "hash"])
def test_steps_that_ask_at_a_broken_pixel_are_skipped(gpu, name):
    """Numbers beyond what float32 squares: of 40 steps those that draw that pixel.

    What such a step left in the sums of gradients must not be found in the next.
    """
    pixels = np.random.default_rng(0).random((8, 8, 3)).astype(np.float32)
    pixels[2, 3] = 3e38
    picture = picture_from_array(pixels, color_space="linear")
    settings = {"picture": picture, "sampling": "pixels", "batch": 24, "loss": "l2"}
    pair = pair_of(gpu, name, "fma", exact=name == "hash", **settings)
    draws = [device_batch("pixels", 24, 8, 8, step, 5) for step in range(40)]
    hits = sum(bool(((d.row == 2) & (d.col == 3)).any()) for d in draws)
    assert 5 < hits < 35
    pair.gpu.advance([0.1] * 40)
    pair.host.advance([0.1] * 40)
    state = pair.gpu.state()
    assert pair.gpu.skipped == pair.host.skipped == hits
    assert state["gpu.scale"] == 64.0 * 0.5**hits
    errors = far(state, pair.host.state())
    # integer sums have fixed steps, so with each halving of the scale they say less
    assert max(errors.values()) < (5e-2 if name == "hash" else 1e-4), errors


def test_integer_sums_give_equal_bits(pairs):
    """And steps submitted in many parts or few are the same."""
    pair = pairs("hash")
    pair.gpu.advance([1.0] * 70)
    once = pair.gpu.state()
    pair.restart()
    for count in (1, 9, 60):
        pair.gpu.advance([1.0] * count)
    assert_equal_states(pair.gpu.state(), once)
    assert once["gpu.steps"].tolist() == [70, 70, 70, 0]


def test_factors_go_around_their_ring(gpu, pairs, monkeypatch):
    """Steps that nobody waits for, more of them than there is room for."""
    factors = np.linspace(1.0, 0.2, 21).tolist()
    pair = pairs("hash")
    pair.gpu.advance(factors)
    monkeypatch.setattr("neuralshade.engine.gpu_numbers.RATES", 8)
    monkeypatch.setattr("neuralshade.engine.gpu_engine.RATES", 8)
    short = pair_of(gpu, "hash", "fma", exact=True).gpu
    assert short.buffers["rate_ring"].count == 8
    for first in range(0, 18, 3):
        short.submit(factors[first : first + 3])
    short.advance(factors[18:])
    assert_equal_states(short.state(), pair.gpu.state())


@pytest.mark.parametrize("name", ["grid", "hash"])
def test_the_reference_goes_on_where_the_device_stopped(pairs, name):
    pair = pairs(name)
    pair.gpu.advance([1.0] * 3)
    kept = pair.gpu.state()
    host = host_engine(pair.recipe, smooth_picture())
    host.advance([0.0] * 3)  # its samples come from the fourth step on then
    host.load_state(kept)
    assert max(far(host.state(), kept).values()) == 0.0
    assert pair.gpu.advance([1.0]) == pytest.approx(host.advance([1.0]), rel=1e-5)
    assert max(far(pair.gpu.state(), host.state()).values()) < 1e-3


@pytest.mark.parametrize("path", PATHS)
def test_an_overflow_of_the_scaled_gradient_spoils_nothing(gpu, path):
    """At the largest scale float16 overflows; float32 does not."""
    pair = pair_of(gpu, "rtxns", path)
    state = pair.gpu.state()
    pair.gpu.load_state({**state, "gpu.scale": torch.tensor(2.0**24)})
    pair.gpu.advance([1.0] * 60)
    assert (pair.gpu.skipped > 0) == (path != "fma")
    for name, value in pair.gpu.state().items():
        assert bool(torch.isfinite(value.float()).all()), name


def test_two_fits_in_one_process_do_not_meet(gpu):
    """Each with a device of its own, their steps in turn: as if the other were not there."""
    alone = pair_of(gpu, "grid", "fma", exact=True).gpu
    losses = [alone.advance([1.0] * 3) for _ in range(3)]
    others = [open_gpu(gpu.api) for _ in range(2)]
    engines = [pair_of(other, "grid", "fma", exact=True).gpu for other in others]
    both = [[engine.advance([1.0] * 3) for engine in engines] for _ in range(3)]
    for engine in engines:
        engine.close()
    assert both == [[loss, loss] for loss in losses]
