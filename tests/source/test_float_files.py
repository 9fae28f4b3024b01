"""source/image_file: pictures of floats come in as they were stored, by the names of channels."""

import numpy as np
import pytest

from neuralshade.source.image_file import load_picture


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("sample, dtype", [("half", np.float16), ("float", np.float32)])
@pytest.mark.parametrize("tile", [0, 64])
def test_openexr(tmp_path, rng, channels, sample, dtype, tile, write_samples, assert_loads):
    pixels = (rng.normal(size=(300, 5, channels)) * 100).astype(dtype)
    names = ("Y", "A") if channels == 2 else None
    path = write_samples(
        tmp_path / "a.exr", pixels, sample, names, tile_width=tile, tile_height=tile
    )
    assert_loads(path, pixels, "linear")
    assert load_picture(path).hdr


@pytest.mark.parametrize("channels", [1, 3])
def test_float_tiff(tmp_path, rng, channels, write_samples, assert_loads):
    pixels = rng.normal(size=(5, 7, channels)).astype(np.float32)
    assert_loads(write_samples(tmp_path / "a.tif", pixels, "float"), pixels, "linear")


def test_double_tiff_is_rounded_to_float(tmp_path, rng, write_samples, assert_loads):
    pixels = rng.normal(size=(5, 7, 3))
    path = write_samples(tmp_path / "a.tif", pixels, "double")
    assert_loads(path, pixels.astype(np.float32), "linear")


def test_radiance_hdr_within_its_precision(tmp_path, rng, write_samples):
    pixels = np.exp(rng.normal(size=(5, 7, 3)) * 4).astype(np.float32)
    picture = load_picture(write_samples(tmp_path / "a.hdr", pixels, "float"))
    assert (picture.color_space, picture.pixels.dtype, picture.hdr) == ("linear", np.float32, True)
    # RGBE: 8 bits of mantissa for the largest channel, shared exponent.
    step = pixels.max(axis=2, keepdims=True) / 128
    assert (np.abs(picture.pixels - pixels) <= step).all()


def test_radiance_hdr_stored_bottom_up(tmp_path, write_samples, assert_loads):
    pixels = np.arange(1, 13, dtype=np.float32).reshape(4, 3, 1).repeat(3, axis=2)
    path = write_samples(tmp_path / "a.hdr", pixels, "float")
    flipped = path.read_bytes().replace(b"-Y 4 +X 3", b"+Y 4 +X 3")
    path.write_bytes(flipped)
    assert_loads(path, pixels[::-1], "linear")


def test_unassociated_float_alpha_is_multiplied_in(tmp_path, write_samples, assert_loads):
    stored = np.array([[[4.0, 2.0, 1.0, 0.25], [3.0, 3.0, 3.0, 0.0]]], np.float32)
    path = write_samples(tmp_path / "a.tif", stored, "float", oiio__UnassociatedAlpha=1)
    expected = np.array([[[1.0, 0.5, 0.25, 0.25], [0, 0, 0, 0]]], np.float32)
    assert_loads(path, expected, "linear")


@pytest.mark.parametrize("names, picks", [
    (("R", "G", "B", "A"), (0, 1, 2, 3)),
    (("A", "B", "G", "R"), (3, 2, 1, 0)),
    (("Z", "B", "A", "G", "R"), (4, 3, 1, 2)),
    (("r", "g", "b"), (0, 1, 2)),
    (("R", "G", "B", "A", "Y"), (0, 1, 2, 3)),
    (("Y",), (0,)),
    (("A", "Y"), (1, 0)),
    (("Z", "Y"), (1,)),
    (("beauty.R", "beauty.G", "beauty.B"), (0, 1, 2)),
    (("depth.Z", "beauty.A", "beauty.R", "beauty.G", "beauty.B"), (2, 3, 4, 1)),
    (("R", "G", "B", "light.R", "light.G", "light.B"), (0, 1, 2)),
])  # fmt: skip
def test_openexr_channels_by_name(tmp_path, rng, names, picks, write_samples, assert_loads):
    pixels = rng.normal(size=(3, 2, len(names))).astype(np.float32)
    assert_loads(
        write_samples(tmp_path / "a.exr", pixels, "float", names), pixels[..., picks], "linear"
    )
