"""verbs/render: exposure and tone of linear pictures."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.measure.display import exposure_stops
from neuralshade.verbs.tone_mapping import check_tone, tone_map

LIGHT = np.random.default_rng(1).gamma(1.0, 3.0, (16, 24, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def bright(tmp_path_factory):
    """Give an asset of a linear picture that is brighter than a screen."""
    row, col = np.mgrid[0:12, 0:18].astype(np.float32)
    values = np.stack([row / 2, col / 4, row * col / 16], axis=2).astype(np.float32)
    picture = neuralshade.picture_from_array(values, color_space="linear")
    path = tmp_path_factory.mktemp("bright") / "a.nsh"
    neuralshade.fit_image(picture, path, steps=20, preset="tiny-9")
    return path


def test_a_stop_is_twice_the_light():
    np.testing.assert_allclose(tone_map(LIGHT, 1, "clip"), 2 * LIGHT)
    np.testing.assert_allclose(tone_map(LIGHT, -2.5, "clip"), LIGHT * 2**-2.5, rtol=1e-6)
    assert tone_map(LIGHT, 0, "clip") is LIGHT


def test_auto_is_the_rule_of_reports():
    exposed = tone_map(LIGHT, "auto", "clip")
    np.testing.assert_allclose(exposed, LIGHT * 2 ** exposure_stops(LIGHT), rtol=1e-5)
    assert np.quantile(exposed.max(axis=2), 0.99) == pytest.approx(1, abs=1e-4)


def test_the_stops_of_auto_are_told(caplog):
    with caplog.at_level("INFO", "neuralshade"):
        tone_map(LIGHT, "auto", "clip")
        tone_map(LIGHT, 1.5, "clip")  # which whoever asked for it knows
    assert caplog.messages == [f"exposure: {exposure_stops(LIGHT):+.2f} stops, by what is drawn."]


def test_reinhard_keeps_hues_and_brings_luminance_below_one():
    mapped = tone_map(LIGHT, 0, "reinhard")
    luminance = LIGHT @ np.float32([0.2126, 0.7152, 0.0722])
    after = mapped @ np.float32([0.2126, 0.7152, 0.0722])
    np.testing.assert_allclose(after, luminance / (1 + luminance), rtol=1e-5)
    np.testing.assert_allclose(mapped[..., 0] * LIGHT[..., 1], mapped[..., 1] * LIGHT[..., 0],
                               rtol=1e-4)  # fmt: skip


def test_alpha_stays_and_weighs_the_luminance():
    grey = np.float32([[[0.5, 0.25]]])  # associated: light of 2 that covers a quarter
    np.testing.assert_allclose(tone_map(grey, 0, "reinhard"), [[[0.5 / 3, 0.25]]], rtol=1e-6)
    assert tone_map(np.float32([[[3e38]]]), 5, "clip")[0, 0, 0] == np.finfo(np.float32).max


@pytest.mark.parametrize("exposure, tonemap, space, message", [
    ("automatic", "clip", "linear", "exposure: got 'automatic', need stops, -32 to 32, or auto. "
     "1 is twice as bright."),
    (float("nan"), "clip", "linear", "exposure: got nan, need stops, -32 to 32, or auto. 1 is "
     "twice as bright."),
    (0, "Reinhard", "linear", "tonemap: got 'Reinhard', need one of ['clip', 'reinhard']. Did you "
     "mean reinhard?"),
    (1, "clip", "srgb", "exposure: got 1 for a picture in srgb, need a linear one, HDR or lit. "
     "Leave exposure out."),
    (0, "reinhard", "srgb", "tonemap: got 'reinhard' for a picture in srgb, need a linear one, "
     "HDR or lit. Leave tonemap out."),
])  # fmt: skip
def test_refused(exposure, tonemap, space, message):
    with pytest.raises(ConfigError) as caught:
        check_tone(exposure, tonemap, space)
    assert str(caught.value) == message


def test_an_hdr_asset_is_drawn_for_a_screen(bright, tmp_path):
    plain = neuralshade.render(bright)
    assert abs(exposure_stops(plain)) > 0.1
    shown = neuralshade.render(bright, tmp_path / "a.png", exposure="auto", tonemap="reinhard")
    np.testing.assert_array_equal(shown, tone_map(plain, "auto", "reinhard"))
    assert (tmp_path / "a.png").exists()


def test_files_for_a_screen_are_exposed_as_reports_are_and_floats_stay(bright, tmp_path):
    plain = neuralshade.render(bright)
    for name in ("a.png", "a.jpg", "a.webp", "a.tif"):
        shown = neuralshade.render(bright, tmp_path / name)
        np.testing.assert_array_equal(shown, tone_map(plain, "auto", "clip"))
    for name in ("a.exr", "a.hdr"):
        np.testing.assert_array_equal(neuralshade.render(bright, tmp_path / name), plain)
    np.testing.assert_array_equal(neuralshade.render(bright, tmp_path / "a.png", exposure=0), plain)


def test_an_exposure_that_is_none_is_refused(bright):
    with pytest.raises(ConfigError):
        neuralshade.render(bright, exposure=99)
