"""CPU decoder of texel rectangles, in blocks that fit into a core's cache.

What rows and columns share is computed once (shared_inputs.py); the network remains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from neuralshade.engine.threads import side_by_side
from neuralshade.kinds.textures.shared_inputs import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    SharedInputs,
    shared_inputs,
)
from neuralshade.model.block_grid import BlockGrid
from neuralshade.model.column_network import ColumnNetwork
from neuralshade.model.composite import Composite
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LatentPosition

STRIP_ROWS = 2 * BLOCK_ROWS  # decoded by one thread

Rectangle = tuple[int, int, int, int]  # x, y, width, height, in texels
# Callback for a block: its first row and column within the rectangle, channels [C, rows, columns],
# which the next block overwrites. Threads call it concurrently, for distinct texels.
Take = Callable[[int, int, torch.Tensor], None]


def rectangle_of(index: torch.Tensor, across: int) -> Rectangle | None:
    """Return the rectangle that texels fill row by row; None where they fill none.

    ``index``: int64 [n], of texels in a mip of ``across`` columns.
    """
    if not len(index):
        return None
    first = int(index[0])
    x, y = first % across, first // across
    if int(index[-1]) < first:
        return None
    height = int(index[-1]) // across - y + 1
    width = len(index) // height
    if width * height != len(index) or x + width > across:
        return None
    rows = torch.arange(y, y + height, device=index.device) * across
    columns = torch.arange(x, x + width, device=index.device)
    filled = torch.equal(index.view(height, width), rows[:, None] + columns)
    return (x, y, width, height) if filled else None


def takes_rectangles(field: Field, *, stored: bool = False) -> bool:
    """Return whether rows and columns can share work in a field's encoding.

    ``stored``: its numbers are rounded, which BC1 textures require.
    """
    kinds = (LatentGrid, LatentPosition, *[BlockGrid] * stored)
    parts = field.encoding.members if isinstance(field.encoding, Composite) else ()
    return bool(parts) and all(isinstance(part, kinds) for part in parts)


def decode_rectangle(
    field: Field, sizes: Sequence[tuple[int, int]], mip: int, rectangle: Rectangle
) -> torch.Tensor:
    """Return the trained channels of a rectangle of a mip, row by row: float32 [n, C].

    Equal to ``field.on_samples`` at the texels' centres, up to float32 rounding; not clamped.
    ``field``: on the CPU, for which ``takes_rectangles`` is true.
    """
    _, _, width, height = rectangle
    found = torch.empty(height, width, len(field.network.members[-1].weight))

    def take(top: int, left: int, channels: torch.Tensor) -> None:
        rows, columns = channels.shape[1:]
        found[top : top + rows, left : left + columns] = channels.permute(1, 2, 0)

    decode_blocks(field, sizes, mip, rectangle, take)
    return found.flatten(0, 1)


def decode_blocks(
    field: Field, sizes: Sequence[tuple[int, int]], mip: int, rectangle: Rectangle, take: Take
) -> None:
    """Call ``take`` with the trained channels of a rectangle, see ``decode_rectangle``."""
    x, y, width, height = rectangle
    u = (torch.arange(x, x + width) + 0.5) / sizes[mip][0]
    v = (torch.arange(y, y + height) + 0.5) / sizes[mip][1]
    decode_crossings(field, mip, u, v, take)


def decode_crossings(field: Field, mip: int, u: torch.Tensor, v: torch.Tensor, take: Take) -> None:
    """Call ``take`` with the trained channels where columns ``u`` cross rows ``v``, in [0, 1].

    Uses as many threads as PyTorch may, each for its own strips of rows.
    """
    assert isinstance(field.encoding, Composite)  # by takes_rectangles
    width, height = len(u), len(v)
    with torch.no_grad():
        network = ColumnNetwork(field.network)
        parts = [shared_inputs(part, mip, u, v) for part in field.encoding.members]
    widths = [part.width for part in field.encoding.members]
    strips = _Strips(network, parts, widths, (width, height), take)
    for _ in side_by_side(strips.decode, range(0, height, STRIP_ROWS)):
        pass


@dataclass(frozen=True)
class _Strips:
    """Decoder of strips of a rectangle of ``size`` (width, height)."""

    network: ColumnNetwork
    parts: Sequence[SharedInputs]
    widths: Sequence[int]  # of the parts
    size: tuple[int, int]
    take: Take

    @torch.inference_mode()
    def decode(self, top: int) -> None:
        """Decode STRIP_ROWS rows from ``top`` on."""
        rows = slice(top, min(top + STRIP_ROWS, self.size[1]))
        strips = [part.strip(rows) for part in self.parts]
        rooms: dict[int, list[torch.Tensor]] = {}  # by sample count: smaller at the edges
        for tile, left in enumerate(range(0, self.size[0], BLOCK_COLUMNS)):
            columns, seen = min(BLOCK_COLUMNS, self.size[0] - left), set[int]()
            known = [part.blocks(strip, tile)
                     for part, strip in zip(self.parts, strips, strict=True)]  # fmt: skip
            for begin, blocks in zip(range(top, rows.stop, BLOCK_ROWS), zip(*known, strict=True),
                                     strict=True):  # fmt: skip
                shape = (-1, min(BLOCK_ROWS, rows.stop - begin), columns)
                count = shape[1] * columns
                if count not in rooms:
                    rooms[count] = self.network.room(count)
                inputs = rooms[count][0][:-1].view(shape).split(self.widths)
                for part, out, block in zip(self.parts, inputs, blocks, strict=True):
                    part.write(out, tile, block, count not in seen)
                seen.add(count)
                self.take(begin, left, self.network(rooms[count]).view(shape))
