"""Grids in the dialect of shader forms: texels of codes, float16 or float32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from neuralshade.languages.columns import Columns
from neuralshade.languages.grid_functions import Level, Words, bilinear_function, entry_function
from neuralshade.languages.numbers import LANES, number
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.grid import Grid
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.shader_form import Function
from neuralshade.model.staggered_grid import StaggeredGrid
from neuralshade.model.tile_grid import ENTRY_BITS, SIDE_SCALE, SIDE_SHIFT, TileGrid


@dataclass
class GridReader:
    """Collects the levels of an asset's grids, and the functions that read them."""

    name: str  # of the asset
    levels: Iterator[Level]  # of all grids, in their order
    first: int = 0  # word after which the levels' words begin
    words: list[Words] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    count: int = 0

    def add(self, columns: Columns, grid: Grid, at: Sequence[str]) -> None:
        """Add the columns of a grid at (u, v)."""
        if isinstance(grid, TileGrid):
            within, tile = self._in_tile(columns, grid, at), f"tile{self.count}"
            side, entry = f"{tile} >> {ENTRY_BITS}u", f"{tile} & {2**ENTRY_BITS - 1}u"
            self._add_level(columns, grid, "tile", [*within, f"int({side})", f"int({entry})"])
            columns.add([f"float({side})"], [SIDE_SCALE], [SIDE_SHIFT])
            return
        for kind, sizes in _kinds(grid):
            self._add_level(columns, grid, kind, [*at[:2], *sizes])

    def _add_level(self, columns: Columns, grid: Grid, kind: str, place: Sequence[str]) -> None:
        """Add the columns of a grid's next level; ``place``: a position, and the level's sizes."""
        level = next(self.levels)
        reader = self._reader(level, grid, kind)
        features = level.raw.shape[1]
        for part in range(-(-features // 4)):
            name = f"grid{self.count}" + (f"_{part}" if features > 4 else "")
            listed = [*place, str(self.first)]
            if level.shares_words:
                listed += [str(level.entry_bits), str(part * 4 * level.bits)]
            elif features > 4:
                listed.append(str(part))
            columns.lines.append(f"const float4 {name} = {reader}({', '.join(listed)});")
            own = slice(4 * part, min(features, 4 * part + 4))
            columns.add([f"{name}.{LANES[lane]}" for lane in range(own.stop - own.start)],
                        list(level.scale[own]), list(level.shift[own]))  # fmt: skip
        words = level.words()
        self.words.append(words)
        self.first += len(words)
        self.count += 1

    def _in_tile(self, columns: Columns, grid: TileGrid, at: Sequence[str]) -> list[str]:
        """Read a tile's word; return where in the tile (u, v) is, 0 and 1 at its last texels."""
        places, names = grid.place(), (f"column{self.count}", f"row{self.count}")
        within = []
        for name, x, tiles, count in zip(names, at, places, grid.count, strict=False):
            columns.lines += [
                f"const float {name}t = clamp({x}, 0.0, 1.0) * {number(tiles)};",
                f"const float {name} = min(floor({name}t), {number(count - 1)});",
            ]
            place = f"({name}t - {name}) * {number(places[2])} + {number(places[3])}"
            within.append(f"clamp({place}, 0.0, 1.0)")
        tile = f"{self.first} + int({names[1]}) * {grid.count[0]} + int({names[0]})"
        columns.lines.append(f"const uint tile{self.count} = {self.name}_word({tile});")
        self.words.append(grid.words())
        self.first += len(self.words[-1])
        return within

    def _reader(self, level: Level, grid: Grid, kind: str) -> str:
        """Return the name of the function that reads such a level at (u, v)."""
        features, bits = level.raw.shape[1], level.bits
        form = f"{bits}bit" if level.shares_words else f"{features}x{bits}"
        entry = f"{self.name}_entry{form}"
        self.functions.setdefault(entry, entry_function(entry, self.name, level))
        name = f"{self.name}_{'smooth_' * grid.smooth}{kind}{form}"
        if kind == "hash":
            assert isinstance(grid, HashGrid)
            name += f"_{grid.table.bit_length() - 1}"
        self.functions.setdefault(name, bilinear_function(name, entry, kind, level, grid))
        return name


def _kinds(grid: Grid) -> Iterator[tuple[str, list[str]]]:
    """Yield the kind of look-up for each level, and its size arguments."""
    if isinstance(grid, StaggeredGrid):
        for one in grid.levels:
            kind = "staggered_hash" if one.hashed else "staggered"
            yield kind, [number(one.scale), str(one.side), str(one.entries)]
        return
    for across, down in grid.sizes():
        hashed = isinstance(grid, HashGrid) and (across + 1) * (down + 1) > grid.table
        kind = "hash" if hashed else "dense" if isinstance(grid, DenseGrid) else "vertex"
        yield kind, [str(across), str(down)]
