"""model/latent_grid, latent_position: the Python halves equal NumPy, one sample after the other."""

import math

import numpy as np
import pytest
import torch
from fixtures.look_ups import looked_up
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LONGEST_PERIOD, LatentPosition
from neuralshade.model.widths import OCTAVES

SIZES, SERVES = [(7, 4), (3, 2), (1, 1)], [0, 0, 1, 2]
MIPS, SERVED = [(13, 6), (6, 3), (3, 1), (1, 1)], [0, 0, 2, 2]
quick = settings(max_examples=30, deadline=None, derandomize=True)
shares = st.floats(0, 1, width=32)


def grid_of(wraps=True, features=3, bits=4, seed=0):
    rng = torch.Generator().manual_seed(seed)
    grid = LatentGrid(SIZES, SERVES, features, bits, wraps=wraps, rng=rng)
    torch.nn.init.uniform_(grid.texels, 0, 1, generator=rng)
    return grid.double()


@quick
@given(st.lists(st.tuples(shares, shares, st.integers(0, 3)), min_size=1, max_size=8),
       st.booleans())  # fmt: skip
def test_latents_equal_numpy(samples, wraps):
    grid = grid_of(wraps)
    found = grid(torch.tensor(samples, dtype=torch.float64)).detach().numpy()
    for (u, v, mip), encoded in zip(samples, found, strict=True):
        level = grid.level(SERVES[mip]).numpy()
        np.testing.assert_allclose(encoded, looked_up(level, u, v, wraps), atol=1e-9)


def test_at_its_centre_a_latent_is_itself():
    grid = grid_of()
    for index, (width, height) in enumerate(SIZES):
        mip = float(SERVES.index(index))
        at = torch.tensor([[(col + 0.5) / width, (row + 0.5) / height, mip]
                           for row in range(height) for col in range(width)])  # fmt: skip
        wanted = 2 * grid.level(index).reshape(-1, 3) - 1
        torch.testing.assert_close(grid(at.double()).detach(), wanted, atol=1e-6, rtol=0)


def test_gradients_equal_central_differences():
    for wraps in (True, False):
        grid = grid_of(wraps)
        at = torch.rand(12, 3, generator=torch.Generator().manual_seed(1)).double()
        at[:, 2] = torch.arange(12) % 4
        seen = (torch.clone(grid.texels.detach()).requires_grad_(),)

        def encoded(texels, grid=grid, at=at):
            return torch.func.functional_call(grid, {"texels": texels}, (at,))

        assert torch.autograd.gradcheck(encoded, seen)


@quick
@given(st.integers(1, 8), st.integers(0, 2**16))
def test_codes_come_back_and_rounding_gives_them(bits, seed):
    grid = grid_of(bits=bits, seed=seed)
    codes = grid.codes()
    assert codes.dtype == np.uint8 and codes.shape == (35, 3) and codes.max() < 2**bits
    before = grid.texels.detach().clone()
    grid.round()
    assert np.array_equal(grid.codes(), codes)
    assert float((grid.texels.detach() - before).abs().max()) <= 0.5 / grid.steps + 1e-9
    other = grid_of(bits=bits, seed=seed + 1)
    other.set_codes(codes)
    torch.testing.assert_close(other.texels.detach(), grid.texels.detach(), atol=1e-7, rtol=0)


@pytest.mark.parametrize("features, stride", [
    (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (7, 8), (8, 8), (9, 12), (13, 16), (16, 16),
])  # fmt: skip
def test_entries_are_filled_up_in_device_order(features, stride):
    grid = grid_of(features=features).float()
    (table,) = grid.tables()
    assert (grid.stride, table.stride, table.features) == (stride, stride, features)
    assert grid.number_count() % 8 == 0 and 0 <= grid.number_count() - table.end < 8
    numbers = torch.arange(1.0, 35 * features + 1).view(35, features)
    flat = grid.flatten([numbers])
    entries = flat[: table.end].view(35, stride)
    assert torch.equal(entries[:, :features], numbers)
    assert not entries[:, features:].any() and not flat[table.end :].any()
    assert torch.equal(grid.unflatten(flat)[0], numbers)


def test_noise_is_seen_by_look_ups_alone():
    grid = grid_of()
    at = torch.tensor([[0.3, 0.6, 0.0], [0.9, 0.1, 2.0]]).double()
    clean, before = grid(at).detach(), grid.texels.detach().clone()
    noise = torch.rand(before.shape, generator=torch.Generator().manual_seed(3)).double() - 0.5
    grid.add_noise(5 * noise)
    assert torch.equal(grid.texels.detach(), before)
    assert bool((grid.seen >= 0).all() and (grid.seen <= 1).all())
    assert torch.equal(grid.seen, (before + 5 * noise).clamp(0, 1))
    encoded = grid(at)
    assert not torch.allclose(encoded, clean)
    encoded.sum().backward()  # the gradient is that of look-ups in any latents at all
    noisy = grid.texels.grad.clone()
    grid.texels.grad = None
    grid.seen = None
    grid(at).sum().backward()
    torch.testing.assert_close(noisy, grid.texels.grad)
    grid.add_noise(noise)
    grid.round()
    assert grid.seen is None


@pytest.mark.parametrize("wraps", [True, False])
def test_beyond_the_border(wraps):
    """Left of the first centre lies the last latent, or the first still."""
    grid = grid_of(wraps)
    level = grid.level(0)
    edge = 2 * level[1, 0] - 1
    outer = torch.tensor([[0.0, 1.5 / 4, 0.0]]).double()
    wanted = (2 * level[1, -1] - 1 + edge) / 2 if wraps else edge
    torch.testing.assert_close(grid(outer)[0].detach(), wanted)


@quick
@given(st.lists(st.tuples(shares, shares, st.integers(0, 3)), min_size=1, max_size=8))
def test_position_equals_numpy(samples):
    found = LatentPosition(MIPS, SERVED)(torch.tensor(samples, dtype=torch.float64)).numpy()
    assert found.shape == (len(samples), 4 * OCTAVES + 1)
    for (u, v, mip), encoded in zip(samples, found, strict=True):
        width, height = MIPS[mip]
        depth = mip - SERVED[mip]
        texel = np.array([u * width * 2**depth, v * height * 2**depth])
        wanted = []
        for octave in range(OCTAVES):
            angles = 2 * math.pi * texel * 2**octave / LONGEST_PERIOD
            wanted += [wave(angle) for angle in angles for wave in (math.sin, math.cos)]
        np.testing.assert_allclose(encoded[:-1], wanted, atol=1e-5)
        assert encoded[-1] == 0.5 * depth - 0.5
