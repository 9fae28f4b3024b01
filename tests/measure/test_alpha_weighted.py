"""measure: with alpha as a weight, what it hides changes no number, and rivals are judged alike."""

import numpy as np
import pytest
from PIL import Image

from neuralshade.measure.baselines import spend_on_thumbnail, spend_on_webp
from neuralshade.measure.display import on_screen
from neuralshade.measure.picture_psnr import weighted_squares
from neuralshade.measure.quality import measure_quality, psnr_db
from neuralshade.measure.resample import resample

GRASS = np.float32([60, 150, 40]) / 255


def pair(channels=4, seed=0):
    """Return a target and a result [20, 26, channels] whose alpha is 0, 1 or between."""
    rng = np.random.default_rng(seed)
    target, result = rng.random((2, 20, 26, channels)).astype(np.float32)
    target[..., -1] = (target[..., -1] * 3 - 1).clip(0, 1)
    return target, result


@pytest.mark.parametrize("channels", [2, 4])
def test_psnr_is_its_definition(channels):
    target, result = pair(channels)
    weights = np.ones(target.shape)
    weights[..., :-1] = target[..., -1:]
    squares = weights * np.square(result.astype(np.float64) - target)
    wanted = 10 * np.log10(4.0 * weights.sum() / squares.sum())
    assert psnr_db(target, result, 2.0, alpha_weighted=True) == pytest.approx(wanted, abs=1e-6)
    own, counted = weighted_squares(result.astype(np.float64) - target, target, True)
    assert (own, counted) == (pytest.approx(squares.sum()), pytest.approx(weights.sum()))


def test_opaque_it_is_the_plain_one():
    target, result = pair()
    target[..., 3] = 1
    assert psnr_db(target, result, alpha_weighted=True) == pytest.approx(psnr_db(target, result))


def test_hidden_color_changes_no_measure():
    (target, result), noise = pair(), np.random.default_rng(3).random((2, 20, 26, 3))
    other, drawn = target.copy(), result.copy()
    result[..., 3] = drawn[..., 3] = target[..., 3]
    hidden = target[..., 3] == 0
    other[hidden, :3], drawn[hidden, :3] = noise[0][hidden], noise[1][hidden]
    assert measure_quality(target, result, "srgb", alpha_weighted=True) == (
        measure_quality(other, drawn, "srgb", alpha_weighted=True))  # fmt: skip
    assert measure_quality(target, result, "srgb") != measure_quality(other, drawn, "srgb")


def cutout(size=64):
    """Return grass of one color with holes, over magenta: float32 [size, size, 4]."""
    v, u = np.mgrid[:size, :size]
    alpha = np.float32(np.sin(u / 3) + np.cos(v / 4) > 0.2)[..., None]
    return np.concatenate([np.where(alpha > 0, GRASS, np.float32([1, 0, 1])), alpha], 2)


@pytest.mark.parametrize("how", [Image.Resampling.BOX, Image.Resampling.BILINEAR])
def test_a_smaller_cutout_keeps_its_color(how):
    target = cutout()
    for side in (31, 8, 1):
        found = resample(target, side, side, how, alpha_weighted=True)
        seen = found[found[..., 3] > 1e-3]
        np.testing.assert_allclose(
            seen[:, :3], np.broadcast_to(GRASS, seen[:, :3].shape), atol=1e-4
        )
        plain = resample(target, side, side, how)
        np.testing.assert_allclose(found[..., 3], plain[..., 3])
        assert abs(plain[..., 0] - found[..., 0]).max() > 0.1


def test_the_screen_and_thumbnails_show_that_color():
    target = cutout()
    shown = on_screen(target, 16, None)
    np.testing.assert_allclose(shown[shown[..., 3] > 0.01][:, :3].mean(0), GRASS, atol=1e-4)
    found = [spend_on_thumbnail(target, 200, "srgb", alpha_weighted=weighted).result
             for weighted in (True, False)]  # fmt: skip
    by_alpha, plain = (psnr_db(target, each, alpha_weighted=True) for each in found)
    assert by_alpha > plain + 1


def test_webp_need_not_keep_what_nobody_sees():
    target = np.uint8(cutout() * 255)
    hidden = target[..., 3] == 0
    target[hidden, :3] = np.random.default_rng(0).integers(0, 256, (hidden.sum(), 3))
    kept = spend_on_webp(target, 20_000)
    free = spend_on_webp(target, 20_000, alpha_weighted=True)
    assert kept.setting == free.setting == "lossless"
    assert free.byte_count < 0.5 * kept.byte_count
    assert psnr_db(target / np.float32(255), free.result, alpha_weighted=True) == np.inf
