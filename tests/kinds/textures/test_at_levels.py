"""Texture sets at positions: levels that come as an array of NumPy, one for each position."""

import pathlib

import numpy as np

import neuralshade

ASSET = pathlib.Path(__file__).parents[2] / "data/textures.nsh"


def test_each_position_has_a_level_of_its_own():
    opened = neuralshade.load(ASSET)
    at = np.random.default_rng(1).random((2, 3, 2), np.float32)
    levels = np.array([[0, 1, 2], [2, 1, 0]])
    found = opened.at(at, level=levels)["albedo"]
    for level in range(3):
        own = levels == level
        alone = opened.at(at[own], level=level)["albedo"]
        # 1e-6: the number of rows decides how some CPUs sum a product
        np.testing.assert_allclose(found[own], alone, rtol=0, atol=1e-6)
