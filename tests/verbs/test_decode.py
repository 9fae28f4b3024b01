"""verbs/decode: maps of an asset in files, read back by other programs."""

import os
from pathlib import Path

import numpy as np
import pytest
from fixtures.other_readers import DECODERS, by_openimageio
from PIL import Image

import neuralshade
from neuralshade.asset.texture.map_chain import USUAL_BLOCKS
from neuralshade.errors import AssetError, ConfigError, OutputError

DATA = Path(__file__).parent.parent / "data"
SIZES = [(24, 16), (12, 8), (6, 4), (3, 2), (1, 1)]
NARROW = ["albedo", "normal", "roughness", "metallic", "displacement"]  # within [0, 1]


@pytest.fixture(scope="module")
def opened(fitted_set):
    return neuralshade.load(fitted_set.asset)


def stored(opened, name, level=0):
    """Return a map as files hold it: float32 [height, width, C]."""
    values = opened.map(name, level)
    return values / 2 + 0.5 if name == "normal" else values


def test_dds_holds_every_map_and_level(tmp_path, opened):
    files = neuralshade.decode(opened, tmp_path / "out")
    assert [path.name for path in files] == [f"{one.name}.dds" for one in opened.codings]
    images = by_openimageio(tmp_path / "out/albedo.dds")
    assert [image.shape[1::-1] for image in images] == SIZES
    for level, image in enumerate(images):
        assert np.abs(image[..., :3] - stored(opened, "albedo", level)).max() < 0.51 / 255
    with Image.open(tmp_path / "out/albedo.dds") as image:
        assert (
            np.abs(np.asarray(image)[..., :3] / 255 - stored(opened, "albedo")).max() < 0.51 / 255
        )


@pytest.mark.parametrize("blocks", [USUAL_BLOCKS, ("bc1", "bc5", "bc4")])
def test_blocks_are_read_by_other_programs(tmp_path, opened, blocks):
    files = neuralshade.decode(opened, tmp_path, blocks=blocks, maps=NARROW)
    for name, path in zip(NARROW, files, strict=True):
        kind = {"albedo": blocks[0], "normal": "bc5"}.get(name, "bc4")
        wanted = stored(opened, name)[..., : 2 if name == "normal" else 3]
        blob = path.read_bytes()[148 : 148 + 6 * 4 * (8 if kind in ("bc1", "bc4") else 16)]
        bgra = np.frombuffer(DECODERS[kind](blob, *SIZES[0]), np.uint8).reshape(16, 24, 4)
        for image in (bgra[..., [2, 1, 0]] / 255, by_openimageio(path)[0]):
            apart = image[..., : wanted.shape[2]] - wanted
            most = 0.05 if kind == "bc1" else 0.04  # blocks of more than one slope
            assert np.sqrt((apart**2).mean()) < most, (name, kind)


def test_ktx2_holds_what_dds_holds(tmp_path, opened):
    files = [neuralshade.decode(opened, tmp_path, format=kind, maps="roughness", blocks="bc4")
             for kind in ("dds", "ktx2")]  # fmt: skip
    dds, ktx2 = (paths[0].read_bytes() for paths in files)
    first = int.from_bytes(ktx2[80:88], "little")
    assert ktx2[first : first + 6 * 4 * 8] == dds[148 : 148 + 6 * 4 * 8]


def test_png_holds_a_level_each(tmp_path, opened):
    files = neuralshade.decode(opened, tmp_path, format="png", maps=NARROW, levels=2)
    names = [f"{name}_{level}.png" for name in NARROW for level in (0, 1)]
    assert [path.name for path in files] == names
    for path in files:
        name, level = path.stem.split("_")
        wanted = stored(opened, name, int(level))
        with Image.open(path) as image:
            peak = 255 if name != "displacement" else 65535
            values = np.asarray(image).reshape(wanted.shape) / peak
        assert np.abs(values - wanted).max() < 0.51 / peak + 1e-5  # kept in 16 bits meanwhile


def test_exr_holds_light_beyond_1_and_normals(tmp_path, opened):
    neuralshade.decode(opened, tmp_path, format="exr", maps=["emissive", "normal"], levels=1)
    emissive, normal = (by_openimageio(tmp_path / f"{n}_0.exr")[0] for n in ("emissive", "normal"))
    assert emissive.max() > 1.5
    # 16 bits of log(1 + x) up to log(5), times 1 + x
    np.testing.assert_allclose(emissive, opened.map("emissive"), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(normal, opened.map("normal"), atol=2e-3)  # half floats, and z


def test_a_region_is_what_a_whole_map_has_there(tmp_path, opened):
    """Also of a constant, and in blocks."""
    neuralshade.decode(opened, tmp_path, format="png", maps=["albedo", "metallic"],
                       region=(5, 3, 7, 9))  # fmt: skip
    for name in ("albedo", "metallic"):
        with Image.open(tmp_path / f"{name}_0.png") as image:
            assert image.size == (7, 9)
            wanted = stored(opened, name)[3:12, 5:12]
            values = np.asarray(image).reshape(wanted.shape) / 255
            assert np.abs(values - wanted).max() < 0.51 / 255 + 1e-5
    assert sorted(os.listdir(tmp_path)) == ["albedo_0.png", "metallic_0.png"]
    neuralshade.decode(opened, tmp_path, maps="roughness", blocks="bc4", region=[8, 4, 12, 8])
    whole = neuralshade.decode(opened, tmp_path / "all", maps="roughness", blocks="bc4")
    part = (tmp_path / "roughness.dds").read_bytes()[148:]
    rows = np.frombuffer(whole[0].read_bytes()[148 : 148 + 6 * 4 * 8], np.uint8).reshape(4, 6, 8)
    assert part == rows[1:3, 2:5].tobytes()


def test_mip_levels_are_written_as_they_are_stored(tmp_path):
    opened = neuralshade.load(DATA / "mipmaps.nsh")
    files = neuralshade.decode(opened, tmp_path, format="png", levels=2)
    for path in files:
        tensor = opened.tensors[path.stem]
        with Image.open(path) as image:
            np.testing.assert_array_equal(np.asarray(image).reshape(tensor.shape), tensor)


@pytest.mark.parametrize("name", ["image_grid", "splats_sum", "shader", "mip_family"])
def test_assets_without_maps_are_refused(tmp_path, refusal, name):
    path = DATA / f"{name}.nsh"
    opened = neuralshade.load(path)
    end = "See neuralshade info." if name == "mip_family" else "Draw it with neuralshade render."
    assert refusal(AssetError, neuralshade.decode, path, tmp_path / "out") == (
        f"{path}: got an asset of kind {opened.kind.name!r}, which holds no texture maps, need "
        f"one that does. {end}"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "given, message",
    [
        ({"format": "dss"}, "format: got 'dss', need one of dds, ktx2, png, exr. Did you mean "
         "dds?"),
        ({"blocks": ["bc3"]}, "block: got 'bc3', need one of bc7, bc6h, bc5, bc4, bc1. Name those "
         "to take."),
        ({"format": "png", "blocks": "bc7"}, "block: got bc7 for png, need dds or ktx2. Choose "
         "another format, or leave block out."),
        ({"maps": ["rufness"]}, "map: got 'rufness', need one of ['albedo', 'normal', "
         "'roughness', 'metallic', 'displacement', 'emissive']. Did you mean roughness?"),
        ({"levels": 6}, "levels: got 6, need 1 to 5. Leave it out."),
        ({"levels": 0}, "levels: got 0, need 1 to 5. Leave it out."),
        ({"levels": 2, "region": (0, 0, 4, 4)}, "levels: got 2, need 1: a region is one of level "
         "0. Leave it out."),
        ({"region": (20, 0, 8, 4)}, "region: got 20,0,8,4, need a part of the 24 x 16 texels of "
         "level 0. Write for example 0,0,4,4."),
        ({"region": (0, 0, 0, 4)}, "region: got 0,0,0,4, need a part of the 24 x 16 texels of "
         "level 0. Write for example 0,0,4,4."),
        ({"region": (2, 0, 8, 4), "blocks": "bc4"}, "region: got 2,0,8,4, need multiples of 4: "
         "blocks are so large. Move it, or leave blocks out."),
        ({"region": "all"}, "region: got 'all', need x, y, width and height in whole texels. Leave "
         "it out for whole maps."),
        ({"format": "png"}, "format: got png for emissive, whose numbers pass 1, need dds, ktx2 or "
         "exr. Choose another."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_nothing_is_written(
    tmp_path, opened, refusal, given, message
):
    (tmp_path / "albedo.dds").write_bytes(b"kept")
    assert refusal(ConfigError, neuralshade.decode, opened, tmp_path, **given) == message
    assert os.listdir(tmp_path) == ["albedo.dds"]
    assert (tmp_path / "albedo.dds").read_bytes() == b"kept"
    refusal(ConfigError, neuralshade.decode, opened, tmp_path / "new", **given)
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_what_a_gpu_decodes_is_what_the_cpu_does(tmp_path, opened, one_device):
    told = []
    for device in ("cpu", "vulkan"):
        neuralshade.decode(opened, tmp_path / device, format="png", maps=["roughness", "normal"],
                           device=device, on_device=told.append)  # fmt: skip
    assert told[0] == "cpu" and told[1].endswith("(vulkan)")
    for path in (tmp_path / "cpu").iterdir():
        images = []
        for one in (path, tmp_path / "vulkan" / path.name):
            with Image.open(one) as image:
                images.append(np.asarray(image).astype(int))
        assert np.abs(images[0] - images[1]).max() <= 1  # 8 bits


def test_levels_that_are_stored_as_they_are_take_no_device(tmp_path, refusal, same_message):
    message = refusal(ConfigError, neuralshade.decode, DATA / "mipmaps.nsh", tmp_path, device="cpu")
    same_message(message, "device", "Leave")


def test_the_asset_is_never_written_over(tmp_path, fitted_set, refusal, same_message):
    asset = tmp_path / "normal.dds"
    asset.write_bytes(fitted_set.asset.read_bytes())
    same_message(refusal(OutputError, neuralshade.decode, asset, tmp_path), asset, "Choose")
    assert os.listdir(tmp_path) == ["normal.dds"]
    assert asset.read_bytes() == fitted_set.asset.read_bytes()


def test_too_little_memory_is_told_before_anything_is_decoded(
    tmp_path, opened, refusal, monkeypatch, same_message
):
    class Memory:
        available = 2**10

    monkeypatch.setattr("psutil.virtual_memory", Memory)
    told = refusal(ConfigError, neuralshade.decode, opened, tmp_path)
    same_message(told, "levels", "Decode")
