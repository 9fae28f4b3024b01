"""asset: levels come back as they were saved, and other readers see them in each format."""

import dataclasses

import numpy as np
import OpenImageIO
import pytest
import slangpy as spy
import texture2ddecoder

import neuralshade
from neuralshade.asset.asset import Header, asset_file, read_asset, save_asset
from neuralshade.asset.file import write_asset_file
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.asset import (
    CURVE_POINTS,
    decoded_level,
    level_tensors,
    map_names,
    stored_level,
    stored_levels,
    write_chain,
)
from neuralshade.kinds.mipmaps.plan import _written_by
from neuralshade.measure.plane.mip_filters import Maps, unit
from neuralshade.source.color import linear_to_srgb

MAPS = map_names(has_opacity=False)
SIZES = [(6, 5), (3, 2), (1, 1)]  # width, height


def maps_of(width, height):
    rng = np.random.default_rng(width)
    normal = unit(rng.normal(0, 0.3, (height, width, 3)).astype(np.float32) + np.float32([0, 0, 1]))
    albedo, (rough, metal) = rng.random((height, width, 3)), rng.random((2, height, width))
    return Maps(*map(np.float32, (albedo, normal, rough, metal)))


def header_of(sizes=SIZES):
    maps = {"name": "x", "sizes": [list(size) for size in sizes], "notes": [], "kept": ["box"] * 2,
            "normal_convention": None}  # fmt: skip
    curve = [[i, 0.0, 1.0, None] for i in range(300)]
    training = {"steps": 1, "seconds": 0.1, "curve": curve}
    return Header({"steps": 1}, training, {}, own={"maps": maps})


@pytest.mark.parametrize("formats, held, memory_bytes", [
    (None, "R8, RGBA8", (30 + 6 + 1) * 10),  # of before formats were told
    (["png", "exr"], "R8, RGBA8", (30 + 6 + 1) * 10),
    (["ktx2-bc"], "BC4, BC5, BC7", (4 + 1 + 1) * 48),
])  # fmt: skip
def test_memory_is_that_of_the_files(tmp_path, levels, formats, held, memory_bytes):
    header = header_of()
    if formats is not None:
        header.own["maps"]["formats"] = formats
    save(tmp_path / "x.nsh", header, levels)
    opened = neuralshade.load(tmp_path / "x.nsh")
    facts = opened.facts()
    assert facts["memory_bytes"] == memory_bytes
    assert facts["bits_per_pixel"] == pytest.approx(8 * facts["bytes"] / 30)
    assert opened.summary()["in a GPU"] == (
        f"{memory_bytes} bytes, {8 * memory_bytes / 30:.3f} bits per texel of level 0, as {held}"
    )


def save(path, header, levels):
    return save_asset(path, "mipmaps", header, level_tensors(levels), CURVE_POINTS)


@pytest.fixture
def levels():
    return [stored_level(maps_of(*size)) for size in SIZES]


@pytest.fixture
def saved(tmp_path, levels):
    path = tmp_path / "x.nsh"
    return path, save(path, header_of(), levels)


def test_saved_levels_come_back(saved, levels):
    path, size = saved
    asset = read_asset(path)
    assert asset.byte_count == size == path.stat().st_size
    assert asset.header.own == header_of().own and asset.header.picture is None
    assert len(asset.header.training["curve"]) <= 100
    for given, found in zip(levels, stored_levels(asset), strict=True):
        assert list(found) == list(MAPS)
        for name, values in given.items():
            np.testing.assert_array_equal(found[name], values)


def test_load_returns_it(saved):
    assert neuralshade.load(saved[0]).maps["name"] == "x"


def test_shown_is_stored_within_half_a_level():
    maps = maps_of(37, 23)
    shown = decoded_level(stored_level(maps))
    half = 0.501 / 255
    curves = [linear_to_srgb(values) for values in (shown["albedo"], maps.albedo)]
    np.testing.assert_allclose(*curves, atol=half)
    np.testing.assert_allclose(np.linalg.norm(shown["normal"], axis=2), 1, atol=1e-6)
    np.testing.assert_allclose(shown["normal"], maps.normal, atol=4 * half)
    for name in ("roughness", "metallic"):
        np.testing.assert_allclose(shown[name], getattr(maps, name), atol=half)


def test_what_is_beyond_the_range_is_clamped():
    maps = maps_of(2, 1)
    wide = dataclasses.replace(maps, albedo=3 * maps.albedo + 1, metallic=maps.metallic - 2)
    stored = stored_level(wide)
    assert stored["albedo"].min() == 255 and stored["metallic"].max() == 0


@pytest.mark.parametrize("change, got", [
    ({"normal_1": None}, "no such tensor for normal_1"),
    ({"normal_1": np.zeros((2, 2, 3), np.uint8)}, "uint8 [2, 2, 3] for normal_1"),
    ({"normal_1": np.zeros((2, 3, 3), np.float32)}, "float32 [2, 3, 3] for normal_1"),
])  # fmt: skip
def test_a_file_without_its_levels_refused(tmp_path, saved, change, got):
    asset = read_asset(saved[0])
    tensors = {**asset.tensors, **change}
    tensors = {name: values for name, values in tensors.items() if values is not None}
    write_asset_file(tmp_path / "y.nsh", asset_file("mipmaps", asset.header, tensors))
    with pytest.raises(AssetError) as caught:
        neuralshade.load(tmp_path / "y.nsh")
    assert str(caught.value) == (
        f"{tmp_path}/y.nsh: got {got}, need uint8 [2, 3, 3]. Fit it again."
    )


def test_a_header_without_its_maps_refused(tmp_path, saved):
    asset = read_asset(saved[0])
    file = asset_file("mipmaps", asset.header, asset.tensors)
    del file.header["maps"]
    write_asset_file(tmp_path / "y.nsh", file)
    with pytest.raises(AssetError, match="got no 'maps' in the header"):
        neuralshade.load(tmp_path / "y.nsh")


@pytest.mark.parametrize("name", ["albedo", "normal"])  # it does not read one channel
def test_dds_is_read_by_openimageio(tmp_path, levels, name):
    files = write_chain(tmp_path, "dds", levels)
    assert [path.name for path in files] == [f"{each}.dds" for each in MAPS]
    file = OpenImageIO.ImageInput.open(str(tmp_path / f"{name}.dds"))
    assert file, OpenImageIO.geterror()
    for i, level in enumerate(levels):
        assert file.seek_subimage(0, i)
        texels = file.read_image(0, i, 0, file.spec().nchannels, "uint8")
        np.testing.assert_array_equal(texels[..., :3], level[name])
    assert not file.seek_subimage(0, len(levels))
    file.close()


@pytest.mark.parametrize("name", MAPS)
def test_dds_is_loaded_by_slangpy(tmp_path, device, name):
    """Of powers of two, none taller than wide: others' levels it looks for in wrong places."""
    levels = [stored_level(maps_of(*size)) for size in [(8, 4), (4, 2), (2, 1), (1, 1)]]
    write_chain(tmp_path, "dds", levels)
    texture = spy.TextureLoader(device).load_texture(tmp_path / f"{name}.dds")
    assert (texture.width, texture.height, texture.mip_count) == (8, 4, 4)
    assert texture.format.name.endswith("_srgb") == (name == "albedo")
    for i, level in enumerate(levels):
        texels = texture.to_numpy(mip=i)
        texels = texels.reshape(*level[name].shape[:2], -1)[..., : level[name].shape[2]]
        np.testing.assert_array_equal(texels, level[name])


DECODERS = {"albedo": (texture2ddecoder.decode_bc7, [2, 1, 0]),
            "normal": (texture2ddecoder.decode_bc5, [2, 1]),
            "roughness": (texture2ddecoder.decode_bc4, [2]),
            "metallic": (texture2ddecoder.decode_bc4, [2])}  # fmt: skip


def test_blocks_are_decoded_by_another_program(tmp_path):
    """Smooth maps, whose blocks hold them nearly; level 0 follows the header of 148 bytes."""
    row, col = np.mgrid[0:16, 0:16].astype(np.float32) / 75 + 0.4
    normal = unit(np.stack([row - 0.5, col - 0.5, np.full_like(row, 2)], axis=2))
    maps = Maps(np.stack([row, col, 1 - row], axis=2), normal, col, row)
    level = stored_level(maps)
    for path, (decode, order) in zip(write_chain(tmp_path, "dds-bc", [level]), DECODERS.values(),
                                     strict=True):  # fmt: skip
        bgra = np.frombuffer(decode(path.read_bytes()[148:], 16, 16), np.uint8).reshape(16, 16, 4)
        wanted = level[path.stem][..., : len(order)].astype(int)
        assert np.abs(bgra[..., order] - wanted).mean() < 2, path.name


@pytest.mark.parametrize("form", ["ktx2", "ktx2-bc"])
def test_ktx2_holds_every_level(tmp_path, levels, form):
    """Its writer is tested apart; here, that each map has all its levels and its format."""
    formats = {"ktx2": (43, 37, 9, 9), "ktx2-bc": (146, 141, 139, 139)}[form]
    for path, number in zip(write_chain(tmp_path, form, levels), formats, strict=True):
        raw = path.read_bytes()
        words = np.frombuffer(raw[12:48], "<u4")
        assert (words[0], words[2], words[3], words[7]) == (number, 6, 5, 3), path.name
        if form == "ktx2":
            place, size = np.frombuffer(raw[80:96], "<u8")
            texels = np.frombuffer(raw[place : place + size], np.uint8).reshape(5, 6, -1)
            wanted = levels[0][path.stem]
            np.testing.assert_array_equal(texels[..., : wanted.shape[2]], wanted)


def test_names_of_files_that_are_none_are_passed_over(tmp_path, levels):
    """What lies beside a fit's output is read before the fit, whoever wrote it."""
    header = header_of()
    header.own["maps"]["files"] = [["x"], 5, None, "albedo.dds"]
    save(tmp_path / "x.nsh", header, levels)
    assert _written_by(tmp_path / "x.nsh", []) == {"albedo.dds"}


def test_errors_of_an_older_form_are_refused(tmp_path):
    """A line, where reports and tables would miss a key."""
    quality = {"mirror": {"kept": [], "box": []}}
    header = dataclasses.replace(header_of(), quality=quality)
    save(tmp_path / "old.nsh", header, [])
    with pytest.raises(AssetError, match=r"no errors of stored_box under mirror .*Fit it again"):
        neuralshade.load(tmp_path / "old.nsh")


def cut_out(path, levels, said="coverage"):
    """Save levels with opacity, and a header that says what its own levels are, or does not."""
    header = header_of()
    header.recipe["keep_hidden_color"] = False
    if said is not None:
        header.own["maps"]["opacity"] = said
    for level in levels:
        level["opacity"] = level["roughness"] // 2
    save(path, header, levels)


def test_opacity_comes_back(tmp_path, levels):
    cut_out(tmp_path / "x.nsh", levels)
    opened = neuralshade.load(tmp_path / "x.nsh")
    assert opened.names == (*MAPS, "opacity") and opened.weighted
    assert opened.memory_bytes == (30 + 6 + 1) * 11
    for level, maps in zip(levels, opened.chain, strict=True):
        np.testing.assert_array_equal(maps.opacity, level["opacity"][..., 0] / np.float32(255))
    files = write_chain(tmp_path, "dds-bc", levels)
    assert [path.name for path in files] == [f"{name}.dds" for name in (*MAPS, "opacity")]


@pytest.mark.parametrize("said, change, got", [
    (None, {}, "a tensor opacity_0, need none of that name"),
    ("kept", {}, "'kept' for maps.opacity in the header, need one of"),
    (["coverage"], {}, "['coverage'] for maps.opacity in the header, need a text"),
    ("means", {"opacity_2": None}, "no such tensor for opacity_2, need uint8 [1, 1, 1]"),
    ("means", {"opacity_1": np.zeros((2, 3, 3), np.uint8)}, "uint8 [2, 3, 3] for opacity_1"),
    ("means", {"opacity_9": np.zeros((1, 1, 1), np.uint8)}, "a tensor opacity_9"),
])  # fmt: skip
def test_an_opacity_that_the_header_does_not_say_refused(tmp_path, levels, said, change, got):
    cut_out(tmp_path / "x.nsh", levels, said)
    asset = read_asset(tmp_path / "x.nsh")
    tensors = {**asset.tensors, **change}
    tensors = {name: values for name, values in tensors.items() if values is not None}
    write_asset_file(tmp_path / "y.nsh", asset_file("mipmaps", asset.header, tensors))
    with pytest.raises(AssetError) as caught:
        neuralshade.load(tmp_path / "y.nsh")
    assert f"y.nsh: got {got}" in str(caught.value)
