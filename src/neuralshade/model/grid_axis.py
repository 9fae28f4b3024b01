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
        weights = torch.zeros(texels, pixels, device=device)
        column = torch.arange(pixels, device=device)
        weights.index_put_((self.before, column), 1 - self.way, accumulate=True)
        weights.index_put_((self.after, column), self.way, accumulate=True)
        self.seen = weights > 0
        most = max(1, int(self.seen.sum(1).max()))
        self.shares, self.index = weights.topk(most, dim=1)  # [texels, most], largest first

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
