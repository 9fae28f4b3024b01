"""Pyramid of quantized latents for the mip levels. Device half: latent_grid.slang."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from neuralshade.model.axis_stencil import cell_corner
from neuralshade.model.bilinear import corner_weights, mix_scattered
from neuralshade.model.encoding import Encoding
from neuralshade.model.level_table import MOST_MIPS, table_type
from neuralshade.model.parameters import SlangType, Table, check_count

AT_ONCE = 2**18  # entries that are rounded in one go
ALIGN = 8  # a grid's numbers begin at a multiple of it on devices: as many as one load reads
START_MEAN, START_SIGMA = 0.5, 0.1  # of latents without a better start

LEVELS = """public struct {name}Levels : ILatentLevels
{{
    public static const uint ENTRIES = {entries}u;
    public static const bool WRAPS = {wraps};
    static const uint3 PLACES[{mips}] = {{ {places} }};
    public static uint3 place(int mip) {{ return PLACES[mip]; }}
}}
"""


class LatentGrid(Encoding):
    """Encoding of (u, v, mip) by bilinear look-up in the latents that serve that mip level.

    Latents are in [0, 1] and stored in ``bits`` bits, evenly spaced; the encoding is 2 x - 1.
    Each of the stored levels serves a range of mips, so that few of them do for a whole chain:
    ``serves[mip]`` is the index of the level in ``sizes``. u and v are in [0, 1]; latents' centres
    lie at (i + 0.5) / size; beyond the outermost it wraps around, or is clamped where ``wraps``
    is False. mip is a whole number, as a float.

    ``texels``: float32 [entries, features], the levels one after the other, row by row; drawn from
    ``rng``, or where that is None all alike, for numbers that come from elsewhere: drawing those of
    a large set takes longer than reading it. Gradients reach them, not the position.
    Source: Vaidyanathan et al. 2023, Random-Access Neural Compression of Material Textures,
    sections 4.1 (levels shared by mips) and 4.2 (quantization by noise).
    """

    dimensions = 3

    def __init__(
        self,
        sizes: Sequence[tuple[int, int]],
        serves: Sequence[int],
        features: int,
        bits: int,
        *,
        wraps: bool = True,
        rng: torch.Generator | None = None,
    ):
        super().__init__()
        self.sizes, self.serves = list(sizes), list(serves)
        self.width = self.features = features
        self.bits, self.wraps = bits, wraps
        counts = [width * height for width, height in sizes]
        self.firsts = [sum(counts[:level]) for level in range(len(counts))]
        start = torch.full((sum(counts), features), START_MEAN)
        if rng is not None:
            start.normal_(START_MEAN, START_SIGMA, generator=rng).clamp_(0, 1)
        self.texels = torch.nn.Parameter(start)
        self.seen: torch.Tensor | None = None  # what look-ups mix in place of ``texels``
        self._places = torch.tensor([self.place(mip) for mip in range(len(serves))])

    @property
    def noisy(self) -> torch.nn.Parameter:
        """Return the numbers that have noise while they are trained."""
        return self.texels

    @property
    def stride(self) -> int:
        """Return the numbers from one entry to the next on a device.

        Entries of more than two numbers are filled up to a multiple of 4: one instruction loads
        four or eight numbers that begin at such a multiple, or adds to them.
        """
        return self.features if self.features <= 2 else _whole(self.features, 4)

    @property
    def steps(self) -> int:
        """Return the largest code; a latent is code / steps."""
        return int(2**self.bits - 1)

    def place(self, mip: int) -> tuple[int, int, int]:
        """Return the first entry, width and height of the level that serves a mip."""
        level = self.serves[mip]
        return (self.firsts[level], *self.sizes[level])

    def level(self, index: int) -> torch.Tensor:
        """Return a stored level as a view: [height, width, features]."""
        (width, height), first = self.sizes[index], self.firsts[index]
        part = self.texels.detach()[first : first + width * height]
        return part.view(height, width, self.features)

    def level_rows(self, index: int, rows: torch.Tensor) -> torch.Tensor:
        """Return rows [R] of a stored level: [R, width, features]."""
        return self.level(index).index_select(0, rows)

    @torch.no_grad()
    def add_noise(self, noise: torch.Tensor) -> None:
        """Make look-ups read latents plus ``noise`` [entries, features], clamped to [0, 1]."""
        if self.seen is None:
            self.seen = torch.empty_like(self.texels)
        torch.add(self.texels, noise, out=self.seen).clamp_(0, 1)

    @torch.no_grad()
    def round(self) -> None:
        """Round latents to the stored values, and make look-ups read those."""
        self.seen = None
        self.texels.mul_(self.steps).round_().div_(self.steps)

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        seen = self.texels.detach() if self.seen is None else self.seen
        return mix_scattered(self.texels, seen, *self.corners(at)) * 2 - 1

    def corners(self, at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the four entries around positions [N, 3], int64 [N, 4], and their weights."""
        if self._places.device != at.device:
            self._places = self._places.to(at.device)
        first, width, height = self._places[at[:, 2].long()].unbind(1)
        col, next_col, across = cell_corner(at[:, 0], width, self.wraps)
        row, next_row, down = cell_corner(at[:, 1], height, self.wraps)
        upper, lower = first + row * width, first + next_row * width
        index = torch.stack([upper + col, upper + next_col, lower + col, lower + next_col], dim=1)
        return index, corner_weights(across, down)

    def crossings(
        self, u: torch.Tensor, v: torch.Tensor, mip: int
    ) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
        """Return the columns before and after each ``u`` and how far it is on the way; rows of v.

        Of the level that serves ``mip``: int64, int64 and float32 [N] each.
        """
        return crossings_of(u, v, self.sizes[self.serves[mip]], self.wraps)

    def codes(self) -> np.ndarray:
        """Return the stored codes: uint8 [entries, features], each 0 to ``steps``."""
        codes = torch.empty(self.texels.shape, dtype=torch.uint8, device=self.texels.device)
        parts = zip(codes.split(AT_ONCE), self.texels.detach().split(AT_ONCE), strict=True)
        for part, texels in parts:  # without copies of a large grid
            part.copy_((texels * self.steps).round_())
        return codes.cpu().numpy()

    @torch.no_grad()
    def set_codes(self, codes: np.ndarray) -> None:
        """Load the result of ``codes``."""
        self.texels.copy_(torch.from_numpy(codes)).div_(self.steps)

    def slang(self, name: str) -> SlangType:
        check_count(type(self).__name__, self.number_count())
        places = [self.place(mip) for mip in range(len(self.serves))]
        declaration = LEVELS.format(
            name=name,
            mips=len(places),
            entries=len(self.texels),
            wraps=str(self.wraps).lower(),
            places=", ".join(f"uint3({first}, {w}, {h})" for first, w, h in places),
        )
        modules = frozenset({"neuralshade.model.latent_grid"})
        return SlangType(self._type(f"{name}Levels"), modules, declaration)

    def sized_slang(self, name: str) -> SlangType:
        check_count(type(self).__name__, self.number_count())
        rows = [(*self.place(mip), 0) for mip in range(len(self.serves))]
        levels = f"LatentTable<{name}Table, {str(self.wraps).lower()}>"
        return table_type(name, self._type(levels), rows, len(self.texels),
                          frozenset({"neuralshade.model.latent_grid"}), MOST_MIPS)  # fmt: skip

    def _type(self, levels: str) -> str:
        return f"LatentGrid<{levels}, {self.features}, {self.stride}>"

    def number_count(self) -> int:
        return _whole(len(self.texels) * self.stride, ALIGN)

    def views(self, flat: torch.Tensor) -> list[torch.Tensor]:
        entries = len(self.texels)
        return [flat[: entries * self.stride].view(entries, -1)[:, : self.features]]

    def tables(self) -> list[Table]:
        padding = self.stride - self.features
        return [Table(0, len(self.texels), self.features, self.bits, unit=True, padding=padding)]


def _whole(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def crossings_of(
    u: torch.Tensor, v: torch.Tensor, size: tuple[int, int], wraps: bool
) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """Return ``LatentGrid.crossings`` of a level of ``size`` (width, height)."""
    sizes = torch.tensor(size, device=u.device)[:, None]
    return cell_corner(u, sizes[0], wraps), cell_corner(v, sizes[1], wraps)
