"""Texels of all mips in memory, and the sampler of batches. Device half: task.slang."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.cores import map_on_cores
from neuralshade.model.border import within

Floats = npt.NDArray[np.float32]
Decode = Callable[..., Floats]  # decode_texels of a field, or its equivalent on another device

PEAK = 65535  # texels are stored as 16-bit integers that cover [0, 1]
MIDDLE = 32768
BAND_TEXELS = 2**16  # rounded at once by a core
LEAST_TEXELS = 512  # a smaller mip is drawn as often as one of this size
# Exponent of a mip's texel count in its share of a batch. With 1 the deeper mips of masks end 3 dB
# below mip 0; with 0.6 mip 0 loses 0.3 dB.
SHARE_POWER = 0.8
PAIR = 2  # neighbours along a row, drawn together: their latents are nearly the same


class Texels:
    """Trained channels of every mip: ``words`` uint16 [texels, C], mip by mip, row by row."""

    alpha: int | None = None  # the channel that weights errors of all others

    def __init__(self, levels: Sequence[Floats], alpha: int | None = None):
        self.alpha = alpha
        self.sizes = [(level.shape[1], level.shape[0]) for level in levels]
        self.channels = levels[0].shape[2]
        counts = [width * height for width, height in self.sizes]
        self.firsts = [sum(counts[:mip]) for mip in range(len(counts))]
        self.words = np.empty((sum(counts), self.channels), np.uint16)
        for level, first, count in zip(levels, self.firsts, counts, strict=True):
            fill_words(self.words[first : first + count], level.reshape(count, -1))
        self.shares = mip_shares(self.sizes)

    def level(self, mip: int) -> Floats:
        """Return one mip: float32 [height, width, C] in [0, 1]."""
        width, height = self.sizes[mip]
        return self.part(mip, slice(None)).reshape(height, width, self.channels)

    def part(self, mip: int, texels: slice) -> Floats:
        """Return some texels of a mip, row by row: float32 [n, C] in [0, 1]."""
        found: Floats = self.level_words(mip)[texels].astype(np.float32)
        found /= np.float32(PEAK)
        return found

    def level_words(self, mip: int) -> npt.NDArray[np.uint16]:
        """Return one mip as stored: uint16 [texels, C], row by row."""
        (width, height), first = self.sizes[mip], self.firsts[mip]
        return self.words[first : first + width * height]


def fill_words(words: npt.NDArray[np.uint16], channels: Floats) -> None:
    """Write [texels, C] in [0, 1] as uint16 into ``words``, of the same shape."""

    def fill(first: int) -> None:
        part = slice(first, first + BAND_TEXELS)
        words[part] = np.rint(channels[part] * np.float32(PEAK))

    for _ in map_on_cores(fill, range(0, len(words), BAND_TEXELS)):
        pass


def mip_shares(sizes: Sequence[tuple[int, int]]) -> npt.NDArray[np.float64]:
    """Return each mip's share of a batch: by its texels, with smaller mips favoured."""
    counts = [max(width * height, LEAST_TEXELS) for width, height in sizes]
    drawn = np.array(counts, np.float64) ** SHARE_POWER
    shares: npt.NDArray[np.float64] = drawn / drawn.sum()
    return shares


class TexelSampler:
    """Draws pairs of neighbouring texels: ``batch`` of them, mips by their shares.

    The number of pairs of a mip is the same in all steps but for one, which is rounded at random.
    ``jittered``: positions are anywhere in their texels instead of at the middle, and the target
    is the bilinear mix of the four texels around.
    """

    def __init__(
        self, texels: Texels, batch: int, wraps: bool, device: torch.device, *,
        jittered: bool = False,
    ):  # fmt: skip
        self.batch, self.wraps, self.jittered = batch, wraps, jittered
        self.pairs, self.alpha = batch // PAIR, texels.alpha
        # PyTorch cannot gather uint16: int16 less MIDDLE, which flips the highest bit
        signed = (texels.words ^ np.uint16(MIDDLE)).view(np.int16)
        self.words = torch.from_numpy(signed).to(device)
        self.ends = torch.from_numpy(np.cumsum(texels.shares)).float()
        self.sizes = torch.tensor(texels.sizes)
        self.firsts = torch.tensor(texels.firsts)
        self.device = device

    def __call__(self, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """Return positions (u, v, mip) float32 [N, 3] and texels float32 [C, N] in [0, 1]."""
        drawn = torch.rand(3, self.pairs, generator=rng)
        place = (torch.arange(self.pairs) + drawn[0, 0]) / self.pairs
        mip = torch.searchsorted(self.ends, place, right=True).clamp_(max=len(self.sizes) - 1)
        size, first = self.sizes[mip], self.firsts[mip]
        width, height = size.unbind(1)
        col = torch.minimum((drawn[1] * width).long(), width - 1)
        row = torch.minimum((drawn[2] * height).long(), height - 1)
        beside = self._beside(col, width)
        cols = torch.stack([col, beside], dim=1)
        if self.jittered:
            return self._between(cols, row, mip, rng)
        index = (first + row * width)[:, None] + cols
        u = (cols + 0.5) / width[:, None]
        v = ((row + 0.5) / height)[:, None].expand(-1, PAIR)
        at = torch.stack([u, v, mip[:, None].expand(-1, PAIR).float()], dim=-1).reshape(-1, 3)
        return at.to(self.device), self._targets(index.reshape(-1).to(self.device))

    def _between(
        self, cols: torch.Tensor, row: torch.Tensor, mip: torch.Tensor, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return positions anywhere in texels (``cols`` [P, 2], ``row`` [P]) and bilinear mixes."""
        size, first = self.sizes[mip][:, None], self.firsts[mip][:, None]
        texel = torch.stack([cols, row[:, None].expand_as(cols)], dim=-1)
        place = texel + torch.rand(self.pairs, PAIR, 2, generator=rng)
        before = (place - 0.5).floor()
        share, before = (place - 0.5 - before).reshape(-1, 2), before.long()
        at = torch.cat([place / size, mip[:, None, None].expand(-1, PAIR, 1).float()], dim=-1)
        mixed = torch.zeros(())
        for step in torch.tensor([(0, 0), (1, 0), (0, 1), (1, 1)]):
            corner = within(before + step, size, self.wraps)
            index = first + corner[..., 1] * size[..., 0] + corner[..., 0]
            weight = torch.where(step == 1, share, 1 - share).prod(1).to(self.device)
            mixed = mixed + self._targets(index.reshape(-1).to(self.device)) * weight
        return at.reshape(-1, 3).to(self.device), mixed

    def _beside(self, col: torch.Tensor, width: torch.Tensor) -> torch.Tensor:
        """Return the column right of ``col``; at the border the first or the left one."""
        last = torch.zeros_like(col) if self.wraps else (width - 2).clamp(min=0)
        return torch.where(col + 1 < width, col + 1, last)

    def _targets(self, index: torch.Tensor) -> torch.Tensor:
        return self.words[index].float().add_(MIDDLE).mul_(1 / PEAK).t()
