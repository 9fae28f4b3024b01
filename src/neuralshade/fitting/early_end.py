"""Warning for a fit that ended before its plateau."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from neuralshade.fitting.facts import ended, is_by_clock
from neuralshade.fitting.loop import Loop
from neuralshade.fitting.plateau import CONSTANT_SHARE, Row, gain_per_doubling
from neuralshade.fitting.time_plan import LEAST_STEPS

MORE = 3  # times what it had: two doublings would be 4, which few wait for
STEEP_DB = 3.0  # gain of the last doubling of steps above which a fit is far from done


def rising(loop: Loop, recipe: Any, searched_db: float = 0.0) -> str | None:
    """Return the warning where a requested end came before the plateau; None otherwise.

    ``recipe`` has ``steps`` and ``seconds``. Other ends and a page's stop are reported
    elsewhere, as are fits of fewer than LEAST_STEPS (``early``). Without a plateau search, only
    a clock that stopped while PSNR still rose by STEEP_DB is reported. ``searched_db``: gain of
    code refinement after training, included in the last PSNR.
    """
    p, plateau = loop.progress, loop.plateau
    if p.plateau_step is not None or p.share < 1.0 or p.step < LEAST_STEPS:
        return None
    if plateau is None and not is_by_clock(p, recipe):
        return None
    gain = _gain(loop, recipe, searched_db)
    if gain is None and plateau is None:
        return None
    if gain is not None and gain < (STEEP_DB if plateau is None else plateau.gain_db):
        return None
    reason = "PSNR was measured too seldom to tell what more would give"
    if gain is not None:
        settled = "" if plateau is None else ", before step sizes fell,"
        reason = f"the last doubling of its steps{settled} gave {gain:.1f} dB"
    more = f"--steps {MORE * p.step}"
    if is_by_clock(p, recipe):
        longer = p.seconds > 1.1 * recipe.seconds  # for the least number of steps
        more = f"--seconds {math.ceil(MORE * (p.seconds if longer else recipe.seconds))}"
    return (f"fit: still improving when it ended at its {ended(p, recipe)}: {reason}. Try {more} "
            "--until plateau.")  # fmt: skip


def _gain(loop: Loop, recipe: Any, searched_db: float) -> float | None:
    """Return the gain of the last doubling of steps in dB; None with too few measurements.

    With a plateau search, by the rows before step sizes fell: the gain while they fall comes only
    once, in a longer fit too.
    """
    curve = loop.progress.curve
    if loop.plateau is None:
        return gain_per_doubling([*curve[:-1], *map(partial(_less, searched_db), curve[-1:])])
    before = [row for row in curve if _used_share(row, loop, recipe) <= CONSTANT_SHARE]
    return gain_per_doubling(before)


def _used_share(row: Row, loop: Loop, recipe: Any) -> float:
    """Return the used share of the requested ends at a row of the curve."""
    by_steps = (row[0] or 0) / recipe.steps if recipe.steps else 0.0
    return max(by_steps, loop.clock.share(recipe.seconds, row[0] or 0, row[1] or 0.0))


def _less(searched_db: float, row: Row) -> Row:
    """Return a row of the curve without the gain of a search."""
    return [*row[:3], None if row[3] is None else row[3] - searched_db]
