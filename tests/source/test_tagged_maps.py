"""source/map_values, material_map: maps of color obey their files' tags, maps of numbers do not."""

import struct

import numpy as np
import pytest
from fixtures.icc_profiles import gamma, grey_profile, with_chunks
from PIL import Image

from neuralshade.source.color import srgb_to_linear
from neuralshade.source.material_set import load_material_set
from neuralshade.source.texture_set import load_texture_set

LINEAR = (b"gAMA", struct.pack(">I", 100_000))


@pytest.fixture
def tagged(tmp_path, rng):
    """Give a folder of maps whose files all say that their values are linear, and the pixels."""
    pixels = {
        "albedo": rng.integers(0, 256, (8, 8, 3), dtype=np.uint8),
        "normal": rng.integers(100, 156, (8, 8, 3), dtype=np.uint8),
        "roughness": rng.integers(0, 256, (8, 8), dtype=np.uint8),
    }
    pixels["normal"][..., 2] = 250
    for name, one in pixels.items():
        Image.fromarray(one).save(tmp_path / f"a_{name}.png")
        with_chunks(tmp_path / f"a_{name}.png", LINEAR)
    return tmp_path, pixels


def test_mip_maps(tagged, caplog):
    folder, pixels = tagged
    found = load_texture_set(folder)
    # one level of sRGB is at most 1 % of light: the conversion rounds to 8 bits
    np.testing.assert_allclose(found.albedo, pixels["albedo"] / 255, atol=0.005)
    np.testing.assert_allclose(found.roughness, pixels["roughness"] / 255, atol=1e-6)
    assert [message.split(": ")[1] for message in caplog.messages] == [
        "its colors (gAMA 1) were converted to sRGB."
    ]


def test_texture_sets(tagged):
    folder, pixels = tagged
    found = load_material_set(folder)
    light = srgb_to_linear(found["albedo"].values)
    np.testing.assert_allclose(light, pixels["albedo"] / 255, atol=0.005)
    np.testing.assert_allclose(found["roughness"].values[..., 0], pixels["roughness"] / 255)


def test_roughness_as_image_editors_save_it(tagged):
    folder, pixels = tagged
    grey = Image.fromarray(pixels["roughness"])
    grey.save(folder / "a_roughness.png", icc_profile=grey_profile(gamma(1.8)))
    found = load_material_set(folder)
    np.testing.assert_allclose(found["roughness"].values[..., 0], pixels["roughness"] / 255)


def test_an_opacity_beside_tagged_colors(tagged):
    folder, pixels = tagged
    alpha = pixels["roughness"]
    Image.fromarray(np.dstack([pixels["albedo"], alpha])).save(folder / "a_albedo.png")
    with_chunks(folder / "a_albedo.png", LINEAR)
    found = load_material_set(folder)
    np.testing.assert_allclose(found["opacity"].values[..., 0], alpha / 255)
    light = srgb_to_linear(found["albedo"].values)
    np.testing.assert_allclose(light, pixels["albedo"] / 255, atol=0.005)
