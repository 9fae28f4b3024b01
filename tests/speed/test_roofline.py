"""speed/roofline: operations and bytes counted by hand, and which ceiling limits."""

import numpy as np
import pytest
import torch

from neuralshade.gpu.clock import Patience
from neuralshade.kinds.image.build import build_gpu_engine
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.mlp import MLP
from neuralshade.source.picture import picture_from_array
from neuralshade.speed import roofline
from neuralshade.speed.roofline import (
    Ceilings,
    bytes_per_step,
    flops_per_sample,
    measure_ceilings,
    reached,
)


def test_operations_of_a_network():
    network = MLP(12, 3, 4, 64, "leaky_relu", "sigmoid", True, rng=torch.Generator())
    assert flops_per_sample(network) == 6 * (12 * 64 + 3 * 64 * 64 + 64 * 3)


@pytest.mark.parametrize("batch, texels, entries", [(2, 8, 8), (100, 35, 12)])
def test_bytes_of_a_step(gpu, batch, texels, entries):
    recipe = ImageRecipe(encoding="dense_grid:features=5,width=4,height=3", hidden_layers=1,
                         hidden_width=8, batch=batch, sampling="positions", steps=1, seconds=None,
                         loss="l2", grid_bits=16)  # fmt: skip
    picture = picture_from_array(np.zeros((5, 7, 3), np.float32))
    trainer = build_gpu_engine(recipe, picture, gpu, "fma", False).trainer
    weights = (5 * 8 + 8) + (8 * 3 + 3)
    picture_bytes = trainer.task.variables["picture"].size
    assert bytes_per_step(trainer) == round(
        picture_bytes * texels / 35
        + entries * 5 * (4 + 4)  # read as float32, and a gradient
        + (weights + 4 * 3 * 5) * (32 + 4)
        + 2 * 4 * weights * trainer.plan.groups
    )


def test_the_nearer_ceiling_limits():
    ceilings = Ceilings(flops=100.0, bytes=10.0)
    assert reached(30.0, 2.0, 2.0, ceilings) == {
        "product_share": 0.15, "memory_share": 0.1, "limit": "products",
    }  # fmt: skip
    assert reached(30.0, 4.0, 2.0, ceilings)["limit"] == "memory"
    assert set(reached(30.0, 4.0, 2.0, None).values()) == {None}


def test_ceilings_are_rates(monkeypatch):
    monkeypatch.setattr(roofline, "SMALL_SIDE", 64)
    monkeypatch.setattr(roofline, "SMALL_BYTES", 2**16)
    found = measure_ceilings(torch.device("cpu"), Patience(0.0, 3), small=True)
    assert 1e6 < found.flops < 1e14
    assert 1e8 < found.bytes < 1e13
