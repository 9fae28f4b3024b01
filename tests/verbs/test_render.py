"""verbs/render: any resolution, any part, from any asset."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.errors import AssetError, ConfigError, OutputError
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.verbs import render


def refusal(kind, *arguments, **options):
    with pytest.raises(kind) as caught:
        neuralshade.render(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_as_fitted_by_default(fitted):
    pixels = neuralshade.render(fitted / "a.nsh")
    assert pixels.shape == (24, 36, 3) and pixels.dtype == np.float32
    assert pixels.flags.c_contiguous and 0 <= pixels.min() < pixels.max() <= 1


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (100, 31), (1, 50)])
def test_any_size(fitted, size):
    assert neuralshade.render(fitted / "a.nsh", size=size, stretch=True).shape == (
        size[1],
        size[0],
        3,
    )


@pytest.mark.parametrize("crop, rows, cols", [
    ((0.0, 0.0, 0.5, 0.5), slice(0, 16), slice(0, 32)),
    ((0.5, 0.25, 1.0, 1.0), slice(8, 32), slice(32, 64)),
    ((0.25, 0.0, 0.3125, 1.0), slice(0, 32), slice(16, 20)),
])  # fmt: skip
def test_a_crop_is_the_matching_part_of_the_whole(fitted, crop, rows, cols):
    whole = neuralshade.render(fitted / "a.nsh", size=(64, 32), stretch=True)
    wanted = whole[rows, cols]
    part = neuralshade.render(fitted / "a.nsh", size=wanted.shape[1::-1], crop=crop,
                              stretch=True)  # fmt: skip
    np.testing.assert_allclose(part, wanted, atol=1e-6)  # other products, other rounding


def test_a_crop_has_the_pixels_it_was_fitted_with(fitted):
    assert neuralshade.render(fitted / "a.nsh", crop=(0, 0, 0.5, 1)).shape == (24, 18, 3)
    assert neuralshade.render(fitted / "a.nsh", crop=(0, 0, 0.001, 0.001)).shape == (1, 1, 3)


def test_files_hold_what_is_returned(fitted, tmp_path):
    pixels = neuralshade.render(fitted / "a.nsh", tmp_path / "o.png")
    again = neuralshade.load_picture(tmp_path / "o.png").as_float()
    assert np.abs(again - pixels).max() <= 0.5 / 255 + 1e-6


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".ppm", ".exr"])
def test_every_format(fitted, tmp_path, suffix):
    neuralshade.render(fitted / "a.nsh", tmp_path / f"o{suffix}", size=5)
    assert neuralshade.load_picture(tmp_path / f"o{suffix}").pixels.shape == (3, 5, 3)


def test_a_loaded_asset_draws_the_same(fitted):
    loaded = neuralshade.load(fitted / "a.nsh")
    drawn = neuralshade.render(loaded, size=9)
    assert np.array_equal(drawn, neuralshade.render(fitted / "a.nsh", size=9))


def test_large_pictures_are_drawn_in_strips(fitted):
    """A strip ends at 2^15 samples; rows on both sides of the seam must be as drawn alone."""
    tall = neuralshade.render(fitted / "a.nsh", size=(300, 400), stretch=True)
    lower = neuralshade.render(fitted / "a.nsh", size=(300, 200), crop=(0, 0.5, 1, 1),
                               stretch=True)  # fmt: skip
    np.testing.assert_allclose(lower, tall[200:], atol=1e-6)


@pytest.mark.parametrize("crop, shown", [
    ((0.5, 0, 0.5, 1), "0.5,0,0.5,1"),
    ((0, 0.9, 1, 0.1), "0,0.9,1,0.1"),
    ((-0.1, 0, 1, 1), "-0.1,0,1,1"),
    ((0, 0, 1, 1.5), "0,0,1,1.5"),
    ((0, 0, float("nan"), 1), "0,0,nan,1"),
])  # fmt: skip
def test_crop_refused(fitted, crop, shown):
    assert refusal(ConfigError, fitted / "a.nsh", crop=crop) == (
        f"crop: got {shown}, need u0 < u1 and v0 < v1 in [0, 1]. The whole picture is 0,0,1,1."
    )


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, 5), (65_537, 1)])
def test_size_refused(fitted, size):
    assert refusal(ConfigError, fitted / "a.nsh", size=size) == (
        f"size: got {size[0]}x{size[1]}, need 1 to 65536 pixels a side. "
        "Write for example 1920x1080."
    )


def forged(fitted, tmp_path, **changes):
    """Return a copy of the asset whose header has other facts, by part."""
    asset, path = read_asset(fitted / "a.nsh"), tmp_path / "forged.nsh"
    parts = {name: getattr(asset.header, name) | facts for name, facts in changes.items()}
    save_asset(path, "image", dataclasses.replace(asset.header, **parts), asset.tensors)
    return path


def test_a_size_that_its_bytes_do_not_justify_is_asked_for(fitted, tmp_path):
    path = forged(fitted, tmp_path, picture={"width": 40_000, "height": 40_000})
    size = path.stat().st_size
    assert refusal(ConfigError, path) == (
        f"size: got none for {path}, which tells of 40000 x 40000 pixels in {size:,} bytes, need "
        "one for so many. Write for example 1920x1080."
    )
    assert neuralshade.render(path, size=(3, 2), stretch=True).shape == (2, 3, 3)


def test_a_recipe_beyond_the_tensors_is_refused(fitted, tmp_path):
    """2^40 numbers that a file of some kB does not have."""
    grid = "dense_grid:width=65536,height=65536,features=64"
    line = refusal(AssetError, forged(fitted, tmp_path, recipe={"encoding": grid}))
    assert line.endswith(", need uint8 [64, 65536, 32768]. Fit it again.")


@pytest.mark.parametrize("value", [3e38, -3e38])
def test_numbers_that_overflow_are_not_drawn(fitted, tmp_path, value):
    asset, path = read_asset(fitted / "a.nsh"), tmp_path / "x.nsh"
    for name, values in asset.tensors.items():
        if values.dtype == np.float32:
            asset.tensors[name] = np.full_like(values, value)
    save_asset(path, "image", asset.header, asset.tensors)
    assert refusal(AssetError, path).startswith(f"{path}: got numbers beyond float32 in ")


def test_nan_is_not_drawn(fitted, monkeypatch, same_message):
    drawn = np.full((2, 3, 3), np.nan, np.float32)
    monkeypatch.setattr(OpenedImage, "draw", lambda self, *arguments: drawn)
    same_message(refusal(AssetError, fitted / "a.nsh", size=(3, 2)), fitted / "a.nsh", "numbers")


@pytest.fixture
def never_drawn(monkeypatch):
    def draw_field(self, *arguments):
        raise AssertionError("it draws")

    monkeypatch.setattr(OpenedImage, "draw", draw_field)


def test_suffix_refused_before_drawing(fitted, tmp_path, never_drawn, same_message):
    path = tmp_path / "o.gif"
    same_message(refusal(OutputError, fitted / "a.nsh", path), path, "Rename")


def test_folder_refused_before_drawing(fitted, tmp_path, never_drawn, same_message):
    path = tmp_path / "absent/o.png"
    same_message(refusal(OutputError, fitted / "a.nsh", path), path, "Create")


def test_more_pixels_than_memory_refused(fitted, never_drawn, monkeypatch, same_message):
    memory = SimpleNamespace(available=2**30)
    monkeypatch.setattr(render.psutil, "virtual_memory", lambda: memory)
    message = refusal(ConfigError, fitted / "a.nsh", size=(16_384, 8192), stretch=True)
    same_message(message, "size", "Draw")


def test_asset_refused(tmp_path, same_message):
    (tmp_path / "a.nsh").write_text("hello")
    message = refusal(AssetError, tmp_path / "a.nsh", tmp_path / "o.png")
    same_message(message, f"{tmp_path}/a.nsh", "Make")
    assert [p.name for p in tmp_path.iterdir()] == ["a.nsh"]


def test_no_pixels_of_alpha_are_lost_in_jpeg(tmp_path, save_smooth, few, same_message):
    neuralshade.fit_image(save_smooth(channels=4), tmp_path / "x.nsh", **few)
    message = refusal(OutputError, tmp_path / "x.nsh", tmp_path / "o.jpg")
    same_message(message, f"{tmp_path}/o.jpg", ".png")
    assert neuralshade.render(tmp_path / "x.nsh", tmp_path / "o.png").shape == (24, 36, 4)
