"""levels: grids encoded and gradients scattered level by level, beside the Python half."""

import numpy as np
import pytest
import torch

import neuralshade.engine.step_texts as texts_of_steps
from neuralshade.engine.kernel_path import training_paths
from neuralshade.engine.kernels.infer.infer_text import grid_text
from neuralshade.engine.kernels.infer.level_inference import LEVEL_POSITIONS
from neuralshade.engine.kernels.levels.levels import (
    IMPORTS,
    LEAST_BATCH,
    LEAST_POSITIONS,
    LISTED,
    SCATTER,
    LevelKernels,
)
from neuralshade.engine.kernels.step.gradients import COPIES
from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.errors import DeviceError
from neuralshade.fitting.recipe import from_dict
from neuralshade.gpu.gpu import Gpu, KernelText, run_once
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.image.bench_networks import SHARED, BenchPicture
from neuralshade.kinds.image.build import build_gpu_engine
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.parameters import pack_halves
from neuralshade.model.registry import build_encoding
from neuralshade.source.picture import picture_from_array

BATCH = 1003  # a multiple of nothing
SUMS = "RWStructuredBuffer<Atomic<float>> grid_sums;\n"
# levels of 25 to 4,096 entries: some share a group, others are summed feature by feature
GRID = "hash_grid:levels=7,features={},log2_entries={},coarsest=4,finest=200,smooth={}"


class Levels:
    """A grid, positions, and gradients of what it yields, through both kernels."""

    def __init__(self, gpu: Gpu, rng: torch.Generator, encoding: str, scale: float):
        self.encoding = build_encoding(encoding, rng)
        for p in self.encoding.parameters():
            p.data = torch.randn(p.shape, generator=rng).half().float()
        numbers = self.encoding.flatten(list(self.encoding.parameters())).numpy()
        self.positions = torch.rand(BATCH, 2, generator=rng)
        self.positions[:3] = torch.tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
        self.gradients = (scale * torch.randn(BATCH, self.encoding.width, generator=rng)).half()
        levels = LevelKernels(gpu, self.encoding, BATCH)
        places = gpu.buffer(self.positions.numpy())
        bound = {
            **levels.buffers(), "grid_numbers": gpu.buffer(pack_halves(numbers)),
            "positions": places, "places": places, "grid_sums": gpu.buffer(size=4 * len(numbers)),
            **self.encoding.sized_slang("Drawn").uniforms,
        }  # fmt: skip
        start = grid_text(Field(self.encoding, MLP(self.encoding.width, 1, 1, 8, rng=rng)))
        encode = KernelText(start + levels.common + LISTED, "encode_levels")
        scatter = KernelText(IMPORTS + SUMS + start + levels.common + SCATTER, "scatter_levels")
        run_once(gpu, [levels.encode(encode, bound, BATCH)])
        halves = bound["planes"].read().view(np.float16)[: 2 * levels.planes * BATCH]
        self.encoded = halves.reshape(levels.planes, BATCH, 2).swapaxes(0, 1).reshape(BATCH, -1)
        planes = self.gradients.numpy().reshape(BATCH, levels.planes, 2).swapaxes(0, 1)
        commands = gpu.commands()
        commands.upload(bound["planes"], 0, np.ascontiguousarray(planes))
        commands.submit()
        run_once(gpu, [levels.scatter(scatter, bound)])
        self.sums = bound["grid_sums"].read().view(np.float32)[: len(numbers)]

    def wanted(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what the Python half encodes, and autograd's gradients, in float64."""
        encoding = self.encoding.double()
        encoded = encoding(self.positions.double())
        found = torch.autograd.grad(encoded, list(encoding.parameters()), self.gradients.double())
        return encoded.detach().numpy(), encoding.flatten(list(found)).numpy()


@pytest.mark.parametrize("features, log2_entries, smooth, scale", [
    (2, 12, 0, 8.0), (4, 10, 1, 2e-3),
])  # fmt: skip
def test_values_and_gradients_are_the_python_halfs(gpu, rng, features, log2_entries, smooth, scale):
    ran = Levels(gpu, rng, GRID.format(features, log2_entries, smooth), scale)
    encoded, sums = ran.wanted()
    np.testing.assert_allclose(ran.encoded, encoded, rtol=1e-3, atol=2e-3)  # a place in float32
    assert (sums < 0).mean() > 0.1  # sums are signed
    for table in ran.encoding.tables():
        own = slice(table.first, table.first + table.entries * table.features)
        error = np.linalg.norm(ran.sums[own] - sums[own]) / np.linalg.norm(sums[own])
        assert error < 2e-4, table


@pytest.fixture
def by_levels(gpu, monkeypatch):
    """Give a function that lets the next trainers go by levels, whatever runs the network."""
    if gpu.api == "cuda":
        pytest.skip("CUDA's kernels of levels read float16, which this network does not")
    return lambda: monkeypatch.setattr(texts_of_steps, "_by_levels", lambda *_: True)


def picture_trainer(gpu: Gpu, finest: int) -> NetworkTrainer:
    texels = np.random.default_rng(0).integers(256, size=(64, 64, 3), dtype=np.uint8)
    grid = f"hash_grid:levels=3,features=2,log2_entries=9,coarsest=8,finest={finest}"
    recipe = from_dict(ImageRecipe, {
        **SHARED, "encoding": grid, "hidden_layers": 1, "hidden_width": 8, "steps": 1,
        "seconds": None, "batch": 500,
    })  # fmt: skip
    return build_gpu_engine(recipe, picture_from_array(texels), gpu, "fma", False).trainer


def gradient_sums(trainer: NetworkTrainer) -> np.ndarray:
    """Return the sums of one step for the grid's numbers, which no update has taken."""
    before, between = trainer.task.before, trainer.task.between
    bound = {**trainer.buffers, "grid_numbers": trainer.grid.stored}
    run_once(trainer.gpu, [
        *(before(bound) if before else ()), (trainer._kernels.train(), trainer.plan.groups),
        *(between(bound) if between else ()),
    ])  # fmt: skip
    raw, count, crowded = (
        trainer.buffers["grid_sums"].read(),
        trainer.grid.count,
        trainer.work.crowded,
    )
    scale = trainer.state_now.scale
    if trainer.work.gradients == "fixed":
        return raw.view(np.int64)[:count] * 2.0**-16 / scale
    copies = raw.view(np.float32)[: COPIES * crowded].reshape(COPIES, crowded)
    sums = raw.view(np.float32)[COPIES * crowded :][:count].astype(float)
    sums[:crowded] += copies.sum(axis=0, dtype=float)
    return sums / scale


def errors(trainer: NetworkTrainer, got: np.ndarray, wanted: np.ndarray) -> list[float]:
    """Return the relative norm of the error on each level."""
    tables = trainer.field.encoding.tables()
    own = [slice(table.first, table.first + table.entries * table.features) for table in tables]
    return [float(np.linalg.norm(got[i] - wanted[i]) / np.linalg.norm(wanted[i])) for i in own]


def test_steps_by_levels_learn_as_others_do(gpu, by_levels):
    plain = picture_trainer(gpu, 40)
    by_levels()
    levels = picture_trainer(gpu, 40)
    assert (plain.work.gradients, levels.work.gradients) == ("float", "levels")
    for _ in range(3):
        assert levels.advance([1.0] * 3) == pytest.approx(plain.advance([1.0] * 3), rel=1e-3)
    levels.load_state(plain.state())
    found = errors(plain, gradient_sums(levels), gradient_sums(plain))
    assert max(found) < 3e-2, found  # inputs in float16 take some samples over a bend


def test_grids_of_other_sizes_have_the_same_kernels(gpu, by_levels, monkeypatch):
    found = []
    by_levels()
    monkeypatch.setattr(gpu, "kernel", lambda text, entry, *_, **__: found.append((text, entry)))
    monkeypatch.setattr(gpu, "steps", lambda _: None)
    monkeypatch.setattr(NetworkTrainer, "_round", lambda _: None)
    first = picture_trainer(gpu, 40)
    seen = list(found)
    found.clear()
    assert first.task.kernels == picture_trainer(gpu, 63).task.kernels
    assert found == seen and {"encode_levels", "scatter_levels"} <= {entry for _, entry in seen}


@pytest.fixture(scope="module")
def hopper():
    """Give a GPU that runs networks by warpgroups."""
    try:
        opened = open_gpu("cuda")
    except DeviceError as error:
        pytest.skip(str(error))
    if "wgmma" not in training_paths(opened.adapter):
        pytest.skip(f"{opened.name} does not train by wgmma")
    yield opened
    opened.close()


@pytest.mark.gpu
def test_gradients_of_a_large_batch_are_the_exact_ones(hopper):
    bench = BenchPicture(software=False)
    network = next(network for network in bench.networks if network.name == "C")
    levels = bench.gpu_trainer(network, LEAST_BATCH, hopper, "auto")
    recipe = bench.recipe(network, LEAST_BATCH)
    exact = build_gpu_engine(recipe, bench.picture, hopper, "fma", True).trainer
    assert (levels.work.gradients, exact.work.gradients) == ("levels", "fixed")
    found = errors(exact, gradient_sums(levels), gradient_sums(exact))
    assert max(found) < 0.06, found  # products in float16


@pytest.mark.gpu
@pytest.mark.parametrize("more", [0, 1, LEVEL_POSITIONS - LEAST_POSITIONS + 77])
def test_inference_of_many_positions_is_the_fields(hopper, more):
    """The last one takes two turns."""
    bench = BenchPicture(software=False)
    network = next(network for network in bench.networks if network.name == "C")
    trainer = bench.gpu_trainer(network, 2**14, hopper, "auto")
    trainer.advance([1.0] * 20)
    trainer.round_mean()
    places = np.random.default_rng(0).random((LEAST_POSITIONS + more, 2), dtype=np.float32)
    some = np.r_[:2048, len(places) - 2048 : len(places)]
    found = trainer.inference.at_positions(places)
    np.testing.assert_allclose(found[some], trainer.inference.at_positions(places[some]), atol=2e-3)
    with trainer.averaged(), torch.no_grad():
        wanted = trainer.field(torch.from_numpy(places[some])).numpy()
    np.testing.assert_allclose(found[some], wanted, atol=5e-3)
