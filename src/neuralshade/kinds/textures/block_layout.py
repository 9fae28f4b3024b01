"""Encoding and initial values of BC1 latents."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from neuralshade.kinds.textures.block_shape import (
    BlockShape,
    level_sizes,
    octave_of,
)
from neuralshade.kinds.textures.initial_latents import SIGMAS, start_latents
from neuralshade.kinds.textures.recipe import GridShape
from neuralshade.kinds.textures.texels import Texels
from neuralshade.model.block_grid import CHANNELS, SIDE, BlockGrid
from neuralshade.model.composite import Composite
from neuralshade.model.latent_grid import LatentGrid

BLOCK_SIGMAS = 2.5  # standard deviations of a component to either side that [0, 1] covers
TURNS = 12  # power iterations for a block's main axis
LEAST_SPAN = 1e-3  # least distance of a block's end points


def build_blocks(
    sizes: Sequence[tuple[int, int]],
    shapes: Sequence[BlockShape],
    wraps: bool,
    rng: torch.Generator | None,
) -> Composite:
    """Return the encoding of (u, v, mip) for mips of ``sizes``: the textures' channels alone.

    The decoder's input has neither position nor mip: so it is trained for whatever the sampling
    hardware returns, between texels and between mips.
    """
    parts = []
    for shape in shapes:
        levels = level_sizes(sizes[0], len(sizes), shape.scale)
        first = octave_of(shape.scale)
        serves = [min(max(0, mip - first), len(levels) - 1) for mip in range(len(sizes))]
        parts.append(BlockGrid(levels, serves, shape.textures, wraps=wraps, rng=rng))
    return Composite(parts)


@torch.no_grad()
def start_blocks(
    grids: Sequence[BlockGrid], shapes: Sequence[BlockShape], texels: Texels, rng: torch.Generator
) -> None:
    """Initialise blocks as lines through the principal components of the patches they cover."""
    plain = [
        LatentGrid(grid.sizes, range(len(grid.sizes)), grid.features, 8, rng=rng) for grid in grids
    ]
    scaled = [GridShape(shape.scale, shape.features, 8) for shape in shapes]
    start_latents(plain, scaled, range(len(texels.sizes)), texels)
    for grid, start in zip(grids, plain, strict=True):
        wider = (start.texels - 0.5) * (SIGMAS / BLOCK_SIGMAS) + 0.5
        start.texels.copy_(wider.clamp(0, 1))
        parts = [_tiles(start.level(index)) for index in range(len(grid.sizes))]
        set_lines(grid, torch.cat(parts).view(grid.blocks, SIDE**2, grid.textures, CHANNELS))


def _tiles(level: torch.Tensor) -> torch.Tensor:
    """Return [h, w, F] in blocks, padded by repeating the last texel: [blocks, 16, F]."""
    height, width, features = level.shape
    fill = (0, -width % SIDE, 0, -height % SIDE)
    planes = torch.nn.functional.pad(level.permute(2, 0, 1)[None], fill, mode="replicate")[0]
    down, across = planes.shape[1] // SIDE, planes.shape[2] // SIDE
    cut = planes.view(features, down, SIDE, across, SIDE).permute(1, 3, 2, 4, 0)
    return cut.reshape(down * across, SIDE**2, features)


def set_lines(grid: BlockGrid, texels: torch.Tensor) -> None:
    """Set blocks to the principal axes of ``texels`` [blocks, 16, textures, 3]."""
    mean = texels.mean(1, keepdim=True)
    apart = texels - mean
    covariance = torch.einsum("bntc,bntd->btcd", apart, apart)
    # starts at the channel with most variance, which is hardly ever orthogonal to the axis
    most = covariance.diagonal(dim1=2, dim2=3).argmax(-1)
    axis = covariance.gather(2, most[..., None, None].expand(-1, -1, 1, CHANNELS))[:, :, 0]
    for _ in range(TURNS):
        axis = axis / axis.norm(dim=-1, keepdim=True).clamp_min(1e-12)
        axis = (covariance @ axis[..., None])[..., 0]
    axis = axis / axis.norm(dim=-1, keepdim=True).clamp_min(1e-12)
    along = (apart * axis[:, None]).sum(-1)  # [blocks, 16, textures]
    low, high = along.amin(1), along.amax(1) + LEAST_SPAN
    ends = [mean[:, 0] + axis * bound[..., None] for bound in (low, high)]
    grid.ends.copy_(torch.stack(ends, dim=-1).clamp(0, 1).view(grid.ends.shape))
    grid.shares.copy_(((along - low[:, None]) / (high - low)[:, None]).clamp(0, 1))


def block_grids(encoding: torch.nn.Module) -> list[BlockGrid]:
    """Return the grids of an encoding that ``build_blocks`` made, the finest first."""
    return [module for module in encoding.modules() if isinstance(module, BlockGrid)]
