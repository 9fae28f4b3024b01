"""Division of a batch's look-ups into jobs of groups, which keep levels of a grid."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.model.parameters import Table

WAVE = 32  # samples whose words are one access
SHORTEST = 1 / 16  # of a group's work that is a job of its own


@dataclass(frozen=True)
class Unit:
    """Levels that a group keeps at once, of all features or of one."""

    level: int
    tables: tuple[Table, ...]
    feature: int
    features: int

    @property
    def entries(self) -> int:
        """Return the entries of its levels, which follow each other."""
        return sum(table.entries for table in self.tables)

    @property
    def first(self) -> int:
        """Return its first entry."""
        return self.tables[0].first // self.tables[0].features


def encode_units(tables: Sequence[Table], words: int) -> list[Unit]:
    """Return units whose float16 numbers take at most ``words`` words, if a level's do."""
    return _joined(tables, 2 * (words - 8), 2 * (words - 8))


def scatter_units(tables: Sequence[Table], words: int, joined: int) -> list[Unit]:
    """Return units whose sums take at most ``words`` words, if those of a level's feature do.

    ``joined``: words of levels that share a unit; more would take longer to be added up.
    """
    units = []
    for unit in _joined(tables, words - 8, joined):
        if unit.entries * unit.features <= words - 8:
            units.append(unit)
            continue
        units += [Unit(unit.level, unit.tables, f, 1) for f in range(unit.features)]
    return units


def _joined(tables: Sequence[Table], most: int, joined: int) -> list[Unit]:
    units: list[Unit] = []
    for level, table in enumerate(tables):
        numbers = table.entries * table.features
        last = units[-1] if units else None
        if last is not None and last.entries * last.features + numbers <= min(most, joined):
            units[-1] = Unit(last.level, (*last.tables, table), 0, table.features)
        else:
            units.append(Unit(level, (table,), 0, table.features))
    return units


def jobs_of(
    units: Sequence[Unit], costs: Sequence[float], batch: int, groups: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return jobs and each group's first one, as the device half reads them.

    ``costs``: of a sample in each unit; groups get about equal sums.
    """
    share = sum(costs) * batch / groups
    begins = np.concatenate([[0.0], np.cumsum(costs)]) * batch
    jobs, firsts = [], [0]
    start = 0.0
    for group in range(groups):
        end = _snapped((group + 1) * share, begins, SHORTEST * share)
        for unit, cost, begin in zip(units, costs, begins[:-1], strict=True):
            first, last = (_sample((at - begin) / cost, batch) for at in (start, end))
            if first < last:
                jobs.append((unit.level, len(unit.tables), unit.feature, unit.features,
                             unit.first, unit.entries, first, last))  # fmt: skip
        firsts.append(len(jobs))
        start = end
    return np.array(jobs, np.uint32), np.array(firsts, np.uint32)


def _snapped(at: float, begins: npt.NDArray[np.float64], near: float) -> float:
    nearest = float(begins[np.abs(begins - at).argmin()])
    return nearest if abs(nearest - at) < near else at


def _sample(at: float, batch: int) -> int:
    return batch if at > batch - 0.5 else min(batch, max(0, round(at / WAVE) * WAVE))
