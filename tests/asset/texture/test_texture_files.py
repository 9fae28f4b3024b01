"""asset/texture/texture_files: maps come back from files, through other readers."""

import struct

import numpy as np
import pytest
from fixtures.other_readers import DECODERS, by_openimageio
from PIL import Image

from neuralshade.asset.texture.map_chain import USUAL_BLOCKS, MapChain, chain_format
from neuralshade.asset.texture.texture_files import level_files, map_files, write_maps
from neuralshade.errors import ConfigError, OutputError, PictureError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.image_file import load_picture

SIZE = (24, 16)  # height, width: each side ends another way


def smooth(channels, low=0.1, high=0.9, size=SIZE):
    """Return the levels of slopes with little noise, float32 [H, W, C]."""
    rng = np.random.default_rng(channels)
    levels = []
    for number in range(max(size).bit_length()):
        rows, columns = (max(1, side >> number) for side in size)
        y, x = np.mgrid[0:rows, 0:columns] / np.array([rows, columns])[:, None, None]
        planes = np.stack([x, y, 1 - (x + y) / 2][:channels], axis=2)
        planes += rng.normal(0, 0.004, planes.shape)
        levels.append((low + (high - low) * np.clip(planes, 0, 1)).astype(np.float32))
    return levels


def unit_normals():
    xy = [level - np.float32(0.5) for level in smooth(2)]
    return [np.concatenate([n, np.sqrt(1 - (n**2).sum(axis=2, keepdims=True))], axis=2) for n in xy]


def a_set(bits=8):
    return [
        MapChain("albedo", smooth(3), "srgb", bits),
        MapChain("normal", unit_normals(), "normal", bits),
        MapChain("roughness", smooth(1), "data", bits),
        MapChain("flow", smooth(2), "data", bits),
        MapChain("specular", smooth(3), "data", bits),
        MapChain("emissive", smooth(3, 0, 7.5), "linear", 16, wide=True),
    ]


def without(maps, *names):
    return [one for one in maps if one.name not in names]


def stored(one, level):
    """Return what a file should hold of a map."""
    return (level + 1) / 2 if one.meaning == "normal" else level


@pytest.mark.parametrize("bits", [8, 16])
def test_plain_dds_is_read_by_openimageio(tmp_path, bits):
    """It reads four channels of 8 bits; the others are read by the header's own layout."""
    maps = a_set(bits)
    files = write_maps(tmp_path / "out", "dds", maps)
    assert files == [tmp_path / "out" / f"{one.name}.dds" for one in maps]
    for one, path in zip(maps, files, strict=True):
        form = chain_format(one)
        raw, at = path.read_bytes(), 148
        assert struct.unpack_from("<I", raw, 128) == (form.dxgi,)
        for level in one.levels:
            size = form.level_bytes(level)
            values = np.frombuffer(raw[at : at + size], form.dtype).astype(np.float32)
            peak = 1 if form.dtype == "float16" else np.iinfo(form.dtype).max
            values = values.reshape(*level.shape[:2], -1)[..., : one.channels] / peak
            close = {"rtol": 1e-3} if form.dtype == "float16" else {"atol": 0.502 / peak}
            np.testing.assert_allclose(values, stored(one, level), **close)
            at += size
        assert at == len(raw)
        if form.name.startswith("rgba8"):
            for image, level in zip(by_openimageio(path), one.levels, strict=True):
                apart = image[..., :3] - stored(one, level)
                assert np.abs(apart).max() < 0.502 / 255


ERRORS = {"bc1": 0.03, "bc4": 0.008, "bc5": 0.008, "bc7": 0.018}  # root of mean squares


@pytest.mark.parametrize("blocks", [USUAL_BLOCKS, ("bc1", "bc5", "bc4")])
def test_blocks_are_read_by_three_programs(tmp_path, blocks):
    maps = without(a_set(), "emissive")
    for one, path in zip(maps, write_maps(tmp_path, "dds", maps, blocks), strict=True):
        form = chain_format(one, blocks)
        kind = form.name[:3]
        wanted = stored(one, one.levels[0])[..., : form.channels]
        blob = path.read_bytes()[148 : 148 + form.level_bytes(wanted)]
        bgra = np.frombuffer(DECODERS[kind](blob, *SIZE[::-1]), np.uint8).reshape(*SIZE, 4)
        images = [bgra[..., [2, 1, 0]] / 255, by_openimageio(path)[0]]
        if form.name != "bc1_srgb":  # which Pillow has no reader for
            with Image.open(path) as image:
                images.append(np.asarray(image).reshape(*SIZE, -1) / 255)
        for image in images:
            apart = image[..., : wanted.shape[2]] - wanted
            assert np.sqrt((apart**2).mean()) < ERRORS[kind], (one.name, kind)
        assert len(by_openimageio(path)) == len(one.levels)


@pytest.mark.parametrize("blocks", [(), USUAL_BLOCKS, ("bc1",)])
def test_ktx2_holds_what_dds_holds(tmp_path, blocks):
    """The same bytes of each level, under the same kind of format."""
    maps = a_set()
    dds, ktx2 = (write_maps(tmp_path, kind, maps, blocks) for kind in ("dds", "ktx2"))
    for one, left, right in zip(maps, dds, ktx2, strict=True):
        form = chain_format(one, blocks)
        raw, other, at = left.read_bytes(), right.read_bytes(), 148
        number, _, width, height, *_, levels, _ = struct.unpack_from("<9I", other, 12)
        assert (number, width, height) == (form.vulkan, *SIZE[::-1])
        assert levels == len(one.levels)
        for level in range(levels):
            place, size, _ = struct.unpack_from("<3Q", other, 80 + 24 * level)
            assert other[place : place + size] == raw[at : at + size]
            at += size


@pytest.mark.parametrize("bits", [8, 16])
def test_png_holds_every_level(tmp_path, bits):
    maps = without(a_set(bits), "emissive")
    files = write_maps(tmp_path, "png", maps)
    names = [f"{one.name}_{level}.png" for one in maps for level in range(len(one.levels))]
    assert [path.name for path in files] == names
    paths = iter(files)
    for one in maps:
        for level in one.levels:
            picture = load_picture(next(paths))
            assert picture.pixels.dtype == f"uint{bits}"
            values = picture.as_float()
            assert np.abs(values[..., : one.channels] - stored(one, level)).max() < (
                0.502 / (2**bits - 1)
            )
            assert one.channels != 2 or not values[..., 2].any()


@pytest.mark.parametrize("bits, dtype", [(8, "float16"), (16, "float32")])
def test_exr_holds_linear_colors_and_signed_normals(tmp_path, bits, dtype):
    maps = a_set(bits)
    paths = iter(write_maps(tmp_path, "exr", maps))
    for one in maps:
        for level in one.levels:
            pixels = load_picture(next(paths)).pixels
            assert pixels.dtype == (dtype if one.name != "emissive" else "float32")
            wanted = srgb_to_linear(level) if one.meaning == "srgb" else level
            close = 2e-3 if dtype == "float16" else 1e-6  # of a curve that is steep in halves
            np.testing.assert_allclose(pixels[..., : one.channels], wanted, rtol=close, atol=close)


def test_linear_colors_are_encoded_in_png(tmp_path):
    one = MapChain("sky", smooth(3), "linear", 16)
    path = write_maps(tmp_path, "png", [one])[0]
    wanted = linear_to_srgb(one.levels[0])
    np.testing.assert_allclose(load_picture(path).as_float(), wanted, atol=0.502 / 65_535)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("container, blocks", [("dds", USUAL_BLOCKS), ("ktx2", ()), ("png", ())])
def test_all_or_nothing(tmp_path, monkeypatch, container, blocks):
    """Ctrl-C in the last map: those before it stay as they were, too."""
    maps = without(a_set(), "emissive")
    write_maps(tmp_path, container, maps, blocks)
    before = contents(tmp_path)

    def interrupted(maps):
        yield from maps[:-1]
        raise KeyboardInterrupt

    darker = [MapChain(one.name, [level / 2 for level in one.levels], one.meaning) for one in maps]
    with pytest.raises(KeyboardInterrupt):
        write_maps(tmp_path, container, interrupted(darker), blocks)
    assert contents(tmp_path) == before
    write_maps(tmp_path, container, darker, blocks)
    changed = contents(tmp_path)
    assert changed.keys() == before.keys() and changed != before


def test_a_full_disk_leaves_nothing(small_disk, same_message):
    big = MapChain("height", smooth(1, size=(256, 200)), "data", 16)
    with pytest.raises(OutputError) as caught:
        write_maps(small_disk, "dds", [*a_set()[2:4], big])
    same_message(str(caught.value), f"{small_disk}/height.dds", "Free")
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("container, blocks, message", [
    ("ddss", (), "format: got 'ddss', need one of dds, ktx2, png, exr. Did you mean dds?"),
    ("dds", ("bc2",),
     "block: got 'bc2', need one of bc7, bc6h, bc5, bc4, bc1. Name those to take."),
    ("png", ("bc7", "bc4"),
     "block: got bc7, bc4 for png, need dds or ktx2. Choose another format, or leave block out."),
])  # fmt: skip
def test_refused(tmp_path, container, blocks, message):
    with pytest.raises(ConfigError) as caught:
        write_maps(tmp_path / "out", container, a_set(), blocks)
    assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_wide_maps_are_no_png(tmp_path, same_message):
    with pytest.raises(ConfigError) as caught:
        write_maps(tmp_path, "png", a_set())
    same_message(str(caught.value), "format", "Choose another")
    assert list(tmp_path.iterdir()) == []


def test_names_are_no_folders_and_no_two_are_one(tmp_path, same_message):
    one, other = (
        MapChain(name, [np.zeros((1, 1, 1), np.float32)], "data") for name in ("a/b", "a_b")
    )
    assert write_maps(tmp_path, "dds", [one]) == [tmp_path / "a_b.dds"]
    with pytest.raises(ConfigError) as caught:
        write_maps(tmp_path, "dds", [one, other])
    same_message(str(caught.value), "a_b", "Rename")


def test_no_numbers_are_refused(tmp_path):
    broken = MapChain("height", [np.full((1, 1, 1), np.nan, np.float32)], "data", 16)
    for container in ("dds", "exr", "png"):
        with pytest.raises(PictureError):
            write_maps(tmp_path, container, [broken])
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_called_so_are_found(tmp_path):
    names = ["albedo", "x.y"]
    for container in ("png", "ktx2"):
        for path in map_files(tmp_path, container, names, 2):
            path.touch()
    strangers = ("albedo.png", "normal.ktx2", "xzy.ktx2", "albedo_a.png")
    for name in strangers:
        (tmp_path / name).touch()
    found = {path.name for path in level_files(tmp_path, names)}
    assert found == {path.name for path in tmp_path.iterdir()} - {*strangers}
    assert level_files(tmp_path / "absent", names) == []
