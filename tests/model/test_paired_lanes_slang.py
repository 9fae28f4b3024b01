"""model: two lanes that share a position encode it as the Python half does, in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.gpu.gpu import Gpu
from neuralshade.model.registry import build_encoding
from neuralshade.testing.lanes import Lanes

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


def lanes_of(gpu: Gpu, text: str, samples: int, *, packed: bool) -> Lanes:
    """Return what random positions, and corners, gave for the encoding ``text``."""
    rng = torch.Generator().manual_seed(samples)
    encoding = build_encoding(text, rng)
    for parameter in encoding.parameters():
        torch.nn.init.uniform_(parameter, -1.0, 1.0, generator=rng)
    edges = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    at = torch.cat([edges, torch.rand(samples, 2, generator=rng)])[:samples]
    return Lanes(gpu, encoding, at, packed=packed)


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("text", CASES)
def test_both_lanes_together_equal_the_python_half(gpu, text, packed):
    ran = lanes_of(gpu, text, 37, packed=packed)
    assert np.abs(ran.expected_gradients).max() > 0.1
    ran.check()


SIZES = st.integers(1, 9)
GRIDS = st.one_of(
    st.builds("dense_grid:features={},levels={},coarsest={},width={},height={}".format,
              SIZES, st.integers(1, 3), SIZES, SIZES, SIZES),
    st.builds("hash_grid:features={},levels={},log2_entries={},coarsest={},finest={}".format,
              SIZES, st.integers(1, 4), st.integers(4, 7), SIZES, st.integers(9, 40)),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=8, deadline=None, derandomize=True)
@given(text=GRIDS, samples=st.integers(1, 40))
def test_any_sizes(gpu, text, samples):
    lanes_of(gpu, text, samples, packed=samples % 2 == 0).check()
