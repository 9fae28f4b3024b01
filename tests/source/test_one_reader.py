"""source/texture_set, material_set: two views of maps that one reader reads."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.source.material_set import MaterialSet, load_material_set
from neuralshade.source.texture_set import load_texture_set, textures_of


def test_a_texture_set_is_what_shading_reads_of_a_material_set(tmp_path, rng, textures):
    """In linear light and within [0, 1]; smaller maps are brought to the largest by both."""
    ao = rng.random((16, 24), dtype=np.float32) * 2
    folder = textures.write_set(tmp_path / "rock", rng, rock_ao=ao)
    whole = load_material_set(folder)
    made, read = textures_of(whole), load_texture_set(folder)
    for name in ("albedo", "normal", "roughness", "metallic"):
        np.testing.assert_array_equal(getattr(made, name), getattr(read, name))
    assert made.ao.max() == 1 < whole["ao"].values.max()
    assert made.paths == read.paths and made.name == read.name


def test_a_set_without_what_shading_needs_is_refused(tmp_path, rng, textures):
    whole = load_material_set(textures.write_set(tmp_path / "rock", rng))
    for left, missing in ("albedo", "roughness"), ("roughness", "albedo"):
        with pytest.raises(ConfigError, match=f"rock: got no map {missing}, need one of {left}"):
            textures_of(MaterialSet("rock", (whole[left],)))
