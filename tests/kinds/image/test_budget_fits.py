"""kinds/image/fit: an asset takes the bits per pixel that were asked for, and no more."""

import dataclasses
from functools import partial

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.asset import asset_size, save_asset
from neuralshade.kinds.image.budget import kept_points, resolve
from neuralshade.kinds.image.presets import preset_recipe


def bytes_at(preset, height, width, channels, folder):
    """Return an asset's size with a training curve as long as it gets, and its budget."""
    picture = neuralshade.picture_from_array(np.zeros((height, width, channels), np.uint8))
    picture = dataclasses.replace(picture, name="photograph_of_a_lake_0123.png")
    recipe = resolve(preset_recipe(preset, {}), picture)
    curve = [[100_000 + i, 12.345 + i, 0.0001234, 38.123] for i in range(100)]
    fitted = neuralshade.fit_image(picture, folder / "x.nsh", preset=preset, steps=1)
    asset = neuralshade.load(folder / "x.nsh")
    longest = dataclasses.replace(
        asset.header,
        recipe=dataclasses.asdict(recipe),
        training={"steps": 100_099, "seconds": 123.456, "curve": curve},
    )
    points = kept_points(recipe, picture, partial(asset_size, "image", longest, asset.tensors))
    size = save_asset(folder / "y.nsh", "image", longest, asset.tensors, points)
    assert fitted.asset_bytes <= size
    return size, recipe.bpp * height * width / 8


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["grid", "detail"])
@pytest.mark.parametrize("height, width, channels", [(128, 96, 3), (256, 192, 3), (192, 256, 4),
                                                     (100, 1000, 1), (512, 512, 3)])  # fmt: skip
def test_assets_keep_to_their_budget(tmp_path, preset, height, width, channels):
    size, budget = bytes_at(preset, height, width, channels, tmp_path)
    assert size <= budget


@pytest.mark.parametrize("size, bpp, least", [(100, 4, 0.92), (256, 1, 0.93), (256, 4, 0.97)])
def test_a_short_fit_of_a_small_picture_uses_its_budget(tmp_path, save_smooth, size, bpp, least):
    """It had 3.17 bits of 4 at 100 x 100, as room was kept for a curve that it lacks."""
    path = save_smooth(height=size, width=size)
    result = neuralshade.fit_image(path, tmp_path / "x.nsh", steps=1, bpp=bpp)
    assert least * bpp <= result.bits_per_pixel <= bpp


@pytest.mark.parametrize("transform", ["identity", "zoom", "flip"])
def test_budget_is_that_of_the_transformed_picture(tmp_path, save_smooth, transform):
    path = save_smooth(height=160, width=240)
    result = neuralshade.fit_image(path, tmp_path / "x.nsh", steps=1, bpp=12, transform=transform)
    assert 11 < result.bits_per_pixel <= 12


@pytest.mark.slow
def test_assets_use_their_budget(tmp_path):
    size, budget = bytes_at("grid", 512, 512, 3, tmp_path)
    assert size >= 0.98 * budget


@pytest.mark.parametrize("size, exceeded", [(40, True), (160, False)])
def test_a_picture_too_small_for_its_bits_is_told(tmp_path, save_smooth, size, exceeded):
    path = save_smooth(height=size, width=size)
    result = neuralshade.fit_image(path, tmp_path / "x.nsh", steps=1)
    assert (result.bits_per_pixel > 4) == exceeded
    assert result.bpp_exceeded == exceeded
    told = ("fit: more bits per pixel than requested: header, network and small grids take "
            f"{result.bits_per_pixel:.2f} of a picture of this size.")  # fmt: skip
    assert (told in result.warnings) == exceeded
    own = neuralshade.fit_image(path, tmp_path / "y.nsh", steps=1, encoding="one_blob:bins=256")
    assert not own.bpp_exceeded


def test_a_lower_budget_never_makes_a_larger_file(tmp_path, save_smooth):
    """At 0.3 bits per pixel it had 0.61, at 0.5 it had 0.47."""
    path = save_smooth(height=256, width=256)
    fits = [neuralshade.fit_image(path, tmp_path / "x.nsh", steps=1, bpp=bpp)
            for bpp in (0.05, 0.3, 0.44, 0.5, 0.7, 1.0)]  # fmt: skip
    bits = [each.bits_per_pixel for each in fits]
    assert bits == sorted(bits) and [each.bpp_exceeded for each in fits[-3:]] == [False] * 3


def test_an_asset_larger_than_its_picture_is_told(tmp_path, save_smooth):
    result = neuralshade.fit_image(save_smooth(height=40, width=40), tmp_path / "x.nsh", steps=1,
                                   encoding="hash_grid", grid_bits=32)  # fmt: skip
    assert result.warnings[-1] == (
        f"fit: the asset has {result.bits_per_pixel:.1f} bits per pixel, where the picture's own "
        "texels have 24. Take a smaller encoding or network, or --preset grid."
    )
