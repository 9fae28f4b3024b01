"""Networks that `neuralshade bench` trains: those of published comparisons, on a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from neuralshade.engine.network_trainer import NetworkTrainer
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.fitting.recipe import from_dict
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.image.build import build_engine, build_gpu_engine
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.sampler.draw import Positions
from neuralshade.source.picture import picture_from_array

SIDE_PX = 512  # of the picture
SHARED = {
    "grid_bits": 16,
    "network_bits": 16,
    "sampling": "positions",
    "grid_optimizer": "adam",
    "loss": "l2",
    "average": 0.0,
    "warmup": 0,
    "schedule": "constant",
}
A = {
    "hidden_layers": 4,
    "hidden_width": 64,
    "activation": "leaky_relu",
    "output_activation": "sigmoid",
}
HASH_GRID = "hash_grid:levels={},features=2,log2_entries=15,coarsest=16,finest=512"
SOFTWARE_LEVELS = 2  # of the hash grid in software, where compiling 16 of them takes 30 s


@dataclass(frozen=True)
class BenchNetwork:
    """A network and the settings of ImageRecipe that make it."""

    name: str
    about: str
    settings: dict[str, Any]


def bench_networks(*, software: bool) -> list[BenchNetwork]:
    """Return A with 24 and with 12 inputs, B and C; C with few levels for ``software``.

    Source: A is RTXNS, samples/SimpleTraining, with 12 inputs, and with 24 in tiny-cuda-nn's
    comparison; B is of the size of the "Learn a Lake" demonstration; C is the hash grid of
    Mueller et al. 2022, Instant NGP, for pictures.
    """
    levels = SOFTWARE_LEVELS if software else 16
    return [
        BenchNetwork("A24", "6 octaves -> 64 x 4 -> 3", A | {"encoding": "frequency:octaves=6"}),
        BenchNetwork("A12", "3 octaves -> 64 x 4 -> 3", A | {"encoding": "frequency:octaves=3"}),
        BenchNetwork("B", "200 x 200 x 4 grid, 2 octaves -> 32 x 2 -> 3", {
            "encoding": "dense_grid:levels=1,features=4,width=200,height=200 + frequency:octaves=2",
            "hidden_layers": 2, "hidden_width": 32,
        }),
        BenchNetwork("C", f"hash grid {levels} x 2 -> 64 x 2 -> 3", {
            "encoding": HASH_GRID.format(levels), "hidden_layers": 2, "hidden_width": 64,
        }),
    ]  # fmt: skip


class BenchPicture:
    """A random picture, and the trainers that learn it."""

    def __init__(self, *, software: bool):
        texels = np.random.default_rng(0).integers(256, size=(SIDE_PX, SIDE_PX, 3), dtype=np.uint8)
        self.picture = picture_from_array(texels)
        self.networks = bench_networks(software=software)

    def recipe(self, network: BenchNetwork, batch: int) -> ImageRecipe:
        """Return the recipe of a network with ``batch`` samples a step."""
        ends = {"steps": 1, "seconds": None, "batch": batch}
        return from_dict(ImageRecipe, {**SHARED, **network.settings, **ends})

    def gpu_trainer(self, network: BenchNetwork, batch: int, gpu: Gpu,
                    kernels: str) -> NetworkTrainer:  # fmt: skip
        """Return the trainer of a network on ``gpu``."""
        recipe = self.recipe(network, batch)
        return build_gpu_engine(recipe, self.picture, gpu, kernels, False).trainer

    def torch_trainer(self, network: BenchNetwork, batch: int, device: torch.device) -> TorchEngine:
        """Return the trainer of a network in PyTorch."""
        engine = build_engine(self.recipe(network, batch), self.picture, device)
        if device.type != "cpu":  # a generator on the CPU would take longer than the step
            engine.task.sampler = lambda rng: Positions(torch.rand(batch, 2, device=device))
        return engine.trainer
