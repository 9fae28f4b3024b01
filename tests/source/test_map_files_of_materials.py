"""source/map_files: any maps of a surface are found, and one line says where none can be."""

import json
from pathlib import Path

import pytest

from neuralshade.errors import ConfigError
from neuralshade.source.map_entry import probably_meant
from neuralshade.source.map_files import find_material

IS_A_SET = (
    "maps of one surface, recognized by name: albedo, normal, roughness, displacement and so on"
)


def filled(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


def manifest(folder, values):
    path = folder / "set.json"
    path.write_text(json.dumps(values))
    return path


def refusal(source, **entries):
    with pytest.raises(ConfigError) as caught:
        find_material(source, entries)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def names_in(found):
    return {name: file.path.name for name, file in found.files.items()}


def test_folder(tmp_path):
    """All that names tell, the known in their order; nothing is needed beside one."""
    names = ("x_Emissive.png", "x_color.png", "x_gloss.png", "x_height.png", "x_bump.png",
             "x_nor_gl.png", "x_nor_dx.png", "x_alpha.png", "x_sheen_color.png", "x_arm.png",
             "x_ao.png", "x_preview.png", "x_id.png", "notes.png", "x_coat_color.png")  # fmt: skip
    found = find_material(filled(tmp_path / "x", *names), {})
    assert list(names_in(found).items()) == [
        ("albedo", "x_color.png"), ("normal", "x_nor_gl.png"), ("roughness", "x_arm.png"),
        ("metallic", "x_arm.png"), ("ao", "x_ao.png"), ("displacement", "x_height.png"),
        ("emissive", "x_Emissive.png"), ("opacity", "x_alpha.png"), ("gloss", "x_gloss.png"),
        ("bump", "x_bump.png"), ("sheen", "x_sheen_color.png"),
    ]  # fmt: skip
    assert (found.name, found.files["metallic"].channel) == ("x", 2)
    assert found.notes == (
        "normal: taken from x_nor_gl.png (OpenGL), not from x_nor_dx.png (DirectX).",
        "ao: taken from x_ao.png, not from the packed x_arm.png.",
        "notes.png, x_coat_color.png, x_id.png, x_preview.png: not used.",
    )
    one = find_material(filled(tmp_path / "one", "disp.png", "other.jpg"), {})
    assert names_in(one) == {"displacement": "disp.png"}
    assert one.notes == ("other.jpg: not used.",)


def test_third_channel_of_quixel_displaces(tmp_path):
    found = find_material(filled(tmp_path / "T", "T_rock_D.png", "T_rock_ORDp.png"), {})
    assert names_in(found)["displacement"] == "T_rock_ORDp.png"
    assert found.files["displacement"].channel == 2


@pytest.mark.parametrize("names, name", [
    (("a_diff.png", "a_color.png"), "albedo"), (("a_disp.png", "a_height.png"), "displacement"),
    (("a_alpha.png", "a_mask.png"), "opacity"), (("a_arm.png", "a_orm.png"), "roughness"),
])  # fmt: skip
@pytest.mark.parametrize("one_by_one", [False, True])
def test_two_files_for_one_map(tmp_path, names, name, one_by_one):
    """Of a folder only what sets need is refused; see test_optional_maps.py."""
    folder = filled(tmp_path / "a", *names, "a_normal.png")
    if not one_by_one and name in ("displacement", "opacity"):
        assert name not in find_material(folder, {}).files
        return
    source = [folder / one for one in (*names, "a_normal.png")] if one_by_one else folder
    shown = ", ".join(names if one_by_one else sorted(names))
    assert refusal(source) == (
        f"{'texture set' if one_by_one else folder}: got 2 files for {name}: {shown}; need one. "
        "Move the others away, or give the path of one by itself."
    )


def test_folder_without_maps(tmp_path):
    folder = filled(tmp_path / "trip", "beach.jpg", "boat.jpg", "preview.png", "map.txt")
    assert refusal(folder) == (
        f"{folder}: got 3 pictures whose names say no map: beach.jpg, boat.jpg, preview.png; "
        f"need {IS_A_SET}. Rename or list them in a .json manifest; fit image takes a single "
        "picture."
    )
    folder = filled(tmp_path / "single", "beach.jpg")
    assert refusal(folder).startswith(
        f"{folder}: got 1 picture whose name says no map: beach.jpg; need maps of one surface"
    )
    folder = filled(tmp_path / "empty", "map.txt")
    assert refusal(folder) == f"{folder}: got no pictures at all, need {IS_A_SET}. Check the path."
    found = find_material(folder, {"albedo": "a.png"})
    assert names_in(found) == {"albedo": "a.png"}


def test_folders_in_a_folder_are_named(tmp_path):
    """Somebody named the folder of all sets."""
    sets = filled(tmp_path / "sets")
    for name in ("wood", "brick"):
        filled(sets / name, "albedo.png")
    filled(sets / "notes", "a.txt")
    assert refusal(sets) == (
        f"{sets}: got no pictures, but folders with pictures: brick, wood; need {IS_A_SET}. Name "
        f"one of them: {sets / 'brick'}"
    )


def test_files_one_by_one():
    paths = ["d/rock_color.png", "d/rock_Wet-ness 2.exr", "d/rock_id.png", "d/rock_n_dx.png",
             "d/1.png", "d/rock_color.png", "d/rock_nor_dx.png"]  # fmt: skip
    found = find_material(paths, {"ao": "d/rock_ao.png", "height": None})
    assert {name: str(file.path) for name, file in found.files.items()} == {
        "albedo": "d/rock_color.png", "normal": "d/rock_nor_dx.png", "ao": "d/rock_ao.png",
        "rock_wet_ness_2": "d/rock_Wet-ness 2.exr", "rock_id": "d/rock_id.png",
        "rock_n_dx": "d/rock_n_dx.png", "map_1": "d/1.png",
    }  # fmt: skip
    assert found.files["normal"].convention == "directx" and found.notes == ()
    found = find_material(["d/a_ao.png", "d/a_arm.png"], {"roughness": "r.png", "metallic": "m"})
    assert names_in(found) == {"roughness": "r.png", "metallic": "m", "ao": "a_ao.png"}
    found = find_material(["d/a_ao.png", "d/a_color.png"], {"ao": "x.png"})
    assert found.notes == ("a_ao.png: not used.",)


@pytest.mark.parametrize("paths, name", [
    (["d/rock_albedo.png", "d/rock_ao.png"], "rock"),
    (["d/Wood 3-color.png", "d/Wood 3-disp.png"], "Wood 3"),
    (["d/albedo.png", "d/ao.png"], "d"),
    (["d/height.png"], "d"),
    (["d/moss_height.png"], "moss_height"),
    (["d/a.png", "d/b.png"], "a"),
])  # fmt: skip
def test_what_files_are_called_together(paths, name):
    assert find_material(paths, {}).name == name
    assert find_material(None, {f"x{i}": path for i, path in enumerate(paths)}).name == name


def test_a_single_file_is_a_set():
    assert names_in(find_material("a_rough.png", {})) == {"roughness": "a_rough.png"}
    assert names_in(find_material(Path("wet.exr"), {})) == {"wet": "wet.exr"}


def test_a_single_picture_that_is_no_map_by_its_name_is_told():
    """It may be a photograph; a map, and several files, are what was meant."""
    found = find_material("holiday.png", {})
    assert list(found.files) == ["holiday"] and found.notes == (
        "holiday.png: a name that says no map, taken as a set of one, called holiday. For a "
        "picture that is no surface there is fit image.",
    )
    for source, maps in [("rock_albedo.png", {}), (["mud.png", "moss.png"], {}),
                         ("mud.png", {"albedo": "a.png"})]:  # fmt: skip
        assert find_material(source, maps).notes == ()


def test_sources_that_are_none(tmp_path, same_message):
    folder = filled(tmp_path / "a", "color.png")
    same_message(refusal([folder, "b.png"]), folder, "Name")
    assert refusal(["b.png", "c.json"]).startswith("c.json: got a manifest beside other paths, ")
    same_message(refusal("a.xcf"), "a.xcf", "Check")
    nothing = (
        "texture set: got neither a source nor a map, need one of the two. Name a folder, a "
        "manifest or the files of maps."
    )
    assert refusal(None) == refusal([]) == refusal(None, ao=None) == nothing
    for bad in ("", 7, "a\0.png", None):
        assert refusal([bad]) == (
            f"texture set: got {bad!r}, need the name of a folder or a file. Give a string."
        )
    assert refusal("x" * 300).startswith(
        f"{'x' * 300}: got a name that is too long, need a folder "
    )
    same_message(refusal(manifest(tmp_path, {"name": "a"})), f"{tmp_path}/set.json", "Write")


def test_manifest_of_any_names(tmp_path):
    path = manifest(tmp_path, {
        "name": "Moss", "wet": {"path": "w.png", "color": True}, "height": "h.png",
        "basecolor": "a.png", "dirt_2": {"path": "a.png", "channel": "a"}, "arm": "arm.png",
        "sheen": {"path": "s.png", "color": False}, "metalic": "m.png",
    })  # fmt: skip
    found = find_material(path, {"dirt_2": "other.png", "flow": "f.png"})
    assert list(found.files) == ["albedo", "roughness", "metallic", "ao", "displacement",
                                 "sheen", "wet", "metalic", "dirt_2", "flow"]  # fmt: skip
    assert found.name == "Moss" and found.files["dirt_2"].path == Path("other.png")
    assert [found.files[name].color for name in ("wet", "sheen", "flow")] == [True, False, None]
    assert found.notes == (
        "metalic: no map that is known, taken as one of that name. Did you mean metallic?",
    )


@pytest.mark.parametrize("name, meant", [
    ("albdo", "albedo"), ("rougness", "roughness"), ("roughness", None), ("wetness", None),
    ("flow", None), ("id", None), ("map_1", None), ("emisive", "emissive"),
])  # fmt: skip
def test_names_that_were_probably_misspelled(name, meant):
    assert probably_meant(name) == meant


@pytest.mark.parametrize("values, text", [
    ({"Albdo": "a.png"}, "Albdo: got no name of a map, need a lower-case letter and up to 30 "
                         "more, digits or _. Rename it. Did you mean albedo?"),
    ({"2nd": "a.png"}, "'2nd': got no name of a map, need a lower-case letter and up to 30 more, "
                       "digits or _. Rename it."),
    ({"x" * 32: "a.png"}, f"{'x' * 32}: got no name of a map, need a lower-case letter and up to "
                          "30 more, digits or _. Rename it."),
    ({"wet": {"path": "a.png", "colour": True}},
     "wet.colour: unknown key, need one of path, convention, channel, color. "
     "Did you mean color?"),
    ({"wet": {"path": "a.png", "color": "yes"}},
     "wet.color: got 'yes', need true or false. Say whether it is a color."),
    ({"wet": {"path": "a.png", "color": True, "channel": "r"}},
     "wet.color: got it beside channel, need one of the two: a channel is numbers. "
     "Leave one out."),
    ({"roughness": {"path": "a.png", "color": True}},
     "roughness.color: got it for roughness, need it for specular, translucency, transmission, "
     "sheen, fuzz or a name of your own. Leave it out."),
    ({"wet": {"path": "a.png", "convention": "directx"}},
     "wet.convention: got it for wet, need it for normal alone. Leave it out."),
    ({"basecolor": {"path": "a.png", "channel": "r"}},
     "basecolor.channel: got it for basecolor, need it for a map of one number. Leave it out."),
    ({"orm": {"path": "a.png", "channel": "r"}},
     "orm.channel: got it for orm, need it for a map of one number. Leave it out."),
    ({"disp": "a.png", "height": "b.png"},
     "got 2 files for displacement: a.png, b.png; need one. Move the others away, or give the "
     "path of one by itself."),
])  # fmt: skip
def test_manifest_refused(tmp_path, values, text):
    path = manifest(tmp_path, values)
    assert refusal(path) == f"{path}: {text}"
