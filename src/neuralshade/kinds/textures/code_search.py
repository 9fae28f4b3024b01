"""After training: every stored code tries its two neighbours, and what is nearer to the set stays.

Latents are rounded one by one, but a texel sees all numbers of four latents of each grid: codes
that are next to each other in value are often better together. This is coordinate descent: a code
moves where that lowers the weighted squared error of all texels, of all mips, that see it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np
import torch

from neuralshade.base.interrupt import Interruption
from neuralshade.fitting.picture_result import CodeSearch
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import mip_errors, mip_positions, plain_grids
from neuralshade.kinds.textures.psnr import mean_psnr
from neuralshade.kinds.textures.texels import LEAST_TEXELS, PEAK, Texels
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid

BAND_TEXELS = 2**17  # of the finest mip, that are searched at once: 64 float32 of each are kept
BLOCK_TEXELS = 2**13  # whose activations are in a core's cache together
COMPARED_TEXELS = 2**16  # of mip 0, at most, before and after
LEAST_GAIN = 1e-5  # of the error around a latent: less may be rounding


def polish(
    field: Field,
    texels: Texels,
    codings: Sequence[MapCoding],
    weights: torch.Tensor,
    passes: int,
    device: torch.device | None = None,
) -> CodeSearch:
    """Search the codes of a stored field, see ``search_codes``; ``device``: where, if not here.

    Ctrl-C ends the search early: what it has found by then is nearer to the set already.
    """
    home = next(field.parameters()).device
    start = time.perf_counter()
    every = math.ceil(math.prod(texels.sizes[0]) / COMPARED_TEXELS) | 1  # odd: sees all columns
    before = mean_psnr(mip_errors(field, texels, 0, every), codings)
    with Interruption() as interruption:
        field.to(device or home)
        moved = search_codes(field, texels, weights, passes, lambda: interruption.requested)
        field.to(home)
    after = mean_psnr(mip_errors(field, texels, 0, every), codings)
    seconds = time.perf_counter() - start
    return CodeSearch(moved, seconds, after - before, not interruption.requested)


@torch.no_grad()
def search_codes(
    field: Field,
    texels: Texels,
    weights: torch.Tensor,
    passes: int,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Move codes of the finest grid by one where the error of what is stored falls.

    Latents of one colour are moved together: no texel sees two of them, so the error never rises.

    Args:
        field: latents rounded, and the decoder as stored; its latents change in place.
        texels: what is compared with; a mip counts as it is drawn in training.
        weights: float32 [C], of channels in the loss.
        passes: how often all codes are tried; less often where none moves any more.
        stopped: asked between two bands of rows; True ends the search with what it has found.

    Returns:
        how many codes moved.
    """
    grid, total = plain_grids(field)[0], 0
    for _ in range(passes):
        moved = 0
        for level, rows in _bands(grid, texels):
            if stopped():
                return total + moved
            moved += _Band(field, grid, texels, weights, level, rows).improve()
        total += moved
        if not moved:
            break
    return total


def _bands(grid: LatentGrid, texels: Texels) -> Iterator[tuple[int, range]]:
    """Yield the rows of latents of each stored level in bands of about BAND_TEXELS texels."""
    for level, (_, height) in enumerate(grid.sizes):
        across, down = texels.sizes[grid.serves.index(level)]
        count = min(height, max(1, round(across * down / BAND_TEXELS)))
        edges = [height * index // count for index in range(count + 1)]
        for first, end in pairwise(edges):
            yield level, range(first, end)


def colors_along(size: int, wraps: bool) -> int:
    """Return how many colours a row of ``size`` latents needs so that no two neighbours share one.

    The last of an odd number of latents that wrap is beside the first: it has a colour of its own.
    """
    return 1 if size == 1 else 3 if wraps and size % 2 else 2


def _color(place: torch.Tensor, size: int, wraps: bool) -> torch.Tensor:
    color = place % 2
    if colors_along(size, wraps) == 3:
        color = torch.where(place == size - 1, 2, color)
    return color


class _Band:
    """Rows of one level's latents, and all texels that see one of them."""

    def __init__(self, field: Field, grid: LatentGrid, texels: Texels, weights: torch.Tensor,
                 level: int, rows: range):  # fmt: skip
        self.grid, self.network, self.level = grid, field.network, level
        width = grid.sizes[level][0]
        self.first = grid.firsts[level] + rows.start * width
        self.count = len(rows) * width
        device = grid.texels.device
        at, wanted, counts = _texels_seeing(grid, texels, level, rows)
        self.wanted, self.weights = wanted.to(device), weights.to(device)
        self.counts = counts.to(device)
        at = at.to(device)
        self.index, self.shares = grid.corners(at)
        layer = self.network.members[0]
        # before the first activation: all that a latent changes is a sum there
        self.sums = torch.nn.functional.linear(field.encoding(at), layer.weight, layer.bias)
        none = torch.zeros(len(at), device=device)
        everywhere = torch.arange(len(at), device=device)
        self.errors = self._errors(self.sums, layer.weight[:, 0], none, everywhere)

    def improve(self) -> int:
        """Try all codes of the band; return how many moved."""
        width, height = self.grid.sizes[self.level]
        wraps, place = self.grid.wraps, self.index - self.grid.firsts[self.level]
        own = (self.index >= self.first) & (self.index < self.first + self.count)
        of_row, of_col = _color(place // width, height, wraps), _color(place % width, width, wraps)
        counts = colors_along(height, wraps), colors_along(width, wraps)
        moved = 0
        for row_color, col_color in product(*map(range, counts)):
            chosen = own & (of_row == row_color) & (of_col == col_color)
            share = torch.where(chosen, self.shares, 0).sum(1)
            owner = torch.where(chosen, self.index - self.first, 0).amax(1)
            moved += self._improve_color(owner, share)
        return moved

    def _improve_color(self, owner: torch.Tensor, share: torch.Tensor) -> int:
        """Try latents of one colour: ``owner`` [N] is that which a texel sees by ``share`` [N]."""
        which = share.nonzero()[:, 0]
        owner, share = owner[which], share[which]
        sums, errors, moved = self.sums[which], self.errors[which], 0
        for feature in range(self.grid.features):
            # an encoding is 2 x - 1 of a latent
            code = self._weight(feature) * (2 / self.grid.steps)
            up = self._errors(sums, code, share, which)
            down = self._errors(sums, -code, share, which)
            step = self._steps(feature, owner, errors, up, down)
            taken = step[owner]
            errors = torch.where(taken > 0, up, torch.where(taken < 0, down, errors))
            sums.addr_(taken * share, code)
            moved += int(step.count_nonzero())
        self.sums[which], self.errors[which] = sums, errors
        return moved

    def _steps(self, feature: int, owner: torch.Tensor, errors: torch.Tensor, up: torch.Tensor,
               down: torch.Tensor) -> torch.Tensor:  # fmt: skip
        """Move the codes of a feature that gain by it; return by how much: -1, 0 or 1 of each."""
        latents = self.grid.texels[self.first : self.first + self.count, feature]
        codes = torch.round(latents * self.grid.steps)
        around = torch.zeros_like(codes)
        gain_up, gain_down = (
            around.clone().index_add_(0, owner, errors - tried) for tried in (up, down)
        )
        least = around.index_add_(0, owner, errors) * LEAST_GAIN
        gain_up.masked_fill_(codes >= self.grid.steps, 0)
        gain_down.masked_fill_(codes <= 0, 0)
        rises = (gain_up > least) & (gain_up >= gain_down)
        falls = (gain_down > least) & ~rises
        step = rises.float() - falls.float()
        latents.copy_((codes + step) / self.grid.steps)
        return step

    def _weight(self, feature: int) -> torch.Tensor:
        """Return what the first layer makes of a feature of the finest grid: [hidden]."""
        return self.network.members[0].weight[:, feature]

    def _errors(self, sums: torch.Tensor, change: torch.Tensor, share: torch.Tensor,
                which: torch.Tensor) -> torch.Tensor:  # fmt: skip
        """Return the weighted squared error [n] of texels ``which`` after a change of the sums."""
        found = torch.empty_like(share)
        for first in range(0, len(share), BLOCK_TEXELS):
            part = slice(first, first + BLOCK_TEXELS)
            x = torch.addr(sums[part], share[part], change)
            for kind, layer in zip(self.network.kinds, self.network.members[1:], strict=False):
                x = torch.nn.functional.linear(
                    ACTIVATIONS[kind].forward_(x), layer.weight, layer.bias
                )
            x = ACTIVATIONS[self.network.kinds[-1]].forward_(x).clamp_(0, 1)
            squares = x.sub_(self.wanted[which[part]]).square_()
            torch.mul(squares @ self.weights, self.counts[which[part]], out=found[part])
        return found


def _texels_seeing(
    grid: LatentGrid, texels: Texels, level: int, rows: range
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what sees rows of a level: positions [N, 3], channels [N, C], how often drawn [N]."""
    places, wanted, counts = [], [], []
    for mip, serving in enumerate(grid.serves):
        if serving != level:
            continue
        width, height = texels.sizes[mip]
        at = mip_positions(texels.sizes, mip, torch.arange(height) * width)
        latent_rows = grid.corners(at.to(grid.texels.device))[0].cpu() - grid.firsts[level]
        latent_rows = latent_rows // grid.sizes[level][0]
        seeing = ((latent_rows >= rows.start) & (latent_rows < rows.stop)).any(1).nonzero()
        index = (seeing * width + torch.arange(width)).reshape(-1)
        words = texels.words[texels.firsts[mip] + index.numpy()].astype(np.float32)
        places.append(mip_positions(texels.sizes, mip, index))
        wanted.append(torch.from_numpy(words / np.float32(PEAK)))
        often = max(1.0, LEAST_TEXELS / (width * height))
        counts.append(torch.full((len(index),), often))
    return torch.cat(places), torch.cat(wanted), torch.cat(counts)
