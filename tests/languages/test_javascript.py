"""languages/javascript: whole numbers as shading languages have them, and nothing done twice."""

import numpy as np
import pytest
import torch
from fixtures.browsers import chromium
from fixtures.small_kinds import ASSETS, DATA

from neuralshade.errors import ConfigError
from neuralshade.kinds import open_asset
from neuralshade.languages.names import RESERVED
from neuralshade.languages.printers import printer_of
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.shader_form import (
    Function,
    Golden,
    Layer,
    Network,
    Parameter,
    ShaderForm,
    Struct,
)
from neuralshade.verbs.export.check.checks import check_form
from neuralshade.verbs.export.names import asset_name

PAIR = Struct("asset_pair", (("float3", "a"), ("int2", "b")))
WORDS = np.array([0x3F800000, 0xC0200000, 0xBC00_3555, 0x80000001], np.uint32)


def form_of(*functions, words=WORDS, golden=()):
    return ShaderForm("asset", (), (PAIR,), functions, words, lambda: list(golden))


def function(result, body, *parameters, name="asset"):
    return Function(result, name, tuple(Parameter(*one) for one in parameters), tuple(body),
                    public=True)  # fmt: skip


def check(inputs, outputs, *functions, in_text=False, words=WORDS, tolerance=0.0):
    """Run the last function of a form by Node.js; largest relative difference: ``tolerance``."""
    golden = Golden(functions[-1].name, np.array(inputs, np.float32),
                    np.array(outputs, np.float32), tolerance, relative_to=1.0)  # fmt: skip
    form = form_of(*functions, words=words, golden=[golden])
    (row,) = check_form(form, ["js"], in_text)
    if row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"], row


@pytest.mark.parametrize("value, found", [
    ("float(a / b)", -3), ("float(a % b)", -1), ("float(a >> 1u)", -4), ("float(-a * b)", 14),
    ("float(uint(a) >> 28u)", 15), ("float((uint(a) * 2654435761u) >> 16u)", 44155),
    ("float(uint(a) / 65536u)", 65535), ("float(uint(a) > 5u)", 1), ("float(a > 5)", 0),
    ("float((uint(a) ^ 5u) & 255u)", 252), ("float(min(a, b) + max(a, b))", -5),
    ("float(int(-1.75)) + 0.5", -0.5), ("float((7 - 4) - (2 - 3))", 4),
    ("float(1u << 31u) / 2147483648.0", 1), ("float(!(a < b) || a == -7 && b != 2)", 0),
    ("-(-1.5) - -float(b)", 3.5), ("6.0 / (3.0 / float(b))", 4),
])  # fmt: skip
def test_numbers_are_as_wide_as_their_types(value, found):
    one = function("float", [f"return {value};"], ("int", "a"), ("int", "b"))
    check([[-7, 2]], [[found]], one)


def test_a_vector_is_read_before_it_is_written():
    body = ["float3 x = v;", "x = float3(x.y, x.z, x.x);", "x += x.zxy * 2.0;", "return x;"]
    check([[1, 2, 4]], [[4, 8, 9]], function("float3", body, ("float3", "v")))


def test_blocks_loops_and_early_returns():
    body = ["if (n < 0) return float2(-1.0, 0.0);", "float2 sum = float2(0.0);",
            "for (int i = 0; i < min(n, 3); ++i)", "{", "const float x = float(i) + 1.0;",
            "if (x > 1.5)", "{", "sum.x += x;", "}", "sum.y = sum.y + x * x;", "}",
            "const float x = sum.x;", "return float2(x, sum.y);"]  # fmt: skip
    check([[-1], [0], [2], [9]], [[-1, 0], [0, 0], [2, 5], [5, 14]],
          function("float2", body, ("int", "n")))  # fmt: skip


def test_arguments_may_change():
    body = ["v = v.yx * 2.0;", "const float2 before = v;", "v.x += n;", "n = v.x + before.x;",
            "return float2(n, before.y);"]  # fmt: skip
    check([[1, 4, 0.5]], [[16.5, 2]],
          function("float2", body, ("float2", "v"), ("float", "n")))  # fmt: skip


def test_structs_pass_through_functions():
    made = Function("asset_pair", "asset_made", (Parameter("float3", "v"),),
                    ("asset_pair found;", "found.a = normalize(v) * length(v);",
                     "found.b = int2(int(v.x), 7);", "return found;"))  # fmt: skip
    body = [
        "asset_pair one = asset_made(v);",
        "const asset_pair other = asset_made(v * 2.0);",
        "one.a = one.a + other.a;",
        "return float3(one.a.xy, float(one.b.x + other.b.y));",
    ]
    check([[0, 4, 0]], [[0, 12, 7]], made, function("float3", body, ("float3", "v")))


@pytest.mark.parametrize("in_text", [False, True])
def test_words_are_read_by_their_bits(in_text):
    body = [
        "const float2 h = halves(asset_word(2 + i));",
        "return float4(as_float(asset_word(i)), as_float(asset_word(i + 1)), h);",
    ]
    check([[0]], [[1, -2.5, np.float16(0.3333), -1]], function("float4", body, ("int", "i")),
          in_text=in_text)  # fmt: skip
    bits = "return as_float(asset_word(i) & 1065353216u) + float(asset_word(3) >> 31u);"
    check([[0]], [[2]], function("float", [bits], ("int", "i")), in_text=in_text)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_layers_are_what_pytorch_has(activation):
    rng = np.random.default_rng(7)
    layers = [Layer(rng.normal(size=(5, 3)), rng.normal(size=5), activation),
              Layer(rng.normal(size=(2, 5)), rng.normal(size=2), activation)]  # fmt: skip
    inputs = rng.normal(size=(64, 3)).astype(np.float32)
    found = torch.from_numpy(inputs).double()
    for layer in layers:
        sums = found @ torch.from_numpy(layer.weight).T + torch.from_numpy(layer.bias)
        found = ACTIVATIONS[activation].forward_(sums)
    network = Network(("v.x", "v.y", "v.z"), tuple(layers), "y")
    one = function("float2", [network, "return y0.xy;"], ("float3", "v"))
    # weights are float32 there, and leaky_relu's slope
    check(inputs, found.numpy(), one, tolerance=1e-6)


def test_nothing_is_evaluated_twice():
    inner = function("float3", ["return v * 2.0;"], ("float3", "v"), name="asset_inner")
    body = ["return mix(asset_inner(v), float3(0.0), 0.25) + length(normalize(asset_inner(v)));"]
    text = printer_of(form_of(inner, function("float3", body, ("float3", "v"))), "js").text()
    assert text.count("asset_inner(v_x, v_y, v_z)") == 1 + 2
    assert text.count("Math.sqrt") == 2


def test_names_that_javascript_has_are_others():
    one = function("float", ["const float t1 = function + 1.0;", "return t1 * new;"],
                   ("float", "function"), ("float", "new"))  # fmt: skip
    check([[1, 3]], [[6]], one)


@pytest.mark.parametrize("name", ["Math", "await", "Float32Array", "arguments", "eval"])
def test_no_asset_is_called_as_javascript_calls_something(name):
    assert asset_name(name).lower() not in RESERVED and asset_name(name) != name


def test_a_task_is_refused(same_message, device):
    with open_asset(DATA / ASSETS["shader"], trust=True) as opened:
        form = opened.shader("photo")
        with pytest.raises(ConfigError) as error:
            printer_of(form, "js")
    same_message(str(error.value), "to", "Take wgsl for browsers")


def test_without_node_the_check_says_so(same_message, monkeypatch):
    monkeypatch.setenv("PATH", "")
    one = function("float", ["return x;"], ("float", "x"))
    golden = Golden("asset", np.ones((1, 1), np.float32), np.ones((1, 1), np.float32), 0.0)
    (row,) = check_form(form_of(one, golden=[golden]), ["js"], None)
    assert row["right"] is None
    same_message(row["why_not"], "not run: js", "Install nodejs")


PAGE = """<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-a'">
<script type="module" nonce="a">{text}
window.answers = {rows}.map((row) => Array.from(photo(...row)));
</script>"""


@pytest.mark.slow
def test_a_page_that_forbids_eval_runs_it(tmp_path):
    with open_asset(DATA / ASSETS["image"]) as opened:
        form = opened.shader("photo")
        golden = form.golden[0]
    page = tmp_path / "page.html"
    text = printer_of(form, "js", True).text()
    page.write_text(PAGE.format(text=text, rows=golden.inputs.tolist()))
    with chromium("--no-sandbox") as browser:
        opened = browser.new_page()
        opened.goto(page.as_uri())
        found = np.array(opened.evaluate("window.answers"))
    assert np.abs(found - golden.outputs).max() <= golden.tolerance
