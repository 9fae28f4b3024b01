"""Networks as cooperative vectors: places of numbers, values, what float16 cannot hold."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.languages.activations import ACTIVATIONS
from neuralshade.languages.coopvec import ALIGNED, CoopVecSlang
from neuralshade.languages.harness import harness
from neuralshade.model.shader_form import Function, Golden, Layer, Network, Parameter, ShaderForm
from neuralshade.verbs.export.check.coopvec_on_gpu import run_vectors
from neuralshade.verbs.export.check.slang_on_cpu import run_on_cpu

WORDS = np.array([7, 8, 9], np.uint32)  # of the asset itself, before the matrices
BY_NUMPY = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.maximum(x, 0.01 * x),
    "hard_gelu": lambda x: x * np.clip(x / 3 + 0.5, 0, 1),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "sine": np.sin,
}


def form_of(sizes, activations, scale=1.0, seed=1):
    """Return a form whose function is a network of three arguments."""
    rng = np.random.default_rng(seed)
    shapes = zip(sizes[1:], sizes, strict=False)
    layers = [Layer(scale * rng.normal(0, 0.5, (o, i)), rng.normal(0, 0.5, o), kind)
              for (o, i), kind in zip(shapes, activations, strict=True)]  # fmt: skip
    network = Network(("x.x", "x.y", "x.z"), tuple(layers), "y")
    body = (network, "return y0.xy + float2(float(net_word(0)), 0.0);")
    function = Function("float2", "net", (Parameter("float3", "x"),), body, public=True)
    inputs = rng.uniform(-1, 1, (64, 3)).astype(np.float32)
    found = inputs.astype(np.float64)
    for layer in layers:
        found = BY_NUMPY[layer.activation](found @ layer.weight.T + layer.bias)
    golden = Golden("net", inputs, (found[:, :2] + (7, 0)).astype(np.float32), 1e-5, in_halves=0.02)
    return ShaderForm("net", (), (), (function,), WORDS, lambda: [golden])


def test_matrices_lie_row_major_behind_the_words():
    form = form_of((3, 12, 2), ("relu", "none"))
    printer = CoopVecSlang(form, False)
    halves = printer.words.view(np.float16)
    assert (printer.words[:3] == WORDS).all()
    for one, layer in zip(printer.matrices[0], form.networks[0].layers, strict=True):
        assert one.weight_at % ALIGNED == 0 and one.bias_at % 16 == 0
        assert one.rows % 8 == one.columns % 8 == 0
        found = halves[one.weight_at // 2 :][: one.rows * one.columns].reshape(one.rows, -1)
        outputs, inputs = layer.weight.shape
        assert (found[:outputs, :inputs] == layer.weight.astype(np.float16)).all()
        assert not found[outputs:].any() and not found[:, inputs:].any()
        assert (halves[one.bias_at // 2 :][:outputs] == layer.bias.astype(np.float16)).all()
        assert f"{one.weight_at}" in printer.text() and f"{one.bias_at}" in printer.text()


@pytest.mark.slow
@pytest.mark.slangpy
@pytest.mark.parametrize("hidden", BY_NUMPY)
def test_loops_on_a_cpu_answer_as_numpy_does(hidden, on_cpu):
    form = form_of((3, 12, 20, 2), (hidden, hidden, "sigmoid"))
    (golden,) = form.golden
    printer = CoopVecSlang(form, False)
    found = run_on_cpu(printer, harness(printer, form.functions[0]), golden).results
    assert np.abs(found - golden.outputs).max() < 0.02


def test_every_activation_is_written():
    for kind in ACTIVATIONS:
        layers = (Layer(np.eye(3), np.zeros(3), kind), Layer(np.eye(3), np.zeros(3), kind))
        body = (Network(("x.x", "x.y", "x.z"), layers, "y"), "return y0.x;")
        function = Function("float", "net", (Parameter("float3", "x"),), body, public=True)
        form = ShaderForm("net", (), (), (function,), WORDS, lambda: [])
        assert "coopVecMatMulAdd<half, 8, 8>" in CoopVecSlang(form, False).text()


def test_a_single_layer_stays_in_float32():
    form = form_of((3, 2), ("none",))
    printer = CoopVecSlang(form, False)
    assert "coopVecMatMulAdd" not in printer.text() and (printer.words == WORDS).all()


def test_numbers_beyond_float16_are_refused():
    with pytest.raises(ConfigError, match=r"matrix: got a network with numbers up to .* float16"):
        CoopVecSlang(form_of((3, 12, 2), ("relu", "none"), scale=1e6), False).text()


@pytest.mark.slangpy
def test_spirv_of_it_has_cooperative_vectors():
    pytest.importorskip("slangpy")
    from neuralshade.gpu.slang_export import export_bytes

    form = form_of((3, 12, 2), ("relu", "none"))
    printer = CoopVecSlang(form, False)
    spirv = np.frombuffer(export_bytes(harness(printer, form.functions[0]).text, "check", "spirv"),
                          np.uint32)  # fmt: skip
    capability, cooperative_vector = 2 << 16 | 17, 5394
    assert any(spirv[i] == capability and spirv[i + 1] == cooperative_vector
               for i in range(len(spirv) - 1))  # fmt: skip


@pytest.mark.gpu
@pytest.mark.slangpy
@pytest.mark.parametrize("hidden", BY_NUMPY)
def test_a_gpu_answers_as_numpy_does_in_both_layouts(hidden):
    from neuralshade.gpu.open import open_gpu

    gpu = open_gpu("vulkan")
    if "cooperative_vector" not in gpu.adapter.features:
        pytest.skip(f"{gpu.name} has no cooperative vectors")
    form = form_of((3, 12, 20, 2), (hidden, hidden, "sigmoid"))
    printer = CoopVecSlang(form, False)
    found = run_vectors(gpu, printer, harness(printer, form.functions[0]), form.golden[0])
    assert np.abs(found.results - form.golden[0].outputs).max() < 0.02
