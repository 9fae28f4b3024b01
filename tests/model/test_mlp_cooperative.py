"""model/mlp_cooperative: filled-up rows equal NumPy's; all layouts equal the MLP, rows on CPUs."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError, DeviceError, ShapeError
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.mlp import MLP

spy = pytest.importorskip("slangpy")
from neuralshade.model.mlp_cooperative import (  # noqa: E402 (only where slangpy is)
    LAYOUTS,
    CooperativeWeights,
    Placement,
    RowPadding,
    cooperative_type,
    place,
)

# inputs, outputs, hidden layers, hidden width, bias
NETWORKS = [
    (16, 3, 4, 64, True),
    (13, 3, 2, 32, True),
    (5, 9, 1, 20, True),
    (2, 3, 0, 1, True),
    (7, 1, 3, 11, False),
]
SAMPLES = 96
KERNEL = """
typealias Network = NETWORK;
ByteAddressBuffer bytes;
StructuredBuffer<float> x;
RWStructuredBuffer<float> y;
uniform CooperativeOffsets at;

[shader("compute")]
[numthreads(32, 1, 1)]
void ask(uint3 thread : SV_DispatchThreadID)
{
    float[INPUTS] input = {};
    [ForceUnroll]
    for (int i = 0; i < INPUTS; ++i)
        input[i] = x[thread.x * INPUTS + i];
    float[OUTPUTS] output = Network.eval(input, bytes, at);
    [ForceUnroll]
    for (int i = 0; i < OUTPUTS; ++i)
        y[thread.x * OUTPUTS + i] = output[i];
}
"""


def build(sizes, rng, activation="leaky_relu", output_activation="none"):
    *sizes, bias = sizes
    network = MLP(*sizes, activation, output_activation, bias, rng=rng)
    for layer in network.members:
        layer.weight.data *= 0.5 if activation == "exp" else 1.5  # large enough to be seen
        if layer.bias is not None:
            torch.nn.init.uniform_(layer.bias, -0.5, 0.5, generator=rng)
    return network.half()


def bits_of(network):
    numbers = torch.nn.utils.parameters_to_vector(network.parameters())
    return numbers.detach().numpy().view(np.uint16)


def upload(device, array):
    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
    return device.create_buffer(data=np.ascontiguousarray(array), usage=usage)


def submit(device, record):
    encoder = device.create_command_encoder()
    record(encoder)
    device.submit_command_buffer(encoder.finish())


def rows_by_numpy(network, bits, placement):
    """Return uint16: each matrix with its rows filled up where ``placement`` says, then biases."""
    wanted = np.full(placement.byte_count // 2, 0xFFFF, np.uint16)
    bias_place = placement.biases // 2
    for layer, byte in zip(network.members, placement.matrices, strict=True):
        (rows, columns), start = layer.weight.shape, byte // 2
        grown = np.zeros((-(-rows // 8) * 8, -(-columns // 8) * 8), np.uint16)
        grown[:rows, :columns] = bits[: rows * columns].reshape(rows, columns)
        wanted[start : start + grown.size] = grown.reshape(-1)
        bits = bits[rows * columns :]
        if layer.bias is not None:
            bias = np.zeros(len(grown), np.uint16)
            bias[:rows], bits = bits[:rows], bits[rows:]
            wanted[bias_place : bias_place + len(bias)] = bias
            bias_place += len(bias)
    assert len(bits) == 0
    assert bias_place * 2 == placement.byte_count
    return wanted


@pytest.mark.parametrize("sizes", NETWORKS)
def test_rows_are_filled_up_and_back(sizes, device, rng):
    network, first = build(sizes, rng), 3
    bits = np.concatenate([np.arange(first, dtype=np.uint16), bits_of(network)])
    bits[first] = 0x7E01  # a NaN: bits must pass as they are
    padding = RowPadding(device, network)
    rows = upload(device, np.full(padding.placement.byte_count // 2, 0xFFFF, np.uint16))
    submit(device, lambda encoder: padding.pad(encoder, upload(device, bits), first, rows))
    wanted = rows_by_numpy(network, bits[first:], padding.placement)
    np.testing.assert_array_equal(rows.to_numpy().view(np.uint16), wanted)

    back = upload(device, np.full_like(bits, 0xFFFF))
    submit(device, lambda encoder: padding.unpad(encoder, rows, back, first))
    bits[:first] = 0xFFFF  # what lies before the network is left alone
    np.testing.assert_array_equal(back.to_numpy().view(np.uint16), bits)


def test_matrices_begin_where_the_device_demands():
    placed = place([100, 64, 64, 16], 48)
    assert placed == Placement((0, 128, 192, 256), 320, 368)
    assert placed.offsets() == {"first": 0, "second": 128, "stride": 64, "biases": 320}
    assert place([100, 16], 0).offsets() == {"first": 0, "second": 128, "stride": 0, "biases": 192}
    assert place([16], 8).offsets() == {"first": 0, "second": 0, "stride": 0, "biases": 64}


def text_of(network, half):
    lines = [f"import {module};" for module in sorted(half.modules)]
    first, last = network.members[0].weight, network.members[-1].weight
    lines += [f"static const int INPUTS = {first.shape[1]};"]
    lines += [f"static const int OUTPUTS = {last.shape[0]};"]
    return "\n".join(lines) + KERNEL.replace("NETWORK", half.type)


def program_of(device, network, half, name):
    module = device.load_module_from_source(name, text_of(network, half))
    return device.link_program([module], [module.entry_point("ask")])


def cooperative(device):
    if not device.has_feature(spy.Feature.cooperative_vector):
        pytest.skip(f"{device.info.adapter_name} has no cooperative vectors")
    return device


def check_half(got, wanted):
    """Allow what sums in half are off, against how much the outputs differ by sample.

    Rounding after each addition, the worst way to sum, is up to 0.033 off by simulation.
    """
    room = 0.06 * wanted.std(axis=0)
    np.testing.assert_array_less(np.abs(got - wanted).max(axis=0), room)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", NETWORKS)
def test_rows_on_a_cpu_equal_the_python_half(sizes, on_cpu, device, rng):
    network = build(sizes, rng)
    placement = RowPadding(device, network).placement
    x = torch.rand(SAMPLES, sizes[0], generator=rng).half().float() * 2 - 1
    given = {"bytes": rows_by_numpy(network, bits_of(network), placement), "x": x.numpy(),
             "at": placement.offsets()}  # fmt: skip
    text = text_of(network, cooperative_type(network, "row_major"))
    got = on_cpu(text, "ask", given, "y", np.zeros((SAMPLES, sizes[1]), np.float32), SAMPLES)
    check_half(got, network.double()(x.double()).detach().numpy())


def run_on_gpu(device, network, layout, rng, name):
    """Return the outputs of the Slang half and of the float64 Python half."""
    weights = CooperativeWeights(cooperative(device), network, layout)
    program = program_of(device, network, weights.slang(), name)
    inputs, outputs = network.members[0].weight.shape[1], network.members[-1].weight.shape[0]
    x = torch.rand(SAMPLES, inputs, generator=rng).half().float() * 2 - 1
    y = upload(device, np.full((SAMPLES, outputs), np.nan, np.float32))
    portable = upload(device, np.concatenate([[np.uint16(0)], bits_of(network)]))
    submit(device, lambda encoder: weights.load(encoder, portable, 1))
    variables = {"bytes": weights.buffer, "x": upload(device, x.numpy()), "y": y}
    variables["at"] = weights.offsets()
    device.create_compute_kernel(program).dispatch([SAMPLES, 1, 1], vars=variables)
    wanted = network.double()(x.double()).detach().numpy()
    return y.to_numpy().view(np.float32).reshape(wanted.shape), wanted


@pytest.mark.gpu
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("sizes", NETWORKS)
def test_each_layout_equals_the_python_half(sizes, layout, device, rng):
    network = build(sizes, rng)
    got, wanted = run_on_gpu(device, network, layout, rng, f"cooperative_{layout}_{sizes}")
    check_half(got, wanted)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_each_activation_equals_the_python_half(kind, device, rng):
    network = build((6, 3, 2, 16, True), rng, kind, kind)
    name = f"cooperative_{kind}"
    got, wanted = run_on_gpu(device, network, "inferencing_optimal", rng, name)
    check_half(got, wanted)


@pytest.mark.gpu
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("sizes", NETWORKS)
def test_conversion_is_undone_bit_for_bit(sizes, layout, device, rng):
    network = build(sizes, rng)
    there, back = (CooperativeWeights(cooperative(device), network, layout) for _ in range(2))
    bits = bits_of(network)
    portable = upload(device, np.full(len(bits) + 2, 0xFFFF, np.uint16))

    def there_and_back(encoder):  # through another object: nothing but `buffer` may be read
        there.load(encoder, upload(device, bits))
        encoder.copy_buffer(back.buffer, 0, there.buffer, 0, there.buffer.size)
        back.save(encoder, portable, 2)

    submit(device, there_and_back)
    np.testing.assert_array_equal(portable.to_numpy().view(np.uint16)[2:], bits)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_slang_takes_its_name(layout, device, rng):
    """Types are checked, for nothing runs it here."""
    network = build(NETWORKS[1], rng)
    half = cooperative_type(network, layout)
    enumerator = layout.title().replace("_", "")
    assert half.type == (
        f"CooperativeMLP<13, 3, 2, 32, true, LeakyRelu, None, CoopVecMatrixLayout.{enumerator}>"
    )
    program_of(device, network, half, f"named_{layout}")


def test_refusals(device, rng, same_message):
    network = build(NETWORKS[1], rng)
    padding = RowPadding(device, network)
    short = upload(device, np.zeros(padding.number_count + 2, np.uint16))
    for first in (3, -1):
        with pytest.raises(ShapeError) as refused:
            padding.pad(None, short, first, short)
        need = padding.number_count + max(first, 0)
        assert str(refused.value) == (
            f"portable: got {padding.number_count + 2} numbers and first {first}, need {need} "
            "numbers and first >= 0. Pass the buffer that holds the network."
        )
    with pytest.raises(ConfigError) as refused:
        CooperativeWeights(device, network, "row_maior")
    same_message(str(refused.value), "layout", "row_major?")
    without = SimpleNamespace(
        has_feature=lambda feature: False, info=SimpleNamespace(adapter_name="llvmpipe")
    )
    with pytest.raises(DeviceError) as refused:
        CooperativeWeights(without, network)
    same_message(str(refused.value), "device", "Use")
