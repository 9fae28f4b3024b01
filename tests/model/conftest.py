"""What tests of models share.

A kernel that runs and differentiates a layer or a network; surfaces and directions.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
import torch

from neuralshade.model.microfacet import Surface
from neuralshade.model.parameters import SlangType, pack_halves

KERNEL = """
StructuredBuffer<Word> numbers;
StructuredBuffer<float> x;
StructuredBuffer<float> d_y;
RWStructuredBuffer<float> y;
RWStructuredBuffer<float> d_x;
RWStructuredBuffer<float> d_numbers; // of each sample its own

public struct OwnGradients : IGradients
{
    public uint first;

    public void add(uint index, float d_value)
    {
        d_numbers[first + index] += d_value;
    }

    public void add2(uint index, float2 d_value)
    {
        if (index % 2u == 1u)
            return; // the promise that it is even was broken: let it be seen
        add(index, d_value.x);
        add(index + 1u, d_value.y);
    }
}

[shader("compute")]
[numthreads(8, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint sample = thread.x;
    if (sample >= SAMPLES)
        return;
    Numbers parameters = { numbers };
    float[INPUTS] input = {};
    for (int i = 0; i < INPUTS; ++i)
        input[i] = x[sample * INPUTS + i];
    float[OUTPUTS] output = Network.eval(input, parameters);
    float[OUTPUTS] d_output = {};
    for (int i = 0; i < OUTPUTS; ++i)
    {
        y[sample * OUTPUTS + i] = output[i];
        d_output[i] = d_y[sample * OUTPUTS + i];
    }
    OwnGradients gradients = { sample * Network.PARAMETERS };
    float[INPUTS] d_input = Network.backward(input, d_output, parameters, gradients);
    for (int i = 0; i < INPUTS; ++i)
        d_x[sample * INPUTS + i] = d_input[i];
}
"""
PARAMETERS = "neuralshade.model.parameters"
SERIAL = itertools.count()  # a session wants each module's name once


class Passes(NamedTuple):
    """What came out of both passes: NumPy arrays, gradients by the numbers summed."""

    y: np.ndarray
    d_x: np.ndarray
    d_numbers: np.ndarray


class NetworkKernel:
    """Runs the Slang half of a layer or a network: ``half`` names it, for ``samples`` at once."""

    def __init__(self, device, half: SlangType, inputs, outputs, samples, packed=False):
        stored = "PackedParameters" if packed else "FloatParameters"
        lines = [f"import {name};" for name in sorted(half.modules | {PARAMETERS})]
        lines += [f"typealias Network = {half.type};", f"typealias Numbers = {stored};"]
        lines += [f"typealias Word = {'uint' if packed else 'float'};"]
        sizes = {"INPUTS": inputs, "OUTPUTS": outputs, "SAMPLES": samples}
        lines += [f"static const int {name} = {size};" for name, size in sizes.items()]
        name = f"network_kernel_{next(SERIAL)}"
        module = device.load_module_from_source(name, "\n".join(lines) + KERNEL)
        program = device.link_program([module], [module.entry_point("main")])
        self.kernel = device.create_compute_kernel(program)
        self.device, self.packed = device, packed

    def run(self, numbers, x, d_y) -> Passes:
        """Return value and gradients for float arrays ``numbers`` [P], x [N, I], d_y [N, O]."""
        held = pack_halves(numbers) if self.packed else numbers.astype(np.float32)
        shapes = {"y": d_y.shape, "d_x": x.shape, "d_numbers": (len(x), numbers.size)}
        arrays = {"numbers": held, "x": x.astype(np.float32), "d_y": d_y.astype(np.float32)}
        arrays |= {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        buffers = {name: self.upload(array) for name, array in arrays.items()}
        self.kernel.dispatch([len(x), 1, 1], vars=buffers)
        y, d_x, d_numbers = (
            buffers[name].to_numpy().view(np.float32).reshape(shape)
            for name, shape in shapes.items()
        )
        return Passes(y, d_x, d_numbers.sum(0, dtype=np.float64))

    def upload(self, array):
        import slangpy as spy

        usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
        return self.device.create_buffer(data=np.ascontiguousarray(array), usage=usage)


@pytest.fixture
def network_kernel(device):
    """Give a function that builds the kernel of ``half``."""

    def build(half: SlangType, inputs: int, outputs: int, samples: int, packed: bool = False):
        return NetworkKernel(device, half, inputs, outputs, samples, packed)

    return build


@pytest.fixture
def float64_passes():
    """Give the same passes through a module's Python half, in float64."""

    def run(module: torch.nn.Module, x: np.ndarray, d_y: np.ndarray) -> Passes:
        module = module.double()
        x64 = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        y = module(x64)
        wanted = [x64, *module.parameters()]
        d_x, *d_parameters = torch.autograd.grad(y, wanted, torch.tensor(d_y, dtype=torch.float64))
        d_numbers = torch.cat([d.flatten() for d in d_parameters])
        return Passes(y.detach().numpy(), d_x.numpy(), d_numbers.numpy())

    return run


@pytest.fixture(scope="session")
def surface_of():
    """Give a function that returns one point of a grey surface in float64."""

    def surface_of(albedo, roughness, metallic, normal=(0.0, 0.0, 1.0)):
        looks = ([albedo] * 3, roughness, metallic)
        color, roughness, metallic = (torch.tensor(x, dtype=torch.float64) for x in looks)
        return Surface(color, torch.as_tensor(normal, dtype=torch.float64), roughness, metallic)

    return surface_of


@pytest.fixture(scope="session")
def direction():
    """Give a function that returns a direction of that cosine with z: float64 [..., 3]."""

    def direction(height, turn=0.1):
        both = (torch.as_tensor(x).double() for x in (height, turn))
        height, turn = torch.broadcast_tensors(*both)
        radius, angle = (1 - height**2).clamp(min=0).sqrt(), 2 * math.pi * turn
        return torch.stack([radius * angle.cos(), radius * angle.sin(), height], -1)

    return direction
