"""engines/osl: Cycles answers as the asset does, and what OSL has no place for is refused."""

import re
from dataclasses import replace

import numpy as np
import pytest
from fixtures.blender import render_rows
from fixtures.engine_exports import exported, linear, rows_of
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.errors import ConfigError
from neuralshade.kinds import open_asset
from neuralshade.model.shader_form import Function, Parameter, ShaderForm
from neuralshade.verbs.export.engines.engine import EngineSource
from neuralshade.verbs.export.engines.osl.shader import OslShader
from neuralshade.verbs.export.engines.surface import surface_of

MOST_OFF = 2e-5  # of linear light; OSL's exp, log, sin and pow are its own
FILES = ["image_grid", "image_hash", "splats_normalized", "splats_over", "splats_sum", "textures",
         "mipmaps"]  # fmt: skip
UV = Parameter("float2", "uv")


def shown(function, outputs):
    """Return what the shader's first output has for a function's golden outputs: [n, 3]."""
    count = 3 if outputs.shape[1] > 2 else 1
    found = outputs[:, :count].astype(np.float64)
    if function.space == "srgb":
        found = linear(found)
    if function.meaning == "normal":
        found = 0.5 + 0.5 * found
    return np.broadcast_to(found, (len(found), 3))


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_cycles_answers_as_the_asset_does(file):
    form, files = exported(DATA / f"{file}.nsh", "osl")
    color = form.meaning("color")
    functions = {"Color": color} if color else {one.meaning.capitalize(): one for one in form.maps}
    for golden in rows_of(form, next(iter(functions.values()))):
        found = render_rows(files["photo.osl"].decode(), golden.inputs, v_up=False)
        assert set(found) >= set(functions)
        for name, function in functions.items():
            own = next(one for one in rows_of(form, function)
                       if np.array_equal(one.inputs, golden.inputs))  # fmt: skip
            assert np.abs(found[name] - shown(function, own.outputs)).max() < MOST_OFF, name
        if color and golden.outputs.shape[1] == 4:
            assert np.abs(found["Alpha"][:, 0] - golden.outputs[:, 3]).max() < MOST_OFF


@pytest.mark.slow
def test_v_goes_up_unless_told():
    form, files = exported(DATA / ASSETS["image"], "osl")
    (golden,) = rows_of(form, form.meaning("color"))
    upward = golden.inputs * [1, -1] + [0, 1]
    found = render_rows(files["photo.osl"].decode(), upward)
    assert np.abs(found["Color"] - shown(form.meaning("color"), golden.outputs)).max() < MOST_OFF


@pytest.mark.slow
def test_texels_at_random_have_the_mean_of_filtered_ones():
    _, files = exported(DATA / ASSETS["textures"], "osl")
    spots = np.random.default_rng(5).uniform(0.1, 0.9, (4, 2))
    near = np.random.default_rng(6).uniform(-5e-4, 5e-4, (64, 1, 2))  # of one texel's size: 1 %
    rows = np.concatenate([(spots + near).reshape(-1, 2), np.zeros((256, 1))], 1)
    text = files["photo.osl"].decode()
    exact, noisy = (render_rows(text, rows, v_up=False, stochastic=one) for one in (False, True))
    for name in exact:
        means = [found[name].reshape(64, 4, 3).mean(0) for found in (exact, noisy)]
        spread = noisy[name].reshape(64, 4, 3).std(0)
        assert (np.abs(means[1] - means[0]) <= 5 * spread / 8 + 2e-3).all(), name  # 5 sigma
        assert spread.max() > 0 or np.ptp(exact[name]) == 0, name


def shader_of(body, result, words=(), role="color", name="Made"):
    """Return the text of a shader whose output Made is a function of this body."""
    function = Function(result, "asset_made", (UV,), tuple(body), public=True, meaning="color")
    form = ShaderForm("asset", ("about it",), (), (function,), np.array(words, np.uint32), list)
    surface = surface_of(EngineSource(form, None, "asset"), "osl")
    (value,) = surface.values
    return OslShader(form, replace(surface, values=(replace(value, name=name, role=role),))).text()


@pytest.mark.slow
def test_whole_numbers_without_a_sign_are_right():
    body = ["const uint w = asset_word(int(uv.x));", "const uint by = uint(int(uv.y));",
            "const float high = float(w >> by) / 65536.0;",
            "const float rest = float((w % 1000u) + (w / 3u >> 24u));",
            "const uint other = w * 2654435761u;",
            "const float less = float(w < other) + 2.0 * float(w <= by) + 4.0 * float(w >= other);",
            "return float3(high, rest, less + float(w) / 4294967296.0);"]  # fmt: skip
    words = np.array([0, 1, 999, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xDEADBEEF], np.uint32)
    rows = np.array([[i, by] for i in range(len(words)) for by in (0, 1, 7, 31)], float)
    found = render_rows(shader_of(body, "float3", words), rows, v_up=False)["Made"]
    w, by = words[rows[:, 0].astype(int)].astype(np.uint64), rows[:, 1].astype(np.uint64)
    other = w * np.uint64(2654435761) % np.uint64(2**32)
    less = (w < other) * 1 + (w <= by) * 2 + (w >= other) * 4
    rest = w % 1000 + ((w // 3) >> np.uint64(24))
    wanted = np.stack([(w >> by) / 65536, rest, less + w / 2**32], 1)
    np.testing.assert_allclose(found, wanted, rtol=3e-7)  # of float32


@pytest.mark.slow
@pytest.mark.parametrize("name", ["N", "P", "Ci"])
def test_maps_called_as_globals_are_others(name):
    text = shader_of(["return float3(uv.x, uv.y, 0.25);"], "float3", role="data", name=name)
    found = render_rows(text, np.array([[0.5, 0.75]]), v_up=False)
    np.testing.assert_array_equal(found[f"{name}_map"], [[0.5, 0.75, 0.25]])


@pytest.mark.slow
def test_bits_of_floats_are_right():
    floats = np.array([0, 1, -2.5, 3e-30, 6.5e4, -1.17e30, 0.1], np.float32)
    halves = np.array([0, 1, -0.3333, 6e-8, 65504, 1e-5, 0.1], np.float16)
    words = np.concatenate([floats.view(np.uint32), halves.view(np.uint16).astype(np.uint32)])
    body = ["const int i = int(uv.x);", f"const float2 h = halves(asset_word({len(floats)} + i));",
            "const uint w = asset_word(i) & 4294967295u;",
            "return float3(as_float(asset_word(i)), h.x, as_float(w));"]  # fmt: skip
    rows = np.stack([np.arange(7), np.zeros(7)], 1)
    found = render_rows(shader_of(body, "float3", words), rows, v_up=False)["Made"]
    np.testing.assert_array_equal(found, np.stack([floats, halves.astype(np.float32), floats], 1))


@pytest.mark.parametrize("result, role, outputs", [
    ("float", "roughness", ["float Made"]), ("float2", "flow", ["vector Made"]),
    ("float3", "albedo", ["color Made"]), ("float4", "data", ["color Made", "float Made_w"]),
    ("float", "color", ["color Made"]), ("float2", "color", ["color Made", "float Alpha"]),
    ("float4", "color", ["color Made", "float Alpha"]),
])  # fmt: skip
def test_outputs_are_named_by_what_they_are(result, role, outputs):
    value = "uv.x" if result == "float" else f"{result}(uv.x)"
    text = shader_of([f"return {value};"], result, role=role)
    assert re.findall(r"^    output (\w+ \w+) =", text, re.MULTILINE) == outputs


@pytest.mark.parametrize("kind", ["image", "splats", "textures", "mipmaps"])
def test_its_page_names_every_output(kind):
    _, files = exported(DATA / ASSETS[kind], "osl")
    text, page = files["photo.osl"].decode(), files["README.md"].decode()
    outputs = re.findall(r"^    output (\w+) (\w+) =", text, re.MULTILINE)
    assert outputs and text.isascii()
    for kind_, name in outputs:
        assert f"| `{name}` | {kind_} |" in page


def test_a_material_is_refused(same_message):
    with pytest.raises(ConfigError) as error:
        exported(DATA / ASSETS["material"], "osl")
    same_message(str(error.value), "to", "direction")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["color", "N", "noise"])
def test_words_of_osl_are_no_names(name):
    form, files = exported(DATA / ASSETS["image"], "osl", name)
    (golden,) = rows_of(form, form.meaning("color"))
    found = render_rows(files[f"{name}.osl"].decode(), golden.inputs, v_up=False)
    assert np.abs(found["Color"] - shown(form.meaning("color"), golden.outputs)).max() < MOST_OFF
    assert f"`{name}__`" in files["README.md"].decode()


def test_no_text_of_an_asset_ends_a_comment():
    with open_asset(DATA / ASSETS["image"]) as opened:
        form = replace(opened.shader("photo"), about=("one\nint evil;", "two \\"))
    text = OslShader(form, surface_of(EngineSource(form, None, "photo"), "osl")).text()
    assert text.startswith("// one?int evil;\n// two /\n")
