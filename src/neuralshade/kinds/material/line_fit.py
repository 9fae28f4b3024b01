"""Fit of texels to lines between the end points of BC7 blocks, in PyTorch, with weights.

Why not etcpak: its error is not that of latents. block_choice.py chooses among modes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import torch

from neuralshade.asset.texture.bc7_lines import CHANNELS, WEIGHTS
from neuralshade.asset.texture.bc7_split import TEXELS

PEAK = 255  # code of a number that is 1
TURNS = 12  # power iterations for a block's main axis
REFITS, ROUNDS = 3, 1  # of end points to the steps chosen; of moves by their last bits
WHOLE = int(WEIGHTS[-1])  # what weights of steps sum to
LEAST = 1e-9

# ends [N, C] as codes, weights of their errors, the lowest bits that end points shall have or None
Rounded = Callable[[torch.Tensor, torch.Tensor, int | None], torch.Tensor]


@dataclass(frozen=True)
class LineForm:
    """What end points and steps of a line can be: ``shares`` of the way to the last end."""

    shares: torch.Tensor  # float32 [steps + 1]
    rounded: Rounded


class LineFit:
    """The best lines of those that were tried: end points [N, C] twice, steps [N, 16].

    ``texels`` float32 [N, 16, C], codes; ``weights`` [C], of errors, whose sums of squares [N] are
    ``error``.
    """

    def __init__(self, texels: torch.Tensor, weights: torch.Tensor, form: LineForm):
        self.texels, self.weights, self.form = texels, weights, form
        self.first = self.last = torch.zeros(len(texels), texels.shape[2])
        self.steps = torch.zeros(len(texels), TEXELS)
        self.error = torch.full((len(texels),), torch.inf)
        self.take(*_extremes(texels, weights))
        for _ in range(REFITS):
            self.take(*self._refitted())

    def take(
        self, first: torch.Tensor, last: torch.Tensor, odd: tuple[int, int] | None = None
    ) -> None:
        """Take over lines where they are better; ``odd``: the lowest bits of both ends."""
        texels, weights, shares = self.texels, self.weights, self.form.shares
        first, last = (self.form.rounded(end, weights, None if odd is None else odd[which])
                       for which, end in enumerate((first, last)))  # fmt: skip
        span, apart = ((last - first) * weights)[:, None], (texels - first[:, None]) * weights
        along = (apart * span).sum(-1) / span.square().sum(-1).clamp_min(LEAST)
        most = len(shares) - 1
        steps = (along * most).round().clamp(0, most)
        share = shares[steps.long()]
        found = (first[:, None] + (last - first)[:, None] * share[..., None] + 0.5).floor()
        error = ((found - texels) * weights).square().sum((1, 2))
        better = error < self.error
        self.first, self.last, self.steps = (
            torch.where(better[:, None], new, old) for new, old in
            ((first, self.first), (last, self.last), (steps, self.steps)))  # fmt: skip
        self.error = torch.minimum(error, self.error)

    def move(self) -> None:
        """Try the neighbours of end points that share a lowest bit."""
        for _ in range(ROUNDS):
            first, last = self._refitted()
            for odd in ((0, 0), (0, 1), (1, 0), (1, 1)):
                self.take(first, last, odd)
            for channel, move, end in product(range(CHANNELS), (-2, 2), range(2)):
                ends = [self.first.clone(), self.last.clone()]
                ends[end][:, channel] += move
                self.take(ends[0], ends[1])

    def _refitted(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the end points of least squares for the steps chosen."""
        last = self.form.shares[self.steps.long()]
        first = 1 - last
        pairs = ((first, first), (first, last), (last, last))
        ff, fl, ll = ((a * b).sum(1)[:, None] for a, b in pairs)
        to_first, to_last = ((each[..., None] * self.texels).sum(1) for each in (first, last))
        scale = (ff * ll - fl * fl).clamp_min(1e-4)
        return (to_first * ll - to_last * fl) / scale, (to_last * ff - to_first * fl) / scale


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


def with_shared_bit(ends: torch.Tensor, weights: torch.Tensor, odd: int | None) -> torch.Tensor:
    """Return end points in codes whose lowest bit is one for all channels: ``odd``, or the best."""
    half, wanted = PEAK // 2, ends.clamp(0, PEAK)
    both = [((wanted - bit) / 2).round().clamp(0, half) * 2 + bit for bit in (0, 1)]
    if odd is not None:
        return both[odd]
    errors = [((each - wanted) * weights).square().sum(1, keepdim=True) for each in both]
    return torch.where(errors[1] < errors[0], both[1], both[0])
