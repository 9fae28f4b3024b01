"""Which method each mip level is taken from, and where the best filter is still less wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from neuralshade.kinds.mipmaps.engine import MipEngine
from neuralshade.kinds.mipmaps.judge import (
    CHOSEN_BY,
    KINDS,
    LIT_BY,
    METHODS,
    Judged,
    best_methods,
    judge,
)
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import FILTERS, Floats

AS_GOOD = 1.05  # times the best filter's error, at most: what a kept level is to be, by any light
ALIKE = 1.03  # below that, as another draw of lights changes ratios by some hundredths
SUNS = 32  # that levels are chosen by: a few of them change ratios from draw to draw
LEAST = 1e-4  # an error so small is none: of 8 bits' rounding, or less
Errors = Mapping[str, Mapping[str, Sequence[float]]]  # by kind of lights, method and level


def evenly_best(errors: Errors) -> list[str]:
    """Return for each level the method of METHODS whose worst ratio is least.

    Ratios are those of its error to that of the best filter, each kind of lights by itself. Worst
    ones up to ALIKE are alike: there the least mean of ratios decides, since a hundredth under one
    kind of lights is no reason to give up half of the error under another. The first of METHODS
    where it is a tie.
    """

    def rank(method: str, level: int) -> tuple[float, float]:
        found = ratios(errors, method, FILTERS, level).values()
        return max(ALIKE, *found), sum(found) / len(found)

    first = next(iter(errors.values()))
    return [
        min(METHODS, key=lambda method: rank(method, level))
        for level in range(len(first[METHODS[0]]))
    ]


def ratios(errors: Errors, method: str, filters: Collection[str], level: int) -> dict[str, float]:
    """Return the error of ``method`` over that of the best of ``filters``, by kind of lights.

    ``level``: counted from 0, the first below the maps. 1 where neither has an error.
    """
    found = {}
    for kind, methods in errors.items():
        best = min(methods[name][level] for name in filters)
        found[kind] = (methods[method][level] + LEAST) / (best + LEAST)
    return found


def over_best(error: float, others: Iterable[float]) -> float:
    """Return an error over the least of others, as notes, tables and pages tell it.

    Where that least one is none to speak of, as ``ratios`` has it.
    """
    best = min(others)
    none = LEAST if best < LEAST else 0.0
    return (error + none) / (best + none)


def chosen_methods(
    engine: MipEngine, stored: dict[str, Floats], recipe: MipmapsRecipe
) -> list[str]:
    """Return the method of each level, of chains of METHODS in 8 bits, by lights of their own."""
    lights = LIT_BY if recipe.favor == "all" else tuple(KINDS)
    judged = judge(engine, stored, recipe, CHOSEN_BY, lights, briefly=METHODS, suns=SUNS)
    return best_by(judged, recipe.favor)


def best_by(judged: Judged, favor: str) -> list[str]:
    """Return the method of each level as the recipe's ``favor`` wants them chosen."""
    return evenly_best(judged.symmetric()) if favor == "all" else best_methods(judged)


def missed(errors: Errors, kept: str, filters: Collection[str]) -> tuple[str, ...]:
    """Return what to tell of levels that are more than AS_GOOD times as wrong as a filter."""
    count = len(next(iter(errors.values()))[kept])
    found = {
        level: {kind: over_best(of[kept][level], (of[name][level] for name in filters))
                for kind, of in errors.items()}
        for level in range(count)
    }  # fmt: skip
    told = [
        f"level {level + 1} {ratio:.2f} under {kind} lights"
        for level, each in found.items()
        for kind, ratio in each.items()
        if round(ratio, 2) > AS_GOOD
    ]
    if not told:
        return ()
    return (
        f"more wrong than the best filter, by so many times its error: {', '.join(told)}. "
        "Each level was chosen under another draw of lights than this measurement has.",
    )
