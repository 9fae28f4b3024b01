"""Summary of a bake's rows, read once: totals, counts, the worst, the rows that a page has."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from neuralshade.baking.job import FAILED, KEPT, Row

MOST_ROWS = 10_000  # of a page: about 2 MB
WORST = 10
MOST_LOST = 100  # lost attempts that are listed


@dataclass
class Summary:
    """Totals of all rows; ``rows``: those that failed first, then the worst by dB, then others."""

    states: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    asset_bytes: int = 0
    memory_bytes: int = 0
    source_bytes: int = 0
    decibels: Counter[int] = field(default_factory=Counter)  # counts by whole dB
    sizes: Counter[int] = field(default_factory=Counter)  # counts by half powers of two of bytes
    rows: list[Row] = field(default_factory=list)
    lost: list[tuple[str, str]] = field(default_factory=list)  # name and reason, of the first
    lost_count: int = 0  # of all

    @property
    def count(self) -> int:
        return sum(self.states.values())

    @property
    def left_out(self) -> int:
        """Return how many rows ``rows`` lacks."""
        return self.count - len(self.rows)

    @property
    def worst(self) -> list[Row]:
        """Return the assets with the least dB, the worst first."""
        measured = [row for row in self.rows if row.psnr_db is not None and row.state != FAILED]
        return measured[:WORST]


def summary_of(rows: Iterable[Row]) -> Summary:
    """Return the summary; memory is bounded however many rows there are."""
    summary = Summary()
    kept: list[tuple[tuple[int, float], int, Row]] = []  # a heap: what is left out first on top
    for number, row in enumerate(rows):
        _add(summary, row)
        entry = (_importance(row), -number, row)
        if len(kept) < MOST_ROWS:
            heapq.heappush(kept, entry)
        else:
            heapq.heappushpop(kept, entry)
    summary.rows = [row for *_, row in sorted(kept, key=lambda entry: entry[:2], reverse=True)]
    return summary


def _add(summary: Summary, row: Row) -> None:
    summary.states[row.state] += 1
    summary.seconds += 0.0 if row.state == KEPT else row.seconds  # it cost this bake none
    summary.asset_bytes += row.asset_bytes or 0
    summary.memory_bytes += row.memory_bytes or 0
    summary.source_bytes += row.source_bytes or 0
    if row.psnr_db is not None and math.isfinite(row.psnr_db):
        summary.decibels[math.floor(row.psnr_db)] += 1
    for reason in row.lost.splitlines():
        summary.lost_count += 1
        if len(summary.lost) < MOST_LOST:
            summary.lost.append((row.name, reason))
    if row.asset_bytes:
        summary.sizes[math.floor(2 * math.log2(row.asset_bytes))] += 1


def _importance(row: Row) -> tuple[int, float]:
    if row.state == FAILED:
        return 2, 0.0
    return (0, 0.0) if row.psnr_db is None else (1, -row.psnr_db)
