"""model/packed_codes: words that hold the packed bytes of grids, one behind the other."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.errors import ShapeError
from neuralshade.kinds.textures.asset import pack_bits
from neuralshade.model.composite import Composite
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.packed_codes import PackedCodes


def grids_of(shapes, seed=0):
    """Return a composite of grids of one level each: texels, features, bits."""
    rng = torch.Generator().manual_seed(seed)
    grids = [LatentGrid([size], [0], features, bits, rng=rng) for size, features, bits in shapes]
    for grid in grids:
        codes = torch.randint(grid.steps + 1, grid.texels.shape, generator=rng)
        grid.set_codes(codes.to(torch.uint8).numpy())
    return Composite(grids), grids


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 9), st.integers(1, 8)), min_size=1,
                max_size=4), st.integers(0, 99))  # fmt: skip
def test_numbers_are_read_where_places_say(shapes, seed):
    """Number i of a grid lies in bits i * bits on, from its first word."""
    encoding, grids = grids_of([((width, 3), features, bits) for width, features, bits in shapes],
                               seed)  # fmt: skip
    packed = PackedCodes(encoding.tables(), [pack_bits(g.codes(), g.bits) for g in grids])
    all_bits = np.unpackbits(packed.words.view(np.uint8), bitorder="little")
    for grid, (_, first, bits) in zip(grids, packed.places, strict=True):
        numbers = grid.codes().reshape(-1)
        own = all_bits[32 * first :][: bits * len(numbers)].reshape(-1, bits)
        np.testing.assert_array_equal(own @ (1 << np.arange(bits)), numbers)


def test_words_are_the_file_s_bytes():
    encoding, grids = grids_of([((5, 3), 3, 3), ((2, 2), 1, 8)])
    packed = [pack_bits(grid.codes(), grid.bits) for grid in grids]
    codes = PackedCodes(encoding.tables(), packed)
    assert [part.size for part in packed] == [17, 4]
    assert codes.words.tobytes() == packed[0].tobytes() + bytes(3) + packed[1].tobytes()


def test_other_sizes_are_refused(refusal, same_message):
    encoding, _ = grids_of([((5, 3), 3, 3)])
    message = refusal(ShapeError, PackedCodes, encoding.tables(), [np.zeros(18, np.uint8)])
    same_message(message, "PackedCodes.grids", "Pass")
