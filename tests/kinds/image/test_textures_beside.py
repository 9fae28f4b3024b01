"""kinds/image/textures_beside: the last lines of a fit name what a GPU samples in as many bytes."""

from types import SimpleNamespace

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.base.ahead import begun_result, kept_ahead
from neuralshade.kinds.image import textures_beside as module
from neuralshade.kinds.image.textures_beside import begin_beside, textures_beside
from neuralshade.measure import picture_rivals
from neuralshade.measure.block_baselines import block_codecs
from neuralshade.measure.quality import psnr_db


@pytest.fixture
def photo(tmp_path):
    row, col = np.mgrid[0:96, 0:128] / 16
    pixels = np.stack([0.5 + 0.4 * np.sin(row * (2 + i) + col**1.3) for i in range(3)], axis=2)
    neuralshade.save_picture(tmp_path / "p.png", pixels.astype(np.float32), "srgb")
    return str(tmp_path / "p.png")


def result(psnr_db, bits=4.0):
    return SimpleNamespace(psnr_db=psnr_db, asset_bytes=round(bits * 96 * 128 / 8))


def psnr_of(photo, name):
    target = neuralshade.load_picture(photo).as_float()
    (codec,) = [each for each in block_codecs(3, (4, 5, 6, 8, 10, 12)) if each.name == name]
    return psnr_db(target, codec.round_trip(target))


def no_more(*given):
    pytest.fail("compressed again")


def test_the_best_of_each_in_as_many_bytes(photo):
    bc1, astc = psnr_of(photo, "BC1"), psnr_of(photo, "ASTC 6x6")
    assert textures_beside(result(bc1 + 0.02), photo) == (
        f"in as many bytes: ASTC 6x6 is {astc - bc1 - 0.02:.1f} dB better, BC1 is equal "
        "(neuralshade evaluate has more)"
    )
    line = textures_beside(result(astc + 3), photo)
    assert "ASTC 6x6 is 3.0 dB worse" in line and f"BC1 is {astc + 3 - bc1:.1f} dB worse" in line


def test_with_fewer_bytes_bc1_does_not_fit(photo):
    line = textures_beside(result(30.0, bits=2.0), photo)
    assert "ASTC 8x8" in line and "BC1" not in line
    assert textures_beside(result(30.0, bits=0.3), photo) is None


def test_what_cannot_be_compared_has_no_line(photo, tmp_path):
    assert textures_beside(result(30.0), str(tmp_path / "none.png")) is None
    small = tmp_path / "small.png"
    neuralshade.save_picture(small, np.zeros((8, 8, 3), np.float32), "srgb")
    assert textures_beside(result(30.0), str(small)) is None
    grey = tmp_path / "grey.png"
    neuralshade.save_picture(grey, np.zeros((96, 128, 1), np.float32), "srgb")
    assert textures_beside(result(30.0), str(grey)) is None


def test_what_was_begun_is_told_without_compressing_again(photo, monkeypatch):
    line = textures_beside(result(30.0), photo)
    with kept_ahead():
        picture = neuralshade.load_picture(photo)
        begin_beside(picture, result(30.0).asset_bytes)
        assert list(begun_result(module._key(picture))) == ["ASTC 6x6", "BC1"]
        monkeypatch.setattr(picture_rivals, "picture_rivals", no_more)
        assert textures_beside(result(30.0), photo) == line


def test_what_was_begun_for_another_picture_or_size_is_not_told(photo):
    black = neuralshade.Picture(np.zeros((96, 128, 3), np.uint8), "srgb", "black")
    lines = [textures_beside(result(30.0, bits), photo) for bits in (4.0, 2.0)]
    with kept_ahead():
        begin_beside(black, result(30.0).asset_bytes)
        begin_beside(neuralshade.load_picture(photo), 100)
        assert [textures_beside(result(30.0, bits), photo) for bits in (4.0, 2.0)] == lines


@pytest.mark.gpu
def test_a_fit_on_a_gpu_begins_it(photo, tmp_path, monkeypatch):
    with kept_ahead():
        options = FitOptions(engine="gpu")
        done = neuralshade.fit_image(photo, tmp_path / "a.nsh", bpp=6.0, steps=50, options=options)
        assert begun_result(module._key(neuralshade.load_picture(photo)))
        monkeypatch.setattr(picture_rivals, "picture_rivals", no_more)
        assert "in as many bytes" in textures_beside(done, photo)
