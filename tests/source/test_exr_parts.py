"""source/channels, parts: the picture among an EXR's channels, layers, parts and windows."""

import struct

import numpy as np
import OpenImageIO
import pytest

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture


@pytest.fixture
def pixels(rng):
    return rng.normal(size=(6, 5, 8)).astype(np.float32)


def write_parts(path, *parts):
    """Write parts, each of pixels, names of channels, and attributes with __ for the colon."""
    specs = []
    for values, names, attributes in parts:
        spec = OpenImageIO.ImageSpec(values.shape[1], values.shape[0], values.shape[2], "float")
        spec.channelnames = names
        for name, value in attributes.items():
            spec.attribute(name.replace("__", ":"), value)
        specs.append(spec)
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), tuple(specs) if len(specs) > 1 else specs[0]), writer.geterror()
    for index, (values, _, _) in enumerate(parts):
        assert not index or writer.open(str(path), specs[index], "AppendSubimage")
        assert writer.write_image(np.ascontiguousarray(values)), writer.geterror()
    assert writer.close()
    return path


def named(name, **attributes):
    return {"name": name, "oiio__subimagename": name, **attributes}


@pytest.mark.parametrize("names, picks", [
    (("R",), (0,)), (("Z",), (0,)), (("V",), (0,)), (("height",), (0,)), (("luminance",), (0,)),
    (("depth.V",), (0,)), (("A", "Z"), (1, 0)), (("X", "Y", "Z"), (0, 1, 2)),
    (("Z", "Y", "X"), (2, 1, 0)), (("N.X", "N.Y", "N.Z"), (0, 1, 2)),
    (("View.Normal.X", "View.Normal.Y", "View.Normal.Z", "View.Combined.B", "View.Combined.G",
      "View.Combined.R"), (5, 4, 3)),
    (("Y", "N.X", "N.Y", "N.Z"), (0,)), (("N.X", "N.Y", "N.Z", "P.V"), (0, 1, 2)),
    (("spec.R", "spec.G", "spec.B", "beauty.R", "beauty.G", "beauty.B", "beauty.A"), (3, 4, 5, 6)),
])  # fmt: skip
def test_channels(tmp_path, pixels, names, picks, assert_loads):
    values = pixels[..., : len(names)]
    stored = write_parts(tmp_path / "a.exr", (values, names, {}))
    if len(names) == len(picks) and "A" not in names:
        assert_loads(stored, values[..., picks], "linear")
    else:
        np.testing.assert_array_equal(load_picture(stored).pixels, values[..., picks])


@pytest.mark.parametrize("names", [("R", "G"), ("N.X", "N.Y"), ("u", "v"), ("flow.U", "flow.V")])
def test_two_numbers_are_red_and_green(tmp_path, pixels, names, caplog):
    path = write_parts(tmp_path / "a.exr", (pixels[..., :2], names, {}))
    found = load_picture(path).pixels
    np.testing.assert_array_equal(found[..., :2], pixels[..., :2])
    assert found.shape[2] == 3 and not found[..., 2].any()
    assert caplog.messages == [
        f"{path}: got two channels; took them for red and green, with a blue of 0"
    ]


def test_the_layer_that_the_file_is_named_after(tmp_path, pixels):
    names = ("albedo.R", "albedo.G", "albedo.B", "spec.R", "spec.G", "spec.B")
    path = write_parts(tmp_path / "rock_albedo.exr", (pixels[..., :6], names, {}))
    np.testing.assert_array_equal(load_picture(path).pixels, pixels[..., :3])
    path = write_parts(tmp_path / "rock.exr", (pixels[..., :6], names, {}))
    with pytest.raises(PictureError, match="got color in layers albedo, spec, need it in one"):
        load_picture(path)


RGB, XYZ = ("R", "G", "B"), ("X", "Y", "Z")


@pytest.mark.parametrize("parts, taken", [
    ([("depth", ("Z",)), ("rgba", RGB)], 1), ([("normal", RGB), ("beauty", RGB)], 1),
    ([("N", XYZ), ("depth", ("Z",)), ("albedo", RGB)], 2), ([("one", RGB), ("two", RGB)], 0),
    ([("position", RGB), ("diffuse", RGB)], 1), ([("id", ("u32",)), ("depth", ("Z",))], 0),
])  # fmt: skip
def test_the_part_that_has_color(tmp_path, pixels, parts, taken, caplog):
    written = [(pixels[..., index : index + len(names)], names, named(name))
               for index, (name, names) in enumerate(parts)]  # fmt: skip
    path = write_parts(tmp_path / "a.exr", *written)
    np.testing.assert_array_equal(load_picture(path).pixels, written[taken][0])
    left_out = ", ".join(f"{name} (5 x 6)" for name, _ in parts if name != parts[taken][0])
    assert caplog.messages == [
        f"{path}: got {len(parts)} parts; took {parts[taken][0]} (5 x 6); left out {left_out}"
    ]


@pytest.mark.parametrize("views", [("right", "left"), ("left", "right")])
def test_the_left_eye(tmp_path, pixels, views):
    parts = [(pixels[..., 3 * i : 3 * i + 3], RGB, named(f"rgb.{view}", view=view))
             for i, view in enumerate(views)]  # fmt: skip
    found = load_picture(write_parts(tmp_path / "a.exr", *parts)).pixels
    np.testing.assert_array_equal(found, parts[views.index("left")][0])


def windowed(path, pixels, write_samples, x, y, display):
    """Write pixels whose data begin at x, y beside a display window (x, y, width, height)."""
    spec = OpenImageIO.ImageSpec(pixels.shape[1], pixels.shape[0], pixels.shape[2], "float")
    spec.x, spec.y = x, y
    spec.full_x, spec.full_y, spec.full_width, spec.full_height = display
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec) and writer.write_image(np.ascontiguousarray(pixels))
    assert writer.close()
    return path


def test_data_fill_their_display_window(tmp_path, pixels, write_samples, caplog):
    path = windowed(tmp_path / "a.exr", pixels[..., :3], write_samples, 2, 3, (0, 0, 9, 11))
    found = load_picture(path).pixels
    expected = np.zeros((11, 9, 3), np.float32)
    expected[3:9, 2:7] = pixels[..., :3]
    np.testing.assert_array_equal(found, expected)
    assert caplog.messages == [f"{path}: has data in 30% of its display window; the rest is black"]


def test_data_beyond_the_display_window_are_cut_off(tmp_path, pixels, write_samples, caplog):
    path = windowed(tmp_path / "a.exr", pixels[..., :3], write_samples, -1, -2, (0, 0, 3, 2))
    np.testing.assert_array_equal(load_picture(path).pixels, pixels[2:4, 1:4, :3])
    assert caplog.messages == []


@pytest.mark.parametrize("x, y, display", [
    (0, 0, (-2, 1, 4, 20)), (7, -3, (5, -5, 3, 9)), (-3, 50, (0, 0, 4, 900)),
])  # fmt: skip
def test_any_windows(tmp_path, pixels, write_samples, x, y, display):
    path = windowed(tmp_path / "a.exr", pixels[..., :4], write_samples, x, y, display)
    found = load_picture(path).pixels
    left, top, width, height = display
    assert found.shape == (height, width, 4)
    for row in range(height):
        for column in range(width):
            inner = row + top - y, column + left - x
            inside = 0 <= inner[0] < 6 and 0 <= inner[1] < 5
            expected = pixels[inner][:4] if inside else np.zeros(4)
            np.testing.assert_array_equal(found[row, column], expected)


def test_windows_that_do_not_meet(tmp_path, pixels, write_samples):
    path = windowed(tmp_path / "a.exr", pixels[..., :3], write_samples, 20, 20, (0, 0, 4, 4))
    with pytest.raises(PictureError, match="got a data window outside the display window"):
        load_picture(path)


def test_a_huge_display_window_counts_against_the_limit(tmp_path, pixels, write_samples):
    path = windowed(
        tmp_path / "a.exr", pixels[..., :3], write_samples, 0, 0, (0, 0, 60_000, 60_000)
    )
    with pytest.raises(PictureError, match="got 60000 x 60000 pixels of 3 float"):
        load_picture(path)


def chroma_file():
    """Return an EXR file in luminance and chroma, 4 x 4, which no writer at hand makes."""

    def attribute(name, kind, content):
        return name + b"\0" + kind + b"\0" + struct.pack("<i", len(content)) + content

    channels = b"".join(name + b"\0" + struct.pack("<iB3xii", 2, 0, step, step)
                        for name, step in ((b"BY", 2), (b"RY", 2), (b"Y", 1))) + b"\0"  # fmt: skip
    box = struct.pack("<4i", 0, 0, 3, 3)
    head = b"v/1\x01\x02\0\0\0" + b"".join((
        attribute(b"channels", b"chlist", channels),
        attribute(b"compression", b"compression", b"\0"), attribute(b"dataWindow", b"box2i", box),
        attribute(b"displayWindow", b"box2i", box), attribute(b"lineOrder", b"lineOrder", b"\0"),
        attribute(b"pixelAspectRatio", b"float", struct.pack("<f", 1)),
        attribute(b"screenWindowCenter", b"v2f", struct.pack("<2f", 0, 0)),
        attribute(b"screenWindowWidth", b"float", struct.pack("<f", 1)), b"\0",
    ))  # fmt: skip
    places, rows = b"", b""
    for y in range(4):
        row = struct.pack("<4f", *[0.5] * (4 if y % 2 == 0 else 0) or [0] * 4)[: 16 - 16 * (y % 2)]
        row += struct.pack("<4f", *[0.5] * 4)
        places += struct.pack("<Q", len(head) + 32 + len(rows))
        rows += struct.pack("<ii", y, len(row)) + row
    return head + places + rows


def test_luminance_and_chroma_are_named(tmp_path, same_message):
    path = tmp_path / "a.exr"
    path.write_bytes(chroma_file())
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    same_message(str(caught.value), path, "Export")
