"""source/map_files, map_choice, map_entry: which files are taken for mip levels, and refusals."""

import json

import pytest

from neuralshade.errors import ConfigError
from neuralshade.source.map_files import find_maps

KEYS = ("albedo, normal, roughness, metallic, ao, opacity, amr, arm, mar, mor, mra, mro, omr, ord, "
        "orm, ram, rma, rmo, rom")  # fmt: skip
EXAMPLE = 'Write such as {"albedo": "a.png", "normal": "n.png", "roughness": "r.png"}.'
COMPLETE = {"albedo": "a.png", "normal": "n.png", "roughness": "r.png"}


def filled(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


def refusal(source, **entries):
    with pytest.raises(ConfigError) as caught:
        find_maps(source, entries)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_no_picture_or_hidden_is_left(tmp_path):
    names = ("a_color.png", "a_normal.PNG", "a_rough.jpg", "a_color.mtlx", "._a_color.png",
             "a_metal.txt", "readme.png")  # fmt: skip
    folder = filled(tmp_path / "wood", *names)
    (folder / "ao.png").mkdir()
    found = find_maps(folder, {})
    assert {name: file.path.name for name, file in found.files.items()} == {
        "albedo": "a_color.png", "normal": "a_normal.PNG", "roughness": "a_rough.jpg",
    }  # fmt: skip
    assert (found.name, found.place) == ("wood", str(folder))
    assert found.notes == ("readme.png: not used.",)


def test_folder_named_by_a_dot(tmp_path, monkeypatch):
    folder = filled(tmp_path / "wood", "color.png", "normal.png", "rough.png")
    monkeypatch.chdir(folder)
    assert find_maps(".", {}).name == "wood"


def test_missing_maps(tmp_path, same_message):
    folder = filled(tmp_path / "wood", "wood_diff.png", "wood_bump.png", "notes.txt")
    same_message(refusal(folder), folder, "Rename")


def test_missing_map_among_many(tmp_path, same_message):
    folder = filled(tmp_path / "wood", "normal.png", "rough.png", *(f"{i}.png" for i in range(9)))
    same_message(refusal(folder), folder, "Rename")


def test_nothing_at_all(tmp_path, same_message):
    text = refusal(filled(tmp_path / "wood"))
    assert text.startswith(
        f"{tmp_path}/wood: got no albedo and no roughness and no pictures at all, "
    )
    same_message(refusal(None, albedo=None), "texture set", "--albedo")
    same_message(refusal(None, albedo="a.png", ao="o.png"), "texture set", "--roughness")
    same_message(refusal(None, roughness="r.png"), "texture set", "--albedo")


def test_what_holds_nothing_that_is_wanted_is_told(tmp_path):
    """But once: what another file was taken for has a note of its own."""
    folder = filled(tmp_path / "wood", "wood_diff.png", "wood_nor_gl.png", "wood_nor_dx.png",
                    "wood_rough.png", "wood_disp.png", "wood_metal.png", "swatch.jpg")  # fmt: skip
    assert find_maps(folder, {}).notes == (
        "normal: taken from wood_nor_gl.png (OpenGL), not from wood_nor_dx.png (DirectX).",
        "swatch.jpg, wood_disp.png: not used.",
    )
    other = filled(tmp_path / "other", "shiny.png") / "shiny.png"
    assert find_maps(folder, {"roughness": other}).notes[-1] == (
        "swatch.jpg, wood_disp.png, wood_rough.png: not used."
    )
    assert find_maps(folder, {"roughness": folder / "swatch.jpg"}).notes[-1] == (
        "wood_disp.png, wood_rough.png: not used."
    )


@pytest.mark.parametrize("stem, name", [
    ("albedo", "bark"), ("Base_Color", "bark"), ("diff_2k", "bark"), ("moss_albedo", "moss_albedo"),
    ("moss", "moss"), ("normal", "bark"),
])  # fmt: skip
def test_single_maps_are_called_by_what_says_more(tmp_path, stem, name):
    """The folder's name, where the albedo's says which map it is and no more."""
    folder = filled(tmp_path / "bark", f"{stem}.png", "n.png", "r.png")
    paths = {"albedo": f"{stem}.png", "normal": "n.png", "roughness": "r.png"}
    assert find_maps(None, {key: folder / path for key, path in paths.items()}).name == name


def test_a_map_in_this_folder_is_called_by_it(tmp_path, monkeypatch):
    monkeypatch.chdir(filled(tmp_path / "bark", "albedo.png"))
    found = find_maps(None, {"albedo": "albedo.png", "normal": "n.png", "roughness": "r.png"})
    assert found.name == "bark"


@pytest.mark.parametrize("first, second, name", [
    ("w_diff_1k.png", "w_diff_2k.png", "albedo"),
    ("w_normal.png", "w_nor_gl.png", "normal"),
    ("w_nor_dx_1k.exr", "w_nor_dx.png", "normal"),
    ("w_moss_16_diff.png", "w_moss_17_diff.png", "albedo"),
    ("w_rough.png", "w_Roughness.jpg", "roughness"),
    ("w_arm.png", "w_orm.png", "roughness"),
])  # fmt: skip
def test_two_files_for_one_map(tmp_path, first, second, name):
    others = {"albedo": "w_albedo.png", "normal": "w_nrm.png", "roughness": "w_rgh.png"}
    others.pop(name)
    folder = filled(tmp_path / "w", first, second, *others.values())
    shown = ", ".join(sorted([first, second]))
    assert refusal(folder) == (
        f"{folder}: got 2 files for {name}: {shown}; need one. "
        "Move the others away, or give the path of one by itself."
    )


def test_the_one_that_is_named_settles_it(tmp_path):
    folder = filled(tmp_path / "w", "d_diff_1k.png", "d_diff_2k.png", "d_nor.png", "d_rough.png")
    found = find_maps(folder, {"albedo": folder / "d_diff_2k.png"})
    assert found.files["albedo"].path.name == "d_diff_2k.png"


def test_source_that_is_neither(tmp_path):
    path = tmp_path / "a.png"
    need = "need a folder of maps or a .json manifest. Check the path, or give each map by itself."
    assert refusal(path) == f"{path}: got no such file or folder, {need}"
    path.touch()
    assert refusal(str(path)) == f"{path}: got a file that is neither, {need}"
    absent = tmp_path / "a.json"
    assert refusal(absent) == f"{absent}: got no such file or folder, {need}"
    long = tmp_path / ("x" * 300)
    assert refusal(long).startswith(f"{long}: got a name that is too long, need a folder of maps")


def test_unknown_argument():
    assert refusal(None, albdo="a.png") == (
        f"texture set: albdo: unknown map, need one of {KEYS}. Did you mean albedo?"
    )


@pytest.mark.parametrize("value", ["", 7, None, ["a.png"], "a\0.png"])
def test_path_that_is_none(tmp_path, value):
    path = tmp_path / "set.json"
    path.write_text(json.dumps({**COMPLETE, "albedo": value}))
    assert refusal(path) == (
        f"{path}: albedo.path: got {value!r}, need the name of a file. Give a string."
    )


def test_manifest(tmp_path):
    path = tmp_path / "set.JSON"
    path.write_text(json.dumps({**COMPLETE, "normal": "sub/n_dx.png", "arm": "/abs/arm.png"}))
    found = find_maps(path, {"metallic": "m.png"})
    assert found.name == "set" and found.files["albedo"].path == tmp_path / "a.png"
    assert found.files["normal"].path == tmp_path / "sub/n_dx.png"
    assert found.files["ao"].channel == 0 and str(found.files["ao"].path) == "/abs/arm.png"
    assert str(found.files["metallic"].path) == "m.png"
    assert found.notes == ("roughness: taken from r.png, not from the packed arm.png.",)


def test_manifest_convention_goes_before_the_name(tmp_path):
    path = tmp_path / "set.json"
    for entry, convention in (
        ("w_nor_dx.png", "directx"),
        ({"path": "w_nor_dx.png"}, "directx"),
        ({"path": "w_nor_dx.png", "convention": "opengl"}, "opengl"),
        ("w_nor.png", None),
    ):
        path.write_text("\ufeff" + json.dumps({**COMPLETE, "normal": entry}), encoding="utf-8")
        assert find_maps(path, {}).files["normal"].convention == convention


@pytest.mark.parametrize("values, text", [
    ({"nrmal": "n.png"}, f"nrmal: unknown map, need one of {KEYS}. Did you mean normal?"),
    ({"normal": {"path": "n.png", "conventoin": "directx"}},
     "normal.conventoin: unknown key, need one of path, convention, channel. "
     "Did you mean convention?"),
    ({"normal": {"path": "n.png", "convention": "DirectX"}},
     "normal.convention: got 'DirectX', need one of opengl, directx. Did you mean directx?"),
    ({"normal": {"path": "n.png", "convention": ["directx"]}},
     "normal.convention: got ['directx'], need one of opengl, directx. Did you mean directx?"),
    ({"normal": {"convention": "directx"}},
     "normal.path: got None, need the name of a file. Give a string."),
    ({"ao": {"path": "n.png", "convention": "directx"}},
     "ao.convention: got it for ao, need it for normal alone. Leave it out."),
    ({"albedo": {"path": "n.png", "channel": "r"}},
     "albedo.channel: got it for albedo, need it for roughness, metallic, ao or opacity. Leave it "
     "out."),
    ({"ao": {"path": "n.png", "channel": "red"}},
     "ao.channel: got 'red', need one of r, g, b, a. Name the one that holds this map."),
    ({"ao": {"path": "n.png", "channel": 0}},
     "ao.channel: got 0, need one of r, g, b, a. Name the one that holds this map."),
    ({"name": 3}, "name: got 3, need a string. Leave it out for the file's own name."),
])  # fmt: skip
def test_manifest_refused(tmp_path, values, text):
    path = tmp_path / "set.json"
    path.write_text(json.dumps({**COMPLETE, **values}))
    assert refusal(path) == f"{path}: {text}"


@pytest.mark.parametrize("content, got", [
    (b'["a.png"]', "['a.png'], need a JSON object of maps."),
    (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1), "
           "need a JSON manifest of maps."),
    (b'{"albedo": "a", "albedo": "b"}', "albedo twice, need a JSON manifest of maps."),
    (b"\xff\xfe", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte, "
                  "need a JSON manifest of maps."),
])  # fmt: skip
def test_manifest_that_is_no_object(tmp_path, content, got):
    path = tmp_path / "set.json"
    path.write_bytes(content)
    assert refusal(path) == f"{path}: got {got} {EXAMPLE}"


def test_manifest_nested_too_deep(tmp_path):
    path = tmp_path / "set.json"
    path.write_text("[" * 100_000)
    assert refusal(path).endswith(f"need a JSON manifest of maps. {EXAMPLE}")


def test_missing_map_of_a_manifest(tmp_path):
    path = tmp_path / "set.json"
    path.write_text(json.dumps({"albedo": "a.png", "normal": "n.png"}))
    assert refusal(path).startswith(f"{path}: got no roughness among a.png, n.png, need albedo, ")
