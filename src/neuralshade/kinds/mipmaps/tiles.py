"""Judging of mip levels tile by tile, in slow software. Device half: kernels.tiles.slang.

Pairs of directions differ far more than tiles of a level. So all pairs are needed, and each may
light a part of the tiles. On levels whose texels are as large as a tile or larger, it lights all,
and the texels that they cover are sampled: these levels have too few texels to skip any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neuralshade.kinds.mipmaps.engine import SUBMITTED_SHADINGS, MipEngine, TileShare
from neuralshade.kinds.mipmaps.kernels import PAIRS_SHADED, SQUARE, LevelSizes
from neuralshade.kinds.mipmaps.mip_judge import Floats, MipJudge

TILE = 64  # side in texels of level 0
DEEPEST = TILE.bit_length() - 1  # level with one texel for each tile
PARTS = (8, 4, 2, 1)  # of a pool's pairs, of which a tile sees one
THIN = {1: 4, 2: 2}  # by level: a judge sees one of so many texels of a column
FEWEST = 64  # tiles: with fewer, a part would have too few


def tiled(levels: LevelSizes) -> bool:
    """Return whether levels can be split into tiles, and those into equal parts."""
    across, down = (side // TILE for side in levels.sizes[0])
    whole = all(side % TILE == 0 for side in levels.sizes[0])
    return whole and across * down >= FEWEST and across * down % PARTS[0] == 0


class Tiles:
    """Lights tiles of an engine's levels by parts of the pairs, for judges to add."""

    def __init__(self, engine: MipEngine):
        assert tiled(engine.levels)
        self.engine = engine
        self.levels = len(engine.levels.sizes)
        self._sample = engine.kernel("sample_level")

    def add(
        self, judges: Sequence[MipJudge], pairs: Floats, weights: Floats, together: int
    ) -> None:
        """Have ``judges`` add pairs [n, 2, 3], in groups of ``together`` lights."""
        self.engine.load_pool(pairs, weights)
        parts = next(p for p in PARTS if len(pairs) // together % p == 0)
        count = len(pairs) // parts
        fine = range(1, min(DEEPEST + 1, self.levels))
        for part in range(parts):
            share = TileShare(parts, part, TILE)
            for level in fine:
                self.engine.make_references(level, part * count, count, share)
            for judge in judges:
                for level in fine:
                    thinned = replace(share, thin=THIN.get(level, 1))
                    judge.add_level(level, part * count, count, together, thinned)
        if self.levels > DEEPEST + 1:
            self._add_coarse(judges, len(pairs), together)

    def _add_coarse(self, judges: Sequence[MipJudge], pairs: int, together: int) -> None:
        """Have judges add the coarser levels, from samples of the deepest level's texels."""
        engine, (width, height) = self.engine, self.engine.levels.sizes[0]
        at_once = max(1, SUBMITTED_SHADINGS * SQUARE**2 // (width * height * PAIRS_SHADED))
        for first in range(0, pairs, at_once * PAIRS_SHADED):
            count = min(at_once * PAIRS_SHADED, pairs - first)
            groups = (engine.groups_of(DEEPEST), -(-count // PAIRS_SHADED))
            engine.run_level(DEEPEST, first, count, (self._sample, groups))
        coarse = range(DEEPEST + 1, self.levels)
        for level in coarse:
            engine.make_references(level, 0, pairs)
        for judge in judges:
            for level in coarse:
                judge.add_level(level, 0, pairs, together)
