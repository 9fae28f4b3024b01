"""verbs/decode: DirectX normals, maps in the channels of one file, alpha, sides of blocks."""

import numpy as np
import pytest
from fixtures.other_readers import by_openimageio
from PIL import Image

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import ConfigError


@pytest.fixture(scope="module")
def cutout(tmp_path_factory):
    """Give an asset with opacity and all maps that are packed, 12 x 20 texels, but no ao."""
    rng = np.random.default_rng(5)
    maps = {name: rng.integers(0, 256, (12, 20, count), np.uint8)
            for name, count in (("albedo", 3), ("roughness", 1), ("metallic", 1), ("opacity", 1),
                                ("displacement", 1))}  # fmt: skip
    maps["normal"] = rng.integers((64, 64, 200), (192, 192, 255), (12, 20, 3), np.uint8)
    path = tmp_path_factory.mktemp("cutout") / "leaf.nsh"
    neuralshade.fit_textures(maps, path, steps=8, batch=128, hidden_width=16,
                             normal_convention="opengl",
                             options=FitOptions(engine="torch", device="cpu"))  # fmt: skip
    return neuralshade.load(path)


def stored(opened, name, level=0):
    values = opened.map(name, level)
    return values / 2 + 0.5 if name == "normal" else values


@pytest.mark.parametrize("format", ["dds", "png", "exr"])
def test_directx_normals_point_down_in_green(tmp_path, cutout, format):
    up = neuralshade.decode(cutout, tmp_path / "up", format=format)
    down = neuralshade.decode(cutout, tmp_path / "down", format=format,
                              normal_convention="directx")  # fmt: skip
    assert [path.name for path in up] == [path.name for path in down]
    for one, two in zip(up, down, strict=True):
        if not one.stem.startswith("normal"):
            same = one.read_bytes() == two.read_bytes()
            # an EXR's header has the second it was written in
            assert same or np.array_equal(*(by_openimageio(path)[0] for path in (one, two)))
            continue
        first, second = (by_openimageio(path)[0][..., :3] for path in (one, two))
        total = 0 if format == "exr" else 1
        np.testing.assert_allclose(first[..., 1] + second[..., 1], total, atol=2 / 255)
        np.testing.assert_array_equal(first[..., [0, 2]], second[..., [0, 2]])


def test_blocks_of_directx_normals_do_too(tmp_path, cutout):
    neuralshade.decode(cutout, tmp_path, blocks="bc5", maps="normal", normal_convention="directx")
    found = by_openimageio(tmp_path / "normal.dds")[0]
    wanted = stored(cutout, "normal") * [1, -1, 1] + [0, 1, 0]
    assert np.abs(found[..., :2] - wanted[..., :2]).mean() < 0.05


@pytest.mark.parametrize("word, maps", [
    ("orm", ("ao", "roughness", "metallic")), ("arm", ("ao", "roughness", "metallic")),
    ("mra", ("metallic", "roughness", "ao")), ("rm", ("roughness", "metallic")),
    ("ormh", ("ao", "roughness", "metallic", "displacement")),
])  # fmt: skip
@pytest.mark.parametrize("format", ["dds", "png"])
def test_maps_are_packed_in_the_order_of_the_letters(tmp_path, cutout, caplog, word, maps, format):
    files = neuralshade.decode(cutout, tmp_path, format=format, pack=word)
    stems = {path.stem.removesuffix("_0") for path in files}
    assert word in stems and not stems & {"ao", "roughness", "metallic"}
    assert ("displacement" in stems) == ("displacement" not in maps)
    (path,) = [path for path in files if path.stem.removesuffix("_0") == word]
    if format == "png":  # of which OpenImageIO multiplies colors by alpha
        with Image.open(path) as picture:
            image = np.asarray(picture) / 255
    elif len(maps) == 2:  # rg8, which OpenImageIO does not read
        image = np.frombuffer(path.read_bytes()[148:][: 12 * 20 * 2], np.uint8) / 255
        image = image.reshape(12, 20, 2)
    else:
        image = by_openimageio(path)[0]
    for channel, name in enumerate(maps):
        wanted = 1.0 if name == "ao" else stored(cutout, name)[..., 0]
        assert np.abs(image[..., channel] - wanted).max() < 0.51 / 255, name
    said = f"{word}: the set has no ao; it is 1 everywhere."
    assert (said in caplog.messages) == ("ao" in maps)


def test_every_level_is_packed_and_others_are_written_where_named(tmp_path, cutout):
    files = neuralshade.decode(cutout, tmp_path, pack=["orm"], maps=["albedo"])
    assert [path.name for path in files] == ["albedo.dds", "orm.dds"]
    levels = by_openimageio(files[1])
    for level in range(5):
        wanted = stored(cutout, "roughness", level)[..., 0]
        assert np.abs(levels[level][..., 1] - wanted).max() < 0.51 / 255


@pytest.mark.parametrize("blocks, most", [((), 0.51 / 255), (("bc7",), 0.2)])
def test_opacity_is_the_alpha_of_albedo(tmp_path, cutout, blocks, most):
    files = neuralshade.decode(cutout, tmp_path, alpha=True, blocks=blocks)
    assert "opacity" not in {path.stem for path in files}
    wanted = np.concatenate([stored(cutout, "albedo"), stored(cutout, "opacity")], axis=2)
    with Image.open(tmp_path / "albedo.dds") as image:
        found = np.asarray(image) / 255
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).mean() <= most
    with pytest.raises(ConfigError, match=r"alpha: .* exr.*Choose another format"):
        neuralshade.decode(cutout, tmp_path / "none", alpha=True, format="exr")


def test_pngs_have_alpha(tmp_path, cutout):
    neuralshade.decode(cutout, tmp_path, alpha=True, format="png", levels=1)
    with Image.open(tmp_path / "albedo_0.png") as image:
        assert image.mode == "RGBA"
        wanted = stored(cutout, "opacity")[..., 0]
        assert np.abs(np.asarray(image)[..., 3] / 255 - wanted).max() < 0.51 / 255


def test_sides_that_are_no_multiples_of_4_are_told(tmp_path, cutout, caplog):
    """Direct3D refuses such textures, and WebGL, at level 0; smaller levels may have any."""
    neuralshade.decode(cutout, tmp_path / "whole", maps="albedo", blocks="bc7")
    assert not caplog.messages
    odd = tmp_path / "odd.nsh"
    maps = {"albedo": np.random.default_rng(1).random((10, 14, 3)).astype(np.float32)}
    neuralshade.fit_textures(maps, odd, steps=2, batch=64, hidden_width=16,
                             options=FitOptions(engine="torch", device="cpu"))  # fmt: skip
    caplog.clear()
    neuralshade.decode(odd, tmp_path / "plain")
    assert not caplog.messages
    for format in ("dds", "ktx2"):
        caplog.clear()
        neuralshade.decode(odd, tmp_path / format, blocks="bc7", format=format)
        assert [line for line in caplog.messages if line.startswith(
            "albedo: 14 x 10 texels in bc7_srgb, which Direct3D and WebGL take only with sides "
            "that are multiples of 4.")]  # fmt: skip


@pytest.mark.parametrize("given, said", [
    ({"pack": "orx"}, r"pack: got 'orx'.*each for another map"),
    ({"pack": "o"}, "2 to 4 letters"), ({"pack": "orr"}, "each for another map"),
    ({"pack": "ao"}, "each for another map"),
    ({"pack": ["orm", "rh"]}, r"roughness in two files.*Leave one out"),
    ({"pack": "ormh", "format": "exr"}, "Choose another"),
    ({"normal_convention": "direct"}, r"normal_convention: .*Did you mean directx"),
    ({"maps": ["albedoo"], "pack": "rm"}, r"maps: got 'albedoo'.*Did you mean albedo"),
    ({"latents": True, "pack": "rm"}, "need it alone"),
    ({"latents": True, "normal_convention": "directx"}, "need it alone"),
])  # fmt: skip
def test_what_is_refused(tmp_path, cutout, given, said):
    with pytest.raises(ConfigError, match=said):
        neuralshade.decode(cutout, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_maps_that_a_set_lacks_are_named(tmp_path, fitted_set):
    with pytest.raises(ConfigError, match=r"alpha: got a set without opacity"):
        neuralshade.decode(fitted_set.asset, tmp_path / "out", alpha=True)
    assert not (tmp_path / "out").exists()
