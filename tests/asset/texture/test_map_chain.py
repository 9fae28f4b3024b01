"""asset/texture/map_chain: each map has a format by its role, and its numbers there."""

import numpy as np
import pytest

from neuralshade.asset.texture.map_chain import (
    BLOCKS,
    USUAL_BLOCKS,
    MapChain,
    chain_format,
    chain_texels,
)
from neuralshade.asset.texture.mip_chain import check_chain

CHANNELS = {"srgb": (1, 3), "linear": (1, 3), "normal": (3,), "data": (1, 2, 3)}
EVERY = [(meaning, channels) for meaning, counts in CHANNELS.items() for channels in counts]


def flat(meaning, channels, *given, value=0.5):
    levels = [np.full((side, 2 * side, channels), value, np.float32) for side in (2, 1)]
    return MapChain("x", levels, meaning, *given)


def formats(blocks=(), bits=8, wide=False):
    return [chain_format(flat(*one, bits, wide), blocks).name for one in EVERY]


def test_plain_formats_by_role_and_bits():
    srgb, linear, normal = ["rgba8_srgb"] * 2, ["r8", "rgba8"], ["rgba8"]
    assert formats() == [*srgb, *linear, *normal, "r8", "rg8", "rgba8"]
    assert formats(bits=16) == [*srgb, "r16", "rgba16", "rgba16", "r16", "rg16", "rgba16"]
    assert formats(bits=32) == formats(bits=16)


def test_blocks_by_role():
    srgb, linear = ["bc7_srgb"] * 2, ["bc4", "bc7"]
    assert formats(USUAL_BLOCKS) == [*srgb, *linear, "bc5", "bc4", "bc5", "bc7"]
    assert formats(USUAL_BLOCKS, bits=16) == formats(USUAL_BLOCKS)
    assert formats(("bc1", *USUAL_BLOCKS)) == [
        *["bc1_srgb"] * 2, "bc4", "bc1", "bc5", "bc4", "bc5", "bc1",
    ]  # fmt: skip


def test_what_no_block_suits_is_plain():
    small = formats(("bc1",))
    assert small == ["bc1_srgb", "bc1_srgb", "r8", "bc1", "bc1", "r8", "rg8", "bc1"]
    assert chain_format(flat("normal", 3), ("bc4",)).name == "rgba8"


def test_wide_numbers_are_floats_and_no_blocks():
    assert set(formats(USUAL_BLOCKS, 16, True)) == {"rgba16f", "r16f", "rg16f"}
    assert set(formats((), 32, True)) == {"rgba32f", "r32f", "rg32f"}
    assert chain_format(flat("linear", 3, 16, True, value=65_504)).name == "rgba16f"
    assert chain_format(flat("linear", 3, 16, True, value=-65_600)).name == "rgba32f"


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("blocks", [(), USUAL_BLOCKS, BLOCKS])
def test_texels_fit_their_format(bits, wide, blocks):
    for meaning, channels in EVERY:
        one = flat(meaning, channels, bits, wide)
        form = chain_format(one, blocks)
        levels = [chain_texels(one, level, min(form.channels, 3)) for level in one.levels]
        assert check_chain(levels, form.name) is form


def test_texels():
    normal = np.array([[[0.6, -0.8, 0.0]]], np.float32)
    one = MapChain("n", [normal], "normal")
    np.testing.assert_allclose(chain_texels(one, normal, 3), [[[0.8, 0.1, 0.5]]], atol=1e-7)
    np.testing.assert_allclose(chain_texels(one, normal, 2), [[[0.8, 0.1]]], atol=1e-7)
    for meaning, wanted in (("srgb", [0.5] * 3), ("linear", [0.5] * 3), ("data", [0.5, 0, 0])):
        grey = flat(meaning, 1)
        assert (chain_texels(grey, grey.levels[0], 3) == np.float32(wanted)).all()
        np.testing.assert_array_equal(chain_texels(grey, grey.levels[0], 1), grey.levels[0])
    two = flat("data", 2)
    assert (chain_texels(two, two.levels[1], 3) == np.float32([0.5, 0.5, 0])).all()
