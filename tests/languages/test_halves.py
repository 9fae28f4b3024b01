"""languages/halves: hidden layers in float16, in every language that has it; refusals by name."""

import json

import numpy as np
import pytest
import torch
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds import open_asset
from neuralshade.languages.halves import in_halves
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.shader_form import Function, Golden, Layer, Network, Parameter, ShaderForm
from neuralshade.verbs.export.check.checks import check_form

HAVING = [one.name for one in LANGUAGES.values() if one.has_halves]
LACKING = [one.name for one in LANGUAGES.values() if not one.has_halves]
SIGNS = {
    "slang": "half4(", "hlsl": "half4(", "glsl": "f16vec4(", "wgsl": "enable f16;",
    "metal": "half4(", "cuda": "#include <cuda_fp16.h>", "spirv": "half4(",
}  # fmt: skip
WORDS = np.array([7, 8, 9], np.uint32)  # of the asset itself, before the rows


def form_of(activation, sizes=(3, 7, 6, 2), scale=0.3):
    """Return a form whose function is a network: of no fours, with odd counts of rows."""
    rng = np.random.default_rng(2)
    kinds = [activation] * (len(sizes) - 2) + ["none"]
    layers = [Layer(rng.normal(0, scale, (o, i)), rng.normal(0, 0.1, o), kind)
              for o, i, kind in zip(sizes[1:], sizes, kinds, strict=False)]  # fmt: skip
    network = Network(("x.x", "x.y", "x.z"), tuple(layers), "y")
    body = (network, "return y0.xy + float2(float(net_word(0)), float(net_word(2)));")
    function = Function("float2", "net", (Parameter("float3", "x"),), body, public=True)
    inputs = rng.uniform(-1, 1, (64, 3)).astype(np.float32)
    found = inputs.astype(np.float64)
    for layer in layers:
        sums = torch.from_numpy(found @ layer.weight.T + layer.bias)
        found = ACTIVATIONS[layer.activation].forward_(sums).numpy()
    full = max(1.0, float(np.abs(found).max()))
    found = (found + np.array([7, 9])).astype(np.float32)
    golden = Golden("net", inputs, found, 2e-6, in_halves=5e-3 * full)
    return ShaderForm("net", ("net: a network", "Written."), (), (function,), WORDS,
                      lambda: [golden])  # fmt: skip


@pytest.mark.parametrize("in_text", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_hidden_layers_are_right_to_the_bits_that_they_have(activation, in_text):
    form = in_halves(form_of(activation))
    (row,) = check_form(form, ["wgsl"], in_text)
    if row["ran_on"] is None and row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"] and row["allowed"] >= 5e-3, row
    assert row["error"] > 1e-5, "it was not float16"


@pytest.mark.parametrize("in_text", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("language", ["hlsl", "spirv"])
def test_compilers_of_others_take_them(language, in_text):
    (row,) = check_form(in_halves(form_of("silu")), [language], in_text)
    if row["ran_on"] is None and row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"] and row["error"] > 1e-5, row


def test_rows_of_halves_take_half_the_words():
    form = form_of("relu", (3, 64, 64, 2))
    whole, half = (printer_of(one, "wgsl", False).words for one in (form, in_halves(form)))
    assert (half[:3] == WORDS).all()
    last = 65 * 4  # words of the last layer, which stays
    assert 0 <= 2 * (len(half) - 4 - last) - (len(whole) - 4 - last) <= 8


@pytest.mark.parametrize("language", HAVING)
def test_every_text_says_so(language):
    form = open_asset(DATA / ASSETS["image"]).shader("photo")
    text, plain = (printer_of(one, language, True).text() for one in (in_halves(form), form))
    assert SIGNS.get(language, "half") in text
    assert "// numbers: hidden layers of networks in 16 bits, all else in 32" in text
    if language in SIGNS:  # others have float16 anyway
        assert SIGNS[language] not in plain and len(text) < len(plain) + 4000


@pytest.mark.parametrize("language", LACKING)
def test_a_language_without_them_is_refused(language, tmp_path, refusal):
    said = refusal(ConfigError, neuralshade.export, DATA / ASSETS["image"], f"wgsl,{language}",
                   tmp_path / "out", half=True)  # fmt: skip
    assert said.startswith(f"half: got {language}, which has no 16-bit numbers")
    assert f"Export {language} without half." in said and "hlsl" in said
    assert not (tmp_path / "out").exists()


def test_what_has_no_hidden_layers_is_refused(tmp_path, refusal):
    said = refusal(ConfigError, neuralshade.export, DATA / ASSETS["splats"], "wgsl",
                   tmp_path / "out", half=True)  # fmt: skip
    assert "without a network of several layers" in said
    assert not (tmp_path / "out").exists()


def test_numbers_beyond_float16_are_refused():
    with pytest.raises(ConfigError, match=r"numbers up to .*e\+05, need at most 65504"):
        in_halves(form_of("relu", scale=1e5))
    form = form_of("relu", (3, 2), scale=1e5)  # a last layer may have them, but is none of those
    with pytest.raises(ConfigError, match="several layers"):
        in_halves(form)


def test_the_manifest_says_what_is_allowed(tmp_path):
    for half in (False, True):
        neuralshade.export(DATA / ASSETS["image"], "wgsl", tmp_path / "out", name="photo",
                           half=half)  # fmt: skip
        facts = json.loads((tmp_path / "out/photo.json").read_text())
        assert facts["half"] is half
        assert facts["golden"][0]["tolerance"] == (5e-3 if half else 2e-6)
    assert "16 bits" in (tmp_path / "out/README.md").read_text()
