"""Engines and assets that are not usual: gray, alpha, odd names, blocks, varied inputs, light."""

import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from fixtures.engine_exports import exported, functions_of
from fixtures.godot_shaders import check_strict, godot_errors
from fixtures.image_assets import opened_field
from fixtures.mitsuba_checks import bsdf_errors, texture_errors
from fixtures.mitsuba_runs import VARIANTS
from fixtures.random_materials import material
from fixtures.small_fits import FEW as SHORT
from fixtures.texture_sets import material_map, small_set, unit_normals, waves
from fixtures.unity_nodes import unity_errors
from fixtures.unreal_nodes import unreal_errors

import neuralshade
from neuralshade import FitOptions
from neuralshade.kinds import open_asset
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.source.material_set import MaterialSet

pytestmark = [pytest.mark.slow]
DATA = Path(__file__).parents[3] / "data"
GRID = "dense_grid:levels=2,features=2,coarsest=2,width=5,height=3"
PICTURES = {"gray": 1, "gray and alpha": 2, "alpha": 4}
FEW = {"steps": 30, "batch": 256, "precision": "float32", "hidden_width": 16, "warmup": 0,
       "options": FitOptions(engine="torch", device="cpu")}  # fmt: skip


def odd_set():
    """Return a set without albedo, whose maps are called as arguments and built-ins are."""
    size = (20, 27)
    return MaterialSet("odd", (
        material_map("color", waves(*size, 3, 1), meaning="srgb"),
        material_map("uv", waves(*size, 1, 2)),
        material_map("level", waves(*size, 2, 4), meaning="linear"),
        material_map("ALBEDO", waves(*size, 3, 2), meaning="srgb"),
        material_map("light */ //", waves(*size, 1, 3) * 9 - 4),
        material_map("asset", np.full((*size, 1), 0.25)),
        material_map("numbers", waves(*size, 1, 6)),
        material_map("\u6cd5", unit_normals(*size), meaning="normal"),
    ))  # fmt: skip


def fitted(textures, folder, **settings):
    fit_textures(textures, folder / "x.nsh", **FEW | settings)
    return folder / "x.nsh"


def bright(folder):
    """Return a picture of linear light up to 9."""
    neuralshade.save_picture(folder / "a.exr", 9 * waves(24, 36, 3) ** 3, "linear")
    neuralshade.fit_image(folder / "a.exr", folder / "a.nsh", **SHORT)
    return folder / "a.nsh"


MAKERS = {
    **{name: lambda folder, count=count: opened_field(
        folder / "a.nsh", ImageRecipe(encoding=GRID, grid_bits=8, hidden_width=8), channels=count)
       for name, count in PICTURES.items()},
    "light of wide range": lambda folder: bright(folder),
    "odd names": lambda folder: fitted(odd_set(), folder, grids="1:4:4", hidden_layers=1),
    "one texel": lambda folder: fitted(small_set(1, 1), folder),
    "blocks": lambda folder: fitted(small_set(24, 40), folder, latents="bc1", grids="1:1,4:3"),
    "clamped": lambda folder: fitted(small_set(9, 31), folder, wrap="clamp", grids="1:4:4"),
    "varied": lambda folder: material(size=5, features=7, hidden_width=20,
                                      vary="wetness=0..2,a.b=-1..1,UV=0..1,for=2..4"),
    "splats over": lambda folder: DATA / "splats_over.nsh",
    "splats sum": lambda folder: DATA / "splats_sum.nsh",
}  # fmt: skip


@pytest.fixture(scope="module", params=MAKERS)
def asset(request, tmp_path_factory):
    made = MAKERS[request.param](tmp_path_factory.mktemp("odd"))
    with open_asset(made) if isinstance(made, Path) else nullcontext(made) as opened:
        yield opened


def test_unity_answers(asset):
    for name, error in unity_errors(*exported(asset, "unity")):
        assert error <= 1, name


def test_unreal_answers(asset):
    for name, error in unreal_errors(*exported(asset, "unreal")):
        assert error <= 1, name


def test_godot_answers(asset):
    form, files = exported(asset, "godot")
    shader, resource = files["photo.gdshader"].decode(), files["photo.tres"].decode()
    assert shader.isascii()
    check_strict(shader)
    for name, error in godot_errors(form, shader, resource):
        assert error <= 1, name


@pytest.mark.parametrize("variant", VARIANTS)
def test_mitsuba_answers(asset, variant, tmp_path):
    form, files = exported(asset, "mitsuba")
    assert files["photo.py"].isascii()
    check = bsdf_errors if form.meaning("light") else texture_errors
    for name, error in check(form, files, variant, tmp_path):
        assert error <= 1, name


def test_readme_lists_each_value(asset):
    form, files = exported(asset, "unity")
    ports = re.findall(r"^\| output \| (\w+) \|", files["README.md"].decode(), re.MULTILINE)
    assert len(set(ports)) == len(ports) >= len(functions_of(form))
