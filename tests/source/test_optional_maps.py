"""source/map_reader: optional files of a folder that do not fit are left out, others refused."""

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import ConfigError, PictureError
from neuralshade.source.map_files import find_maps, find_material
from neuralshade.source.material_set import load_material_set
from neuralshade.source.resize import misfits
from neuralshade.source.texture_set import load_texture_set

LOADERS = pytest.mark.parametrize("load", [load_material_set, load_texture_set])


@pytest.fixture
def folder(tmp_path, rng):
    """Give a folder of albedo, normal and roughness of 12 x 8, and what adds a file to it."""
    (tmp_path / "rock").mkdir()

    def add(name, width=12, height=8, channels=1):
        shape = (height, width) if channels == 1 else (height, width, channels)
        path = tmp_path / "rock" / name
        Image.fromarray(rng.integers(100, 156, shape, dtype=np.uint8)).save(path)
        return path

    add("rock_albedo.png", channels=3)
    add("rock_rough.png")
    add.path = tmp_path / "rock"
    return add


def names(found):
    return {name for name in ("albedo", "roughness", "ao", "opacity")
            if (name in found.names if hasattr(found, "names")
                else getattr(found, name) is not None)}  # fmt: skip


@LOADERS
@pytest.mark.parametrize("size", [(5, 7), (50, 70)])  # smaller and larger than the others
def test_another_aspect_ratio_is_left_out(folder, load, size):
    folder("rock_ao.png", *size)
    found = load(folder.path)
    assert names(found) == {"albedo", "roughness"} and (found.width, found.height) == (12, 8)
    assert (f"ao: rock_ao.png left out, as its {size[0]} x {size[1]} has another aspect ratio "
            "than albedo of 12 x 8. Scale or crop it.") in found.notes  # fmt: skip


@LOADERS
def test_a_left_out_opacity_hides_nothing(folder, load):
    folder("rock_albedo.png", 6, 4, channels=3)
    plain = load(folder.path)
    folder("rock_opacity.png", 5, 7)
    found = load(folder.path)
    assert names(found) == {"albedo", "roughness"}
    was, now = (s["albedo"].values if load is load_material_set else s.albedo
                for s in (plain, found))  # fmt: skip
    np.testing.assert_array_equal(was, now)


@LOADERS
@pytest.mark.parametrize("name", ["rock_rough.png", "rock_normal.png"])
def test_a_needed_map_of_another_aspect_ratio_is_refused(folder, load, name):
    if "normal" in name:
        Image.new("RGB", (5, 7), (128, 128, 255)).save(folder.path / name)
        with Image.open(folder.path / name) as one:
            one.putpixel((1, 1), (140, 128, 254))
            one.save(folder.path / name)
    else:
        folder(name, 5, 7)
    with pytest.raises(PictureError, match="need one aspect ratio"):
        load(folder.path)


@LOADERS
def test_what_a_user_named_is_refused(folder, load):
    path = folder("rock_ao.png", 5, 7)
    flag = {"maps": {"ao": path}} if load is load_material_set else {"ao": path}
    manifest = {key: str(folder.path / f"rock_{key[:5]}.png") for key in ("roughness",)}
    manifest |= {"albedo": str(folder.path / "rock_albedo.png"), "ao": str(path)}
    for source, options in ((folder.path, flag), (manifest, {})):
        with pytest.raises(PictureError, match="got ao of 5 x 7 beside"):
            load(source, **options)
    if load is load_material_set:
        with pytest.raises(PictureError, match="got ao of 5 x 7 beside"):
            load(sorted(folder.path.iterdir()))


def test_gloss_for_roughness_is_needed(folder):
    (folder.path / "rock_rough.png").unlink()
    folder("rock_gloss.png", 5, 7)
    with pytest.raises(PictureError, match="got roughness of 5 x 7 beside albedo"):
        load_texture_set(folder.path)
    folder("rock_smoothness.png")
    for find in (find_maps, find_material):
        with pytest.raises(ConfigError, match="got 2 files for gloss"):
            find(folder.path, {})


@LOADERS
@pytest.mark.parametrize("pair", [
    ("rock_ao.png", "rock_occlusion.png"), ("rock_alpha.png", "rock_cutout.png"),
])  # fmt: skip
def test_two_files_for_an_optional_map_are_left_out(folder, load, pair):
    paths = [folder(name) for name in pair]
    found = load(folder.path)
    assert names(found) == {"albedo", "roughness"}
    name = "ao" if "ao" in pair[0] else "opacity"
    assert (f"{name}: left out, as 2 files may be it: {pair[0]}, {pair[1]}. Move the others away, "
            "or give the path of one by itself.") in found.notes  # fmt: skip
    options = {"maps": {name: paths[1]}} if load is load_material_set else {name: paths[1]}
    assert name in names(load(folder.path, **options))


def test_the_better_of_two_is_still_taken(folder):
    for name in ("rock_height.png", "rock_height16.png"):
        folder(name)
    found = find_material(folder.path, {})
    assert found.files["displacement"].path.name == "rock_height16.png"


def test_two_sets_are_not_mixed(folder):
    for name in ("rock_ao.png", "sand_ao.png", "sand_height.png"):
        folder(name)
    with pytest.raises(ConfigError, match="got maps of 2 sets, rock, sand"):
        find_maps(folder.path, {})


def test_two_files_and_nothing_else_are_refused(tmp_path):
    for name in ("a_height.png", "a_disp.png"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match="got 2 files for displacement: a_disp"):
        find_material(tmp_path, {})


def test_the_aspect_ratio_of_most_counts_where_no_map_is_needed():
    sizes = {"ao": (8, 8), "opacity": (4, 4), "displacement": (10, 30)}
    assert misfits(sizes, list(sizes)) == {"displacement": "ao"}
    assert misfits(sizes, list(sizes), ["ao"]) == {}  # one against one
    assert misfits(sizes, ["ao", "opacity"]) == {"ao": "displacement", "opacity": "displacement"}
    assert misfits(sizes, ["displacement"], ["displacement"]) == {}
    assert misfits({"ao": (1, 1), "albedo": (3, 9)}, ["ao"]) == misfits({}, []) == {}
