"""measure/quality: PSNR, SSIM and FLIP against hand-made references and known facts."""

import math
import tracemalloc

import numpy as np
import pytest

from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.measure import quality
from neuralshade.measure.quality import flip, measure_quality, missing_flip, psnr_db, ssim

needs_flip = pytest.mark.skipif(missing_flip() is not None, reason="needs flip-evaluator")
FLIP = pytest.param(flip, marks=needs_flip)


def grey(value, height=16, width=20, channels=3):
    return np.full((height, width, channels), value, np.float32)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_psnr_of_a_constant_error(channels):
    target, result = grey(0.25, channels=channels), grey(0.35, channels=channels)
    assert psnr_db(target, result) == pytest.approx(20.0, abs=1e-5)  # 0.1 is 20 dB below 1
    assert psnr_db(target, result, peak=10.0) == pytest.approx(40.0, abs=1e-5)


def test_psnr_counts_alpha():
    target, result = grey(0.5, channels=4), grey(0.5, channels=4)
    result[..., 3] += 0.2
    assert psnr_db(target, result) == pytest.approx(10 * math.log10(4 / 0.2**2), abs=1e-4)


def test_psnr_of_equal_pictures_is_infinite(photo):
    assert psnr_db(photo, photo.copy()) == math.inf


def test_psnr_takes_integers_as_they_are_stored(photo):
    bytes_, words = (photo * 255).astype(np.uint8), (photo * 65535).astype(np.uint16)
    as_float = psnr_db(bytes_ / np.float32(255), words / np.float32(65535))
    assert psnr_db(bytes_, words) == pytest.approx(as_float, abs=1e-4)


def test_psnr_sees_every_band(photo, noise, monkeypatch):
    monkeypatch.setattr(quality, "BAND_VALUES", 7 * photo.shape[1] * 3)  # 61 rows = 8 * 7 + 5
    result = (photo + noise.normal(0, 0.1, photo.shape)).astype(np.float32)
    error = result.astype(np.float64) - photo
    assert psnr_db(photo, result) == pytest.approx(-10 * math.log10((error**2).mean()), abs=1e-9)


def test_psnr_of_a_large_picture_needs_little_memory():
    target = np.zeros((4096, 2048, 3), np.uint8)  # 24 MiB; 192 MiB in float64
    result = np.ones_like(target)
    tracemalloc.start()
    value = psnr_db(target, result)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value == pytest.approx(20 * math.log10(255), abs=1e-4)
    assert most < 40 << 20


def test_ssim_of_one_window_by_hand(noise):
    target, result = noise.random((2, 11, 11, 1))
    offset = np.arange(-5, 6)
    line = np.exp(-0.5 * (offset / 1.5) ** 2)
    weight = np.outer(line, line) / line.sum() ** 2
    x, y = target[..., 0], result[..., 0]
    mean_x, mean_y = (weight * x).sum(), (weight * y).sum()
    var_x, var_y = (weight * x * x).sum() - mean_x**2, (weight * y * y).sum() - mean_y**2
    both = (weight * x * y).sum() - mean_x * mean_y
    c1, c2 = 0.01**2, 0.03**2
    by_hand = (2 * mean_x * mean_y + c1) * (2 * both + c2)
    by_hand /= (mean_x**2 + mean_y**2 + c1) * (var_x + var_y + c2)
    assert ssim(target, result) == pytest.approx(by_hand, abs=1e-5)  # float32 inside


def test_ssim_facts(photo, noise):
    noisy = photo + noise.normal(0, 0.05, photo.shape).astype(np.float32)
    assert ssim(photo, photo) == pytest.approx(1.0, abs=1e-6)
    assert 0.1 < ssim(photo, noisy) < 0.95
    assert ssim(photo * 30, noisy * 30, peak=30.0) == pytest.approx(ssim(photo, noisy), abs=1e-5)


def test_ssim_needs_its_window():
    assert ssim(grey(0.5, 10, 40), grey(0.5, 10, 40)) is None
    assert ssim(grey(0.5, 11, 11), grey(0.5, 11, 11)) == pytest.approx(1.0)


@needs_flip
def test_flip_facts(photo, noise):
    noisy = (photo + noise.normal(0, 0.05, photo.shape)).astype(np.float32)
    assert flip(photo, photo.copy()) == 0.0
    assert flip(grey(0), grey(1)) == pytest.approx(0.967, abs=0.002)  # as flip-evaluator prints
    assert flip(photo, noisy) == pytest.approx(flip(noisy, photo), abs=1e-6)
    assert 0.02 < flip(photo, noisy) < 0.5


@needs_flip
def test_flip_clamps_as_a_display_does(photo):
    assert flip(photo, photo - 2) == pytest.approx(flip(photo, np.zeros_like(photo)), abs=1e-6)


@needs_flip
def test_hdr_flip_does_not_care_about_exposure(photo, noise):
    target = photo * 20 + 0.1
    result = target * (1 + noise.normal(0, 0.2, photo.shape))
    value = flip(target, result, hdr=True)
    assert 0.02 < value < 0.9
    assert flip(target * 8, result * 8, hdr=True) == pytest.approx(value, abs=1e-4)
    assert flip(target, target, hdr=True) == 0.0


@needs_flip
def test_hdr_flip_of_a_black_target_is_undefined():
    assert flip(grey(0), grey(1), hdr=True) is None  # the library would end the process
    assert flip(grey(2.0**-19), grey(0), hdr=True) > 0


@pytest.mark.parametrize("measure", [ssim, FLIP])
def test_alpha_does_not_count(measure, photo):
    opaque = np.concatenate([photo, np.ones_like(photo[..., :1])], axis=2)
    holes = np.concatenate([photo * 0.9, np.zeros_like(photo[..., :1])], axis=2)
    assert measure(opaque, holes) == pytest.approx(measure(photo, photo * 0.9), abs=1e-6)


@needs_flip
def test_flip_of_grey_is_flip_of_equal_channels(photo):
    one = photo[..., :1]
    three = np.repeat(one, 3, axis=2)
    assert flip(one, one * 0.8) == pytest.approx(flip(three, three * 0.8), abs=1e-6)


@needs_flip
def test_measure_quality_of_a_small_picture(photo):
    found = measure_quality(photo, photo * 0.9, "srgb")
    assert found.psnr_db == psnr_db(photo, photo * 0.9)
    assert found.ssim == ssim(photo, photo * 0.9)
    assert found.flip == flip(photo, photo * 0.9)
    assert not found.cropped


@needs_flip
def test_measure_quality_of_a_linear_picture(photo):
    target = photo * 7
    found = measure_quality(target, target * 0.9, "linear")
    assert found.psnr_db == psnr_db(target, target * 0.9, peak=float(target.max()))
    assert found.ssim == ssim(target, target * 0.9, peak=float(target.max()))
    assert found.flip == flip(target, target * 0.9, hdr=True)


@needs_flip
def test_a_large_picture_is_cropped_and_says_so(photo, monkeypatch):
    monkeypatch.setitem(quality.WHOLE_PX, "srgb", 70)  # 4900 of the 5063 pixels
    monkeypatch.setitem(quality.CROP_PX, "srgb", 32)
    result = photo.copy()
    result[:14], result[-15:], result[:, :25], result[:, -26:] = 0, 0, 0, 0  # 61 x 83 less 32 x 32
    found = measure_quality(photo, result, "srgb")
    assert found.cropped
    assert (found.ssim, found.flip) == (pytest.approx(1.0), 0.0)
    assert found.psnr_db == psnr_db(photo, result) < 20


@needs_flip
def test_a_picture_just_small_enough_is_not_cropped(photo, monkeypatch):
    monkeypatch.setitem(quality.WHOLE_PX, "srgb", 72)  # 5184 pixels
    monkeypatch.setitem(quality.CROP_PX, "srgb", 32)
    found = measure_quality(photo, photo * 0.9, "srgb")
    assert not found.cropped
    assert found.flip == flip(photo, photo * 0.9)


@pytest.mark.parametrize("measure", [psnr_db, ssim, FLIP])
def test_unequal_shapes_are_refused(measure):
    with pytest.raises(ShapeError) as caught:
        measure(grey(0, 12, 13), grey(0, 13, 12))
    assert str(caught.value) == (
        f"{measure.__name__}: got result [13, 12, 3], need [12, 13, 3]. "
        "Render it at the target's size."
    )


@pytest.mark.parametrize(
    "target, kind",
    [(np.zeros((4, 5)), "float64 [4, 5]"), (np.zeros((4, 5, 3), int), "int64 [4, 5, 3]")],
)
def test_other_arrays_are_refused(target, kind):
    with pytest.raises(ShapeError) as caught:
        psnr_db(target, target)
    assert str(caught.value) == (
        f"psnr_db: got target {kind}, need floats, uint8 or uint16 [H, W, C] with C in 1..4. "
        "Add the missing axis with reshape, or convert with astype."
    )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused(value, same_message):
    result = grey(0.5)
    result[3, 4, 1] = value
    with pytest.raises(PictureError) as caught:
        psnr_db(grey(0.5), result)
    same_message(str(caught.value), "psnr_db", "Replace")


def test_a_peak_of_zero_is_refused(same_message):
    with pytest.raises(ConfigError) as caught:
        psnr_db(grey(0), grey(1), peak=0.0)
    same_message(str(caught.value), "psnr_db.peak", "Pass")


def test_an_unknown_color_space_is_refused(photo, same_message):
    with pytest.raises(ConfigError) as caught:
        measure_quality(photo, photo, "sRGB")
    same_message(str(caught.value), "measure_quality.color_space", "HDR")
