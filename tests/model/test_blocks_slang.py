"""model/block_grid: the device half equals the Python half in float64, values and gradients."""

import pytest
import torch

from neuralshade.model.block_grid import BlockGrid
from neuralshade.model.composite import Composite
from neuralshade.model.latent_position import LatentPosition
from neuralshade.testing.lanes import Lanes

MIPS = [(13, 6), (6, 3), (3, 1), (1, 1)]


def positions(count, rng):
    """Return corners, centers of texels and random places, of all mips."""
    edges = torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5 / 13, 0.5 / 6]])
    uv = torch.cat([edges, torch.rand(count, 2, generator=rng)])[:count]
    mip = torch.randint(len(MIPS), (count, 1), generator=rng)
    return torch.cat([uv, mip.float()], dim=1)


@pytest.mark.slow
@pytest.mark.parametrize("textures, wraps, packed",
                         [(1, True, True), (2, False, True), (3, True, False)])  # fmt: skip
def test_blocks_equal_the_python_half(gpu, textures, wraps, packed):
    rng = torch.Generator().manual_seed(textures)
    blocks = BlockGrid(MIPS, range(4), textures, wraps=wraps, rng=rng)
    lanes = Lanes(gpu, blocks, positions(40, rng), packed=packed)
    assert abs(lanes.expected_gradients).max() > 0.1
    lanes.check()


def test_textures_of_two_sizes_and_the_position_side_by_side(gpu):
    """Gradients need the numbers, which a Composite must find for its later parts."""
    rng = torch.Generator().manual_seed(0)
    sizes = [(16, 8), (8, 4), (4, 2), (2, 1)]
    fine, coarse = (BlockGrid(sizes[i:], [0, 1 - i, 2 - i, 3 - i], 1 + i, rng=rng) for i in (0, 1))
    encoding = Composite([fine, coarse, LatentPosition(MIPS, [0, 0, 2, 2])])
    Lanes(gpu, encoding, positions(33, rng), packed=True).check()
