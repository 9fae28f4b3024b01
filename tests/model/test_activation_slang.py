"""model/activation: the Slang half equals the Python half in value and derivative."""

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.model.activation import ACTIVATIONS, LEAK, activate, slang_name

KERNEL = """
import neuralshade.model.activation;
typealias A = KIND;
StructuredBuffer<float> x;
StructuredBuffer<float> d_y;
RWStructuredBuffer<float> y;
RWStructuredBuffer<float> d_x;
RWStructuredBuffer<float> y2;
RWStructuredBuffer<float> kept2;
RWStructuredBuffer<float> d_x2;
RWStructuredBuffer<float> facts;

void put(RWStructuredBuffer<float> buffer, uint pair, half2 values)
{
    buffer[2 * pair] = values.x;
    buffer[2 * pair + 1] = values.y;
}

[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint i = thread.x;
    if (i >= x.getCount())
        return;
    y[i] = A.eval(x[i]);
    d_x[i] = A.backward(d_y[i], A.KEEPS_OUTPUT ? y[i] : x[i]);
    if (i == 0)
    {
        facts[0] = A.KEEPS_OUTPUT ? 1.0f : 0.0f;
        facts[1] = LEAK;
    }
    if (i % 2 == 1)
        return;
    half2 at = half2(half(x[i]), half(x[i + 1]));
    half2 value = A.eval2(at);
    half2 kept = A.KEEPS_OUTPUT ? value : at;
    put(y2, i / 2, value);
    put(kept2, i / 2, kept);
    put(d_x2, i / 2, half2(half(d_y[i]), half(d_y[i + 1])) * A.slope2(kept));
}
"""
SMALL = [1e-30, 1e-12, 1e-7, 6.1e-5, 1e-3, 0.03, 0.3, 0.499, 0.501]
LARGE = [9.0, 19.0, 30.0, 50.0, 80.0]
BOTH_SIDES = np.concatenate([np.linspace(0.05, 6.0, 45), SMALL, LARGE])
X = np.concatenate([[0.0, 0.0], BOTH_SIDES, -BOTH_SIDES]).astype(np.float32)
FAR = np.array([300.0, 1e4, 1e30, 3e38], np.float32)
# what float32 leaves over of 1 - y: the derivative from an output that has saturated
SATURATING = {"tanh": 3e-7, "sigmoid": 1e-7, "elu": 1e-7}


@pytest.fixture(scope="module")
def run(device):
    """Give a function that runs one kind on x and d_y and returns what every buffer holds."""
    spy = pytest.importorskip("slangpy")
    kernels = {}
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access

    def run(kind, x, d_y=None):
        if kind not in kernels:
            text = KERNEL.replace("KIND", slang_name(kind))
            module = device.load_module_from_source(f"test_activation_{kind}", text)
            program = device.link_program([module], [module.entry_point("main")])
            kernels[kind] = device.create_compute_kernel(program)
        x = np.asarray(x, np.float32)
        given = {"x": x, "d_y": np.ones_like(x) if d_y is None else np.asarray(d_y, np.float32)}
        made = {name: np.zeros_like(x) for name in ("y", "d_x", "y2", "kept2", "d_x2")}
        made["facts"] = np.zeros(2, np.float32)
        buffers = {
            name: device.create_buffer(data=values, usage=usage)
            for name, values in (given | made).items()
        }
        kernels[kind].dispatch([len(x), 1, 1], vars=buffers)
        return {name: buffers[name].to_numpy().view(np.float32) for name in made}

    return run


def reference(kind, x, d_y):
    """Return value and gradient of the Python half in float64."""
    at = torch.from_numpy(np.asarray(x, np.float64)).requires_grad_()
    y = activate(kind, at)
    y.backward(torch.from_numpy(np.asarray(d_y, np.float64)))
    return y.detach().numpy(), at.grad.numpy()


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_both_halves_agree(run, kind):
    x = X[X < 89] if kind == "exp" else X
    d_y = np.linspace(-2, 2, len(x)).astype(np.float32)
    got = run(kind, x, d_y)
    y, d_x = reference(kind, x, d_y)
    # 2e-5: a GPU's e^x may be off by 3 + 2 |x| units in the last place (Vulkan); 1e-6 where
    # a sine crosses 0; 3e-9: torch's softplus is x itself beyond 20
    near = {"rtol": 2e-5, "atol": 1e-6 if kind == "sine" else 3e-9}
    np.testing.assert_allclose(got["y"], y, **near)
    near["atol"] += 2 * SATURATING.get(kind, 0.0)
    np.testing.assert_allclose(got["d_x"], d_x, **near)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_the_derivative_equals_the_central_difference(run, kind):
    x, h = X[(abs(X) > 0.02) & (abs(X) < 10)], np.float32(2.0**-6)
    above, below = run(kind, x + h)["y"], run(kind, x - h)["y"]
    difference = (above.astype(np.float64) - below) / np.float64((x + h) - (x - h))
    # h^2 / 6 = 4e-5 times a third derivative of up to 1 (exp: the value), and rounding
    near = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(run(kind, x)["d_x"], difference, **near)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_both_halves_keep_the_same(run, kind):
    assert run(kind, X)["facts"][0] == ACTIVATIONS[kind].keeps_output


def test_both_halves_leak_the_same(run):
    assert run("leaky_relu", X)["facts"][1] == np.float32(LEAK)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_value_and_derivative_stay_finite_far_out(run, kind):
    x = np.concatenate([-FAR, FAR[: 0 if kind == "exp" else None]])
    got = run(kind, x)
    assert np.isfinite(got["y"]).all()
    assert np.isfinite(got["d_x"]).all()
    if kind != "sine":  # float32 has no digits left for its turns
        # 1e-37: below it a GPU may take a float32 for 0
        np.testing.assert_allclose(got["y"], reference(kind, x, x)[0], rtol=1e-6, atol=1e-37)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_nan_is_not_hidden(run, kind):
    got = run(kind, [np.nan, 0.5])
    assert np.isnan(got["y"]).tolist() == [True, False]


def test_sine_is_right_after_many_turns(run):
    x = np.linspace(-5e4, 5e4, 301).astype(np.float32)
    got = run("sine", x)
    y, d_x = reference("sine", x, np.ones_like(x))
    np.testing.assert_allclose(got["y"], y, atol=2e-6)
    np.testing.assert_allclose(got["d_x"], d_x, atol=2e-6)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_pairs_of_halves_equal_the_float_forms(run, kind):
    x = X[X < 11] if kind == "exp" else X  # e^11.1 is beyond float16
    x = x[: len(x) // 2 * 2].astype(np.float16).astype(np.float32)
    d_y = np.linspace(-2, 2, len(x)).astype(np.float16)
    got = run(kind, x, d_y)
    # one rounding is 2^-11, leaky_relu has two and its slope's; 6.2e-5: below that float16 has
    # fewer digits, and a GPU may take them for 0; where hard_gelu is small, near -3/2, it is a
    # difference of numbers near 1/2, and its derivative one of numbers near 1
    near = {"rtol": 2.5 * 2.0**-11, "atol": 2e-3 if kind == "hard_gelu" else 6.2e-5}
    np.testing.assert_allclose(got["y2"], run(kind, x)["y"], **near)
    kept = torch.from_numpy(got["kept2"]).double()
    d_x = ACTIVATIONS[kind].backward(torch.from_numpy(d_y).double(), kept)
    np.testing.assert_allclose(got["d_x2"], d_x, **near)


@pytest.mark.parametrize("kind, slope", [("relu", 0.0), ("leaky_relu", LEAK)])
def test_the_derivative_at_zero_is_that_of_the_left_side(run, kind, slope):
    got = run(kind, [0.0, -0.0])
    np.testing.assert_allclose(got["d_x"], slope, rtol=1e-7)
    np.testing.assert_allclose(got["d_x2"], slope, rtol=1e-3)


def test_names_in_slang():
    assert slang_name("none") == "None"
    assert slang_name("leaky_relu") == "LeakyRelu"


def test_refusal_of_an_unknown_name():
    with pytest.raises(ConfigError) as refused:
        slang_name("leaky_rel")
    kinds = list(ACTIVATIONS)
    assert str(refused.value) == (
        f"activation: got 'leaky_rel', need one of {kinds}. Did you mean leaky_relu?"
    )
