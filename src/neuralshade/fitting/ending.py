"""What is to be said of a fit that ended too soon."""

from __future__ import annotations

from functools import partial
from typing import Any

from neuralshade.fitting.loop import Loop
from neuralshade.fitting.plateau import Row, gain_per_doubling

STEEP_DB = 3.0  # that a doubling of the steps still gave: what was asked for is far from an end
FEW_STEPS = 0.1  # of those that are usual


def rising(loop: Loop, recipe: Any, searched_db: float = 0.0) -> str | None:
    """Return what to say where a given end came before the plateau; None where nothing is.

    ``recipe`` has ``steps`` and ``seconds``; one that ends otherwise, or by a page's wish, has
    said so. Where no plateau is looked for, only a clock that came while PSNR still rose by
    STEEP_DB is told. ``searched_db``: what a search of codes after training has added to the last
    PSNR.
    """
    p, plateau = loop.progress, loop.plateau
    by_seconds = recipe.seconds is not None and p.seconds >= recipe.seconds
    if p.plateau_step is not None or p.share < 1.0 or (plateau is None and not by_seconds):
        return None
    gain = gain_per_doubling([*p.curve[:-1], *map(partial(_less, searched_db), p.curve[-1:])])
    if gain is None and plateau is None:
        return None
    if gain is not None and gain < (STEEP_DB if plateau is None else plateau.gain_db):
        return None
    told = "too few were run to tell what more would give"
    if gain is not None:
        told = f"the last doubling of its steps gave {gain:.1f} dB"
    end = f"{recipe.seconds:g} s" if by_seconds else f"{recipe.steps:,} steps"
    more = f"--seconds {4 * recipe.seconds:g}" if by_seconds else f"--steps {4 * recipe.steps}"
    return (f"fit: ended at its {end}, before its plateau: {told}. "
            f"Give {more} --until plateau for more.")  # fmt: skip


def few_steps(loop: Loop, recipe: Any, usual: int | None = None) -> str | None:
    """Return what to say of a fit that a clock ended after a small share of its usual steps.

    ``usual``: those, where they are not the ``steps`` that the class of ``recipe`` has. None where
    steps were asked for too.
    """
    usual, step = usual or type(recipe).steps, loop.progress.step
    by_clock = recipe.seconds is not None and loop.progress.share >= 1.0
    asked = recipe.steps is not None and recipe.steps != usual
    if not by_clock or asked or step >= usual * FEW_STEPS:
        return None
    return (f"fit: ended at its {recipe.seconds:g} s after {step:,} steps, where {usual:,} are "
            "usual: far below what it comes to. Give it more --seconds.")  # fmt: skip


def _less(searched_db: float, row: Row) -> Row:
    """Return a row of a curve as it was before a search."""
    return [*row[:3], None if row[3] is None else row[3] - searched_db]
