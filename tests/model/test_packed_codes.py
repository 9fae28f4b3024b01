"""model/packed_codes: numbers read from packed bytes are the float latents, exactly.

But for a GPU's own Vulkan, which may divide to 2.5 units in the last place.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.errors import ShapeError
from neuralshade.kinds.textures.asset import pack_bits
from neuralshade.model.composite import Composite
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.packed_codes import PackedCodes

READ = """
StructuredBuffer<uint> words;
RWStructuredBuffer<float> singles;
RWStructuredBuffer<float> pairs;
RWStructuredBuffer<float> fours;
StructuredBuffer<uint> fourth; // whether four numbers from there on are of one grid
static const uint COUNT = {count};

[shader("compute")]
[numthreads(32, 1, 1)]
void read_all(uint3 thread : SV_DispatchThreadID)
{{
    uint i = thread.x;
    if (i >= COUNT)
        return;
    {type} codes = {{ words }};
    singles[i] = codes.load(i);
    float2 two = codes.load2(i & ~1u);
    pairs[i] = i % 2u == 0u ? two.x : two.y;
    float4 four = fourth[i] == 0u ? float4(0.0f) : codes.load4(i & ~3u);
    fours[i] = four[i % 4u];
}}
"""


def grids_of(shapes, seed=0):
    """Return a composite of grids of one level each: texels, features, bits."""
    rng = torch.Generator().manual_seed(seed)
    grids = [LatentGrid([size], [0], features, bits, rng=rng) for size, features, bits in shapes]
    for grid in grids:
        codes = torch.randint(grid.steps + 1, grid.texels.shape, generator=rng)
        grid.set_codes(codes.to(torch.uint8).numpy())
    return Composite(grids), grids


def read_back(dispatch, encoding, grids):
    packed = PackedCodes(encoding.tables(), [pack_bits(g.codes(), g.bits) for g in grids])
    half, count = packed.slang("Tested"), encoding.number_count()
    lines = "".join(f"import {name};\n" for name in sorted(half.modules))
    text = lines + half.declarations + READ.format(type=half.type, count=count)
    inside = np.zeros(count, np.uint32)
    for table in encoding.tables():
        first, end = table.first, table.first + table.entries * table.features
        inside[-(-first // 4) * 4 : end // 4 * 4] = 1
    zeros = np.zeros(count, np.float32)
    run = dispatch(text, {"words": packed.words, "fourth": inside, "singles": zeros,
                          "pairs": zeros, "fours": zeros})  # fmt: skip
    run.run(("read_all", -(-count // 32)))
    exact = run.gpu.api == "cuda" or run.gpu.adapter.software
    return (
        exact,
        inside,
        [run.read(name, np.float32, count) for name in ("singles", "pairs", "fours")],
    )


def check(dispatch, shapes, seed=0):
    encoding, grids = grids_of(shapes, seed)
    wanted = encoding.flatten(list(encoding.parameters())).numpy()
    exact, inside, (singles, pairs, fours) = read_back(dispatch, encoding, grids)
    units = 0 if exact else 3
    for table, grid in zip(encoding.tables(), grids, strict=True):
        own = slice(table.first, table.first + grid.texels.numel())
        inner = inside[own] == 1
        np.testing.assert_array_max_ulp(singles[own], wanted[own], units)
        np.testing.assert_array_max_ulp(pairs[own], wanted[own], units)
        np.testing.assert_array_max_ulp(fours[own][inner], wanted[own][inner], units)


@pytest.mark.parametrize("bits", range(1, 9))
def test_numbers_equal_float_latents(dispatch, bits):
    check(dispatch, [((9, 5), 4, bits)])


@settings(max_examples=4, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 9), st.integers(1, 8)), min_size=2,
                max_size=4), st.integers(0, 99))  # fmt: skip
def test_grids_one_behind_the_other(dispatch, shapes, seed):
    check(dispatch, [((width, 3), features, bits) for width, features, bits in shapes], seed)


def test_words_are_the_file_s_bytes():
    encoding, grids = grids_of([((5, 3), 3, 3), ((2, 2), 1, 8)])
    packed = [pack_bits(grid.codes(), grid.bits) for grid in grids]
    codes = PackedCodes(encoding.tables(), packed)
    assert [part.size for part in packed] == [17, 4]
    assert codes.words.tobytes() == packed[0].tobytes() + bytes(3) + packed[1].tobytes()


def test_other_sizes_are_refused(refusal):
    encoding, _ = grids_of([((5, 3), 3, 3)])
    assert refusal(ShapeError, PackedCodes, encoding.tables(), [np.zeros(18, np.uint8)]) == (
        "PackedCodes.grids: got shapes [[18]], need [[17]]. Pass the packed codes of each grid."
    )
