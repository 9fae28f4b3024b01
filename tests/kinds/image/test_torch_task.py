"""kinds/image/engine: what encodings prepare of a picture's rows and columns."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from neuralshade.engine.draw import draw_field
from neuralshade.kinds.image import engine
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.build import build_engine
from neuralshade.kinds.image.engine import TorchImageTask
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import LATTICE_NUMBERS, Field
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
    for got, wanted in zip(task.at_sample(sample), kept.at_sample(sample), strict=True):
        torch.testing.assert_close(got, wanted)


def test_asked_pixel_by_pixel_it_gives_the_same(rng, monkeypatch):
    task = task_of(7, 8)
    sample = task.sampler(rng)
    at_crossings = task.at_sample(sample)
    crop = (0.1, 0.2, 0.9, 0.7)
    drawn = draw_field(task.field, 9, 5, crop)
    monkeypatch.setattr("neuralshade.model.field.LATTICE_NUMBERS", 0)
    monkeypatch.setattr(DenseGrid, "combine", None)  # it would be called
    for got, wanted in zip(task.at_sample(sample), at_crossings, strict=True):
        torch.testing.assert_close(got, wanted)
    np.testing.assert_allclose(draw_field(task.field, 9, 5, crop), drawn, 1e-5, 1e-7)


def test_tables_stay_within_their_limit_along_both_axes(monkeypatch):
    """A narrow grid that is tall costs little along u and much along v."""
    monkeypatch.setattr(engine, "TABLE_LIMIT", 1000)
    task = task_of(100, 4)
    assert all(table.numel() <= 1000 for table in task._tables or ())


@pytest.mark.parametrize("height, width", [(1, 65536), (65536, 1), (2, 9000)])
def test_a_long_picture_prepares_no_more_than_its_batch_is_worth(height, width, rng, monkeypatch):
    """All rows and columns of long grids would be gigabytes a step, nearly all of them 0."""
    picture = picture_from_array(np.zeros((height, width, 3), np.uint8))
    task = build_engine(resolve(ImageRecipe(), picture), picture, CPU).task
    grid, made = DenseGrid.along, []

    def along(self, axis, x):
        made.append(grid(self, axis, x))
        return made[-1]

    monkeypatch.setattr(DenseGrid, "along", along)
    sample = task.sampler(rng)
    predicted, wanted = task.at_sample(sample)
    samples = len(sample.rows) * len(sample.cols)
    assert predicted.shape == wanted.shape == (3, samples)
    draw_field(task.field, min(width, 2048), min(height, 2048))
    assert max((prepared.numel() for prepared in made), default=0) <= LATTICE_NUMBERS * samples


@pytest.mark.parametrize("precision, scale", [("float16", 256.0), ("float32", 1.0)])
def test_the_loss_is_scaled_for_float16_alone(precision, scale):
    picture = picture_from_array(np.zeros((4, 5, 3), np.uint8))
    recipe = ImageRecipe(encoding=GRID, precision=precision, loss_scale=256.0, steps=1)
    assert build_engine(resolve(recipe, picture), picture, CPU).trainer.scale == scale


@pytest.mark.parametrize("count", [1, 2])
def test_drawing_has_as_many_threads_as_steps_have(monkeypatch, count):
    """Beside busy programs all of them may take thirty times as long as one."""
    recipe = ImageRecipe(encoding=GRID, hidden_width=8, batch=64, steps=1)
    picture = picture_from_array(np.zeros((8, 8, 3), np.uint8))
    built = build_engine(resolve(recipe, picture), picture, CPU)
    seen = []
    monkeypatch.setattr(engine, "draw_field", lambda *given: seen.append(torch.get_num_threads()))
    monkeypatch.setattr(built, "task", SimpleNamespace(at_sample=engine.draw_field))
    built.trainer.threads.hold(count)
    before = torch.get_num_threads()
    built.draw(4, 4, (0, 0, 1, 1))
    built.preview(None)
    assert seen == [count, count] and torch.get_num_threads() == before
