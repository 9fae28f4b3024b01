"""engines/godot: the shaders compile as GLSL ES with stand-ins for built-ins, and are right."""

import base64
import re

import numpy as np
import pytest
from fixtures.engine_exports import MAP_KINDS, VARIANTS, allowed, exported, places, shown, values_of
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.verbs.export.check.opengl import ES_HEAD, WHOLE_SCREEN

pytestmark = [pytest.mark.slow]
# What fragment() and light() read and write in Godot; a row of numbers gives the first ones.
BUILT_INS = """
uniform highp sampler2D rows;
uniform int columns;
uniform int part;
out vec4 answer;
float row(int i) { return texelFetch(rows, ivec2(i, int(gl_FragCoord.x)), 0).x; }
vec2 UV, FOOTPRINT;
vec3 NORMAL = vec3(0.0, 0.0, 1.0), TANGENT = vec3(1.0, 0.0, 0.0), BINORMAL = vec3(0.0, 1.0, 0.0);
vec3 VIEW, LIGHT, LIGHT_COLOR = vec3(1.0);
float ATTENUATION = 1.0;
vec3 ALBEDO, NORMAL_MAP, EMISSION, SPECULAR_LIGHT = vec3(0.0), DIFFUSE_LIGHT = vec3(0.0);
float ROUGHNESS, METALLIC, AO, ALPHA, SPECULAR;
vec4 COLOR;
#define dFdx(at) vec2(FOOTPRINT.x, 0.0)
#define dFdy(at) vec2(0.0, FOOTPRINT.y)
"""
MAIN = {
    "Color": "UV = vec2(row(0), row(1)); fragment(); answer = COLOR;",
    "Maps": "UV = vec2(row(0), row(1)); FOOTPRINT = vec2(row(2), row(3)); fragment(); answer = "
    "part == 0 ? vec4(ALBEDO, ROUGHNESS) : part == 1 ? vec4(NORMAL_MAP, METALLIC) : "
    "vec4(AO, ALPHA, EMISSION.x, 0.0);",
    "Light": "UV = vec2(row(0), row(1)); FOOTPRINT = vec2(row(2), row(3)); LIGHT = vec3(row(4), "
    "row(5), row(6)); VIEW = vec3(row(7), row(8), row(9)); fragment(); light(); answer = "
    "vec4(SPECULAR_LIGHT, 1.0);",
}
# Where a built-in is in the answers: part and lanes.
PLACES = {"albedo": (0, slice(0, 3)), "roughness": (0, slice(3, 4)), "normal": (1, slice(0, 3)),
          "metallic": (1, slice(3, 4))}  # fmt: skip


def glsl(shader, title):
    """Return a fragment shader of GLSL ES 3.00 that runs a shader of Godot for rows."""
    text = re.sub(r"^shader_type \w+;$", "", shader, flags=re.MULTILINE)
    text = re.sub(r"^(uniform \w+ \w+) : [\w, ]+;", r"\1;", text, flags=re.MULTILINE)
    text = re.sub(r"^uniform (\w+ \w+) = ", r"\1 = ", text, flags=re.MULTILINE)
    text = re.sub(r"^varying ", "", text, flags=re.MULTILINE)
    text = text.replace("uniform sampler2D", "uniform highp sampler2D")
    return f"{ES_HEAD}{BUILT_INS}{text}\nvoid main() {{ {MAIN[title]} }}\n"


def images(resource):
    """Return the textures of a material by uniform: levels of uint8 [H, W, 4]."""
    found = {}
    pattern = (r'\[sub_resource type="Image" id="Image_(\w+)"\]\ndata = \{\n"data": PackedByteArray'
               r'\("([^"]*)"\),\n"format": "RGBA8",\n"height": (\d+),\n"mipmaps": (\w+),\n'
               r'"width": (\d+)\n\}')  # fmt: skip
    for name, content, height, mipmaps, width in re.findall(pattern, resource):
        assert f'shader_parameter/{name} = SubResource("Texture_{name}")' in resource
        data, h, w = np.frombuffer(base64.b64decode(content), np.uint8), int(height), int(width)
        levels = []
        while True:
            levels.append(data[: 4 * w * h].reshape(h, w, 4))
            data = data[4 * w * h :]
            if mipmaps == "false" or (w, h) == (1, 1):
                break
            w, h = max(w // 2, 1), max(h // 2, 1)
        assert not len(data), "Godot refuses data of another size"
        found[name] = levels
    return found


def run(shader, resource, title, inputs, parts, parameters=None):
    """Return what a shader answers for rows: float32 [parts, rows, 4]."""
    moderngl = pytest.importorskip("moderngl")
    try:
        context = moderngl.create_context(standalone=True, require=300, backend="egl")
    except Exception as error:
        pytest.skip(f"needs OpenGL: {error}")
    try:
        program = context.program(vertex_shader=WHOLE_SCREEN, fragment_shader=glsl(shader, title))
        frame = context.framebuffer([context.texture((len(inputs), 1), 4, dtype="f4")])
        context.texture(inputs.shape[::-1], 1, np.ascontiguousarray(inputs, "f4").tobytes(),
                        dtype="f4").use(0)  # fmt: skip
        for unit, (name, levels) in enumerate(images(resource).items(), start=1):
            color = re.search(rf"^uniform sampler2D {name} : (.*);", shader, re.MULTILINE)[1]
            _texture(context, levels, color, unit)
            program[name] = unit
        for name, value in (parameters or {}).items():
            program[name] = value
        frame.use()
        array, found = context.vertex_array(program, []), []
        for part in range(parts):
            if "part" in program:
                program["part"] = part
            array.render(vertices=3)
            found.append(np.frombuffer(frame.read(components=4, dtype="f4"), np.float32))
        return np.stack(found).reshape(parts, len(inputs), 4)
    finally:
        context.release()


def _texture(context, levels, hints, unit):
    from neuralshade.model.shader_form import Texture
    from neuralshade.verbs.export.check.opengl_textures import bind_textures

    form = "rgba8_srgb" if "source_color" in hints else "rgba8"
    sizes = tuple(one.shape[1::-1] for one in levels)
    one = Texture("bound", "bound", form, sizes, tuple(level.tobytes() for level in levels),
                  "repeat_enable" in hints)  # fmt: skip
    bind_textures(context, type("Form", (), {"textures": (one,)}), first=unit)


@pytest.fixture(scope="module", params=VARIANTS, ids="-".join)
def godot(request):
    kind, numbers = request.param
    form, files = exported(DATA / ASSETS[kind], "godot", in_text=numbers == "text")
    return kind, form, files["photo.gdshader"].decode(), files["photo.tres"].decode()


def footprints(form, levels):
    """Return sizes of square footprints that levels serve."""
    sides = re.search(r"float2\(([\d.]+), ([\d.]+)\)", form.meaning("level").body[0])
    return (np.exp2(levels) / max(map(float, sides.groups())))[:, None]


def test_shaders_answer_as_the_asset_does(godot):
    kind, form, shader, resource = godot
    compared = 0
    for function, _ in values_of(form, kind):
        for golden in places(form, function):
            rows, title = golden.inputs.astype(np.float64), MAP_KINDS[kind]
            if title != "Color":
                rows = rows[rows[:, 2] >= 0] if title == "Maps" else rows
                steps = footprints(form, np.maximum(rows[:, 2], 0))
                rows = np.concatenate([rows[:, :2], steps, steps, rows[:, 3:]], axis=1)
            if title == "Color":
                got = run(area_off(shader), resource, title, rows, 1)[0][
                    :, : golden.outputs.shape[1]
                ]
                expected = golden.outputs
            elif title == "Light":
                got, expected = run(shader, resource, title, rows, 1)[0][:, :3], golden.outputs
            elif function.meaning in PLACES:
                part, lanes = PLACES[function.meaning]
                got = run(shader, resource, title, rows, 3)[part][:, lanes]
                expected = shown(function, golden.outputs)[golden.inputs[:, 2] >= 0]
                got = got * 2 - 1 if function.meaning == "normal" else got
            else:
                continue
            off = np.abs(got - expected)
            if golden.relative_to is not None:
                off /= np.abs(golden.outputs) + golden.relative_to
            compared += 1
            assert off.max() <= allowed(golden, form.textures) + 1e-5, function.name
    assert compared


def area_off(shader):
    """Return a picture's shader that takes one sample, whose values are known."""
    made = re.sub(r"photo_area\(uv, dFdx\(uv\), dFdy\(uv\)\);\n", "photo(uv);\n", shader)
    assert made != shader
    return made


def test_names_are_declared_once(godot):
    """Godot refuses a name that a block around has, where GLSL would hide the outer one."""
    shader = godot[2]
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
    _, _, shader, resource = godot
    assert '[ext_resource type="Shader" path="photo.gdshader" id="1"]' in resource
    assert set(re.findall(r"^uniform sampler2D (\w+)", shader, re.MULTILINE)) == set(
        images(resource)
    )
