"""source: file names and header text that are no text in UTF-8."""

import contextlib
import os
import subprocess
import sys

import numpy as np
import OpenImageIO
import pytest

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture
from neuralshade.source.image_output import save_picture

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
NAMES = [b"\xe4\xff", "\u00fc\u96ea".encode()]


@pytest.fixture
def values(rng):
    return rng.random((3, 5, 3), np.float32)


@linux
@pytest.mark.parametrize("suffix", [".exr", ".png"])
@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_written_and_read(tmp_path, values, name, suffix):
    path = tmp_path / os.fsdecode(name) / os.fsdecode(name + suffix.encode())
    path.parent.mkdir()
    save_picture(path, values, "linear" if suffix == ".exr" else "srgb")
    picture = load_picture(path)
    np.testing.assert_allclose(picture.as_float(), values, atol=1 / 255)
    assert picture.name == name.decode("utf-8", "replace") + suffix
    assert os.listdir(path.parent) == [path.name]


@linux
def test_where_python_knows_no_language(tmp_path, values):
    """There, names come as bytes of which Python makes no text."""
    path = tmp_path / "\u00fc\u96ea.exr"
    save_picture(path, values, "linear")
    script = "import sys; from neuralshade.source.image_file import load_picture; " \
             "print(ascii(load_picture(sys.argv[1]).name))"  # fmt: skip
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", script, path], env=environment, text=True,
                          capture_output=True)  # fmt: skip
    assert (done.stdout, done.stderr) == ("'\\xfc\\u96ea.exr'\n", "")


@linux
def test_a_refusal_names_the_file_itself(tmp_path, values):
    path = tmp_path / os.fsdecode(b"\xe4.png")
    save_picture(path, values, "srgb")
    path.rename(path.with_suffix(".exr"))
    path.with_suffix(".exr").write_bytes(b"v/1\x01")
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    assert str(caught.value) == f"{path}: got no such file, need a picture. Check the path."
    with pytest.raises(PictureError) as caught:
        load_picture(path.with_suffix(".exr"))
    assert "neuralshade-scratch" not in str(caught.value)


@pytest.fixture
def altered(tmp_path):
    """Give a function that saves a 4 x 4 EXR and replaces bytes of its header."""

    def altered(before, after):
        path = tmp_path / "a.exr"
        spec = OpenImageIO.ImageSpec(4, 4, 4, "float")
        spec.channelnames = ("R", "G", "B", "more")
        spec.attribute("Note", "hello")
        writer = OpenImageIO.ImageOutput.create(str(path))
        assert writer.open(str(path), spec) and writer.write_image(np.ones((4, 4, 4), np.float32))
        assert writer.close()
        data = path.read_bytes()
        assert data.count(before) == 1 and len(before) == len(after)
        path.write_bytes(data.replace(before, after))
        return path

    return altered


@pytest.mark.parametrize("before, after", [
    (b"hello", b"h\xe4\xffll"), (b"Note\0", b"N\xe4\xffe\0"), (b"more\0", b"m\xe4\xffe\0"),
])  # fmt: skip
def test_header_text_that_is_no_utf8_is_read(altered, before, after):
    assert load_picture(altered(before, after)).pixels.shape == (4, 4, 3)


@pytest.mark.parametrize("before, after", [
    (b"lineOrder\0lineOrder", b"lineOrder\0li\xe4\xffOrder"),
    (b"\0R\0\2\0\0\0", b"\0R\0\xff\0\0\0"),
])  # fmt: skip
def test_a_header_whose_refusal_quotes_it(altered, before, after, same_message):
    """OpenImageIO's own words have bytes of the file in them."""
    path = altered(before, after)
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    same_message(str(caught.value), path, "Copy")


def test_channel_names_keep_to_their_line(altered, caplog):
    path = altered(b"more\0", b"\x1b[m\n\0")
    load_picture(path)
    assert caplog.messages == [f"{path}: took channels R, G, B; left out '\\x1b[m\\n'"]


@pytest.mark.parametrize("byte", [0xE4, 0x00])
def test_any_byte_of_a_header_may_be_another(altered, byte):
    path = altered(b"hello", b"hello")
    whole = path.read_bytes()
    for place in range(8, whole.index(b"type\0") if b"type\0" in whole else 320):
        path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
        with contextlib.suppress(PictureError):
            load_picture(path, memory_limit=2**20)
