"""One axis of a grid, as evenly spaced pixels see its texels bilinearly."""

from __future__ import annotations

import torch


class Axis:
    """Texels of one axis of a grid, and the pixel centres that see them.

    Pixels lie at (i + 0.5) / ``pixels``, texels at (i + 0.5) / ``texels``; beyond the outermost
    they wrap around, or are clamped where ``wraps`` is False.
    """

    def __init__(self, texels: int, pixels: int, device: torch.device, wraps: bool = False):
        at = (torch.arange(pixels, device=device) + 0.5) / pixels
        self.texels, self.pixels, self.wraps = texels, pixels, wraps
        size = torch.tensor(texels, device=device)
        self.before, self.after, self.way = cell_corner(at, size, wraps)  # [pixels]
        self.shares, self.index = self._by_texel()  # [texels, most], largest first

    def _by_texel(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return by which shares each texel is seen, and by which pixels; shares of 0 fill up."""
        device = self.way.device
        column, same = torch.arange(self.pixels, device=device), self.before == self.after
        shares = torch.cat([torch.where(same, 1, 1 - self.way), torch.where(same, 0, self.way)])
        seen = shares > 0
        shares, texels = shares[seen], torch.cat([self.before, self.after])[seen]
        order = shares.argsort(descending=True, stable=True)
        order = order[texels[order].argsort(stable=True)]
        count = texels.bincount(minlength=self.texels)
        most = max(1, int(count.max()))
        begins = (count.cumsum(0) - count)[texels[order]]
        place = texels[order], torch.arange(len(order), device=device) - begins
        found = torch.zeros(self.texels, most, device=device)
        index = torch.zeros(self.texels, most, device=device, dtype=torch.long)
        index[place] = torch.cat([column, column])[seen][order]
        found[place] = shares[order]
        return found, index

    def seeing(self, own: slice) -> torch.Tensor:
        """Return which pixels see one of some texels: bool [pixels]."""

        def within(texel: torch.Tensor) -> torch.Tensor:
            return (texel >= own.start) & (texel < own.stop)

        # where both are one texel, its share may be that of either
        first = within(self.before) & ((self.way < 1) | (self.before == self.after))
        return first | (within(self.after) & (self.way > 0))

    def colors(self, own: slice) -> list[torch.Tensor]:
        """Return some texels in groups of which no pixel sees two.

        The last of an odd number that wrap is beside the first: it has a group of its own.
        """
        some = torch.arange(own.start, own.stop, device=self.index.device)
        color = some % 2
        if self.wraps and self.texels % 2 and self.texels > 1:
            color = torch.where(some == self.texels - 1, 2, color)
        groups = [some[color == each] for each in range(3)]
        return [group for group in groups if len(group)]

    def gather(self, x: torch.Tensor, chosen: torch.Tensor, first: int, power: int) -> torch.Tensor:
        """Return sums over the pixels that see texels, by their shares: [..., P] -> [..., T].

        ``first``: the pixel that the last axis of ``x`` begins with; after the last one comes
        number 0. Pixels that it has not count nothing.
        """
        place = (self.index[chosen] - first) % self.pixels
        inside = place < x.shape[-1]
        shares = torch.where(inside, self.shares[chosen], 0) ** power
        return torch.einsum("...tk,tk->...t", x[..., torch.where(inside, place, 0)], shares)

    def spread(self, x: torch.Tensor, pixels: torch.Tensor | slice) -> torch.Tensor:
        """Return what pixels see of texels: [..., T] -> [..., P]."""
        before, after = x[..., self.before[pixels]], x[..., self.after[pixels]]
        return torch.lerp(before, after, self.way[pixels])


def cell_corner(
    x: torch.Tensor, size: torch.Tensor, wraps: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the latents before and after ``x``, and how far it is on the way."""
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
