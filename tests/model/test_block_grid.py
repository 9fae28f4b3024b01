"""model/block_grid: look-ups, their gradients and rounding equal NumPy, one sample at a time."""

import numpy as np
import pytest
import torch
from fixtures.look_ups import looked_up
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.model.bilinear import mix_scattered
from neuralshade.model.block_grid import BlockGrid

SIZES, SERVES = [(12, 6), (6, 3), (3, 1)], [0, 0, 1, 2]
quick = settings(max_examples=25, deadline=None, derandomize=True)
shares = st.floats(0, 1, width=32)


def grid_of(wraps=True, textures=2, seed=0):
    rng = torch.Generator().manual_seed(seed)
    grid = BlockGrid(SIZES, SERVES, textures, wraps=wraps, rng=rng)
    torch.nn.init.uniform_(grid.ends, 0, 1, generator=rng)
    return grid.double()


def texel(grid, level, row, col):
    """Return what a texel of a level is, by what BC1 says of its block: float64 [features]."""
    across = -(-SIZES[level][0] // 4)
    firsts = [0, 3 * 2, 3 * 2 + 2 * 1]
    block = firsts[level] + row // 4 * across + col // 4
    found = []
    for feature in range(grid.features):
        most = (31, 63, 31)[feature % 3]
        eights = []
        for end in grid.ends.detach()[block, feature].tolist():
            count = round(end * most)
            eights.append(count << 2 | count >> 4 if most == 63 else count << 3 | count >> 2)
        share = float(grid.shares.detach()[block, row % 4 * 4 + col % 4, feature // 3])
        found.append((eights[0] * (1 - share) + eights[1] * share) / 255)
    return np.array(found)


def texels_of(grid, level):
    """Return a level, texel by texel: float64 [height, width, features]."""
    width, height = SIZES[level]
    return np.array([[texel(grid, level, row, col) for col in range(width)]
                     for row in range(height)])  # fmt: skip


@quick
@given(st.lists(st.tuples(shares, shares, st.integers(0, 3)), min_size=1, max_size=6),
       st.booleans())  # fmt: skip
def test_look_ups_equal_numpy(samples, wraps):
    grid = grid_of(wraps)
    found = grid(torch.tensor(samples, dtype=torch.float64)).detach().numpy()
    levels = [texels_of(grid, level) for level in range(len(SIZES))]
    for (u, v, mip), encoded in zip(samples, found, strict=True):
        wanted = looked_up(levels[SERVES[mip]], u, v, wraps)
        np.testing.assert_allclose(encoded, wanted, atol=1e-9)


def test_a_level_is_what_look_ups_see_at_its_centres():
    grid = grid_of()
    grid.round()
    for level, (width, height) in enumerate(SIZES):
        mip = float(SERVES.index(level))
        at = torch.tensor([[(col + 0.5) / width, (row + 0.5) / height, mip]
                           for row in range(height) for col in range(width)])  # fmt: skip
        wanted = 2 * grid.level(level).reshape(-1, grid.features) - 1
        assert grid.level(level).shape == (height, width, grid.features)
        torch.testing.assert_close(grid(at.double()).detach(), wanted, atol=1e-6, rtol=0)


@pytest.mark.parametrize("noisy", [False, True])
def test_gradients_are_those_of_a_line_between_rounded_ends(noisy):
    """Rounding and noise are seen by values, and let gradients through as if they were not."""
    grid, rng = grid_of(False), torch.Generator().manual_seed(1)
    at = torch.rand(30, 3, generator=rng).double()
    at[:, 2] = torch.arange(30) % 4
    if noisy:
        grid.add_noise(torch.rand(grid.shares.shape, generator=rng).double() / 3 - 1 / 6)
    d_encoded = torch.randn(30, grid.features, generator=rng).double()
    grid(at).backward(d_encoded)
    seen = (grid.shares if grid.seen is None else grid.seen).detach()
    levels = grid._end_levels()
    ends = ((grid.ends.detach() * levels).round() / levels).requires_grad_()
    shares = seen.clone().requires_grad_()
    first, last = ends.unflatten(1, (1, -1, 3)).unbind(-1)
    texels = (first + (last - first) * shares[..., None]).view(-1, grid.features)
    index, weights = grid.corners(at)
    (mix_scattered(texels, texels.detach(), index, weights) * 2 - 1).backward(d_encoded)
    # of shares: the difference of ends, which bits repeated below the lowest shift by 1/510
    torch.testing.assert_close(grid.ends.grad, ends.grad, atol=1e-12, rtol=0)
    torch.testing.assert_close(grid.shares.grad, shares.grad, atol=0.05, rtol=0.02)
    assert grid.shares.grad.abs().max() > 0.5


@quick
@given(st.integers(1, 3), st.integers(0, 2**16))
def test_codes_come_back_and_rounding_gives_them(textures, seed):
    grid = grid_of(textures=textures, seed=seed)
    ends, steps = grid.codes()
    assert ends.shape == (9, 3 * textures, 2) and steps.shape == (9, 16, textures)
    assert steps.max() == 3 and ends[:, 0::3].max() <= 31 < ends[:, 1::3].max() <= 63
    every = torch.arange(grid.blocks)
    before = grid.rounded_texels(every)
    grid.round()
    for again, code in zip(grid.codes(), (ends, steps), strict=True):
        assert np.array_equal(again, code)
    torch.testing.assert_close(grid.rounded_texels(every), before, atol=1e-12, rtol=0)
    other = grid_of(textures=textures, seed=seed + 1)
    other.set_codes(ends, steps)
    torch.testing.assert_close(other.rounded_texels(every), before, atol=1e-6, rtol=0)


def test_noise_is_seen_by_look_ups_until_latents_are_rounded():
    grid = grid_of()
    at = torch.rand(20, 3, generator=torch.Generator().manual_seed(2)).double()
    at[:, 2] = 0
    clean, before = grid(at).detach(), grid.shares.detach().clone()
    grid.add_noise(torch.full_like(grid.shares.detach(), 0.4))
    assert torch.equal(grid.shares.detach(), before) and grid.seen.max() == 1
    assert not torch.allclose(grid(at), clean)
    grid.round()
    assert grid.seen is None
    torch.testing.assert_close(grid.shares * 3, (before * 3).round(), atol=1e-12, rtol=0)


def test_numbers_on_the_device_are_the_parameters_side_by_side():
    grid = grid_of()
    flat = grid.flatten(list(grid.parameters()))
    assert len(flat) == grid.number_count() == sum(t.entries * t.features for t in grid.tables())
    for one, two in zip(grid.unflatten(flat), grid.parameters(), strict=True):
        torch.testing.assert_close(one.double(), two.detach(), atol=1e-7, rtol=0)
