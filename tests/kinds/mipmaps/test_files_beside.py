"""kinds/mipmaps/plan: what lies in a folder of levels already, and what no level is made of."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import AssetError, ConfigError, OutputError, PictureError


@pytest.fixture
def fit(device, set_of, short):
    """Give a function that fits a set of a name into the folder out."""

    def fit(name, formats=("dds",), steepness=0.3, **settings):
        few = {"favor": "mirror", **short}  # no word on suns and skies among the notes
        textures = dataclasses.replace(set_of(8, 8, steepness), name=name)
        return neuralshade.fit_mipmaps(textures, "out", formats=formats, **few | settings)

    return fit


def test_the_name_of_an_asset_is_no_folder_s(stand, set_of, short, same_message):
    with pytest.raises(OutputError) as caught:
        neuralshade.fit_mipmaps(set_of(8, 8), "wood.nsh", **short)
    same_message(str(caught.value), "wood.nsh", "Write")
    assert list(stand.iterdir()) == []


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_what_a_killed_fit_left_half_written_is_no_set(stand, fit):
    """The whole asset under its partial name: it was killed just before it was put there."""
    fit("one")
    (stand / "out/one.nsh").rename(stand / "out/.neuralshade-0-0.nsh")
    fit("one")
    assert (stand / "out/one.nsh").exists()


@pytest.mark.slow
def test_levels_of_another_set_are_not_written_over(stand, fit, refusal, same_message):
    fit("one", ("dds", "png"))
    before = contents(stand / "out")
    message = refusal(OutputError, fit, "other", ("png", "ktx2"))
    same_message(message, "out/albedo_0.png", "Choose")
    assert contents(stand / "out") == before
    fit("other", ("exr",))  # no file of which is one of the other set's
    assert {name: data for name, data in contents(stand / "out").items() if name in before} == (
        before
    )


@pytest.mark.slow
def test_other_assets_and_files_are_no_hindrance(stand, fit):
    """A picture's asset, a checkpoint and a file that is none list no levels."""
    picture = neuralshade.picture_from_array(np.zeros((6, 5, 3), np.uint8))
    (stand / "out").mkdir()
    neuralshade.fit_image(picture, "out/image.nsh", preset="tiny-9", steps=2)
    (stand / "out/text.nsh").write_text("no asset")
    (stand / "out/albedo.dds").write_text("somebody's")
    assert fit("one").notes == ()
    assert (stand / "out/albedo.dds").read_bytes()[:4] == b"DDS "


def test_a_folder_that_cannot_be_looked_into(stand, fit, monkeypatch, refusal, same_message):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    (stand / "out").mkdir()
    monkeypatch.setattr(Path, "iterdir", refuse)
    same_message(refusal(OutputError, fit, "one"), "out", "Choose")


@pytest.mark.slow
def test_a_file_that_cannot_be_removed_is_told(stand, fit, monkeypatch):
    fit("one", ("dds", "png"), levels=1)

    unlink = Path.unlink

    def refuse(path, **given):
        if path.suffix == ".png":
            raise PermissionError(13, "Permission denied")
        unlink(path, **given)

    monkeypatch.setattr(Path, "unlink", refuse)
    assert fit("one", ("dds",), levels=1).notes == (
        "left as they were, no part of these levels: out/albedo_0.png, out/albedo_1.png, "
        "out/metallic_0.png, out/metallic_1.png and 4 more.",
    )


@pytest.mark.slow
def test_the_same_set_again_leaves_no_file_of_before(stand, fit):
    """Levels that are no more, and formats; a file that the asset did not write stays."""
    fit("one", ("png", "dds"))
    (stand / "out/albedo_9.exr").write_text("somebody's")
    (stand / "out/read.me").write_text("too")
    result = fit("one", ("png",), levels=1)
    left = {"one.nsh", "albedo_9.exr", "read.me"}
    assert set(contents(stand / "out")) == left | {
        f"{name}_{level}.png" for name in ("albedo", "normal", "roughness", "metallic")
        for level in (0, 1)
    }  # fmt: skip
    removed, strange = result.notes
    assert removed == (  # 4 maps in DDS, and of 2 levels in PNG
        "removed, as no part of these levels: out/albedo.dds, out/albedo_2.png, out/albedo_3.png, "
        "out/metallic.dds and 8 more."
    )
    assert strange == "left as they were, no part of these levels: out/albedo_9.exr."
    assert neuralshade.info(result.asset)["maps"]["notes"] == []


@pytest.mark.slow
def test_an_asset_that_no_longer_lists_what_it_wrote(stand, fit, refusal):
    """Its header is of before there was a list: nothing is removed, and nothing written over."""
    from neuralshade.asset.file import AssetFile, read_asset_file, write_asset_file

    fit("one", ("png", "dds"))
    file = read_asset_file("out/one.nsh")
    maps = {name: value for name, value in file.header["maps"].items() if name != "files"}
    write_asset_file("out/one.nsh", AssetFile({**file.header, "maps": maps}, file.tensors))
    assert "out/one.nsh" in refusal(OutputError, fit, "other", ("dds",))
    result = fit("one", ("dds",))
    assert (stand / "out/albedo_0.png").exists()
    assert result.notes[0].startswith("left as they were, no part of these levels: out/albedo_0.p")


def test_maps_that_are_read_are_never_removed(stand, fit, short):
    """Level 0 of before as a map of now, in the same folder."""
    first = fit("out", ("png",))
    maps = {name: f"out/{name}_0.png" for name in ("albedo", "normal", "roughness", "metallic")}
    result = neuralshade.fit_mipmaps(None, "out", maps=maps, formats=("ktx2",), **short)
    assert result.asset == first.asset == "out/out.nsh"
    assert all((stand / path).exists() for path in maps.values())
    assert not (stand / "out/albedo_1.png").exists()


def test_occlusion_is_told_as_left_out(device, stand, set_of, short):
    textures, few = set_of(4, 4), {"favor": "mirror", **short}
    shaded = dataclasses.replace(textures, ao=textures.roughness)
    told = "ao: not used: levels are shaded without ambient occlusion."
    assert neuralshade.fit_mipmaps(shaded, "out", **few).notes == (told,)
    read = dataclasses.replace(shaded, paths={"ao": stand / "wall_ao.png"})
    result = neuralshade.fit_mipmaps(read, "out", **few)
    assert result.notes == (
        "ao: read from wall_ao.png, not used: levels are shaded without ambient occlusion.",
    )
    assert neuralshade.info(result.asset)["maps"]["notes"] == list(result.notes)


def written(folder, size=(8, 8)):
    """Write a set of flat maps."""
    folder.mkdir()
    colors = {"albedo": (90, 120, 60), "normal_gl": (128, 128, 255), "roughness": (99, 99, 99)}
    for name, color in colors.items():
        Image.new("RGB", size, color).save(folder / f"{name}.png")
    return folder


def test_a_family_looks_at_every_set_before_the_first_fit(stand, refusal, same_message):
    """At sizes and pictures, not at names alone; no folder is filled before."""
    for name in ("first", "second"):
        written(stand / name)
    small, torn = written(stand / "small", (1, 1)), written(stand / "torn")
    (torn / "roughness.png").write_text("no picture")
    before = sorted(stand.rglob("*"))
    family = neuralshade.fit_mipmaps_family
    said = refusal(ConfigError, family, ["first", "second", small], "f.nsh")
    same_message(said, "small", "Nothing")
    message = refusal(PictureError, family, ["first", "second", torn], "f.nsh", "out")
    assert message.startswith(f"{torn}/roughness.png: got ")
    assert sorted(stand.rglob("*")) == before


def test_a_family_s_folders_are_looked_at_too(device, stand, short, refusal):
    for name in ("first", "second"):
        written(stand / name)
    neuralshade.fit_mipmaps("first", "second_mips", **short)
    before = sorted(stand.rglob("*"))
    message = refusal(OutputError, neuralshade.fit_mipmaps_family, ["first", "second"], "f.nsh")
    assert message.startswith("second_mips/albedo.dds: got a file of another set")
    assert sorted(stand.rglob("*")) == before


def test_a_page_refuses_what_evaluate_refuses(device, stand, short, refusal):
    for name, size in (("wood", (8, 8)), ("other", (16, 16))):
        written(stand / name, size)
    asset = neuralshade.fit_mipmaps("wood", "out", **short).asset
    for kind, reference in ((ConfigError, "none.png"), (AssetError, "other")):
        message = refusal(kind, neuralshade.view, asset, reference, port=0)
        assert message == refusal(kind, neuralshade.evaluate, asset, reference)
    neuralshade.view(asset, "wood", port=0).close()


@pytest.mark.slow
def test_seconds_stand_in_place_of_steps(device, stand, set_of):
    """A fit of few texels does many more than the usual steps in a second."""
    result = neuralshade.fit_mipmaps(set_of(2, 2), "out", seconds=2, pool=4, pairs=1)
    assert result.steps > 256 and result.seconds >= 2
