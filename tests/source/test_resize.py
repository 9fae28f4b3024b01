"""source/resize: smaller maps enlarged, with what a set has beyond its border."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError, PictureError
from neuralshade.source.material_set import load_material_set
from neuralshade.source.resize import common_size, resized
from neuralshade.source.texture_set import load_texture_set

LOADERS = [load_material_set, load_texture_set]


def interpolated(values, size, wrap):
    """Return float64 [n] at ``size`` texels by NumPy's own interpolation of padded values."""
    padded = np.pad(values, 1, mode={"repeat": "wrap", "clamp": "edge"}[wrap])
    centers = (np.arange(len(padded)) - 0.5) / len(values)
    return np.interp((np.arange(size) + 0.5) / size, centers, padded)


@pytest.mark.parametrize("wrap", ["repeat", "clamp"])
@pytest.mark.parametrize("old, new", [(1, 5), (2, 7), (3, 12), (5, 5), (8, 3)])
def test_values_are_interpolated(rng, wrap, old, new):
    values = rng.random(old).astype(np.float32)
    wide = resized(values[None, :, None], 1, new, wrap)[0, :, 0]
    tall = resized(values[:, None], new, 1, wrap)[:, 0]
    np.testing.assert_allclose(wide, interpolated(values, new, wrap), atol=1e-6)
    np.testing.assert_array_equal(tall, wide)


def split_set(folder, rng, textures):
    """Write a set whose roughness is smaller: black at the left edge, white at the right one."""
    rough = np.repeat(np.array([[0, 0, 255, 255]], np.uint8), 4, axis=0)
    return textures.write_set(folder, rng, (16, 16), rock_roughness=rough)


def roughness_of(found):
    return found["roughness"].values[..., 0] if hasattr(found, "maps") else found.roughness


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("wrap, edge, said", [
    ("repeat", 0.375, "wrapping around"), ("clamp", 0.0, "clamped at the border"),
])  # fmt: skip
def test_borders_take_from_the_other_side_where_sets_tile_alone(
    tmp_path, rng, textures, load, wrap, edge, said
):
    found = load(split_set(tmp_path / "rock", rng, textures), wrap=wrap)
    rough = roughness_of(found)
    assert (rough[:, 0] == edge).all() and (rough[:, -1] == 1 - edge).all()
    line = f"roughness: 4 x 4 resized to 16 x 16, the size of albedo (bilinear, {said})."
    assert line in found.notes


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("wrap", ["mirror", "", None])
def test_an_unknown_border_is_refused(tmp_path, rng, textures, load, wrap):
    folder = split_set(tmp_path / "rock", rng, textures)
    with pytest.raises(ConfigError, match=r"^wrap: got .*, need one of repeat, clamp\. Write rep"):
        load(folder, wrap=wrap)


def test_a_constant_map_counts_for_the_size_where_its_shape_is_that_of_the_others():
    sizes = {"albedo": (8, 16), "roughness": (4, 8), "ao": (64, 64)}
    assert common_size("x", sizes, [], constant=["albedo", "ao"]) == (8, 16)
    assert common_size("x", {**sizes, "ao": (1, 1)}, [], constant=["albedo", "ao"]) == (8, 16)
    assert common_size("x", sizes, [], constant=list(sizes)) == (64, 64)
    with pytest.raises(PictureError, match="got albedo of 16 x 8 beside ao of 64 x 64"):
        common_size("x", sizes, [], constant=["roughness"])
