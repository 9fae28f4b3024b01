"""kinds/mipmaps: the border of a fit is that of its smaller maps, and of those it is judged by."""

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.asset import stored_levels


@pytest.mark.parametrize("wrap", ["repeat", "clamp"])
def test_smaller_maps_are_enlarged_and_found_again_by_the_border_of_the_fit(
    device, stand, short, wrap
):
    rough = np.repeat(np.array([[60, 60, 255, 255]], np.uint8), 4, axis=0)
    (stand / "rock").mkdir()
    Image.fromarray(np.full((8, 8, 3), 150, np.uint8)).save("rock/albedo.png")
    Image.fromarray(rough).save("rock/roughness.png")
    result = neuralshade.fit_mipmaps("rock", "out", wrap=wrap, **short)
    opened = neuralshade.load(result.asset)
    edge = stored_levels(opened.asset)[0]["roughness"][0, 0].item()
    assert edge == {"repeat": round(60 + 195 / 4), "clamp": 60}[wrap]
    assert opened.same_textures("rock").roughness[0, 0] == pytest.approx(edge / 255, abs=2e-3)
    other = neuralshade.load_texture_set("rock", wrap="clamp" if wrap == "repeat" else "repeat")
    with pytest.raises(AssetError, match="got another roughness map"):
        opened.same_textures(other)


def test_a_material_set_is_taken_like_a_texture_set(device, stand, short):
    (stand / "rock").mkdir()
    pixels = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(pixels).save("rock/albedo.png")
    Image.fromarray(pixels[..., 0]).save("rock/roughness.png")
    whole, textures = (load("rock") for load in (neuralshade.load_material_set,
                                                 neuralshade.load_texture_set))  # fmt: skip
    result = neuralshade.fit_mipmaps(whole, "out", **short)
    opened = neuralshade.load(result.asset)
    np.testing.assert_array_equal(opened.same_textures(whole).albedo, textures.albedo)
    np.testing.assert_array_equal(opened.same_textures("rock").roughness, textures.roughness)
