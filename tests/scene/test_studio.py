"""scene/studio: an asset by itself is a scene, and what only it takes is refused elsewhere."""

import pathlib
import shutil
from dataclasses import replace

import numpy as np
import pytest
from fixtures.small_material import DARK, PAINT, TOLD

import neuralshade
from neuralshade.errors import AssetError, ConfigError
from neuralshade.scene.document import read_scene
from neuralshade.scene.entries import SHAPES
from neuralshade.scene.render import render_scene, scene_contents
from neuralshade.scene.studio import requested_scene, studio
from neuralshade.source.color import linear_to_srgb

DATA = pathlib.Path(__file__).parents[1] / "data"
ASSET = DATA / "material.nsh"
SCENE = """
[camera]
position = [0, 1, 4]
look_at = [0, 1, 0]
[materials.white]
diffuse = [1, 1, 1]
[[mesh]]
shape = "sphere"
material = "white"
[[light]]
type = "directional"
direction = [0, 1, 0]
radiance = [1, 1, 1]
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(SCENE)
    return path


@pytest.fixture
def sky(tmp_path):
    neuralshade.save_picture(tmp_path / "sky.exr", np.full((4, 8, 3), 0.5, np.float32), "linear")
    return tmp_path / "sky.exr"


@pytest.mark.parametrize("shape", [None, *SHAPES])
def test_each_shape_stands_on_the_floor_before_the_camera(shape):
    document = requested_scene(ASSET, shape=shape)
    floor, thing = (mesh for mesh, _, _ in scene_contents(document).meshes)
    assert np.abs(floor.places[:, 1]).max() < 1e-6
    low, high = thing.places.min(0), thing.places.max(0)
    assert abs(low[1]) < 0.04 and 1.2 < high[1] < 2.3
    towards = thing.places - np.asarray(document.camera.position)
    forward = np.subtract(document.camera.look_at, document.camera.position)
    distance = np.linalg.norm(towards, axis=1)
    angle = np.degrees(np.arccos(towards @ forward / distance / np.linalg.norm(forward)))
    corner = np.hypot(1, document.width / document.height) * np.tan(
        np.radians(document.camera.fov / 2)
    )
    assert angle.max() < np.degrees(np.arctan(corner))


def test_a_picture_around_is_all_that_shines(sky):
    document = requested_scene(ASSET, environment=sky)
    assert document.light == () and document.environment.picture == str(sky)
    assert requested_scene(ASSET).light != ()


def test_a_picture_around_a_scene_leaves_its_lights(scene, sky, monkeypatch):
    """And its path is as seen from where one stands, not from the scene's folder."""
    monkeypatch.chdir(sky.parent)
    (sky.parent / "elsewhere").mkdir()
    moved = shutil.move(scene, sky.parent / "elsewhere" / "scene.toml")
    document = requested_scene(moved, environment="sky.exr")
    assert document.light == read_scene(moved).light
    np.testing.assert_allclose(scene_contents(document).environment.radiance, 0.5, atol=1e-3)


@pytest.mark.parametrize("name, given, table", [
    ("shape", "box", "[[mesh]]"), ("reference", "x.toml", "[materials.NAME]"),
    ("values", {"wetness": 1.0}, "[materials.NAME]")])  # fmt: skip
def test_a_scene_says_itself_what_an_asset_is_asked(scene, refusal, name, given, table):
    said = "set" if name == "values" else name
    wanted = (f"{said}: got one for a scene, need it in the scene's file. Write it under "
              f"{table}.")  # fmt: skip
    for one in (scene, replace(read_scene(scene), path=None)):
        assert refusal(ConfigError, requested_scene, one, **{name: given}) == wanted


def test_refusals(tmp_path, refusal, same_message):
    same_message(refusal(ConfigError, studio, ASSET, "bal"), "shape", "ball?")
    assert "got 3, need a path" in refusal(ConfigError, studio, ASSET, reference=3)
    assert "got 3, need a path" in refusal(ConfigError, requested_scene, ASSET, environment=3)
    gone = tmp_path / "gone.nsh"
    assert refusal(AssetError, render_scene, gone).endswith(
        f"neuralshade fit material MATERIAL -o {gone}"
    )
    photo = refusal(AssetError, render_scene, DATA / "image_grid.nsh")
    assert photo.endswith("got kind 'image', need a material. Fit one.")
    document = tmp_path / "copper.mtlx"
    document.write_text("<materialx/>")
    same_message(refusal(ConfigError, render_scene, document), document, "Make")


@pytest.mark.slow  # kernels of two scenes
def test_with_a_reference_all_three_panes_are_drawn(one_device, tmp_path):
    (tmp_path / "paint.slang").write_text(PAINT + TOLD + DARK)
    asked = {"samples": 1, "size": (16, 12), "device": "vulkan"}
    panes = render_scene(ASSET, tmp_path / "x.png", reference=tmp_path / "paint.slang", trust=True,
                         **asked)  # fmt: skip
    assert panes.shape == (12, 48, 3) and (tmp_path / "x.png").stat().st_size > 0
    fitted = render_scene(ASSET, **asked)
    wanted = linear_to_srgb(np.clip(fitted, 0, 1))
    np.testing.assert_allclose(panes[:, 16:32], wanted, atol=1e-4)
    assert wanted.std() > 0.02
