"""model: two lanes that share a position encode it as the Python half does, in float64."""

import pathlib

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.gpu.gpu import Gpu
from neuralshade.model.encoding import Encoding
from neuralshade.model.parameters import pack_halves
from neuralshade.model.registry import build_encoding

CASES = (
    "dense_grid:features=1,width=1,height=1",
    "dense_grid:features=1,levels=2,coarsest=3,width=7,height=2",
    "dense_grid:features=2,width=5,height=3",
    "dense_grid:features=3,levels=2,coarsest=2,width=4,height=9",
    "dense_grid:features=4,width=13,height=6",
    "dense_grid:features=5,width=3,height=3",
    "dense_grid:features=6,levels=2,coarsest=2,width=3,height=3",
    "dense_grid:features=8,levels=3,coarsest=2,width=6,height=4",
    "hash_grid:levels=1,features=2,log2_entries=6,finest=5",
    "hash_grid:levels=5,features=2,log2_entries=5,coarsest=2,finest=300",
    "hash_grid:levels=4,features=1,log2_entries=4,coarsest=1,finest=19",
    "hash_grid:levels=3,features=4,log2_entries=5,coarsest=2,finest=23",
    "dense_grid:features=4,width=4,height=5 + frequency:octaves=2",
    "frequency:octaves=1 + hash_grid:levels=3,features=2,log2_entries=5,coarsest=2,finest=19",
    "dense_grid:features=2,width=3,height=5 + dense_grid:features=4,width=4,height=3",
    "dense_grid:features=4,width=3,height=5 + hash_grid:levels=2,features=8,log2_entries=4,"
    "coarsest=2,finest=9",
)
CHECKS = pathlib.Path(__file__).with_name("paired_checks.slang")
SAMPLES_OF_GROUP = 16


def program_text(encoding: Encoding, samples: int, packed: bool) -> str:
    half = encoding.slang("Tested")
    modules = half.modules | {"neuralshade.model.encoding", "neuralshade.model.parameters"}
    lines = [f"import {module};" for module in sorted(modules)]
    lines += [half.declarations, f"typealias Tested = {half.type};"]
    lines += [f"static const uint SAMPLES = {samples};"]
    lines += [f"typealias Word = {'uint' if packed else 'float'};"]
    lines += [f"typealias Numbers = {'PackedParameters' if packed else 'FloatParameters'};"]
    return "\n".join([*lines, CHECKS.read_text()])


def run_lanes(
    gpu: Gpu, text: str, samples: int, given: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Run the kernel; return the bytes of all buffers."""
    buffers = {name: gpu.buffer(array) for name, array in given.items()}
    kernel = gpu.kernel(text, "both_ways", buffers)
    commands = gpu.commands()
    commands.run(gpu.steps([(kernel, -(-samples // SAMPLES_OF_GROUP))]))
    commands.submit()
    return {name: buffer.read() for name, buffer in buffers.items()}


class Ran:
    """What the lanes made of ``samples`` random positions, and what they should have made."""

    def __init__(self, gpu: Gpu, text: str, samples: int, *, packed: bool):
        rng = torch.Generator().manual_seed(samples)
        encoding = build_encoding(text, rng)
        for parameter in encoding.parameters():
            torch.nn.init.uniform_(parameter, -1.0, 1.0, generator=rng)
            parameter.data = parameter.data.half().float()  # equal in both storages
        edges = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
        uv = torch.cat([edges, torch.rand(samples, 2, generator=rng)])[:samples]
        d_encoded = torch.randn(samples, encoding.width, generator=rng)
        flat = encoding.flatten(list(encoding.parameters())).numpy()
        size = samples * encoding.width
        read = run_lanes(gpu, program_text(encoding, samples, packed), samples, {
            "positions": uv.numpy(), "d_encoded": d_encoded.numpy(),
            "numbers": pack_halves(flat) if packed else flat,
            "results": np.zeros(size, np.float32), "counts": np.zeros(size, np.int32),
            "sums": np.zeros(len(flat), np.float32),
        })  # fmt: skip
        self.encoded = read["results"].view(np.float32)[:size].reshape(samples, -1)
        self.counts = read["counts"].view(np.int32)[:size]
        self.gradients = read["sums"].view(np.float32)[: len(flat)]
        encoding = encoding.double()
        value = encoding(uv.double())
        parameters = list(encoding.parameters())
        d_parameters = torch.autograd.grad(value, parameters, d_encoded.double())
        self.wanted = value.detach().numpy()
        self.wanted_gradients = encoding.flatten(d_parameters).numpy()

    def check(self) -> None:
        assert (self.counts == 1).all()
        # 1e-4: float32 has 2^-24 of a position in up to 300 cells, and sums of a few dozen
        close = {"rtol": 0, "atol": 1e-4}
        np.testing.assert_allclose(self.encoded, self.wanted, **close)
        np.testing.assert_allclose(self.gradients, self.wanted_gradients, **close)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("text", CASES)
def test_both_lanes_together_equal_the_python_half(gpu, text, packed):
    ran = Ran(gpu, text, 37, packed=packed)
    assert np.abs(ran.wanted_gradients).max() > 0.1
    ran.check()


SIZES = st.integers(1, 9)
GRIDS = st.one_of(
    st.builds("dense_grid:features={},levels={},coarsest={},width={},height={}".format,
              SIZES, st.integers(1, 3), SIZES, SIZES, SIZES),
    st.builds("hash_grid:features={},levels={},log2_entries={},coarsest={},finest={}".format,
              SIZES, st.integers(1, 4), st.integers(4, 7), SIZES, st.integers(9, 40)),
)  # fmt: skip


@settings(max_examples=12, deadline=None, derandomize=True)
@given(text=GRIDS, samples=st.integers(1, 40))
def test_any_sizes(gpu, text, samples):
    Ran(gpu, text, samples, packed=samples % 2 == 0).check()
