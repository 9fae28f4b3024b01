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
    assert read(texture.tga()).shape == (texture.height, texture.width)
    for rows in (read(texture.tga()), read(texture.lifted_png())[::-1]):
        assert rows.shape[1] == texture.width
        np.testing.assert_array_equal(rows.reshape(-1)[: count + 1], expected)
        assert not rows.reshape(-1)[count + 1 :].any()


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 4095, 4096, 70_000])
def test_a_png_has_powers_of_two_and_holds_the_mark_too(count):
    sides = read(WordTexture(np.zeros(count, np.uint32)).lifted_png()).shape
    assert all(side & (side - 1) == 0 and side <= WIDEST for side in sides)
    assert count + 1 <= sides[0] * sides[1] < 4 * (count + 1)


def test_the_mark_survives_no_other_import():
    """sRGB, 16-bit colors and premultiplied alpha all change it."""
    color = np.array([MARK >> shift & 255 for shift in (0, 8, 16, 24)])
    assert len(set(color)) == 4 and color.min() > 0 and color.max() < 255
    decoded = np.rint(255 * ((color / 255 + 0.055) / 1.055) ** 2.4)
    assert (np.abs(decoded - color)[:3] > 1).all()
    assert (np.rint(color[:3] * color[3] / 255) != color[:3]).all()
