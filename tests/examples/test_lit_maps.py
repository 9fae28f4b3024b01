"""examples/export/lit_maps.py: a fitted set in a fragment shader, against NumPy."""

import importlib.util
import pathlib

import numpy as np
import pytest

import neuralshade

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/export/lit_maps.py"
ASSET = pathlib.Path(__file__).parents[1] / "data/textures.nsh"


def example():
    pytest.importorskip("moderngl")
    about = importlib.util.spec_from_file_location("lit_maps", EXAMPLE)
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


def shaded(maps):
    light = np.array([0.5, 0.6, 0.6]) / np.linalg.norm([0.5, 0.6, 0.6])
    half_way = light + np.array([0.0, 0.0, 1.0])
    half_way /= np.linalg.norm(half_way)
    normal = maps["normal"]
    shininess = 2 / np.maximum(maps["roughness"] ** 4, 1e-3)
    linear = maps["albedo"] ** 2.2 * (normal @ light).clip(0)[..., None]
    shine = 0.04 * (normal @ half_way).clip(0)[..., None] ** shininess * (shininess + 2) / 8
    return ((2 * (linear + shine) + 0.02) ** (1 / 2.2)).clip(0, 1)


def test_it_draws_what_the_asset_has():
    module = example()
    opened = neuralshade.load(ASSET)
    side = 32
    try:
        drawn = module.draw(ASSET, side)
    except Exception as error:
        if "EGL" in str(error) or "libGL" in str(error):
            pytest.skip(f"no OpenGL: {error}")
        raise
    v, u = (np.mgrid[0:side, 0:side].astype(np.float32) + 0.5) / side
    width, height = opened.sizes[0]
    level = max(0.0, 0.5 * np.log2(max((width / side) ** 2, (height / side) ** 2)))
    low = int(level)
    at = np.stack([u, v], -1)
    finer, coarser = (opened.at(at, level=low + i) for i in (0, 1))
    found = {name: (low + 1 - level) * finer[name] + (level - low) * coarser[name]
             for name in finer}  # fmt: skip
    found["normal"] /= np.linalg.norm(found["normal"], axis=-1, keepdims=True)
    assert np.abs(drawn / 255 - shaded(found)).max() < 3 / 255
