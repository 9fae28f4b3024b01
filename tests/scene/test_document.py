"""scene/document, scene/render: scenes are read, and what is wrong is told in one line."""

import pathlib

import numpy as np
import pytest

from neuralshade.errors import AssetError, ConfigError
from neuralshade.scene.document import read_scene, scene_of
from neuralshade.scene.render import render_scene, scene_contents

DATA = pathlib.Path(__file__).parents[1] / "data"
TEXT = """
size = [24, 16]
samples = 2
[camera]
position = [0, 1, 4]
look_at = [0, 1, 0]
[environment]
color = [0.5, 0.5, 0.5]
[materials.white]
diffuse = [1, 1, 1]
[[mesh]]
shape = "sphere"
material = "white"
position = [0, 1, 0]
"""
VECTOR = "need three numbers, such as [0, 1, 0]. Correct it."


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(TEXT)
    return path


@pytest.mark.slow
def test_a_scene_is_rendered_and_saved(one_device, scene, tmp_path):
    pixels = render_scene(scene, tmp_path / "x.png", device="vulkan")
    assert pixels.shape == (16, 24, 3) and (tmp_path / "x.png").stat().st_size > 0
    assert abs(pixels.mean() - 0.5) < 0.02
    again = render_scene(scene, samples=1, size=(8, 8), device="vulkan")
    assert again.shape == (8, 8, 3) and np.isfinite(again).all()


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("samples", "sampels", "scene.sampels: unknown key, need one of camera, mesh, materials, "
         "environment, light, samples, bounces, exposure, seed, size. Did you mean samples?"),
        ("samples = 2", "bounces = 5", "scene.bounces: got 5, need a number from 1 to 4. "
         "Correct it."),
        ("look_at = [0, 1, 0]", "look_at = [0, 1]", f"camera.look_at: got [0, 1], {VECTOR}"),
        ("look_at = [0, 1, 0]", "", "camera.look_at: got none, need one. Write it."),
        ('"sphere"', '"spher"', "mesh[0].shape: got 'spher', need one of sphere, quad, box, ball. "
         "Did you mean sphere?"),
        ('material = "white"', 'material = "wite"', "mesh[0].material: got 'wite', need one of "
         "white. Did you mean white?"),
        ("[24, 16]", "[24]", "scene.size: got [24], need width and height in pixels, each 1 to "
         "16384. Write size = [640, 360]."),
        ("color = [0.5", "color = [-0.5", "environment.color: got (-0.5, 0.5, 0.5), need "
         "light of 0 or more. Raise it."),
        ("[[mesh]]", '[[light]]\ntype = "directional"\nradiance = [1, 1, 1]\n[[mesh]]',
         "light[0].direction: got none, need the way to a directional light. Write for example "
         "direction = [1, 2, 1]."),
        ("[[mesh]]", '[[light]]\ntype = "rectangle"\nradiance = [1, 1, 1]\nacross = [0, 2, 0]\n'
         "[[mesh]]", "light[0]: got across (0, 2, 0) along up (0.0, 1.0, 0.0), need two sides of a "
         "rectangle, which shines along across x up. Turn one."),
        ("[[mesh]]", '[[light]]\ntype = "point"\nradiance = [1, -1, 1]\n[[mesh]]',
         "light[0].radiance: got (1, -1, 1), need light of 0 or more. Raise it."),
        ('shape = "sphere"', 'shape = "sphere"\ntile = -3', "mesh[0].tile: got -3, need more than "
         "0. Raise it."),
        ("diffuse = [1, 1, 1]", 'diffuse = [1, 1, 1]\nasset = "a.nsh"', "materials.white: got an "
         "asset and a surface that is the same everywhere, need one of them. Leave out asset, or "
         "diffuse, specular and roughness."),
        ("color = [0.5", 'picture = "sky.hdr"\ncolor = [0.5', "environment: got a picture and "
         "colors, need one of them. Leave out picture, or color, zenith, horizon, ground."),
        ("diffuse = [1, 1, 1]", 'roughness = 0.5\nasset = "a.nsh"', "materials.white: got an "
         "asset and a surface that is the same everywhere, need one of them. Leave out asset, or "
         "diffuse, specular and roughness."),
        ("color = [0.5", 'picture = "sky.hdr"\nzenith = [0.3, 0.5, 0.9]\n#', "environment: got a "
         "picture and colors, need one of them. Leave out picture, or color, zenith, horizon, "
         "ground."),
        ("color = [0.5", "ground = [0.25, 0.23, 0.2]\ncolor = [0.5", "environment: got a color "
         "and those of a sky, need one of them. Leave out color, or zenith, horizon, ground."),
        ("color = [0.5", "strength = 1.0\ncolor = [0.5", "environment.strength: got it without a "
         "picture, need one that it multiplies. Leave it out."),
        ("[[mesh]]", '[[light]]\ntype = "point"\nradiance = [1, 1, 1]\nup = [0, 1, 0]\n[[mesh]]',
         "light[0].up: got it for a point light, need a rectangle one for that. Leave it out."),
        ("[[mesh]]", '[[light]]\ntype = "directional"\nradiance = [1, 1, 1]\n'
         "direction = [0, 1, 0]\nposition = [0, 0, 0]\n[[mesh]]", "light[0].position: got it for "
         "a directional light, need a point or rectangle one for that. Leave it out."),
        ("position = [0, 1, 4]", "position = [0, 1, nan]",
         f"camera.position: got [0, 1, nan], {VECTOR}"),
        ('shape = "sphere"', 'shape = "sphere"\nset = { wet = "a" }', "mesh[0].set: got "
         "{'wet': 'a'}, need numbers by name, such as { wetness = 0.5 }. Correct it."),
        ('shape = "sphere"', 'shape = "sphere"\nset = { wet = 1 }', "mesh[0].set: got wet for a "
         "plain surface, need an asset of fit material --vary. Leave it out."),
        ('shape = "sphere"', "", "mesh[0]: got no shape and file, need one of them. Write shape "
         "or file."),
    ],
)  # fmt: skip
def test_refusals(scene, refusal, old, new, message):
    scene.write_text(TEXT.replace(old, new, 1))
    assert refusal(ConfigError, read_scene, scene) == f"{scene}: {message}"


@pytest.mark.parametrize("size, told", [((0, 3), "0x3"), ((3, 16385), "3x16385")])
def test_a_size_of_nothing_is_refused_before_anything_is_drawn(scene, refusal, size, told):
    assert refusal(ConfigError, render_scene, scene, size=size) == (
        f"size: got {told}, need 1 to 16384 pixels a side. Write for example 640x360."
    )


def test_no_mesh_is_refused(refusal):
    given = {"camera": {"position": [0, 0, 1], "look_at": [0, 0, 0]}}
    assert refusal(ConfigError, scene_of, given) == (
        "scene.mesh: got none, need one or more. Write [[mesh]].")  # fmt: skip


def test_an_asset_of_another_kind_is_refused(scene, refusal):
    image_asset = DATA / "image_grid.nsh"
    scene.write_text(TEXT.replace("diffuse = [1, 1, 1]", f'asset = "{image_asset}"'))
    assert refusal(AssetError, render_scene, scene) == (
        f"{image_asset}: got kind 'image', need a material. Fit one.")  # fmt: skip


def test_a_missing_asset_is_refused_with_what_makes_it(scene, tmp_path, refusal):
    """Before a device is opened; the scene's comment may be the only other place that tells."""
    given = 'asset = "my copper.nsh"'
    told = (f"{scene}: materials.white.asset: got no file {tmp_path / 'my copper.nsh'}, need what "
            "fit material made. Make it: neuralshade fit material ")  # fmt: skip
    output = f"-o '{tmp_path / 'my copper.nsh'}'"
    scene.write_text(TEXT.replace("diffuse = [1, 1, 1]", given))
    assert refusal(AssetError, render_scene, scene) == f"{told}MATERIAL {output}"
    given += '\nreference = "../copper.toml"'
    scene.write_text(TEXT.replace("diffuse = [1, 1, 1]", given))
    reference = tmp_path.parent / "copper.toml"
    assert refusal(AssetError, render_scene, scene) == f"{told}{reference} {output}"


def test_a_missing_asset_that_no_mesh_has_is_not_looked_for(scene, monkeypatch):
    scene.write_text(TEXT + '\n[materials.unused]\nasset = "none.nsh"\n')
    assert len(scene_contents(read_scene(scene)).materials) == 1


def test_a_stack_of_layers_is_no_scene(tmp_path, refusal, same_message):
    """``view`` takes each TOML file for a scene's."""
    path = tmp_path / "copper.toml"
    path.write_text('[[layer]]\nkind = "diffuse"\ncolor = [1, 1, 1]\n')
    same_message(refusal(ConfigError, read_scene, path), path, "Make")


def test_a_picture_is_no_scene(refusal, same_message):
    same_message(refusal(ConfigError, read_scene, DATA / "photo.png"), DATA / "photo.png", "Check")
