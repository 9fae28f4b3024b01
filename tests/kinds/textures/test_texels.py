"""kinds/textures/texels: what is kept of all mips, and how a batch of it is drawn."""

import numpy as np
import pytest
import torch
from fixtures.texture_sets import waves
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.kinds.textures.texels import (
    LEAST_TEXELS,
    PAIR,
    PEAK,
    SHARE_POWER,
    Texels,
    TexelSampler,
    fill_words,
    mip_shares,
)
from neuralshade.source.material_mips import mip_sizes

CPU = torch.device("cpu")


def numbered(width, height, mips=None):
    """Return texels of two channels, whose values tell their places among all texels."""
    levels, first = [], 0
    for w, h in mip_sizes(width, height, mips):
        number = np.arange(first, first + w * h).reshape(h, w)
        levels.append(np.stack([number // 256, number % 256], axis=2).astype(np.float32) / PEAK)
        first += w * h
    return Texels(levels)


def drawn(texels, batch, wraps, steps=1, seed=0):
    """Return column, row and mip int64 [steps, batch], and the numbers of the texels wanted."""
    sampler, rng = TexelSampler(texels, batch, wraps, CPU), torch.Generator().manual_seed(seed)
    batches = [sampler(rng) for _ in range(steps)]
    at = torch.stack([at for at, _ in batches])
    wanted = torch.stack([wanted for _, wanted in batches]).mul(PEAK).round().long()
    mip = at[..., 2].long()
    size = torch.tensor(texels.sizes)[mip]
    place = at[..., :2] * size - 0.5
    np.testing.assert_allclose(place, place.round(), atol=1e-3)  # at centres
    col, row = place.round().long().unbind(-1)
    return col, row, mip, wanted[:, 0] * 256 + wanted[:, 1]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(hnp.arrays(np.uint16, (5, 7, 3)))
def test_16_bits_are_kept(words):
    level = words.astype(np.float32) / np.float32(PEAK)
    found = np.empty((level.size // level.shape[2], level.shape[2]), np.uint16)
    fill_words(found, level.reshape(found.shape))
    assert np.array_equal(found.reshape(words.shape), words)
    np.testing.assert_allclose(Texels([level]).level(0), level, atol=1e-7)


def test_what_is_between_is_rounded():
    level = waves(9, 4, 2)
    np.testing.assert_allclose(Texels([level]).level(0), level, rtol=0, atol=0.501 / PEAK)


def test_levels_lie_one_after_the_other():
    texels = numbered(6, 5)
    assert texels.sizes == [(6, 5), (3, 2), (1, 1)] and texels.firsts == [0, 30, 36]
    for mip, first in enumerate(texels.firsts):
        level = np.rint(texels.level(mip) * PEAK).astype(int)
        number = level[..., 0] * 256 + level[..., 1]
        assert number.flatten().tolist() == list(range(first, first + number.size))


def test_small_mips_are_drawn_more_often_than_by_area():
    shares = mip_shares([(64, 32), (32, 16), (16, 8), (8, 4)])
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(shares / shares[1], [4**SHARE_POWER, 1, 1, 1])
    assert LEAST_TEXELS == 512


@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize("width, height", [(32, 16), (7, 12), (1, 9), (9, 1), (2, 1)])
def test_pairs_are_neighbours_and_hold_what_is_there(width, height, wraps):
    texels = numbered(width, height)
    col, row, mip, number = drawn(texels, 64, wraps, steps=40)
    sizes, firsts = torch.tensor(texels.sizes), torch.tensor(texels.firsts)
    across = sizes[mip][..., 0]
    assert torch.equal(number, firsts[mip] + row * across + col)
    left, right = col[:, ::PAIR], col[:, 1::PAIR]
    assert torch.equal(row[:, ::PAIR], row[:, 1::PAIR])
    assert torch.equal(mip[:, ::PAIR], mip[:, 1::PAIR])
    across = across[:, ::PAIR]
    last = torch.zeros_like(left) if wraps else (across - 2).clamp(min=0)
    assert torch.equal(right, torch.where(left + 1 < across, left + 1, last))


@pytest.mark.parametrize("wraps", [True, False])
def test_every_texel_can_be_drawn_and_mips_by_their_shares(wraps):
    texels = numbered(13, 6)
    _, _, mip, number = drawn(texels, 512, wraps, steps=60)
    counts = torch.bincount(number.flatten(), minlength=len(texels.words)).double()
    assert bool((counts > 0).all())
    per_step = torch.stack([(mip == m).sum(1) for m in range(len(texels.sizes))], 1)
    wanted = torch.from_numpy(texels.shares) * 512
    assert bool(((per_step - wanted).abs() <= PAIR + 1).all())  # one pair, which chance rounds
    np.testing.assert_allclose(per_step.double().mean(0), wanted, rtol=0.01)
    # the first of a pair is uniform, and with wrapping the second too: chi-squared, 77 freedoms
    if wraps:
        own = counts[:78]
        chi = float(((own - own.mean()) ** 2 / own.mean()).sum())
        assert chi < 2 * 140  # the counts of a pair move together: twice the spread


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 300), st.booleans())
def test_any_size_and_batch(width, height, pairs, wraps):
    texels = numbered(width, height)
    col, row, mip, number = drawn(texels, PAIR * pairs, wraps)
    sizes = torch.tensor(texels.sizes)[mip]
    assert bool((col >= 0).all() and (col < sizes[..., 0]).all())
    assert bool((row >= 0).all() and (row < sizes[..., 1]).all())
    assert number.shape == (1, PAIR * pairs)
