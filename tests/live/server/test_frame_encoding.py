"""live/frame_encoding: what a page sees is what `render` writes."""

import io
import json
import struct

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.fitting.scene import Tone
from neuralshade.live.frame_encoding import on_screen, packed, png

USUAL = Tone()


def waves(channels, peak=1.0, low=-0.2):
    row, col = np.mgrid[0:13, 0:19].astype(np.float32)
    parts = [np.sin(row / (2 + i) + col / (3 + i)) * 0.6 + 0.5 for i in range(channels)]
    return (np.stack(parts, axis=2) * peak + low).astype(np.float32)


def decoded(file):
    return np.asarray(Image.open(io.BytesIO(file)))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("linear", [False, True])
def test_equal_to_what_is_saved(tmp_path, channels, linear):
    values = waves(channels)
    color_space = "linear" if linear else "srgb"
    if linear and channels in (2, 4):
        values = np.clip(values, 0, 1)
        values[..., :-1] *= values[..., -1:]  # linear color is stored times alpha
    kept = values if linear else values.clip(0, 1)
    neuralshade.save_picture(tmp_path / "x.png", kept, color_space)
    shown = decoded(png(on_screen(values, linear, USUAL)))
    saved = np.asarray(Image.open(tmp_path / "x.png").convert("RGBA"))
    assert shown.dtype == np.uint8 and shown.shape[2] == (4 if channels in (2, 4) else 3)
    if channels in (2, 4):
        np.testing.assert_array_equal(shown[..., 3], saved[..., 3])
        seen = saved[..., 3] > 0  # the color of what is not there differs
        np.testing.assert_array_equal(shown[seen][..., :3], saved[seen][..., :3])
    else:
        np.testing.assert_array_equal(shown, saved[..., :3])


@pytest.mark.parametrize("exposure", [-3.0, 0.0, 2.5])
@pytest.mark.parametrize("gamma", [None, 1.0, 2.2])
def test_tone_of_linear_light(exposure, gamma):
    values = waves(3, peak=9.0)
    shown = on_screen(values, True, Tone(exposure, gamma))
    light = np.clip(values.astype(np.float64) * 2**exposure, 0, 1)
    if gamma is None:
        curve = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    else:
        curve = light ** (1 / gamma)
    # rounded to 8 bits: half a level, and float32
    np.testing.assert_allclose(shown / 255, curve, atol=0.5001 / 255)


def test_srgb_is_shown_as_it_is():
    values = waves(3)
    toned = on_screen(values, False, Tone(3.0, 2.2))
    np.testing.assert_array_equal(toned, on_screen(values, False, USUAL))
    np.testing.assert_allclose(toned / 255, values.clip(0, 1), atol=0.5001 / 255)


@pytest.mark.parametrize("linear", [False, True])
def test_numbers_that_are_none_are_black_or_white(linear):
    values = np.float32([[[np.nan] * 3, [np.inf] * 3, [-np.inf] * 3, [3e38] * 3]])
    shown = on_screen(values, linear, Tone(8.0))
    assert shown[0, :, 0].tolist() == [0, 255, 0, 255]


def test_a_binary_message_can_be_taken_apart():
    message = packed({"type": "frame", "name": "\xe4"}, [b"abc", b"", b"de"])
    (size,) = struct.unpack_from("<I", message)
    assert json.loads(message[4 : 4 + size]) == {"type": "frame", "name": "\xe4"}
    assert message[4 + size :] == b"abcde"
