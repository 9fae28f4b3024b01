"""kinds/image/engine: what encodings prepare of a picture's rows and columns."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.image import engine
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_engine
from neuralshade.kinds.image.engine import TorchImageTask
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding
from neuralshade.sampler.draw import sampler_of
from neuralshade.source.picture import picture_from_array
from neuralshade.source.target import Target

CPU = torch.device("cpu")
GRID = "dense_grid:features=1,width=2,height=64"


def task_of(height: int, width: int) -> TorchImageTask:
    rng = torch.Generator().manual_seed(0)
    field = Field(build_encoding(GRID, rng), MLP(1, 3, 1, 8, rng=rng))
    pixels = np.random.default_rng(7).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return TorchImageTask(field, Target(pixels, CPU), sampler_of("lattice", 8, height, width))


def test_a_picture_too_large_for_tables_gives_the_same(rng, monkeypatch):
    kept = task_of(7, 8)
    monkeypatch.setattr(engine, "TABLE_LIMIT", 10)
    task = task_of(7, 8)
    assert kept._tables is not None and task._tables is None
    sample = task.sampler(rng)
    for got, wanted in zip(task.ask(sample), kept.ask(sample), strict=True):
        torch.testing.assert_close(got, wanted)


def test_tables_stay_within_their_limit_along_both_axes(monkeypatch):
    """A narrow grid that is tall costs little along u and much along v."""
    monkeypatch.setattr(engine, "TABLE_LIMIT", 1000)
    task = task_of(100, 4)
    assert all(table.numel() <= 1000 for table in task._tables or ())


@pytest.mark.parametrize("precision, scale", [("float16", 256.0), ("float32", 1.0)])
def test_the_loss_is_scaled_for_float16_alone(precision, scale):
    picture = picture_from_array(np.zeros((4, 5, 3), np.uint8))
    recipe = ImageRecipe(encoding=GRID, precision=precision, loss_scale=256.0, steps=1)
    assert build_engine(resolve(recipe, picture), picture, CPU).trainer.scale == scale
