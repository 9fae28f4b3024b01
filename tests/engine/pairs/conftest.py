"""Both engines for one recipe: the GPU's, and PyTorch's, which draws the same samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from neuralshade.engine.kernel_path import training_paths
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_engine, build_gpu_engine
from neuralshade.kinds.image.engine import GpuImageEngine, TorchImageEngine
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.sampler.draw import device_batch
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


def smooth_picture() -> Picture:
    """Return waves of all lengths, so that fits differ in quality: float32 in [0, 1]."""
    row, col = np.mgrid[:HEIGHT, :WIDTH]
    waves = [np.sin(0.2 * row + 0.1 * col), np.cos(0.02 * row * col), np.sin(0.7 * col)]
    return picture_from_array(np.float32(0.5 + 0.4 * np.stack(waves, axis=-1)))


# those whose grids are rounded by their extents: of the last step, but where bits must be equal
MEASURED = ("grid", "hash")
# what takes longest to compile is slow; grids are in the first, float16 is in "rtxns" too
EACH = [pytest.param(n, marks=pytest.mark.slow) if n in ("lake", "hash") else n for n in RECIPES]


@pytest.fixture(params=EACH)
def name(request):
    """Give each name of a recipe, where a test does not say which."""
    return request.param


@pytest.fixture(
    params=["fma", *(pytest.param(path, marks=pytest.mark.gpu) for path in ("matrix", "wgmma"))]
)
def path(request):
    """Give each kind of training kernels."""
    return request.param


@dataclass
class Pair:
    """Both engines for one recipe, at its start; the PyTorch one draws what the device does."""

    gpu: GpuImageEngine
    host: TorchImageEngine
    recipe: ImageRecipe
    start: dict[str, torch.Tensor]

    def restart(self) -> "Pair":
        self.gpu.load_state({name: value.clone() for name, value in self.start.items()})
        return self


def host_engine(recipe: ImageRecipe, picture: Picture) -> TorchImageEngine:
    host = build_engine(recipe, picture, torch.device("cpu"))
    steps = iter(range(10**6))

    def drawn(rng: torch.Generator) -> Any:
        place = (picture.height, picture.width)
        return device_batch(recipe.sampling, recipe.batch, *place, next(steps), recipe.seed)

    host.task.sampler = drawn
    host.trainer.repeatable = False
    return host


def build_pair(gpu: Any, name: str, kernels: str, exact: bool = False, **settings: Any) -> Pair:
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


def error_norms(got: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> dict[str, float]:
    """Return the relative norm of the error of every tensor that both engines keep."""
    names = [n for n in wanted if n.partition(".")[0] in ("field", "optimizer", "average")]
    assert set(names) <= set(got)
    return {
        n: float((got[n].float() - wanted[n]).norm() / (wanted[n].norm() + 1e-12)) for n in names
    }


@pytest.fixture(scope="session")
def pair_of():
    """Give what builds the pair of a recipe, anew, by any kernels."""
    return build_pair


@pytest.fixture(scope="session")
def begun_anew():
    """Give a function that returns the PyTorch engine of a pair, before its first step."""
    return lambda pair: host_engine(pair.recipe, smooth_picture())


@pytest.fixture(scope="session")
def far():
    """Give a function that returns the relative norm of the error of every tensor of both."""
    return error_norms


@pytest.fixture(scope="module")
def pairs(gpu):
    """Give a function that builds the pair of a recipe once for the float32 kernels."""
    built: dict[str, Pair] = {}

    def get(name: str) -> Pair:
        if name not in built:
            built[name] = build_pair(gpu, name, "fma", exact=name in MEASURED)
        return built[name].restart()

    return get
