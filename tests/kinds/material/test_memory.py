"""kinds/material/memory: a map that does not fit is refused before a fit begins."""

from types import SimpleNamespace

import numpy as np
import pytest
from fixtures.small_material import paint_reference

from neuralshade.errors import ConfigError
from neuralshade.kinds.material import levels
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.levels import boxed
from neuralshade.kinds.material.memory import BASE_BYTES, NUMBER_BYTES


@pytest.fixture
def free(monkeypatch):
    """Return what lets a machine have so many bytes free."""
    said = SimpleNamespace(available=0)
    monkeypatch.setattr("psutil.virtual_memory", lambda: said)
    return lambda count: setattr(said, "available", count)


def test_a_map_that_memory_does_not_take_is_refused(free, refusal, tmp_path):
    free(BASE_BYTES + NUMBER_BYTES * 8 * 2048**2)
    needed = (BASE_BYTES + NUMBER_BYTES * 8 * 8192**2) / 2**30
    had = (BASE_BYTES + NUMBER_BYTES * 8 * 2048**2) / 2**30
    said = refusal(ConfigError, fit_material, paint_reference(), tmp_path / "a.nsh", size=8192)
    assert said == (
        f"size: got 8192 and {had:.1f} GB of memory free, need about {needed:.1f} GB for that "
        "many texels a side. Take --size 2048, or free memory."
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("side", [8, 12, 10, 7])
def test_maps_halved_in_bands_are_the_same(side, monkeypatch):
    finest = np.random.default_rng(side).integers(0, 256, (side * side, 3), np.uint8)
    whole = boxed(finest, side)
    monkeypatch.setattr(levels, "BAND", 4)
    for one, other in zip(whole, boxed(finest, side), strict=True):
        np.testing.assert_array_equal(one, other)
