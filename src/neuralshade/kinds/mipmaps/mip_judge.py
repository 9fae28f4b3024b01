"""GPU judge of mip chains' errors. Device half: kernels.judge.slang."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.mipmaps.engine import WHOLE, MipEngine, TileShare
from neuralshade.kinds.mipmaps.kernels import GROUP, MEASURES

PARTS = (8, 4, 2)  # of a pool's pairs, of which a thread group may see one ...
PART_TEXELS = 2**14  # ... if each pair then has so many texels of a level
Floats = npt.NDArray[np.float32]


class MipJudge:
    """Judges ``chains``, each of numbers [NUMBERS, texels], by the pools of an engine.

    ``briefly``: only by the first of MEASURES, in less time. Sums stay on the device until
    ``means``: reading after each pool and level would cost more than judging.
    """

    def __init__(self, engine: MipEngine, chains: Sequence[Floats], briefly: bool = False):
        self.engine, self.chains = engine, len(chains)
        levels = engine.levels
        self._added = np.zeros(len(levels.sizes))  # to each texel of a level, in the mean
        self.groups = engine.texels // GROUP + len(levels.sizes) + 1  # of a chain, or a few more
        self._measures = len(MEASURES) + engine.weighted
        self._sums = engine.gpu.buffer(size=4 * self._measures * self.groups * self.chains)
        self._kernel = engine.kernel(
            "judge_briefly" if briefly else "judge_level",
            values=engine.gpu.buffer(np.stack(chains).astype(np.float32)),
            chains=self.chains,
            group_sums=self._sums,
            groups=self.groups,
        )

    def add(self, pairs: int, together: int = 1) -> None:
        """Add the pool's first ``pairs``: colors of each, or sums over groups of ``together``.

        On a large level each pair lights part of the texels, spread over all of it: lights vary
        far more than texels do.
        """
        for level in range(1, len(self.engine.levels.sizes)):
            parts = self._parts(level, pairs // together)
            self.add_level(level, 0, pairs, together, TileShare(parts))

    def add_level(
        self, level: int, first: int, pairs: int, together: int = 1, share: TileShare = WHOLE
    ) -> None:
        """Add a level, or its share, under the pool's ``pairs`` from ``first`` on."""
        assert pairs % together == 0
        dispatch = (self._kernel, self.engine.groups_of(level, share))
        self.engine.run_level(level, first, pairs, dispatch, together, share)
        self._added[level] += pairs / together / (share.parts * share.thin)

    def _parts(self, level: int, seen: int) -> int:
        """Return the number of parts of the pairs, of which each thread group sees one."""
        width, height = self.engine.levels.sizes[level]
        fine = (p for p in PARTS if seen % p == 0 and width * height >= p * PART_TEXELS)
        return next(fine, 1)

    def means(self) -> npt.NDArray[np.float64]:
        """Return the means since the last call: [chains, levels but 0, MEASURES].

        symmetric: of 2 abs(x - y) / (x + y + DARK); relative: of abs(x - y) / (y + DARK); log:
        of the square of log(1 + 10 x) - log(1 + 10 y); color and reference: of x and y. With
        ``briefly`` all but the first are 0. Texels count by the weights of the engine.
        """
        raw = self._sums.read().view(np.float32)[: self.chains * self.groups * self._measures]
        sums = raw.reshape(self.chains, self.groups, -1).astype(np.float64)
        found = []
        for level, (width, height) in enumerate(self.engine.levels.sizes[1:], start=1):
            first = self.engine.levels.first(level) // GROUP + level
            rows = sums[:, first : first + self.engine.groups_of(level)]
            totals = rows.sum(axis=1)
            if self.engine.weighted:
                found.append(totals[:, :-1] / totals[:, -1:])
            else:
                found.append(totals / (width * height * self._added[level]))
        commands = self.engine.gpu.commands()
        commands.clear(self._sums)
        commands.submit()
        self._added[:] = 0
        return np.stack(found, axis=1)


def by_measure(means: Sequence[float]) -> dict[str, Any]:
    """Return one level of ``MipJudge.means``, by name."""
    return dict(zip(MEASURES, means, strict=True))
