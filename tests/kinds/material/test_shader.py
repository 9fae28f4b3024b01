"""kinds/material/shader: what shaders say of a material is what Python says of it."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.random_materials import material
from fixtures.shader_runs import by_cpp, by_slang, off

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.languages.printers import printer_of

DATA = Path(__file__).parents[2] / "data/material.nsh"
LONGEST = 120  # lines of what evaluates alone, as a person reads it
APART = ("level", "mixture", "direction", "density", "lobe_density", "pdf", "mirrored",
              "sample", "leaky_relu")  # fmt: skip
VARY = "wetness=0..2,a.b=-1..1,a b=0..1,for=2..4"
RECIPES = {
    "usual": {"size": 8},
    "varied": {"size": 5, "features": 7, "vary": VARY, "hidden_width": 20},
    "clamped": {"size": 6, "features": 3, "lobes": 2, "lobe_inputs": 3, "wrap": "clamp",
                "activation": "leaky_relu", "hidden_layers": 1},
    "wide": {"size": 16, "features": 16, "lobes": 6, "lobe_inputs": 5, "wrap": "clamp",
             "below": 0.0, "hidden_layers": 3, "hidden_width": 16},
    "blocks": {"size": 6, "features": 8, "latents": "bc7", "wrap": "clamp", "hidden_width": 16},
    "narrow": {"size": 1, "features": 2, "lobes": 1, "hidden_width": 18},
}  # fmt: skip


MORE = [pytest.param(name, marks=pytest.mark.slow) for name in
        ("usual", "wide", "one level", "fitted")]  # fmt: skip


@pytest.fixture(scope="module", params=["varied", "clamped", "blocks", "narrow", *MORE])
def form(request):
    if request.param == "fitted":
        return neuralshade.load(DATA).shader("paint")
    if request.param == "one level":
        return material(1, size=7).shader("paint")
    return material(**RECIPES[request.param]).shader("paint")


def test_cpp_says_what_python_does(form, tmp_path):
    found = by_cpp(form, tmp_path)
    for golden in form.golden:
        assert np.abs(golden.outputs).max() > 0.05 and np.ptp(golden.outputs, axis=0).all()
        assert off(golden, found[golden.function]) < 1


LOOPS = pytest.param("clamped", False, marks=pytest.mark.slow)  # which compile for long here
SLANG = [("clamped", True), pytest.param("varied", True, marks=pytest.mark.slow), LOOPS]


@pytest.mark.parametrize("name, in_text", SLANG)
def test_slang_says_what_python_does(gpu, name, in_text):
    form = material(**RECIPES[name]).shader("paint")
    for golden in form.golden:
        assert off(golden, by_slang(gpu, form, golden, in_text)) < 1


def test_texture_units_sample_blocks(gpu):
    if gpu.api == "cuda":
        pytest.skip("textures are SlangPy's")
    form = material(**RECIPES["blocks"]).shader("paint")
    assert [one.format for one in form.textures] == ["bc7", "bc7"] and not len(form.words)
    assert [len(level) for level in form.textures[0].levels] == [16 * 4, 16, 16]
    light = form.golden[0]
    assert light.tolerance < light.by_units < 0.5
    found = by_slang(gpu, form, light, units=True)
    assert 0 < off(light, found) < light.by_units / light.tolerance


def test_golden_rows_go_everywhere(form):
    """Beyond the borders and between levels, below the surface, and where something shines."""
    light, _, pdf, drawn = form.golden
    names = [one.function for one in form.golden]
    assert (
        names
        == [one.name for one in form.public]
        == ["paint", "paint_level", "paint_pdf", "paint_sample"]
    )
    uv, level, wi, wo = np.split(light.inputs[:, :9], [2, 3, 6], axis=1)
    assert uv.min() < -0.5 and uv.max() > 1.5 and np.ptp(level) > 0.9
    below = np.minimum(wi[:, 2], wo[:, 2]) <= 0
    assert 4 < below.sum() < 40 and (light.outputs.any(1) == ~below).all()
    assert (wi[:, 2] <= 0).any() and (wo[:, 2] <= 0).any()
    assert (pdf.outputs[:, 0] == 0)[below].all() and (drawn.outputs[:, 2] >= 0).all()
    np.testing.assert_allclose(np.linalg.norm(drawn.outputs[:, :3], axis=1), 1, atol=1e-5)


def test_golden_rows_of_varied_inputs_are_values_in_their_ranges():
    form = material(**RECIPES["varied"]).shader("paint")
    values = form.golden[0].inputs[:, 9:]
    low, high = np.array([[0, -1, 0, 2], [2, 1, 1, 4]], np.float32)
    assert (values >= low).all() and (values <= high).all()
    assert (np.ptp(values, axis=0) > 0.9 * (high - low)).all()


def test_varied_inputs_are_arguments_by_their_names():
    form = material(**RECIPES["varied"]).shader("paint")
    for function in (one for one in form.public if one.name != "paint_level"):
        last = function.parameters[-4:]
        assert [one.name for one in last] == ["wetness", "a_b", "input_a_b", "input_for"]
        assert last[0].about == "0 to 2, clamped; usually 0"
    taken = material(size=2, vary="wi=0..1,mip=0..1").shader("paint").public[0]
    assert [one.name for one in taken.parameters[-2:]] == ["input_wi", "input_mip"]


@pytest.mark.parametrize("language", ["slang", "hlsl", "glsl", "glsl-es", "wgsl"])
def test_a_person_can_read_what_evaluates(language):
    text = printer_of(material(size=128).shader("paint"), language, True).text()
    own = [part for part in text.split("\n\n") if not apart(part)]
    assert sum(part.count("\n") + 2 for part in own) <= LONGEST
    assert " paint(" in own[-1] and "_pdf" not in "".join(own)


def apart(part):
    """Return whether a function or struct is of no use to what evaluates."""
    head = next((line for line in part.splitlines() if not line.startswith("//")), "")
    return any(f"paint_{name}" in head for name in APART)


def test_numbers_beyond_float32_are_refused(refusal):
    opened = material(size=4)
    opened.tensors["decoder.0.weight"][0, 0] = np.inf
    assert refusal(AssetError, opened.shader, "paint") == (
        f"{opened.path}: got a network with numbers beyond float32, need finite ones. Fit it again."
    )
