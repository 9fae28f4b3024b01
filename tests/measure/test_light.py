"""measure/light: how wide the range of an HDR picture is, and how much of its light is kept."""

import numpy as np
import pytest

from neuralshade.measure.light import (
    MOST_LIGHT,
    is_wide,
    light_facts,
    light_text,
    lost_light,
    median_of,
    range_of,
    wide_note,
)
from neuralshade.measure.quality_rows import rows_for
from neuralshade.source.picture import picture_from_array


def sky(sun=1e5, channels=3):
    """Return a gradient of 0.1 to 2 with a sun of four texels: float32 [32, 64, channels]."""
    pixels = np.repeat(np.linspace(0.1, 2, 32, dtype=np.float32), 64).reshape(32, 64, 1)
    pixels = np.repeat(pixels, channels, axis=2)
    pixels[6:8, 20:22, :3] = sun
    return pixels


def linear(pixels):
    return picture_from_array(np.float32(pixels), "linear")


@pytest.mark.parametrize("pixels, wide", [
    (sky(), True), (sky(100.0), False), (np.zeros((4, 4, 3)), False),
    (np.where(sky() > 10, sky(), 0), False),  # a sun alone is its own median
    (sky() - 1, False),  # exp has no negative values
    (sky() - 0.101, True),  # but little of them is what filters leave
])  # fmt: skip
def test_a_wide_range_is_over_the_median_of_what_is_lit(pixels, wide):
    assert is_wide(linear(pixels)) is wide


def test_pictures_with_an_upper_bound_are_never_wide():
    pixels = np.zeros((9, 9, 3), np.float32)
    pixels[0, 0], pixels[1:] = 1, 1e-5
    assert not is_wide(picture_from_array(pixels, "srgb"))
    assert range_of(linear(pixels)) == pytest.approx(1e5)
    assert median_of(linear(np.zeros((2, 2, 1)))) == 1


def test_alpha_is_no_light():
    pixels = sky(channels=4)
    pixels[..., 3] = 0.5
    brighter = pixels.copy()
    brighter[..., 3] = 1
    assert light_facts(linear(pixels), brighter) == {"log_psnr_db": 200.0, "light_kept": 1.0}


def test_light_kept_and_psnr_by_logarithms_are_their_definitions():
    target, result = sky(), 0.5 * sky()
    result[6:8, 20:22] = 700
    facts = light_facts(linear(target), result)
    assert facts["light_kept"] == pytest.approx(result.sum() / target.sum(), rel=1e-3)
    coded = [np.log2(1 + np.float64(x) / np.median(target)) for x in (target, result)]
    error = np.square(coded[1] - coded[0]).mean()
    wanted = 10 * np.log10(coded[0].max() ** 2 / error)
    assert facts["log_psnr_db"] == pytest.approx(wanted, abs=2e-3)


def test_others_have_no_such_facts():
    grey = np.full((4, 4, 3), 0.5, np.float32)
    assert light_facts(picture_from_array(grey), grey) == {} and light_text({}) == ""
    black = np.zeros((4, 4, 3), np.float32)
    assert light_facts(linear(black), grey) == {"log_psnr_db": None, "light_kept": None}


def test_what_people_read():
    assert light_text({"log_psnr_db": 43.329, "light_kept": 0.0417}) == (
        ", log-PSNR 43.33 dB, 4.17 % of the light")  # fmt: skip
    assert lost_light({"light_kept": 0.0417}, "A larger --bpp").startswith(
        "fit: the result has 4.17 % of the picture's light, most of which is in few bright pixels. "
        "A larger --bpp or more --steps keep more of it")  # fmt: skip
    assert lost_light({"light_kept": 1 / MOST_LIGHT}, "") is None is lost_light({}, "")
    assert "is 92,537 times the median" in str(wide_note(linear(sky()), "log_l2"))
    assert wide_note(linear(sky()), "relative_l2") is None


def test_tables_of_linear_pictures_have_both():
    target = sky()
    table = rows_for(target, 0.9 * target, 900, "linear", rivals=[])
    assert table[0]["light_kept"] == pytest.approx(0.9, abs=1e-3)
    assert {"log-PSNR dB", "light"} <= {column.title for column in table.columns}
    plain = rows_for(target.clip(0, 1), target.clip(0, 1), 900, "srgb", rivals=[])
    assert "light_kept" not in plain[0] and "light" not in {c.title for c in plain.columns}
