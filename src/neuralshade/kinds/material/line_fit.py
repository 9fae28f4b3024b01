"""Fit of texels to BC7 blocks of mode 6, in PyTorch: lines of four numbers, with weights.

Why not etcpak: lines alone are needed, and its error is not that of latents.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.texture.bc7_lines import CHANNELS, STEPS, WEIGHTS, pack_lines
from neuralshade.engine.threads import side_by_side

SIDE, TEXELS, PEAK = 4, 16, 255  # of a block; code of a number that is 1
TURNS = 12  # power iterations for a block's main axis
REFITS, ROUNDS = 3, 1  # of end points to the steps chosen; of moves by their last bits
AT_ONCE = 2**11  # blocks that a core fits at once
LEAST = 1e-9

Rows = npt.NDArray[np.uint8]
Line = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # ends [N, C] twice, steps [N, 16]


def block_rows(texels: torch.Tensor, weights: torch.Tensor) -> Rows:
    """Return the blocks of a square level, row by row: uint8 [blocks, textures, 16].

    Args:
        texels: float32 [side, side, F], codes from 0 to 255, not rounded; F a multiple of 4.
        weights: float32 [F], of errors. A block beyond the edge repeats the texels there.
    """
    tiles = _tiles(texels)
    found = []
    for first in range(0, texels.shape[2], CHANNELS):
        own = slice(first, first + CHANNELS)
        parts = side_by_side(partial(_fit, weights=weights[own]), tiles[..., own].split(AT_ONCE))
        lines = [torch.cat(each).to(torch.uint8).numpy() for each in zip(*parts, strict=True)]
        found.append(pack_lines(*lines))
    return np.stack(found, axis=1)


def _tiles(level: torch.Tensor) -> torch.Tensor:
    """Return [side, side, F] in blocks: [blocks, 16, F]."""
    side, _, features = level.shape
    index = torch.arange(-(-side // SIDE) * SIDE).clamp(max=side - 1)
    whole, across = level[index][:, index], len(index) // SIDE
    cut = whole.view(across, SIDE, across, SIDE, features).transpose(1, 2)
    return cut.reshape(across * across, TEXELS, features)


def _fit(texels: torch.Tensor, weights: torch.Tensor) -> Line:
    """Return the lines of texels [N, 16, 4]: along the main axis, then moved if that is better."""
    best = _Best(texels, weights)
    best.take(*_extremes(texels, weights))
    for _ in range(REFITS):
        best.take(*_refitted(texels, best.steps))
    for _ in range(ROUNDS):
        first, last = _refitted(texels, best.steps)
        for odd in ((0, 0), (0, 1), (1, 0), (1, 1)):
            best.take(first, last, odd)
        for channel, move, end in product(range(CHANNELS), (-2, 2), range(2)):
            ends = [best.first.clone(), best.last.clone()]
            ends[end][:, channel] += move
            best.take(ends[0], ends[1])
    return best.first, best.last, best.steps


class _Best:
    """The best lines of those that were tried: end points [N, 4] twice, steps [N, 16]."""

    def __init__(self, texels: torch.Tensor, weights: torch.Tensor):
        self.texels, self.weights = texels, weights
        self.first = self.last = torch.zeros(len(texels), CHANNELS)
        self.steps = torch.zeros(len(texels), TEXELS)
        self.error = torch.full((len(texels),), torch.inf)

    def take(
        self, first: torch.Tensor, last: torch.Tensor, odd: tuple[int, int] | None = None
    ) -> None:
        """Take over lines where they are better; ``odd``: the lowest bits of both ends."""
        texels, weights = self.texels, self.weights
        first, last = (_rounded(end, weights, None if odd is None else odd[which])
                       for which, end in enumerate((first, last)))  # fmt: skip
        span, apart = ((last - first) * weights)[:, None], (texels - first[:, None]) * weights
        along = (apart * span).sum(-1) / span.square().sum(-1).clamp_min(LEAST)
        steps = (along * STEPS).round().clamp(0, STEPS)
        share = torch.from_numpy(WEIGHTS)[steps.long()].float() / WEIGHTS[-1]
        found = (first[:, None] + (last - first)[:, None] * share[..., None] + 0.5).floor()
        error = ((found - texels) * weights).square().sum((1, 2))
        better = error < self.error
        self.first, self.last, self.steps = (
            torch.where(better[:, None], new, old) for new, old in
            ((first, self.first), (last, self.last), (steps, self.steps)))  # fmt: skip
        self.error = torch.minimum(error, self.error)


def _extremes(texels: torch.Tensor, weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outermost points of texels along their axis of greatest variance, [N, 4] each."""
    scaled = texels * weights
    mean = scaled.mean(1)
    apart = scaled - mean[:, None]
    covariance = apart.transpose(1, 2) @ apart
    # starts at the channel with most variance, which is hardly ever orthogonal to the axis
    most = covariance.diagonal(dim1=1, dim2=2).argmax(-1)
    axis = covariance[torch.arange(len(most)), most]
    for _ in range(TURNS):
        axis = axis / axis.norm(dim=1, keepdim=True).clamp_min(LEAST)
        axis = (covariance @ axis[..., None])[..., 0]
    axis = axis / axis.norm(dim=1, keepdim=True).clamp_min(LEAST)
    along = (apart @ axis[..., None])[..., 0]
    low, high = (mean + axis * end[:, None] for end in (along.amin(1), along.amax(1)))
    return low / weights, high / weights


def _refitted(texels: torch.Tensor, steps: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the end points of least squares for chosen steps."""
    last = torch.from_numpy(WEIGHTS)[steps.long()].float() / WEIGHTS[-1]
    first = 1 - last
    ff, fl, ll = ((a * b).sum(1)[:, None] for a, b in ((first, first), (first, last), (last, last)))
    to_first, to_last = ((each[..., None] * texels).sum(1) for each in (first, last))
    scale = (ff * ll - fl * fl).clamp_min(1e-4)
    return (to_first * ll - to_last * fl) / scale, (to_last * ff - to_first * fl) / scale


def _rounded(ends: torch.Tensor, weights: torch.Tensor, odd: int | None) -> torch.Tensor:
    """Return end points in codes whose lowest bit is one for all channels: ``odd``, or the best."""
    half, wanted = PEAK // 2, ends.clamp(0, PEAK)
    both = [((wanted - bit) / 2).round().clamp(0, half) * 2 + bit for bit in (0, 1)]
    if odd is not None:
        return both[odd]
    errors = [((each - wanted) * weights).square().sum(1, keepdim=True) for each in both]
    return torch.where(errors[1] < errors[0], both[1], both[0])
