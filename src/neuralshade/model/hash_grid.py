"""Hash grid: vertices of many grids, of which the fine ones share a hash table.

Device half: hash_grid.slang.
"""

import torch

from neuralshade.model.bilinear import mix_corners
from neuralshade.model.grid import Grid
from neuralshade.model.parameters import SlangType
from neuralshade.model.quantize import fake_quantize

PRIME = 2_654_435_761  # Mueller et al. 2022, eq. 4; the first factor there is 1
START_RANGE = 1e-4  # Mueller et al. 2022, section 4


def level_cells(coarsest: int, finest: int, levels: int) -> list[int]:
    """Return the cells a side of ``levels`` levels that grow from coarsest to finest."""
    if levels == 1:
        return [finest]
    growth = (finest / coarsest) ** (1.0 / (levels - 1))
    # 1e-12: far above rounding; a size that is a whole number must not fall to the one below
    sizes = [coarsest * growth**level * (1.0 + 1e-12) for level in range(levels - 1)]
    return [*map(int, sizes), finest]


class HashGrid(Grid):
    """Encoding by bilinear look-up in ``levels`` grids of at most 2^log2_entries vertices.

    Level l has N_l = floor(coarsest * growth^l) cells a side, growth such that the last
    level has ``finest``; one level has just that size. Levels whose (N_l + 1)^2 vertices fit
    the table are stored as they are; the others index it by the hash
    (x xor y * 2654435761) mod 2^log2_entries and let training sort out collisions.
    levels * features numbers, coarsest level first. ``smooth`` = 1 mixes by ``smooth_share``.

    Gradients reach the vertices, not the position.
    Source: Mueller et al. 2022, Instant NGP, eq. 2-4.
    """

    features_axis = 1

    # Like dense_grid's: these are the settings that recipes and assets name.
    def __init__(
        self,
        levels: int = 16,
        features: int = 2,
        log2_entries: int = 15,
        coarsest: int = 16,
        finest: int = 512,
        smooth: int = 0,
        *,
        rng: torch.Generator | None = None,
    ):
        super().__init__()
        self.smooth = bool(smooth)
        self.cells = level_cells(coarsest, finest, levels)
        self.table = 2**log2_entries
        self.vertices = torch.nn.ParameterList()
        for cells in self.cells:
            shape = (min((cells + 1) ** 2, self.table), features)
            start = torch.empty(shape).uniform_(-START_RANGE, START_RANGE, generator=rng)
            self.vertices.append(torch.nn.Parameter(start))
        self.width = levels * features

    def sizes(self) -> list[tuple[int, int]]:
        return [(cells, cells) for cells in self.cells]

    def slang(self, name: str) -> SlangType:
        return self.slang_type(name, "hash_grid", "HashGrid", self.table.bit_length() - 1)

    def sized_slang(self, name: str) -> SlangType:
        shared = [int((cells + 1) ** 2 > self.table) for cells in self.cells]
        return self.sized_type(name, "hash_grid", "HashGrid", self.table.bit_length() - 1,
                               extra=shared)  # fmt: skip

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        stored = [fake_quantize(v.t(), self.bits, grid=True).t() for v in self.vertices]
        levels = zip(self.cells, stored, strict=True)
        return torch.cat([self.look_up(uv, cells, table) for cells, table in levels], dim=1)

    def look_up(self, uv: torch.Tensor, cells: int, vertices: torch.Tensor) -> torch.Tensor:
        """Return one level's interpolated features: [N, 2] -> [N, features]."""
        position = uv * cells
        first = position.floor().clamp(0, cells - 1)
        across, down = self.share(position - first).unbind(1)
        col, row = first.long().unbind(1)
        corners = [(col, row), (col + 1, row), (col, row + 1), (col + 1, row + 1)]
        index = torch.stack([self.index(x, y, cells) for x, y in corners])
        return mix_corners(vertices, index, across, down)

    def index(self, col: torch.Tensor, row: torch.Tensor, cells: int) -> torch.Tensor:
        """Return the table entry of a vertex; row-major where the level needs no hash."""
        if (cells + 1) ** 2 <= self.table:
            return row * (cells + 1) + col
        return (col ^ (row * PRIME)) & (self.table - 1)
