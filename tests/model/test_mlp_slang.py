"""model/mlp on the device: equal to the float64 Python half, to differences, to Slang's own."""

import numpy as np
import pytest
import torch

from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.mlp import MLP

SIZES = [(1, 1, 1), (5, 3, 7), (16, 4, 12), (3, 7, 8), (13, 2, 33)]  # inputs, outputs, width
SAMPLES = 9


def network_and_batch(inputs, outputs, layers, width, kinds, bias, rng):
    network = MLP(inputs, outputs, layers, width, *kinds, bias, rng=rng)
    for layer in network.members:
        layer.weight.data *= 0.4  # keeps exp within float32 over many layers
        if bias:
            torch.nn.init.uniform_(layer.bias, -0.5, 0.5, generator=rng)
    x = torch.randn(SAMPLES, inputs, generator=rng).numpy()
    return network, x, torch.randn(SAMPLES, outputs, generator=rng).numpy()


def numbers_of(module: torch.nn.Module) -> np.ndarray:
    return torch.nn.utils.parameters_to_vector(module.parameters()).detach().numpy()


def check_close(got, wanted):
    for name, array in wanted._asdict().items():
        scale = max(float(np.abs(array).max()), 1e-3)
        close = {"rtol": 1e-4, "atol": 1e-5 * scale}  # float32 sums over up to 9 layers
        np.testing.assert_allclose(getattr(got, name), array, err_msg=name, **close)


def check_both_halves(kernel_of, float64_passes, network, x, d_y, packed=False):
    kernel = kernel_of(network.slang(), x.shape[1], d_y.shape[1], SAMPLES, packed)
    got = kernel.run(numbers_of(network), x, d_y)
    check_close(got, float64_passes(network, x, d_y))


# by itself each activation is in test_activation_slang.py; here they are between layers
EACH = [
    kind if kind in ("leaky_relu", "sine", "silu") else pytest.param(kind, marks=pytest.mark.slow)
    for kind in ACTIVATIONS
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", EACH)
def test_both_halves_agree(kind, network_kernel, float64_passes, rng):
    index = list(ACTIVATIONS).index(kind)
    inputs, outputs, width = SIZES[index % len(SIZES)]
    layers, bias = 1 + index % 8, index % 3 > 0
    kinds = (kind, "none" if index % 2 else kind)
    case = network_and_batch(inputs, outputs, layers, width, kinds, bias, rng)
    check_both_halves(network_kernel, float64_passes, *case)


NONE = pytest.param(0, marks=pytest.mark.slow)  # one affine layer, as in test_linear_slang.py


# each is compiled for itself: the larger, the longer
LARGE = [pytest.param(*size, marks=pytest.mark.slow) for size in SIZES[2:]]


@pytest.mark.parametrize("inputs, outputs, width", [*SIZES[:2], *LARGE])
@pytest.mark.parametrize("layers", [NONE, 2])
def test_every_size_agrees(inputs, outputs, width, layers, network_kernel, float64_passes, rng):
    kinds = ("leaky_relu", "silu")
    case = network_and_batch(inputs, outputs, layers, width, kinds, True, rng)
    check_both_halves(network_kernel, float64_passes, *case)


@pytest.mark.slow  # as of one layer in test_linear_slang.py
def test_packed_halves_are_read_in_their_place(network_kernel, float64_passes, rng):
    """An odd width: layers then begin at odd numbers."""
    network, x, d_y = network_and_batch(4, 3, 3, 5, ("elu", "none"), True, rng)
    check_both_halves(network_kernel, float64_passes, network.half(), x, d_y, packed=True)


@pytest.mark.slow
def test_gradients_equal_central_differences(network_kernel, rng):
    """Along random directions: of the input, sample by sample, and of all parameters at once."""
    network, x, d_y = network_and_batch(5, 3, 3, 8, ("silu", "sigmoid"), True, rng)
    kernel, numbers = network_kernel(network.slang(), 5, 3, SAMPLES), numbers_of(network)
    at = kernel.run(numbers, x, d_y)
    step = 0.05  # float32 values, 1e-7 off, over 0.1: 1e-6; the third derivative: 1e-4
    for _ in range(3):
        along_x = torch.randn(x.shape, generator=rng).numpy()
        along_numbers = torch.randn(numbers.shape, generator=rng).numpy() / numbers.size**0.5
        after, before = (kernel.run(numbers, x + s * along_x, d_y).y for s in (step, -step))
        slope = np.sum((after - before) * d_y, axis=1) / (2 * step)
        np.testing.assert_allclose(np.sum(at.d_x * along_x, axis=1), slope, rtol=1e-2, atol=2e-4)
        after, before = (kernel.run(numbers + s * along_numbers, x, d_y).y for s in (step, -step))
        slope = np.sum((after - before) * d_y) / (2 * step)
        np.testing.assert_allclose(at.d_numbers @ along_numbers, slope, rtol=1e-2)


PLAIN = """
// 3 -> 4 -> 4 -> 2 with tanh, written so that Slang can derive it
StructuredBuffer<float> numbers;
StructuredBuffer<float> x;
StructuredBuffer<float> d_y;
RWStructuredBuffer<float> d_x;
RWStructuredBuffer<float> d_numbers;

[Differentiable]
float[OUT] layer<let IN : int, let OUT : int>(
    float[IN] x, float[46] numbers, no_diff int first)
{
    float[OUT] y;
    [ForceUnroll]
    for (int row = 0; row < OUT; ++row)
    {
        float sum = numbers[first + OUT * IN + row];
        [ForceUnroll]
        for (int col = 0; col < IN; ++col)
            sum += numbers[first + row * IN + col] * x[col];
        y[row] = tanh(sum);
    }
    return y;
}

[Differentiable]
float[2] plain(float[3] x, float[46] numbers)
{
    float[4] first = layer<3, 4>(x, numbers, 0);
    float[4] second = layer<4, 4>(first, numbers, 16);
    return layer<4, 2>(second, numbers, 36);
}

[shader("compute")]
[numthreads(9, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint sample = thread.x;
    float[3] input = {};
    float[46] held = {};
    for (int i = 0; i < 3; ++i)
        input[i] = x[3 * sample + i];
    for (int i = 0; i < 46; ++i)
        held[i] = numbers[i];
    var input_pair = diffPair(input);
    var held_pair = diffPair(held);
    bwd_diff(plain)(input_pair, held_pair, { d_y[2 * sample], d_y[2 * sample + 1] });
    for (int i = 0; i < 3; ++i)
        d_x[3 * sample + i] = input_pair.d[i];
    for (int i = 0; i < 46; ++i)
        d_numbers[46 * sample + i] = held_pair.d[i];
}
"""


@pytest.mark.slow
def test_gradients_equal_those_that_slang_derives(device, network_kernel, rng):
    network, x, d_y = network_and_batch(3, 2, 2, 4, ("tanh", "tanh"), True, rng)
    written = network_kernel(network.slang(), 3, 2, SAMPLES)
    got = written.run(numbers_of(network), x, d_y)
    module = device.load_module_from_source("plain_network", PLAIN)
    program = device.link_program([module], [module.entry_point("main")])
    arrays = {"numbers": numbers_of(network), "x": x, "d_y": d_y, "d_x": np.zeros_like(x)}
    arrays["d_numbers"] = np.zeros((SAMPLES, 46), np.float32)
    buffers = {name: written.upload(array) for name, array in arrays.items()}
    device.create_compute_kernel(program).dispatch([SAMPLES, 1, 1], vars=buffers)
    d_x = buffers["d_x"].to_numpy().view(np.float32).reshape(x.shape)
    d_numbers = buffers["d_numbers"].to_numpy().view(np.float32).reshape(SAMPLES, 46).sum(0)
    assert np.abs(d_numbers).min() > 0  # every number takes part
    np.testing.assert_allclose(got.d_x, d_x, rtol=1e-4, atol=1e-6)  # float32 sums
    np.testing.assert_allclose(got.d_numbers, d_numbers, rtol=1e-4, atol=1e-6)


def test_its_name_in_slang(rng):
    half = MLP(5, 3, 2, 16, "leaky_relu", "none", False, rng=rng).slang()
    assert half.type == "MLP<5, 3, 2, 16, false, LeakyRelu, None>"
    assert MLP(5, 3, 0, 16, rng=rng).slang().type == "MLP<5, 3, 0, 3, true, None, None>"
