"""model/parameters, and the order of trained numbers on the device."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.errors import ConfigError, ShapeError
from neuralshade.model.composite import Composite
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.identity import Identity
from neuralshade.model.parameters import Table, check_count, pack_halves
from neuralshade.model.registry import build_encoding

SMALL = st.integers(1, 6)
DENSE = st.builds(
    DenseGrid, levels=SMALL, features=SMALL, coarsest=SMALL, width=SMALL, height=SMALL
)
HASH = st.builds(
    HashGrid,
    levels=SMALL,
    features=SMALL,
    log2_entries=st.integers(4, 6),
    coarsest=SMALL,
    finest=st.integers(6, 20),
)
PARTS = st.lists(st.one_of(DENSE, HASH, st.builds(Identity)), min_size=1, max_size=4)


def distinct(encoding: Encoding) -> list[torch.Tensor]:
    """Return tensors shaped like the parameters, whose numbers all differ, from 1 up."""
    shapes = [p.shape for p in encoding.parameters()]
    ends = np.cumsum([1] + [shape.numel() for shape in shapes])
    return [
        torch.arange(first, last, dtype=torch.float32).view(shape)
        for first, last, shape in zip(ends[:-1], ends[1:], shapes, strict=True)
    ]


@given(PARTS)
@settings(max_examples=40, deadline=None)
def test_flatten_round_trip(parts):
    encoding = Composite(parts)
    values = distinct(encoding)
    flat = encoding.flatten(values)
    assert flat.dtype == torch.float32
    assert flat.shape == (encoding.number_count(),)
    assert len(flat) == sum(part.number_count() for part in parts)
    assert all(part.number_count() % 2 == 0 for part in parts)
    # each number once, and zeros besides
    count = sum(v.numel() for v in values)
    assert torch.equal(flat.sort().values[len(flat) - count :], torch.arange(1.0, count + 1))
    assert int((flat == 0).sum()) == len(flat) - count
    back = encoding.unflatten(flat)
    assert all(torch.equal(a, b) for a, b in zip(values, back, strict=True))
    assert all(v.is_contiguous() for v in back)


@given(PARTS)
@settings(max_examples=40, deadline=None)
def test_tables_say_where_each_feature_of_an_entry_lies(parts):
    encoding = Composite(parts)
    values = distinct(encoding)
    flat = encoding.flatten(values)
    tables = encoding.tables()
    assert len(tables) == len(values)
    for table, level in zip(tables, values, strict=True):
        lying = flat[table.first :][: table.entries * table.features]
        by_feature = level.flatten(1) if level.dim() == 3 else level.t()
        assert torch.equal(lying.view(table.entries, table.features), by_feature.t())


def test_device_order_of_both_grids():
    dense, hashed = DenseGrid(1, 2, 1, width=3, height=1), HashGrid(1, 1, 4, 1, finest=2)
    encoding = Composite([Identity(), hashed, dense])
    flat = encoding.flatten([torch.arange(9.0)[:, None], torch.tensor([[[1, 2, 3]], [[4, 5, 6]]])])
    # nine vertices and a filling zero; then three texels of two features
    assert flat.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 4, 2, 5, 3, 6]
    dense.bits, hashed.bits = 4, 8
    assert encoding.tables() == [Table(0, 9, 1, 8), Table(10, 3, 2, 4)]


def test_levels_follow_each_other():
    dense = DenseGrid(2, 3, coarsest=2, width=4, height=2)
    assert dense.tables() == [Table(0, 2, 3, 32), Table(6, 8, 3, 32)]
    hashed = HashGrid(3, 3, log2_entries=4, coarsest=2, finest=8)
    assert hashed.tables() == [Table(0, 9, 3, 32), Table(27, 16, 3, 32), Table(75, 16, 3, 32)]
    assert (dense.number_count(), hashed.number_count()) == (30, 124)


def test_flatten_shares_no_memory_and_has_no_gradient(rng):
    grid = DenseGrid(1, 1, 1, 2, 2, rng=rng)
    before = grid.texels[0].detach().clone()
    flat = grid.flatten(list(grid.parameters()))
    assert not flat.requires_grad
    back = grid.unflatten(flat)
    flat.zero_()
    assert torch.equal(grid.texels[0], before)
    assert torch.equal(back[0], before)


def test_flatten_takes_any_float_and_unflatten_keeps_it():
    grid = DenseGrid(1, 1, 1, 2, 1)
    assert grid.flatten([torch.ones(1, 1, 2, dtype=torch.float16)]).dtype == torch.float32
    assert grid.unflatten(torch.ones(2, dtype=torch.float64))[0].dtype == torch.float64


def test_encodings_without_trained_numbers_have_none_in_device_order():
    encoding = build_encoding("identity + frequency", None)
    assert encoding.flatten([]).shape == (0,)
    assert encoding.unflatten(torch.empty(0)) == encoding.tables() == []


def test_refused_shapes(same_message):
    grid = DenseGrid(1, 2, 1, width=3, height=4)
    with pytest.raises(ShapeError) as caught:
        grid.flatten([torch.zeros(2, 3, 4)])
    same_message(str(caught.value), "DenseGrid.flatten", "Pass")
    with pytest.raises(ShapeError) as caught:
        Composite([grid]).unflatten(torch.zeros(4, 6))
    same_message(str(caught.value), "Composite.unflatten", "Pass")


@pytest.mark.parametrize(
    "text, place, count",
    [
        ("dense_grid:width=65536,height=65536,features=1", "DenseGrid", 2**32),
        ("hash_grid:levels=32,features=2,log2_entries=26,coarsest=8192,finest=9000", "HashGrid",
         2**32),
        ("dense_grid:width=65536,height=32768,features=1 + identity"
         " + dense_grid:width=65536,height=32768,features=1", "Composite", 2**32),
    ],
)  # fmt: skip
def test_more_numbers_than_a_shader_can_index_are_refused(text, place, count):
    with torch.device("meta"):
        encoding = build_encoding(text, None)
    with pytest.raises(ConfigError) as caught:
        encoding.slang("Photo")
    assert str(caught.value) == (
        f"{place}.slang: got {count} trained numbers, need at most 4294967294. "
        "Make the grids smaller."
    )


def test_as_many_as_it_can_index_are_not_refused():
    check_count("DenseGrid", 2**32 - 2)


def test_sizes_are_known_without_allocating_them():
    with torch.device("meta"):
        encoding = build_encoding("dense_grid:width=40000,height=30000,features=2", None)
    assert encoding.number_count() == 2 * 40_000 * 30_000
    assert "int2(40000, 30000)" in encoding.slang("Photo").declarations


@given(st.lists(st.floats(width=16, allow_nan=False), max_size=9))
@settings(max_examples=40, deadline=None)
def test_packed_halves_lie_in_pairs_the_first_one_low(numbers):
    words = pack_halves(np.array(numbers, np.float32))
    assert words.dtype == np.uint32
    low, high = (np.uint16(words & 0xFFFF), np.uint16(words >> np.uint32(16)))
    back = np.stack([low, high], axis=1).view(np.float16).reshape(-1)
    assert back.tolist() == [*numbers, *[0.0] * (len(numbers) % 2)]
