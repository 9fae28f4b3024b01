"""source/image_file, file_kind: of animated pictures the first frame is taken, and told."""

import struct

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture

FRAMES = [np.full((12, 18, 3), color, np.uint8) for color in ((255, 0, 0), (0, 255, 0))]


def save(path, frames, **how):
    first, *others = (Image.fromarray(frame) for frame in frames)
    first.save(path, save_all=len(frames) > 1, append_images=others, **how)
    return path


@pytest.mark.parametrize("suffix", ["gif", "png", "webp"])
def test_the_first_frame_is_taken_and_told(tmp_path, caplog, suffix):
    lossless = {"lossless": True} if suffix == "webp" else {}
    path = save(tmp_path / f"moving.{suffix}", FRAMES, duration=50, **lossless)
    picture = load_picture(path)
    np.testing.assert_array_equal(picture.pixels, FRAMES[0])
    assert caplog.messages == [f"{path}: an animation; took its first frame."]


def test_a_gif_whose_frames_have_no_duration_is_told_too(tmp_path, caplog):
    path = save(tmp_path / "fast.gif", FRAMES)
    np.testing.assert_array_equal(load_picture(path).pixels, FRAMES[0])
    assert caplog.messages == [f"{path}: an animation; took its first frame."]


@pytest.mark.parametrize("suffix", ["gif", "png", "webp"])
def test_a_still_picture_is_not_called_an_animation(tmp_path, caplog, suffix):
    path = save(tmp_path / f"still.{suffix}", FRAMES[:1])
    assert load_picture(path).channels == 3
    assert caplog.messages == []


def test_a_gif_keeps_an_alpha_that_says_something(tmp_path):
    pixels = np.zeros((6, 8, 4), np.uint8)
    pixels[:, :4] = (10, 200, 30, 255)
    Image.fromarray(pixels).save(tmp_path / "cut.gif")
    picture = load_picture(tmp_path / "cut.gif")
    assert picture.has_alpha and (picture.pixels[..., 3] == pixels[..., 3]).all()
    assert (picture.pixels[:, :4, :3] == (10, 200, 30)).all()


def test_a_gif_that_claims_a_huge_canvas_is_refused_before_it_is_opened(tmp_path, same_message):
    path = save(tmp_path / "small.gif", FRAMES[:1])
    data = bytearray(path.read_bytes())
    data[6:10] = struct.pack("<HH", 20_000, 20_000)
    path.write_bytes(data)
    with pytest.raises(PictureError) as caught:
        load_picture(path, memory_limit=2**20)
    same_message(str(caught.value), path, "memory_limit")


@pytest.mark.parametrize("kept", [8, 40, 0.5])
def test_a_gif_that_is_cut_off_is_refused(tmp_path, rng, kept):
    path = save(tmp_path / "cut.gif", [rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)])
    data = path.read_bytes()
    path.write_bytes(data[: kept if kept > 1 else int(kept * len(data))])
    with pytest.raises(PictureError, match="got a damaged or cut-off GIF file, need a whole one"):
        load_picture(path)
