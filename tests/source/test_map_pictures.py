"""source/map_pictures: decoding side by side has the results of decoding one by one."""

import threading
from functools import partial

import numpy as np
import pytest

from neuralshade.base import cores
from neuralshade.errors import PictureError
from neuralshade.source import map_pictures
from neuralshade.source.image_file import read_picture
from neuralshade.source.map_entry import MapFile
from neuralshade.source.map_pictures import pictures_of
from neuralshade.source.picture import picture_from_array

LIMIT = 2**30


@pytest.fixture
def maps(tmp_path, rng, textures, monkeypatch):
    """Give three maps of 8 x 8 texels, the last in memory, to be read on two cores."""
    monkeypatch.setattr(cores, "core_count", lambda: 2)
    pixels = rng.integers(0, 256, (3, 8, 8, 3), dtype=np.uint8)
    files = [tmp_path / f"{index}.png" for index in range(2)]
    for file, values in zip(files, pixels, strict=False):
        textures.write(file, values)
    return [*map(MapFile, files), MapFile(tmp_path / "2", picture=picture_from_array(pixels[2]))]


def noted(place, limit):
    return read_picture(place, limit)[0], [f"read {place.name}"]


def side_by_side(meeting, place, limit):
    """Read a file only while another is read, too."""
    meeting.wait()
    return noted(place, limit)


def test_pictures_are_decoded_side_by_side_and_come_in_order(maps, monkeypatch, caplog):
    monkeypatch.setattr(map_pictures, "read_picture", noted)
    alone = list(pictures_of(maps, LIMIT, 0))
    told = caplog.messages[:]
    caplog.clear()
    monkeypatch.setattr(
        map_pictures, "read_picture", partial(side_by_side, threading.Barrier(2, timeout=60))
    )
    together = list(pictures_of(maps, LIMIT, 2 * 64 * map_pictures.TEXEL_BYTES))
    assert caplog.messages == told == ["read 0.png", "read 1.png"]
    assert [one.digest for one in together] == [one.digest for one in alone]
    assert len({one.digest for one in alone}) == 3


@pytest.mark.parametrize("free", [2 * 64 * map_pictures.TEXEL_BYTES - 1, 0])
def test_pictures_without_room_are_decoded_one_by_one(maps, monkeypatch, free):
    threads, reading = [], threading.Lock()

    def alone(place, limit):
        assert reading.acquire(blocking=False)
        threads.append(threading.current_thread())
        reading.release()
        return read_picture(place, limit)

    monkeypatch.setattr(map_pictures, "read_picture", alone)
    pictures = pictures_of(maps, LIMIT, free)
    next(pictures)
    assert threads == [threading.current_thread()]  # the second has not begun


@pytest.mark.parametrize("free", [0, LIMIT])
@pytest.mark.parametrize("content", [b"", None])
def test_the_first_damaged_file_is_refused_when_it_is_its_turn(maps, free, content):
    """Whether its header or its pixels are damaged."""
    second = maps[1].path
    second.write_bytes(second.read_bytes()[:-40] if content is None else content)
    pictures = pictures_of(maps, LIMIT, free)
    assert next(pictures).width == 8
    with pytest.raises(PictureError, match=r"1\.png"):
        next(pictures)
