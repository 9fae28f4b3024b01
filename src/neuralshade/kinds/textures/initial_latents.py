"""Initial latents: principal components of the texels that they cover."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import torch

from neuralshade.engine.threads import threads
from neuralshade.kinds.textures.recipe import GridShape
from neuralshade.kinds.textures.texels import PEAK, Texels
from neuralshade.model.latent_grid import LatentGrid

SIGMAS = 4.0  # standard deviations of a component to either side that [0, 1] covers
MOST_SIDE = 4  # texels along a patch; larger patches use a deeper mip
LEAST_SIGMA = 1e-4


def start_latents(
    grids: Sequence[LatentGrid], shapes: Sequence[GridShape], stored: Sequence[int], texels: Texels
) -> None:
    """Initialise latents with the principal components of the patches that they cover.

    A patch counts without what the next coarser grid has already, which is the bilinear mip at
    that grid's scale. Latents beyond the number of components stay unchanged, and so do levels
    whose sizes do not divide the mips'.

    ``stored``: the first mip of each stored level of the grids.
    """
    image = lru_cache(maxsize=2)(partial(_image, texels))
    bases: dict[int, Basis] = {}  # by grid: that of its first level that has one
    # level by level, as levels of different grids read the same mips
    for level, first in enumerate(stored):
        for index, (grid, shape) in enumerate(zip(grids, shapes, strict=True)):
            if level >= len(grid.sizes) or math.log2(shape.scale) % 1:
                continue
            coarser = shapes[index + 1].scale if index + 1 < len(shapes) else None
            patches = _patches(texels, image, grid.sizes[level], first, shape.scale, coarser)
            if patches is None:
                continue
            if index in bases:
                mean, axes, sigma = bases[index]
                along = patches.sub_(mean) @ axes
            else:
                bases[index], along = _basis(patches, grid.features)
                sigma = bases[index].sigma
            start = along.div_(2 * SIGMAS * sigma).add_(0.5).clamp_(0, 1)
            grid.level(level).view(-1, grid.features)[:, : start.shape[1]] = start


def _patches(
    texels: Texels,
    image_of: Callable[[int], torch.Tensor],
    size: tuple[int, int],
    first: int,
    scale: int,
    coarser: int | None,
) -> torch.Tensor | None:
    """Return the patch of each latent of a level as rows; None where sizes do not divide."""
    octave = int(math.log2(scale))
    down = max(0, octave - int(math.log2(MOST_SIDE)))
    side = scale >> down
    mip = first + down
    if mip >= len(texels.sizes) or texels.sizes[mip] != (size[0] * side, size[1] * side):
        return None
    image = image_of(mip)
    larger = None
    if coarser is not None:
        base = first + int(math.log2(coarser))
        if base >= len(texels.sizes):
            return None
        larger = _stretched(image_of(base), image.shape[1:])
    found = torch.empty(size[1], size[0], side, side, image.shape[0])
    if larger is None:
        found.copy_(_cut(image, size, side))
    else:
        torch.sub(_cut(image, size, side), _cut(larger, size, side), out=found)
    return found.view(size[0] * size[1], -1)


def _cut(image: torch.Tensor, size: tuple[int, int], side: int) -> torch.Tensor:
    """Return planes [C, height, width] as a view by latents: [rows, columns, side, side, C]."""
    cut = image.view(len(image), size[1], side, size[0], side)
    return cut.permute(1, 3, 2, 4, 0)


def _image(texels: Texels, mip: int) -> torch.Tensor:
    """Return the channels of a mip as planes: float32 [C, height, width]."""
    width, height = texels.sizes[mip]
    words = torch.from_numpy(texels.level_words(mip)).view(height, width, -1).permute(2, 0, 1)
    return torch.empty(words.shape, dtype=torch.float32).copy_(words).div_(PEAK)


def _stretched(image: torch.Tensor, size: Sequence[int]) -> torch.Tensor:
    shape = (int(size[0]), int(size[1]))
    larger = torch.nn.functional.interpolate(image[None], size=shape, mode="bilinear")
    return larger[0]


class Basis(NamedTuple):
    """Principal components of patches."""

    mean: torch.Tensor  # [numbers]
    axes: torch.Tensor  # [numbers, count]
    sigma: torch.Tensor  # [count]: standard deviation along each axis


def _basis(patches: torch.Tensor, count: int) -> tuple[Basis, torch.Tensor]:
    """Return the first ``count`` components, and where patches lie along them [patches, count].

    The mean is subtracted from ``patches``.
    """
    mean = patches.mean(0)
    centered = patches.sub_(mean)
    covariance = (centered.T @ centered / len(patches)).double()
    with threads(1):  # more gain nothing, and wait long for each other where something else runs
        axes = torch.linalg.eigh(covariance).eigenvectors.flip(1)[:, :count].float()
    along = centered @ axes
    return Basis(mean, axes, along.std(0, correction=0).clamp_min(LEAST_SIGMA)), along
