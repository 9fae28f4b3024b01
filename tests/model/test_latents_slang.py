"""model: latents and their position on the device equal their Python halves in float64."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.model.composite import Composite
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LatentPosition
from neuralshade.testing.lanes import Lanes

MIPS = [(13, 6), (6, 3), (3, 1), (1, 1)]
SERVED = [0, 0, 2, 2]
SERVES = [0, 0, 1, 1]


def positions(count: int, rng: torch.Generator) -> torch.Tensor:
    """Return corners and texel centers and random places, of all mips."""
    edges = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5 / 13, 0.5 / 6]])
    uv = torch.cat([edges, torch.rand(count, 2, generator=rng)])[:count]
    mip = torch.randint(len(MIPS), (count, 1), generator=rng)
    return torch.cat([uv, mip.float()], dim=1)


def grid(features: int, wraps: bool, rng: torch.Generator, scale: int = 1) -> LatentGrid:
    sizes = [(-(-w // scale), -(-h // scale)) for w, h in (MIPS[0], MIPS[2])]
    return LatentGrid(sizes, SERVES, features, 4, wraps=wraps, rng=rng)


@pytest.mark.parametrize("packed, wraps", [(True, True), (False, False)])
@pytest.mark.parametrize("features", [
    pytest.param(count, marks=() if count in (1, 4, 7) else pytest.mark.slow)
    for count in range(1, 17)
])  # fmt: skip
def test_latents_equal_the_python_half(gpu, features, packed, wraps):
    rng = torch.Generator().manual_seed(features)
    lanes = Lanes(gpu, grid(features, wraps, rng), positions(40, rng), packed=packed)
    assert abs(lanes.expected_gradients).max() > 0.1
    lanes.check()


@pytest.mark.parametrize("features", [
    pytest.param(count, marks=() if count in (1, 2, 7, 12) else pytest.mark.slow)
    for count in range(1, 17)
])  # fmt: skip
@pytest.mark.parametrize("count", [40, 41])
def test_twins_add_for_each_other(gpu, features, count):
    """Some twins have a cell in common, some do not."""
    rng = torch.Generator().manual_seed(features)
    at = positions(count, rng)
    first, second = at[0 : count - 1 : 2], at[1:count:2]
    second[::3] = first[::3] + torch.tensor([0.5 / 13, 0.0, 0.0])
    second[1::3] = first[1::3]
    cells = grid(features, True, rng).corners(at)[0]
    shared = (cells[: count - 1 : 2] == cells[1::2]).sum(1)
    assert {0, 4} <= set(shared.tolist())
    Lanes(gpu, grid(features, True, rng), at, packed=True, twins=True).check()


def test_position_equals_the_python_half(gpu):
    rng = torch.Generator().manual_seed(0)
    Lanes(gpu, LatentPosition(MIPS, SERVED), positions(40, rng), packed=False).check()


@pytest.mark.parametrize("packed", [True, False])
def test_a_grid_behind_an_odd_one_is_aligned(gpu, packed):
    """Lanes count 1000 for several numbers at once that begin elsewhere than promised."""
    rng = torch.Generator().manual_seed(3)
    encoding = Composite([grid(3, True, rng), grid(7, False, rng, 2)])
    assert encoding.members[0].stride * len(encoding.members[0].texels) % 8 == 4
    Lanes(gpu, encoding, positions(33, rng), packed=packed).check()


@pytest.mark.slow
@settings(max_examples=4, deadline=None, derandomize=True)
@given(features=st.lists(st.integers(1, 16), min_size=1, max_size=3), wraps=st.booleans())
def test_grids_and_position_side_by_side(gpu, features, wraps):
    rng = torch.Generator().manual_seed(sum(features))
    grids = [grid(count, wraps, rng, 2**i) for i, count in enumerate(features)]
    encoding = Composite([*grids, LatentPosition(MIPS, SERVED)])
    Lanes(gpu, encoding, positions(33, rng), packed=True).check()
