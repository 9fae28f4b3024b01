"""Unity, Unreal and Godot: files of an export, and what is refused."""

import re

import pytest
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.errors import ConfigError

PICTURE = DATA / ASSETS["image"]
FILES = {
    "unity": {"photo.hlsl", "photo_nodes.hlsl", "photo_numbers.png", "photo_numbers.png.meta",
              "README.md"},
    "unreal": {"Shaders/photo.ush", "photo_Color.txt", "photo_Area.txt", "photo_numbers.tga",
               "README.md"},
    "godot": {"photo.gdshader", "photo.tres", "README.md"},
}  # fmt: skip


def below(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("engine", FILES)
def test_one_engine_has_the_folder_for_itself(engine, tmp_path):
    neuralshade.export(PICTURE, engine, tmp_path / "out", name="photo")
    assert below(tmp_path / "out") == FILES[engine]


def test_several_have_a_folder_each(tmp_path):
    neuralshade.export(PICTURE, list(FILES), tmp_path / "out", name="photo")
    expected = {f"{engine}/{name}" for engine, names in FILES.items() for name in names}
    assert below(tmp_path / "out") == expected


@pytest.mark.parametrize("engine", FILES)
@pytest.mark.parametrize("kind", ["image", "mipmaps", "textures", "material", "splats"])
def test_the_readme_is_a_screen_that_names_each_file(kind, engine, tmp_path):
    neuralshade.export(DATA / ASSETS[kind], engine, tmp_path, name="photo")
    text = (tmp_path / "README.md").read_text()
    assert len(text.splitlines()) <= 60
    named = {name for name in below(tmp_path) if name.endswith((".hlsl", ".tres", ".ush", ".tga"))}
    assert all(name in text or name.endswith("_nodes.hlsl") for name in named)
    assert re.search(r"^- 20\d\d-\d\d-\d\d: compiled .* Never opened in ", text, re.MULTILINE)


@pytest.mark.parametrize("engine", FILES)
def test_names_do_not_end_comments(engine, tmp_path):
    asset = tmp_path / "a \\\n#error b\\.nsh"
    asset.write_bytes(PICTURE.read_bytes())
    neuralshade.export(asset, engine, tmp_path / "out", name="photo")
    for name in below(tmp_path / "out"):
        if name.endswith((".hlsl", ".ush", ".gdshader", ".tres", ".txt", ".md")):
            lines = (tmp_path / "out" / name).read_text().splitlines()
            assert not any(re.match(r"\s*(\*/|#error)", line) for line in lines), name
            assert not any(line.endswith("\\") for line in lines), name


@pytest.mark.slangpy
@pytest.mark.parametrize("engine", FILES)
def test_a_task_is_refused(engine, tmp_path, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(DATA / ASSETS["shader"], engine, tmp_path / "out", trust=True)
    same_message(str(error.value), "to", engine, "hlsl")
    assert not (tmp_path / "out").exists()


def test_godot_has_no_halves(tmp_path, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(PICTURE, "godot", tmp_path / "out", half=True)
    same_message(str(error.value), "to", "half")


@pytest.mark.parametrize("engine", ["unity", "unreal"])
def test_others_have_halves(engine, tmp_path):
    result = neuralshade.export(PICTURE, engine, tmp_path, name="photo", half=True)
    text = next(path for path in result.files if path.endswith((".hlsl", ".ush")))
    with open(text) as file:
        assert "half4" in file.read()
