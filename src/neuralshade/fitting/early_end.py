"""What is to be said of a fit that ended before its plateau."""

from __future__ import annotations

from functools import partial
from typing import Any

from neuralshade.fitting.facts import ended, is_by_clock
from neuralshade.fitting.loop import Loop
from neuralshade.fitting.picture_result import EARLIEST_STEPS
from neuralshade.fitting.plateau import HELD, Row, gain_per_doubling

STEEP_DB = 3.0  # that a doubling of the steps still gave: what was asked for is far from an end


def rising(loop: Loop, recipe: Any, searched_db: float = 0.0) -> str | None:
    """Return what to say where a given end came before the plateau; None where nothing is.

    ``recipe`` has ``steps`` and ``seconds``; one that ends otherwise, or by a page's wish, has
    said so, and of fewer than EARLIEST_STEPS ``early`` tells. Where no plateau is looked for, only
    a clock that came while PSNR still rose by STEEP_DB is told. ``searched_db``: what a search of
    codes after training has added to the last PSNR.
    """
    p, plateau = loop.progress, loop.plateau
    if p.plateau_step is not None or p.share < 1.0 or p.step < EARLIEST_STEPS:
        return None
    if plateau is None and not is_by_clock(p, recipe):
        return None
    gain = _gain(loop, recipe, searched_db)
    if gain is None and plateau is None:
        return None
    if gain is not None and gain < (STEEP_DB if plateau is None else plateau.gain_db):
        return None
    told = "PSNR was measured too seldom to tell what more would give"
    if gain is not None:
        settled = "" if plateau is None else ", before step sizes fell,"
        told = f"the last doubling of its steps{settled} gave {gain:.1f} dB"
    more = "--seconds" if is_by_clock(p, recipe) else "--steps"
    return (f"fit: ended at its {ended(p, recipe)}, before its plateau: {told}. More doublings "
            f"usually give less each: give more {more} with --until plateau, which ends "
            "where that is little.")  # fmt: skip


def _gain(loop: Loop, recipe: Any, searched_db: float) -> float | None:
    """Return what the last doubling of the steps gave, in dB; None where few were measured.

    Where a plateau is looked for, by the rows before step sizes fell: what is gained as they fall
    comes once, in a longer fit too.
    """
    curve = loop.progress.curve
    if loop.plateau is None:
        return gain_per_doubling([*curve[:-1], *map(partial(_less, searched_db), curve[-1:])])
    return gain_per_doubling([row for row in curve if _given_share(row, recipe) <= HELD])


def _given_share(row: Row, recipe: Any) -> float:
    """Return how much of its given ends a fit had used up at a row of its curve."""
    by_steps = (row[0] or 0) / recipe.steps if recipe.steps else 0.0
    by_seconds = (row[1] or 0.0) / recipe.seconds if recipe.seconds else 0.0
    return max(by_steps, by_seconds)


def _less(searched_db: float, row: Row) -> Row:
    """Return a row of a curve as it was before a search."""
    return [*row[:3], None if row[3] is None else row[3] - searched_db]
