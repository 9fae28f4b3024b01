"""kinds/image/budget: a fit that cannot fit is refused before it starts."""

import types

import numpy as np
import psutil
import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.budget import check_memory, needed_bytes
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.source.picture import Picture

SMALL = Picture(np.zeros((10, 20, 3), np.uint8), "srgb", "small")


def recipe_of(**settings) -> ImageRecipe:
    return ImageRecipe(**{"encoding": "identity", "batch": 1024, **settings})


def free(monkeypatch: pytest.MonkeyPatch, byte_count: int) -> None:
    memory = types.SimpleNamespace(available=byte_count)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)


def test_what_is_needed_grows_with_picture_grids_and_batch():
    base = needed_bytes(recipe_of(), SMALL)
    larger = Picture(np.zeros((1000, 1000, 3), np.uint8), "srgb", "larger")
    assert needed_bytes(recipe_of(), larger) - base >= 2 * 1000 * 1000 * 3 - 1200
    grids = recipe_of(encoding="dense_grid:features=10,width=1000,height=1000")
    assert needed_bytes(grids, SMALL) - base >= 4 * 4 * 10**7  # value, gradient, two moments
    batch = recipe_of(batch=2**20, hidden_width=64, hidden_layers=2)
    assert needed_bytes(batch, SMALL) - base >= 4 * 2**20 * 64 * 2  # outputs kept of each layer


def test_too_little_is_refused_with_both_numbers(monkeypatch):
    free(monkeypatch, 2**30)
    recipe = recipe_of(encoding="dense_grid:features=64,width=8192,height=8192")
    with pytest.raises(ConfigError) as caught:
        check_memory(recipe, SMALL)
    needed = needed_bytes(recipe, SMALL) / 2**30
    assert needed > 4 * 4 * 64 * 8192**2 / 2**30
    assert str(caught.value) == (
        f"memory: got 1.0 GB free, need about {needed:.1f} GB for this recipe and picture. "
        "Lower bpp, the grids or batch, or free memory."
    )


def test_enough_is_enough(monkeypatch):
    free(monkeypatch, needed_bytes(recipe_of(), SMALL))
    check_memory(recipe_of(), SMALL)
    free(monkeypatch, needed_bytes(recipe_of(), SMALL) - 1)
    with pytest.raises(ConfigError):
        check_memory(recipe_of(), SMALL)
