"""source/image_output: what is written reads back, and refusals leave nothing behind."""

import os

import numpy as np
import OpenImageIO
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from neuralshade.errors import ConfigError, OutputError, PictureError, ShapeError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.image_file import load_picture
from neuralshade.source.image_output import check_suffix, save_picture

SUFFIXES = ".png, .jpg, .jpeg, .ppm, .pgm, .webp, .tif, .tiff, .exr, .hdr"
FEW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4))


def refusal(error, path, values, color_space="srgb"):
    with pytest.raises(error) as caught:
        save_picture(path, values, color_space)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@FEW
@given(pixels=SHAPES.flatmap(lambda shape: hnp.arrays(np.uint8, shape)))
def test_png_gives_back_8_bit_values(tmp_path, pixels):
    save_picture(tmp_path / "a.png", pixels / np.float32(255), "srgb")
    assert np.array_equal(load_picture(tmp_path / "a.png").pixels, pixels)


@FEW
@given(data=st.data(), width=st.sampled_from([16, 32]))
def test_openexr_gives_back_floats(tmp_path, data, width):
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=width)
    shape = data.draw(SHAPES)
    values = data.draw(hnp.arrays(f"float{width}", shape, elements=numbers))
    save_picture(tmp_path / "a.exr", values, "linear")
    picture = load_picture(tmp_path / "a.exr")
    assert (picture.pixels.dtype, picture.color_space) == (values.dtype, "linear")
    assert np.array_equal(picture.pixels, values)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("suffix", [".exr", ".png"])
def test_any_order_in_memory(tmp_path, rng, suffix, dtype):
    whole = rng.integers(0, 256, (3, 16, 12), dtype=np.uint8)
    for pixels in (whole.T, whole.transpose(1, 2, 0)[::-1, ::2], np.asfortranarray(whole.T)):
        values = pixels.astype(dtype, order="K") / dtype(256)
        save_picture(tmp_path / f"a{suffix}", values, "linear" if suffix == ".exr" else "srgb")
        loaded = load_picture(tmp_path / f"a{suffix}").as_float()
        np.testing.assert_allclose(loaded, values, rtol=0, atol=0 if suffix == ".exr" else 1 / 255)


@pytest.mark.parametrize("suffix, channels", [(".ppm", 3), (".pgm", 1), (".PNG", 3)])
def test_other_lossless_formats(tmp_path, rng, suffix, channels):
    pixels = rng.integers(0, 256, (70, 3, channels), dtype=np.uint8)
    save_picture(tmp_path / f"a{suffix}", pixels / np.float32(255), "srgb")
    assert np.array_equal(load_picture(tmp_path / f"a{suffix}").pixels, pixels)


def test_ppm_of_grey_has_three_equal_channels(tmp_path, rng):
    pixels = rng.integers(0, 256, (5, 3, 1), dtype=np.uint8)
    save_picture(tmp_path / "a.ppm", pixels / np.float32(255), "srgb")
    assert (tmp_path / "a.ppm").read_bytes().startswith(b"P6")
    assert np.array_equal(load_picture(tmp_path / "a.ppm").pixels, pixels.repeat(3, axis=2))


@pytest.mark.parametrize("suffix", [".jpg", ".jpeg"])
@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_is_near(tmp_path, suffix, channels):
    ramp = np.linspace(0, 1, 64, dtype=np.float32)[:, None, None]
    values = np.broadcast_to(ramp, (64, 48, channels))
    save_picture(tmp_path / f"a{suffix}", values, "srgb")
    with Image.open(tmp_path / f"a{suffix}") as image:
        assert (image.format, image.mode) == ("JPEG", "L" if channels == 1 else "RGB")
    loaded = load_picture(tmp_path / f"a{suffix}").as_float()
    assert np.abs(loaded - values).max() < 3 / 255  # quality 95


@pytest.mark.parametrize("value, code", [
    (-0.5, 0), (0.49 / 255, 0), (0.51 / 255, 1), (254.49 / 255, 254), (254.51 / 255, 255), (7, 255),
])  # fmt: skip
def test_clamped_and_rounded_to_8_bit(tmp_path, value, code):
    save_picture(tmp_path / "a.png", np.full((1, 1, 1), value, np.float32), "srgb")
    assert load_picture(tmp_path / "a.png").pixels.item() == code


@pytest.mark.parametrize("suffix", [".png", ".ppm"])
def test_linear_values_are_encoded(tmp_path, suffix):
    codes = np.arange(256, dtype=np.uint8)[:, None, None].repeat(3, axis=2)
    save_picture(tmp_path / f"a{suffix}", srgb_to_linear(codes / 255), "linear")
    assert np.array_equal(load_picture(tmp_path / f"a{suffix}").pixels, codes)


def test_srgb_values_are_decoded_for_openexr(tmp_path, rng):
    values = rng.random((5, 3, 3), dtype=np.float32)
    save_picture(tmp_path / "a.exr", values, "srgb")
    np.testing.assert_array_equal(load_picture(tmp_path / "a.exr").pixels, srgb_to_linear(values))


@pytest.mark.parametrize("channels", [2, 4])
def test_alpha_changes_association_with_the_color_space(tmp_path, channels):
    straight = np.full((1, 2, channels), 0.8, np.float32)
    straight[0, :, -1] = 0.25, 1.0
    linear = srgb_to_linear(straight)
    linear[..., -1:] = straight[..., -1:]
    linear[..., :-1] *= linear[..., -1:]

    save_picture(tmp_path / "a.exr", straight, "srgb")
    np.testing.assert_array_equal(load_picture(tmp_path / "a.exr").pixels, linear)
    save_picture(tmp_path / "a.png", linear, "linear")
    codes = load_picture(tmp_path / "a.png").pixels
    np.testing.assert_array_equal(codes, np.rint(straight * 255))


def test_linear_color_that_glows_under_clear_alpha_is_kept(tmp_path):
    values = np.array([[[0.5, 0.25, 0.0, 0.0]]], np.float32)
    save_picture(tmp_path / "a.png", values, "linear")
    color = np.rint(linear_to_srgb(values[..., :3]) * 255)
    np.testing.assert_array_equal(load_picture(tmp_path / "a.png").pixels[..., :3], color)


@pytest.mark.parametrize("channels, names", [
    (1, ("Y",)), (2, ("Y", "A")), (3, ("R", "G", "B")), (4, ("R", "G", "B", "A")),
])  # fmt: skip
def test_openexr_channel_names(tmp_path, channels, names):
    save_picture(tmp_path / "a.exr", np.zeros((2, 2, channels), np.float32), "linear")
    reader = OpenImageIO.ImageInput.open(str(tmp_path / "a.exr"))
    assert reader.spec().channelnames == names


def test_values_are_left_as_they_were(tmp_path, rng):
    values = rng.random((5, 3, 4), dtype=np.float32)
    before = values.copy()
    for name in ("a.png", "a.exr"):
        for color_space in ("srgb", "linear"):
            save_picture(tmp_path / name, values, color_space)
    assert np.array_equal(values, before)


@pytest.mark.parametrize("name, suffix", [("a.gif", ".gif"), ("a", ""), ("a.avif", ".avif")])
def test_suffix_refused(tmp_path, name, suffix):
    path = tmp_path / name
    message = f"{path}: got suffix '{suffix}', need one of {SUFFIXES}. Rename the output."
    assert refusal(OutputError, path, np.zeros((2, 2, 3), np.float32)) == message
    with pytest.raises(OutputError) as caught:
        check_suffix(path)
    assert str(caught.value) == message
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix, channels, got, need, remedy", [
    (".jpg", 4, "4 channels with alpha", "1 or 3", "Write .png or .exr."),
    (".jpeg", 2, "2 channels with alpha", "1 or 3", "Write .png or .exr."),
    (".ppm", 4, "4 channels with alpha", "1 or 3", "Write .png or .exr."),
    (".pgm", 2, "2 channels with alpha", "1", "Write .png or .exr."),
    (".pgm", 3, "3 channels", "1", "Write .ppm."),
])  # fmt: skip
def test_channels_refused(tmp_path, suffix, channels, got, need, remedy):
    path = tmp_path / f"a{suffix}"
    assert refusal(OutputError, path, np.zeros((2, 2, channels), np.float32)) == (
        f"{path}: got {got}, need {need} for {suffix}. {remedy}"
    )
    assert os.listdir(tmp_path) == []


def test_jpeg_side_refused(tmp_path, same_message):
    path = tmp_path / "a.jpg"
    save_picture(path, np.zeros((1, 65_500, 1), np.float32), "srgb")
    path.unlink()
    same_message(refusal(OutputError, path, np.zeros((1, 65_501, 1), np.float32)), path, ".png")
    assert os.listdir(tmp_path) == []


def test_values_refused(tmp_path, same_message):
    path = tmp_path / "a.png"
    same_message(refusal(ShapeError, path, np.zeros((2, 2), np.float32)), "values", "Pass")
    same_message(refusal(ShapeError, path, np.zeros((2, 2, 3), np.uint8)), "values", "as_float")
    message = refusal(PictureError, path, np.full((1, 1, 1), np.nan, np.float32))
    same_message(message, "values", "Replace")
    message = refusal(ConfigError, path, np.zeros((1, 1, 1), np.float32), "rec709")
    same_message(message, "color_space", "Photographs")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", [".png", ".exr"])
def test_missing_folder_refused(tmp_path, suffix, same_message):
    path = tmp_path / f"absent/a{suffix}"
    same_message(refusal(OutputError, path, np.zeros((2, 2, 3), np.float32)), path, "Create")


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".ppm", ".exr"])
def test_read_only_disk_refused(read_only_disk, suffix, same_message):
    path = read_only_disk / f"a{suffix}"
    same_message(refusal(OutputError, path, np.zeros((2, 2, 3), np.float32)), path, "Choose")


def saving_refusal(path, values, color_space):
    try:
        save_picture(path, values, color_space)
    except OutputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".ppm", ".exr"])
def test_full_disk_refused_at_every_size_that_does_not_fit(small_disk, rng, suffix):
    path = small_disk / f"a{suffix}"
    values = rng.random((70, 70, 3), dtype=np.float32)
    color_space = "linear" if suffix == ".exr" else "srgb"
    save_picture(path, values[:2], color_space)
    older, refused = path.read_bytes(), 0
    for free_kib in range(0, 60, 4):
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * (64 - 4 - free_kib) * 1024)
        message = saving_refusal(path, values, color_space)
        if message is None:
            loaded = load_picture(path).pixels
            assert loaded.shape == values.shape
            assert suffix != ".exr" or np.array_equal(loaded, values)
            path.write_bytes(older)
        else:
            refused += 1
            assert message == (
                f"{path}: got a full disk, need room for the file. "
                "Free some space, or choose another path."
            )
        assert sorted(os.listdir(small_disk)) == [path.name, "filler"]
        assert path.read_bytes() == older
        filler.unlink()
    assert refused >= 3


@pytest.mark.parametrize("suffix", [".webp", ".tif", ".tiff"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_formats_without_loss_keep_8_bits(tmp_path, suffix, channels):
    levels = np.random.default_rng(5).integers(0, 256, (7, 5, channels))
    path = tmp_path / f"a{suffix}"
    save_picture(path, (levels / 255).astype(np.float32), "srgb")
    kept = load_picture(path)
    if suffix == ".webp" and channels < 3:
        levels = levels[..., [0, 0, 0, 1][: 2 + channels]]
    np.testing.assert_array_equal(kept.pixels, levels)
    assert (kept.color_space, kept.pixels.dtype.name) == ("srgb", "uint8")


@pytest.mark.parametrize("channels", [1, 3])
def test_hdr_keeps_light_to_its_8_bits(tmp_path, channels):
    values = np.random.default_rng(6).uniform(0, 40, (9, 11, channels)).astype(np.float32)
    path = tmp_path / "a.hdr"
    save_picture(path, values, "linear")
    kept = load_picture(path)
    assert kept.hdr and kept.channels == 3
    # a common exponent: a step is 1/128 of the largest channel's at most
    step = values.max(axis=2, keepdims=True) / 128
    assert (np.abs(kept.pixels - values) <= step).all()


def test_a_side_that_webp_lacks(tmp_path, same_message):
    path, long = tmp_path / "a.webp", np.zeros((1, 16_384, 3), np.float32)
    same_message(refusal(OutputError, path, long), path, ".png")
