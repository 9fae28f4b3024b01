"""Latents stored as BC1 textures, for GPU decompression. Device half: block_grid.slang."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.axis_stencil import cell_corner
from neuralshade.model.bilinear import corner_weights
from neuralshade.model.encoding import Encoding
from neuralshade.model.latent_grid import START_MEAN, crossings_of
from neuralshade.model.level_table import MOST_MIPS, table_type
from neuralshade.model.parameters import SlangType, Table, check_count

SIDE = 4  # texels along a block
TEXELS = SIDE * SIDE  # of a block
CHANNELS = 3  # of a texture
STEPS = 3  # from a block's first end point to its last
END_LEVELS = (31, 63, 31)  # largest counts of an end point's red, green and blue
END_BITS = 16  # that trainers keep of an end point, as good as all: look-ups round it
START_SPREAD = 0.3  # between the end points of blocks that nothing better is known of
Bytes = npt.NDArray[np.uint8]

LEVELS = """public struct {name}Levels : IBlockLevels
{{
    public static const uint BLOCKS = {blocks}u;
    public static const bool WRAPS = {wraps};
    static const uint3 PLACES[{mips}] = {{ {places} }};
    public static uint3 place(int mip) {{ return PLACES[mip]; }}
}}
"""


class BlockGrid(Encoding):
    """Encoding of (u, v, mip) by bilinear look-up in BC1 textures, as sampling hardware does it.

    A texture has a mip chain, of which each mip of a set has a level of its own but for those
    that are finer than level 0; all textures of a grid have the same sizes. What is trained are
    the blocks: two end points, which look-ups see rounded to 5, 6 and 5 bits, and for each of 16
    texels how far it lies from the first to the last, later in 4 steps. Texels are in [0, 1]; the
    encoding is 2 x - 1, red, green and blue of one texture after the other.

    Args:
        sizes: of the levels (width, height) in texels, the largest first.
        serves: the level that each mip is looked up in.
        textures: how many.

    ``ends``: float32 [blocks, 3 textures, 2], first and last end point of each channel.
    ``shares``: float32 [blocks, 16, textures], texels row by row. All in [0, 1]; blocks of a
    level are row by row, levels one after the other. Gradients reach both, those of ``ends``
    through the rounding as if there were none (straight-through, Bengio et al. 2013).
    Source: Microsoft, Direct3D 11.3 Functional Specification, section 19.5.9, for BC1; of its
    two kinds of blocks the one with four colors on a line.
    """

    dimensions = 3

    def __init__(
        self,
        sizes: Sequence[tuple[int, int]],
        serves: Sequence[int],
        textures: int,
        *,
        wraps: bool = True,
        rng: torch.Generator | None = None,
    ):
        super().__init__()
        self.sizes, self.serves, self.textures = list(sizes), list(serves), textures
        self.width = self.features = CHANNELS * textures
        self.bits, self.wraps = 2, wraps  # of a share
        self.across = [-(-width // SIDE) for width, _ in sizes]
        counts = [n * -(-height // SIDE) for n, (_, height) in zip(self.across, sizes, strict=True)]
        self.firsts = [sum(counts[:level]) for level in range(len(counts))]
        self.blocks = blocks = sum(counts)
        ends = torch.empty(blocks, self.features, 2)
        ends.uniform_(-START_SPREAD, START_SPREAD, generator=rng).add_(START_MEAN)
        shares = torch.empty(blocks, TEXELS, textures).uniform_(0, 1, generator=rng)
        self.ends, self.shares = torch.nn.Parameter(ends), torch.nn.Parameter(shares)
        self.seen: torch.Tensor | None = None  # what look-ups see in place of ``shares``
        self._places = torch.tensor([self._place(mip) for mip in range(len(serves))])

    @property
    def noisy(self) -> torch.nn.Parameter:
        """Return the numbers that have noise while they are trained."""
        return self.shares

    @property
    def steps(self) -> int:
        """Return the largest code of a weight; it is code / steps."""
        return STEPS

    def _place(self, mip: int) -> tuple[int, int, int, int]:
        """Return first block, blocks across, width and height of the level of a mip."""
        level = self.serves[mip]
        return (self.firsts[level], self.across[level], *self.sizes[level])

    def level(self, index: int) -> torch.Tensor:
        """Return a level as stored, whole blocks cut to its size: [height, width, features]."""
        return self.level_rows(index, torch.arange(self.sizes[index][1], device=self.ends.device))

    def level_rows(self, index: int, rows: torch.Tensor) -> torch.Tensor:
        """Return rows [R], rising, of a level as stored: [R, width, features]."""
        width, across = self.sizes[index][0], self.across[index]
        of_blocks, own = torch.unique_consecutive(rows // SIDE, return_inverse=True)
        columns = torch.arange(across, device=rows.device)
        blocks = self.firsts[index] + of_blocks[:, None] * across + columns
        tiles = self.rounded_texels(blocks.reshape(-1)).view(-1, across, SIDE, SIDE, self.features)
        lines = tiles.transpose(1, 2).reshape(-1, across * SIDE, self.features)
        return lines[own * SIDE + rows % SIDE, :width]

    # As LatentGrid has it, of what is trained here: a base class would be longer.
    @torch.no_grad()
    def add_noise(self, noise: torch.Tensor) -> None:
        """Let look-ups see shares with ``noise`` [blocks, 16, textures] added, within [0, 1]."""
        if self.seen is None:
            self.seen = torch.empty_like(self.shares)
        torch.add(self.shares, noise, out=self.seen).clamp_(0, 1)

    @torch.no_grad()
    def round(self) -> None:
        """Round shares and end points to what is stored, and let look-ups see that."""
        self.seen = None
        self.shares.mul_(STEPS).round_().div_(STEPS)
        levels = self._end_levels()
        self.ends.mul_(levels).round_().div_(levels)

    def _end_levels(self) -> torch.Tensor:
        levels = torch.tensor(END_LEVELS, dtype=self.ends.dtype, device=self.ends.device)
        return levels.repeat(self.textures)[:, None]

    @torch.no_grad()
    def rounded_texels(self, blocks: torch.Tensor) -> torch.Tensor:
        """Return the texels of ``blocks`` [N] as they are stored: [N, 16, features]."""
        shares = (self.shares[blocks] * STEPS).round() / STEPS
        colors = end_colors(self.ends[blocks], self._end_levels()).unflatten(1, (1, -1, CHANNELS))
        first, last = colors.unbind(-1)
        return torch.lerp(first, last, shares[..., None]).flatten(2)

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        seen = self.shares.detach() if self.seen is None else self.seen
        mixed: torch.Tensor = _MixBlocks.apply(
            self.ends, self.shares, seen, self._end_levels(), *self.corners(at)
        )
        return mixed * 2 - 1

    def corners(self, at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the four texels around positions [N, 3], and how much each weighs: [N, 4] twice.

        Texels are counted through all blocks, 16 in each.
        """
        if self._places.device != at.device:
            self._places = self._places.to(at.device)
        first, across, width, height = self._places[at[:, 2].long()].unbind(1)
        col = cell_corner(at[:, 0], width, self.wraps)
        row = cell_corner(at[:, 1], height, self.wraps)
        entries = [_entry(first, across, x, y) for y in row[:2] for x in col[:2]]
        return torch.stack(entries, dim=1), corner_weights(col[2], row[2])

    def crossings(
        self, u: torch.Tensor, v: torch.Tensor, mip: int
    ) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
        """Return between which texels each ``u`` and ``v`` lies, see ``LatentGrid.crossings``."""
        return crossings_of(u, v, self.sizes[self.serves[mip]], self.wraps)

    def codes(self) -> tuple[Bytes, Bytes]:
        """Return the stored codes: counts of end points and steps of texels, shaped as trained."""
        with torch.no_grad():
            ends = (self.ends * self._end_levels()).round().to(torch.uint8)
            steps = (self.shares * STEPS).round().to(torch.uint8)
        return ends.cpu().numpy(), steps.cpu().numpy()

    @torch.no_grad()
    def set_codes(self, ends: Bytes, steps: Bytes) -> None:
        """Take over what ``codes`` returned."""
        self.ends.copy_(torch.from_numpy(ends).to(self.ends) / self._end_levels())
        self.shares.copy_(torch.from_numpy(steps).to(self.shares) / STEPS)

    def slang(self, name: str) -> SlangType:
        check_count(type(self).__name__, self.number_count())
        places = [self._place(mip)[:1] + self._place(mip)[2:] for mip in range(len(self.serves))]
        declaration = LEVELS.format(
            name=name,
            mips=len(places),
            blocks=self.blocks,
            wraps=str(self.wraps).lower(),
            places=", ".join(f"uint3({first}, {w}, {h})" for first, w, h in places),
        )
        modules = frozenset({"neuralshade.model.block_grid"})
        return SlangType(f"BlockGrid<{name}Levels, {self.textures}>", modules, declaration)

    def sized_slang(self, name: str) -> SlangType:
        check_count(type(self).__name__, self.number_count())
        places = [self._place(mip) for mip in range(len(self.serves))]
        rows = [(first, width, height, 0) for first, _, width, height in places]
        levels = f"BlockTable<{name}Table, {str(self.wraps).lower()}>"
        return table_type(name, f"BlockGrid<{levels}, {self.textures}>", rows, self.blocks,
                          frozenset({"neuralshade.model.block_grid"}), MOST_MIPS)  # fmt: skip

    def number_count(self) -> int:
        return self.ends.numel() + self.shares.numel()

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        ends = self.ends.numel()
        return [flat[:ends].view(self.ends.shape), flat[ends:].view(self.shares.shape)]

    def tables(self) -> list[Table]:
        ends = self.ends.numel()
        return [
            Table(0, self.blocks, 2 * self.features, END_BITS, unit=True),
            Table(ends, self.blocks, TEXELS * self.textures, self.bits, unit=True),
        ]


def _entry(
    first: torch.Tensor, across: torch.Tensor, col: torch.Tensor, row: torch.Tensor
) -> torch.Tensor:
    """Return the index of a texel, among those of all blocks."""
    block = first + (row // SIDE) * across + col // SIDE
    return block * TEXELS + row % SIDE * SIDE + col % SIDE


def end_colors(ends: torch.Tensor, levels: torch.Tensor) -> torch.Tensor:
    """Return the values of rounded end points, in [0, 1]: upper bits are repeated at the end.

    ``levels``: the largest count of each, 31 or 63.
    """
    counts = (ends.detach() * levels).round()
    wide = levels > END_LEVELS[0]
    eights = torch.where(wide, counts * 4 + (counts / 16).floor(),
                         counts * 8 + (counts / 4).floor())  # fmt: skip
    return eights / 255


class _MixBlocks(torch.autograd.Function):
    """Weighted sums of texels, of which no others are decompressed: a step sees few of a set's."""

    @staticmethod
    def forward(
        ctx: Any, ends: Any, shares: Any, seen: Any, levels: Any, entry: Any, weights: Any
    ) -> torch.Tensor:
        entry, textures = entry.reshape(-1), shares.shape[2]
        block = entry // TEXELS
        colors = end_colors(ends[block], levels).unflatten(1, (textures, CHANNELS))
        share = seen.view(-1, textures)[entry, :, None]
        first, last = colors.unbind(-1)
        texels = torch.lerp(first, last, share).view(*weights.shape, -1)
        ctx.save_for_backward(entry, block, weights, share, last - first)
        ctx.shapes = ends.shape, shares.shape
        return (texels * weights[..., None]).sum(1)

    @staticmethod
    def backward(ctx: Any, d_mixed: torch.Tensor) -> Any:
        entry, block, weights, share, span = ctx.saved_tensors
        d_texels = (weights[..., None] * d_mixed[:, None]).view(span.shape)
        d_last = d_texels * share
        of_ends = torch.stack([d_texels - d_last, d_last], dim=-1).flatten(1, 2)
        d_ends = d_mixed.new_zeros(ctx.shapes[0]).index_add_(0, block, of_ends)
        d_shares = d_mixed.new_zeros(ctx.shapes[1])
        of_shares = (d_texels * span).sum(-1)
        d_shares.view(-1, span.shape[1]).index_add_(0, entry, of_shares)
        return d_ends, d_shares, None, None, None, None
