"""engines/mitsuba: files of an export, names, and what is refused."""

import ast
import io

import numpy as np
import pytest
from fixtures.engine_exports import exported
from fixtures.random_materials import material
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.errors import ConfigError

KINDS = ("image", "splats", "mipmaps", "textures", "material")
PICTURE = DATA / ASSETS["image"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_module_its_numbers_and_one_screen(kind):
    form, files = exported(DATA / ASSETS[kind], "mitsuba")
    assert set(files) == {"photo.py", "photo.npy", "README.md"}
    text, readme = files["photo.py"].decode(), files["README.md"].decode()
    assert text.isascii() and "neuralshade." not in text
    names = {one.name for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)}
    assert {one.name for one in form.functions} <= names
    assert len(readme.splitlines()) <= 60 and '"neuralshade_photo"' in readme
    numbers = np.load(io.BytesIO(files["photo.npy"]))
    weights = sum(layer.weight.size + layer.bias.size
                  for network in form.networks for layer in network.layers)  # fmt: skip
    assert numbers.dtype == np.uint32 and len(numbers) >= len(form.words) + weights
    assert numbers[: len(form.words)].tobytes() == form.words.tobytes()
    assert ("photo_principled" in names) == (kind in ("mipmaps", "textures"))


@pytest.mark.parametrize("name", ["numpy", "random"])
def test_a_module_hides_no_other(name, tmp_path):
    result = neuralshade.export(PICTURE, "mitsuba", tmp_path / "out", name=name)
    assert {path.rpartition("/")[2] for path in result.files} == {
        f"{name}_mitsuba.py", f"{name}_mitsuba.npy", "README.md"}  # fmt: skip
    assert f"import {name}_mitsuba" in (tmp_path / "out/README.md").read_text()


def test_names_of_an_asset_end_no_line(tmp_path):
    asset = tmp_path / "a\nimport os; b.nsh"
    asset.write_bytes(PICTURE.read_bytes())
    neuralshade.export(asset, "mitsuba", tmp_path / "out", name="photo")
    tree = ast.parse((tmp_path / "out/photo.py").read_text())
    imported = {one.names[0].name for one in ast.walk(tree) if isinstance(one, ast.Import)}
    assert "os" not in imported and "drjit" in imported


def test_inputs_that_vary_keep_clear_of_python(tmp_path):
    names = "lambda=0..1,dr=0..1,np=0..1,early=0..1"
    form, files = exported(material(size=2, vary=names), "mitsuba")
    ast.parse(files["photo.py"])
    parameters = {one.name for function in form.functions for one in function.parameters}
    assert not parameters & {"lambda", "dr", "np", "early"}
    assert "`input_lambda` (0)" in files["README.md"].decode()


@pytest.mark.slangpy
def test_a_task_is_refused(tmp_path, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(DATA / ASSETS["shader"], "mitsuba", tmp_path / "out", trust=True)
    same_message(str(error.value), "to", "mitsuba", "slang")
    assert not (tmp_path / "out").exists()


def test_halves_are_refused(tmp_path, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(PICTURE, "mitsuba", tmp_path / "out", half=True)
    same_message(str(error.value), "to", "half")
