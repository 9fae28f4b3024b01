"""source/map_sets, map_entry: several sets in a folder; keys of manifests as files are named."""

import json

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import ConfigError
from neuralshade.source.map_files import find_maps, find_material
from neuralshade.source.map_sets import files_with_prefix, sets_in
from neuralshade.source.texture_set import load_texture_set


def filled(folder, *names):
    for name in names:
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("names, expected", [
    (["wood_albedo", "wood_rough", "brick_albedo", "brick_rough"], ["brick", "wood"]),
    (["wood_base_color", "wood_nor_gl", "old_wood_diff", "old_wood_rough"], ["old_wood", "wood"]),
    (["wood_diff", "wood_rough", "wood_old_diff", "wood_old_rough"], ["wood", "wood_old"]),
    (["metal_plate_albedo", "metal_plate_rough", "metal_bar_albedo", "metal_bar_rough"],
     ["metal_bar", "metal_plate"]),
    (["Wood-Albedo_1k", "wood-Roughness_1k", "albedo", "readme"], ["Wood"]),
    (["Bricks102_1K-JPG_Color", "Bricks102_1K-JPG_NormalGL", "Moss2_Color", "Moss2_NormalGL"],
     ["Bricks102_1K-JPG", "Moss2"]),
])  # fmt: skip
def test_sets_are_told_by_what_their_names_begin_with(tmp_path, names, expected):
    filled(tmp_path, *(f"{name}.png" for name in names))
    assert sorted(sets_in(sorted(tmp_path.iterdir()))) == expected


def test_a_folder_with_several_sets_names_them(tmp_path, same_message):
    filled(tmp_path, "wood_albedo.png", "wood_rough.png", "brick_albedo.png", "brick_rough.png")
    for find in (find_maps, find_material):
        with pytest.raises(ConfigError) as caught:
            find(tmp_path, {})
        same_message(str(caught.value), tmp_path, "Name")


@pytest.mark.parametrize("end", ["", "*"])
def test_one_of_them_is_chosen_by_its_beginning(tmp_path, end):
    filled(tmp_path, "wood_albedo.png", "wood_rough.png", "wood_height.png", "brick_albedo.png",
           "brick_rough.png", "woodland_albedo.png")  # fmt: skip
    found = find_maps(tmp_path / f"wood{end}", {})
    assert {name: file.path.name for name, file in found.files.items()} == {
        "albedo": "wood_albedo.png", "roughness": "wood_rough.png",
    }  # fmt: skip
    assert found.name == "wood" and found.notes == ("wood_height.png: not used.",)
    assert list(find_material(tmp_path / f"wood{end}", {}).files) == [
        "albedo", "roughness", "displacement",
    ]  # fmt: skip


def test_a_beginning_of_no_set_takes_whole_words(tmp_path):
    filled(tmp_path, "old_wood_albedo.png", "old_wood_rough.png", "older_albedo.png", "oldX.png")
    assert [p.name for p in files_with_prefix(tmp_path / "old")] == [
        "oldX.png", "old_wood_albedo.png", "old_wood_rough.png",
    ]  # fmt: skip
    assert len(files_with_prefix(tmp_path / "old*")) == 4
    assert files_with_prefix(tmp_path / "*") == files_with_prefix(tmp_path / "w") == []
    assert files_with_prefix(tmp_path / "missing" / "wood") == []


def test_nothing_that_begins_so_is_no_such_folder(tmp_path):
    filled(tmp_path, "wood_albedo.png", "wood_rough.png")
    with pytest.raises(ConfigError, match="got no such file or folder, need a folder of maps"):
        find_maps(tmp_path / "stone", {})


@pytest.mark.parametrize("key, name, convention", [
    ("diffuse", "albedo", None), ("baseColor", "albedo", None), ("Base Color", "albedo", None),
    ("nor_dx", "normal", "directx"), ("NormalGL", "normal", "opengl"), ("rough", "roughness", None),
    ("metalness", "metallic", None), ("ambientOcclusion", "ao", None),
])  # fmt: skip
@pytest.mark.parametrize("find", [find_maps, find_material])
def test_keys_are_named_as_files_are(tmp_path, find, key, name, convention):
    maps = {"albedo": "a.png", "roughness": "r.png"}
    maps.pop(name, None)
    (tmp_path / "set.json").write_text(json.dumps({**maps, key: "x.png"}))
    found = find(tmp_path / "set.json", {})
    assert found.files[name].path.name == "x.png"
    assert found.files[name].convention == convention


def test_a_packed_key_is_too(tmp_path):
    (tmp_path / "set.json").write_text('{"color": "a.png", "metallicRoughness": "mr.png"}')
    files = find_maps(tmp_path / "set.json", {}).files
    assert (files["roughness"].channel, files["metallic"].channel) == (1, 2)


def test_maps_that_mip_levels_have_no_use_for_are_told(tmp_path):
    (tmp_path / "set.json").write_text('{"color": "a.png", "rough": "r.png", "height": "h.png"}')
    found = find_maps(tmp_path / "set.json", {})
    assert found.notes == ("height: not used.",) and "displacement" not in found.files


def test_two_words_for_one_map_are_two_files(tmp_path):
    (tmp_path / "set.json").write_text('{"color": "a.png", "albedo": "b.png", "rough": "r.png"}')
    with pytest.raises(ConfigError, match=r"got 2 files for albedo: a.png, b.png; need one."):
        find_maps(tmp_path / "set.json", {})


def test_a_missing_normal_map_is_flat_and_told(tmp_path):
    for name in ("stone_albedo", "stone_rough"):
        Image.fromarray(np.full((6, 9), 90, np.uint8)).save(tmp_path / f"{name}.png")
    found = load_texture_set(tmp_path)
    assert (found.normal == np.float32([0, 0, 1])).all() and found.normal.shape == (6, 9, 3)
    assert "normal: no such map, taken as flat everywhere." in found.notes
