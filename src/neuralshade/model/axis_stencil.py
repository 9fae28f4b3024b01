"""Bilinear stencil along one axis of a grid, between texels and evenly spaced pixels."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch

from neuralshade.model.bilinear import smooth_share


class Axis:
    """Texels of one axis of a grid, and the pixel centres that read them.

    Pixels lie at (i + 0.5) / ``pixels``, texels at (i + 0.5) / ``texels``; beyond the outermost
    they wrap around, or are clamped where ``wraps`` is False. They mix texels by
    ``smooth_share`` where ``smooth``.
    """

    def __init__(self, texels: int, pixels: int, wraps: bool = False, smooth: bool = False):
        self.texels, self.pixels, self.wraps = texels, pixels, wraps
        self.before, self.after, self.way = self._cells()  # [pixels]
        if smooth:
            self.way = smooth_share(self.way)
        self.shares, self.index = self._by_texel()  # [texels, most], largest first

    def _cells(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the texels before and after each pixel, and its position between them."""
        at = (torch.arange(self.pixels) + 0.5) / self.pixels
        return cell_corner(at, torch.tensor(self.texels), self.wraps)

    def _by_texel(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the weights of texels in the pixels that read them, and these pixels."""
        column, same = torch.arange(self.pixels), self.before == self.after
        shares = torch.cat([torch.where(same, 1, 1 - self.way), torch.where(same, 0, self.way)])
        seen = shares > 0
        shares, texels = shares[seen], torch.cat([self.before, self.after])[seen]
        order = shares.argsort(descending=True, stable=True)
        order = order[texels[order].argsort(stable=True)]
        count = texels.bincount(minlength=self.texels)
        most = max(1, int(count.max()))
        begins = (count.cumsum(0) - count)[texels[order]]
        place = texels[order], torch.arange(len(order)) - begins
        found = torch.zeros(self.texels, most)
        index = torch.zeros(self.texels, most, dtype=torch.long)
        index[place] = torch.cat([column, column])[seen][order]
        found[place] = shares[order]
        return found, index

    def reading_pixels(self, own: slice) -> torch.Tensor:
        """Return which pixels read one of some texels: bool [pixels]."""

        def within(texel: torch.Tensor) -> torch.Tensor:
            return (texel >= own.start) & (texel < own.stop)

        # where both are the same texel, its weight may be either
        first = within(self.before) & ((self.way < 1) | (self.before == self.after))
        return first | (within(self.after) & (self.way > 0))

    def colors(self, own: slice) -> list[torch.Tensor]:
        """Return some texels in groups of which no pixel reads two.

        With wrapping, the last of an odd number is beside the first: it has a group of its own.
        """
        some = torch.arange(own.start, own.stop)
        color = some % 2
        if self.color_count == 3:
            color = torch.where(some == self.texels - 1, 2, color)
        groups = [some[color == each] for each in range(3)]
        return [group for group in groups if len(group)]

    @property
    def color_count(self) -> int:
        """Return the largest number of groups that ``colors`` returns."""
        return 3 if self.wraps and self.texels % 2 and self.texels > 1 else 2

    def stacked(self, count: int) -> Axis:
        """Return ``count`` times this axis, one after the other; none reads another's texels."""
        assert not self.wraps, "a copy's last texel would be beside its first, not the next one"
        found, each = copy.copy(self), torch.arange(count)[:, None]
        found.texels, found.pixels = count * self.texels, count * self.pixels
        found.before = (self.before + each * self.texels).flatten()
        found.after = (self.after + each * self.texels).flatten()
        found.way, found.shares = self.way.repeat(count), self.shares.repeat(count, 1)
        found.index = (self.index + each[..., None] * self.pixels).flatten(0, 1)
        return found

    def gather_stencil(self, chosen: torch.Tensor, first: int, count: int) -> GatherStencil:
        """Return the stencil from some texels to ``count`` pixels.

        ``first``: the first of these pixels; pixel 0 follows the last one.
        """
        place = (self.index[chosen] - first) % self.pixels
        inside = place < count
        shares = torch.where(inside, self.shares[chosen], 0)
        return GatherStencil(torch.where(inside, place, 0), shares, shares.square())

    def lerp_stencil(self, pixels: torch.Tensor | slice) -> LerpStencil:
        """Return the stencil from some pixels to their two texels."""
        return LerpStencil(self.before[pixels], self.after[pixels], self.way[pixels])


class TileAxis(Axis):
    """An axis whose outermost texels lie at the centres of its outermost pixels.

    Both are at least two. See ``model.tile_grid``.
    """

    def __init__(self, texels: int, pixels: int):
        super().__init__(texels, pixels)

    def _cells(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        steps, place = self.pixels - 1, torch.arange(self.pixels) * (self.texels - 1)
        before = (place // steps).clamp_(max=self.texels - 2)  # exact: no share is a rounding error
        return before, before + 1, (place - before * steps) / steps


@dataclass(frozen=True)
class GatherStencil:
    """Pixels that read each of some texels, with weights; sums pixels at texels."""

    index: torch.Tensor  # int64 [texels, most]
    shares: torch.Tensor  # [texels, most], 0 where there is no such pixel
    squares: torch.Tensor  # of the shares

    def gather(self, x: torch.Tensor, *, squared: bool = False) -> torch.Tensor:
        """Return sums over pixels, by their weights or squared weights: [..., P] -> [..., T]."""
        return x[..., self.index].mul_(self.squares if squared else self.shares).sum(-1)


@dataclass(frozen=True)
class LerpStencil:
    """Two texels of each pixel, and the position between them; interpolates texels at pixels."""

    before: torch.Tensor
    after: torch.Tensor
    way: torch.Tensor

    def spread(self, x: torch.Tensor) -> torch.Tensor:
        """Return interpolated texels at the pixels: [..., T] -> [..., P]."""
        return torch.lerp(x[..., self.before], x[..., self.after], self.way)


def cell_corner(
    x: torch.Tensor, size: torch.Tensor, wraps: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the latents before and after ``x``, and its position between them."""
    if not wraps:
        place = torch.minimum((x * size - 0.5).clamp_(min=0), size - 1)
        before = place.floor()
        first = before.long()
        return first, torch.minimum(first + 1, size - 1), place - before
    place = (x - x.floor()) * size - 0.5
    before = place.floor()
    first = before.long()
    after = first + 1
    return (torch.where(first < 0, first + size, first),
            torch.where(after >= size, after - size, after), place - before)  # fmt: skip
