"""asset/tensors: two 4-bit numbers in a byte, and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.asset.tensors import pack_nibbles, unpack_nibbles

ARRAYS = hnp.arrays(
    np.int8, hnp.array_shapes(min_dims=1, max_dims=3, max_side=7), elements=st.integers(-8, 7)
)


@given(ARRAYS)
def test_unpacking_undoes_packing(levels):
    packed = pack_nibbles(levels)
    assert packed.dtype == np.uint8
    assert packed.shape == (*levels.shape[:-1], (levels.shape[-1] + 1) // 2)
    unpacked = unpack_nibbles(packed, levels.shape[-1])
    assert unpacked.dtype == np.int8
    np.testing.assert_array_equal(unpacked, levels)


def test_the_even_index_is_the_low_half():
    assert pack_nibbles(np.array([-8, 7, 0], np.int8)).tolist() == [0xF0, 0x88]
