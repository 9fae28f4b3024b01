"""engines/word_texture: pictures that hold words, bit by bit."""

import io

import numpy as np
import pytest
from PIL import Image

from neuralshade.verbs.export.engines.word_texture import MARK, WIDEST, WordTexture


def read(content):
    """Return the words of a picture file, row 0 above."""
    picture = Image.open(io.BytesIO(content))
    assert picture.mode == "RGBA"
    return np.asarray(picture).copy().view("<u4")[..., 0]


@pytest.mark.parametrize("count", [1, 3, 4, 1000, 70_000])
def test_files_hold_all_bits(count):
    words = np.random.default_rng(count).integers(0, 2**32, count, dtype=np.uint32)
    words[0] = 0x00FFFFFF  # invisible, and white
    texture = WordTexture(words)
    expected = np.concatenate([[MARK], words])
    for rows in (read(texture.tga()), read(texture.png()), read(texture.png(flipped=True))[::-1]):
        assert rows.shape == (texture.height, texture.width)
        np.testing.assert_array_equal(rows.reshape(-1)[: count + 1], expected)
        assert not rows.reshape(-1)[count + 1 :].any()


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 4095, 4096, 2**22 - 1])
def test_sides_are_powers_of_two_and_hold_the_mark_too(count):
    texture = WordTexture(np.zeros(count, np.uint32))
    sides = (texture.width, texture.height)
    assert all(side & (side - 1) == 0 and side <= WIDEST for side in sides)
    assert count + 1 <= sides[0] * sides[1] < 4 * (count + 1)


def test_the_mark_survives_no_other_import():
    """sRGB, 16-bit colors and premultiplied alpha all change it."""
    color = np.array([MARK >> shift & 255 for shift in (0, 8, 16, 24)])
    assert len(set(color)) == 4 and color.min() > 0 and color.max() < 255
    decoded = np.rint(255 * ((color / 255 + 0.055) / 1.055) ** 2.4)
    assert (np.abs(decoded - color)[:3] > 1).all()
    assert (np.rint(color[:3] * color[3] / 255) != color[:3]).all()
