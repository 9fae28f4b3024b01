"""engines/godot: the shaders compile as GLSL ES with stand-ins for built-ins, and are right."""

import re

import pytest
from fixtures.engine_exports import VARIANTS, exported
from fixtures.godot_shaders import check_strict, godot_errors, images
from fixtures.small_kinds import ASSETS, DATA

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def godot(request):
    kind, numbers = request.param
    form, files = exported(DATA / ASSETS[kind], "godot", in_text=numbers == "text")
    return form, files["photo.gdshader"].decode(), files["photo.tres"].decode()


def test_shaders_answer_as_the_asset_does(godot):
    form, shader, resource = godot
    errors = list(godot_errors(form, shader, resource))
    assert errors
    for name, error in errors:
        assert error <= 1, name


def test_the_shader_is_as_strict_as_godot(godot):
    check_strict(godot[1])


def test_the_material_names_the_shader_and_all_its_textures(godot):
    _, shader, resource = godot
    assert '[ext_resource type="Shader" path="photo.gdshader" id="1"]' in resource
    assert set(re.findall(r"^uniform sampler2D (\w+)", shader, re.MULTILINE)) == set(
        images(resource)
    )
