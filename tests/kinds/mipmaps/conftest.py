"""Sets of maps with waves, and settings of a fit of their levels that takes a second."""

import numpy as np
import pytest

from neuralshade.source.texture_set import TextureSet


@pytest.fixture
def short():
    """Give settings of a fit that trains for a moment only."""
    return {"steps": 12, "pool": 16, "pairs": 4}


@pytest.fixture
def stand(tmp_path, monkeypatch):
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def waves():
    """Give a function that returns unit normals of waves, some four texels long: float32."""

    def waves(height, width, steepness):
        row, col = np.mgrid[:height, :width]
        p, q = steepness * np.sin(1.7 * col + row), steepness * np.cos(1.3 * row)
        normal = np.stack([p, q, np.ones_like(p)], axis=2)
        return np.float32(normal / np.linalg.norm(normal, axis=2, keepdims=True))

    return waves


@pytest.fixture(scope="session")
def set_of(waves):
    """Give a function that returns a set of waves of one color; other maps may be given."""

    def set_of(width=37, height=23, steepness=0.3, **others):
        maps = {"albedo": 0.6, "roughness": 0.35, "metallic": 1.0} | others
        shapes = {"albedo": (height, width, 3)}
        filled = {
            name: np.broadcast_to(np.float32(value), shapes.get(name, (height, width))).copy()
            for name, value in maps.items()
        }
        normal = waves(height, width, steepness)
        return TextureSet("waves", normal=normal, ao=None, paths={}, notes=(), **filled)

    return set_of
