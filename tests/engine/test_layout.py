"""engine/layout: numbers go to their places and come back; each is trained by one row."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.engine.layout import NetworkLayout
from neuralshade.model.mlp import MLP

NETWORKS = st.builds(
    lambda inputs, outputs, layers, width, bias: MLP(
        inputs, outputs, layers, width, bias=bias, rng=torch.Generator().manual_seed(1)
    ),
    st.integers(1, 20), st.integers(1, 18), st.integers(0, 3), st.integers(1, 40), st.booleans(),
)  # fmt: skip
ALIGN = st.sampled_from([1, 4, 16])


def numbered(network: MLP) -> list[torch.Tensor]:
    """Return 1, 2, 3, ... in the shapes of the parameters."""
    shapes = [p.shape for p in network.parameters()]
    counts = [shape.numel() for shape in shapes]
    flat = torch.arange(1, sum(counts) + 1, dtype=torch.float32)
    return [part.view(s) for part, s in zip(flat.split(counts), shapes, strict=True)]


@given(network=NETWORKS, align=ALIGN)
@settings(max_examples=40, deadline=None)
def test_numbers_come_back(network, align):
    layout, values = NetworkLayout(network, align), numbered(network)
    flat = layout.flatten(values)
    assert flat.shape == (layout.size,) and flat.dtype == np.float32
    for back, value in zip(layout.unflatten(flat), values, strict=True):
        assert torch.equal(back, value)
    assert np.count_nonzero(flat) == sum(v.numel() for v in values)  # the filling is 0


@given(network=NETWORKS, align=ALIGN)
@settings(max_examples=40, deadline=None)
def test_rows_cover_each_number_once(network, align):
    layout, covered = NetworkLayout(network, align), []
    for row in layout.rows():
        assert row["live"] <= row["columns"] and row["first"] + row["columns"] <= layout.size
        covered += range(row["first"], row["first"] + row["live"])
    assert len(covered) == len(set(covered))
    assert sorted(covered) == np.flatnonzero(layout.flatten(numbered(network))).tolist()


def test_without_filling_the_layout_is_the_portable_one(rng):
    """Layer by layer the weights row by row, then the biases: as ``parameters()`` has them."""
    network = MLP(5, 3, 2, 7, rng=rng)
    flat = NetworkLayout(network).flatten(list(network.parameters()))
    wanted = torch.nn.utils.parameters_to_vector(network.parameters()).detach().numpy()
    np.testing.assert_array_equal(flat, wanted)


@pytest.mark.parametrize("bits, of_biases", [(8, 16), (16, 16), (32, 32)])
def test_rows_say_how_their_numbers_are_rounded(rng, bits, of_biases):
    network = MLP(2, 3, 1, 4, rng=rng)
    for layer in network.members:
        layer.bits = bits
    assert NetworkLayout(network).rows()["bits"].tolist() == (
        [bits] * 4 + [of_biases] + [bits] * 3 + [of_biases]
    )


def test_the_filled_up_layout_written_out(rng):
    layout = NetworkLayout(MLP(2, 3, 1, 4, rng=rng), align=16)
    first, last = layout.layers
    assert (first.padded_rows, first.padded_cols, last.padded_rows) == (16, 16, 16)
    assert (first.first_bias, first.end, last.first, layout.size) == (256, 272, 272, 544)
    rows = layout.rows()
    assert rows["first"].tolist() == [0, 16, 32, 48, 256, 272, 288, 304, 528]
    assert rows["live"].tolist() == [2, 2, 2, 2, 4, 4, 4, 4, 3]
    assert set(rows["columns"].tolist()) == {16}
