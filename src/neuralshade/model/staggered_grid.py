"""Hash grid of tiny-cuda-nn: vertices of many grids, each shifted by half a cell.

Device half: staggered_grid.slang.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from neuralshade.model.bilinear import mix_corners
from neuralshade.model.grid import Grid
from neuralshade.model.hash_grid import PRIME, START_RANGE
from neuralshade.model.level_table import float_bits
from neuralshade.model.parameters import SlangType
from neuralshade.model.quantize import fake_quantize

PPB = 10**9  # unit of growth_ppb: distinguishes neighboring float32 below 100
ALIGNMENT = 8  # entries of a level are a multiple of it
LARGEST_SIDE = 0xFFFF  # whose square is below 2^32

LEVELS = """public struct {name}Staggered : IStaggeredLevels
{{
    public static const int COUNT = {count};
    public static const uint ENTRIES = {entries}u;
    static const int SIDES[COUNT] = {{ {sides} }};
    static const float SCALES[COUNT] = {{ {scales} }};
    static const uint FIRSTS[COUNT] = {{ {firsts} }};
    public static int2 size(int level) {{ return int2(SIDES[level]); }}
    public static float scale(int level) {{ return SCALES[level]; }}
    public static uint first(int level) {{ return FIRSTS[level]; }}
}}
"""


@dataclass(frozen=True)
class StaggeredLevel:
    """Sizes of one level.

    A position x in [0, 1] lies at ``scale`` * x + 0.5 among ``side`` vertices; ``scale`` is a
    float32. ``entries`` are stored; where they are fewer than side * side, a hash picks one.
    """

    scale: float
    side: int
    entries: int

    @property
    def hashed(self) -> bool:
        """Return whether vertices share entries."""
        return self.side > LARGEST_SIDE or self.side**2 > self.entries


def staggered_levels(
    levels: int, log2_entries: int, coarsest: int, growth_ppb: int
) -> list[StaggeredLevel]:
    """Return the sizes of all levels, in the float32 arithmetic of tiny-cuda-nn.

    Source: tiny-cuda-nn, grid_scale and grid_resolution of common_device.h, and the constructor
    of encodings/grid.h.
    """
    # rounded from float64: exp2 of float32 is off by a bit on some machines, and sizes must not be
    growth = np.float32(math.log2(np.float32(growth_ppb / PPB)))
    found = []
    for level in range(levels):
        grown = np.float32(2.0 ** float(np.float32(level) * growth))
        scale = grown * np.float32(coarsest) - np.float32(1)
        side = int(np.ceil(scale)) + 1
        entries = -(-side * side // ALIGNMENT) * ALIGNMENT
        found.append(StaggeredLevel(float(scale), side, min(entries, 2**log2_entries)))
    return found


class StaggeredGrid(Grid):
    """Encoding by bilinear look-up in ``levels`` grids of at most 2^log2_entries vertices.

    Level l has scale s_l = coarsest * growth^l - 1, growth being ``growth_ppb`` / 10^9, and
    ceil(s_l) + 1 vertices a side. Position x lies at s_l * x + 0.5 among them, so that levels are
    staggered. A level's entries are its vertices row by row, as many as a multiple of 8; a vertex
    beyond a row is the first of the next, beyond the last entry the first again. Levels with more
    vertices than 2^log2_entries are hashed as by ``HashGrid``. ``smooth`` = 1 mixes by
    ``smooth_share``. levels * features numbers, coarsest level first.

    Gradients reach the vertices, not the position.
    Source: Mueller et al. 2022, Instant NGP, section 3 and appendix A; tiny-cuda-nn, grid.h.
    """

    features_axis = 1

    def __init__(
        self,
        levels: int = 16,
        features: int = 2,
        log2_entries: int = 15,
        coarsest: int = 16,
        growth_ppb: int = 1_500_000_000,
        smooth: int = 0,
        *,
        rng: torch.Generator | None = None,
    ):
        super().__init__()
        self.smooth = bool(smooth)
        self.levels = staggered_levels(levels, log2_entries, coarsest, growth_ppb)
        self.vertices = torch.nn.ParameterList()
        for level in self.levels:
            shape = (level.entries, features)
            start = torch.empty(shape).uniform_(-START_RANGE, START_RANGE, generator=rng)
            self.vertices.append(torch.nn.Parameter(start))
        self.width = levels * features

    def sizes(self) -> list[tuple[int, int]]:
        return [(level.side, level.side) for level in self.levels]

    def slang(self, name: str) -> SlangType:
        half = self.slang_type(name, "staggered_grid", "StaggeredGrid")
        firsts = [table.first // table.features for table in self.tables()]
        count = sum(level.entries for level in self.levels)
        declaration = LEVELS.format(
            name=name,
            count=len(self.levels),
            entries=count,
            sides=", ".join(str(level.side) for level in self.levels),
            scales=", ".join(f"{level.scale!r}f" for level in self.levels),
            firsts=", ".join(f"{first}u" for first in firsts),
        )
        kind = half.type.replace(f"{name}Levels", f"{name}Staggered")
        return SlangType(kind, half.modules, declaration)

    def sized_slang(self, name: str) -> SlangType:
        scales = [float_bits(level.scale) for level in self.levels]
        return self.sized_type(name, "staggered_grid", "StaggeredGrid", levels="StaggeredTable",
                               extra=scales)  # fmt: skip

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        stored = [fake_quantize(v.t(), self.bits, grid=True).t() for v in self.vertices]
        levels = zip(self.levels, stored, strict=True)
        return torch.cat([self._look_up(uv, level, table) for level, table in levels], dim=1)

    def _look_up(
        self, uv: torch.Tensor, level: StaggeredLevel, vertices: torch.Tensor
    ) -> torch.Tensor:
        """Return one level's interpolated features: [N, 2] -> [N, features]."""
        position = uv * level.scale + 0.5
        first = position.floor().clamp(0, level.side - 1)
        across, down = self.share(position - first).unbind(1)
        col, row = first.long().unbind(1)
        corners = [(col, row), (col + 1, row), (col, row + 1), (col + 1, row + 1)]
        index = torch.stack([entry(level, x, y) for x, y in corners])
        return mix_corners(vertices, index, across, down)


def entry(level: StaggeredLevel, col: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """Return the table entry of vertices at ``col`` and ``row``, int64, of a level."""
    if level.hashed:
        return (col ^ (row * PRIME)) & (level.entries - 1)
    return (row * level.side + col) % level.entries
