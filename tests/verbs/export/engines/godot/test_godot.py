"""engines/godot: the shaders compile as GLSL ES with stand-ins for built-ins, and are right."""

import re

import pytest
from fixtures.engine_exports import VARIANTS, exported
from fixtures.godot_shaders import godot_errors, images
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


def test_names_are_declared_once(godot):
    """Godot refuses a name that a block around has, where GLSL would hide the outer one."""
    shader = godot[1]
    declared = re.compile(r"(?<!\w)(?:u?int|float|bool|[iu]?vec[234]|photo_\w+) (\w+)(?= =|;|\[)")
    for _, body in re.findall(r"^(\S.*\)) \{\n(.*?)^\}", shader, re.MULTILINE | re.DOTALL):
        blocks = [set()]
        for line in body.splitlines():
            for name in declared.findall(line.split("//")[0]):
                assert not any(name in block for block in blocks), (name, line)
                blocks[-1].add(name)
            if line.rstrip().endswith("{"):
                blocks.append(set())
            elif line.strip() == "}":
                blocks.pop()


def test_the_material_names_the_shader_and_all_its_textures(godot):
    _, shader, resource = godot
    assert '[ext_resource type="Shader" path="photo.gdshader" id="1"]' in resource
    assert set(re.findall(r"^uniform sampler2D (\w+)", shader, re.MULTILINE)) == set(
        images(resource)
    )
