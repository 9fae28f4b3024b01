"""Choice of each mip level's method, and notes on levels where a filter is better."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

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
from neuralshade.kinds.mipmaps.levels_table import LEAST, over_best
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import FILTERS, Floats

AS_GOOD = 1.05  # accepted ratio to the best filter's error, under any light
ALIKE = 1.03  # ratios up to this are ties: another draw of lights changes them by some hundredths
SUNS = 32  # lights for the choice: with few, ratios change from draw to draw
Errors = Mapping[str, Mapping[str, Sequence[float]]]  # by kind of lights, method and level


def evenly_best(errors: Errors) -> list[str]:
    """Return for each level the method of METHODS with the least worst ratio.

    Ratios are its error over the best filter's, for each kind of lights. Worst ratios up to ALIKE
    count as ties: there the least mean decides, since a hundredth under one kind of lights does not
    justify half of the error under another. Further ties go to the first of METHODS.
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
    """Return the error of ``method`` over the best of ``filters``, by kind of lights.

    ``level``: from 0, the first below the maps. 1 if neither has an error.
    """
    found = {}
    for kind, methods in errors.items():
        best = min(methods[name][level] for name in filters)
        found[kind] = (methods[method][level] + LEAST) / (best + LEAST)
    return found


def chosen_methods(
    engine: MipEngine, stored: dict[str, Floats], recipe: MipmapsRecipe
) -> list[str]:
    """Return the method of each level, judging METHODS' 8-bit chains under separate lights."""
    lights = LIT_BY if recipe.favor == "all" else tuple(KINDS)
    judged = judge(engine, stored, recipe, CHOSEN_BY, lights, briefly=METHODS, suns=SUNS)
    return best_by(judged, recipe.favor)


def best_by(judged: Judged, favor: str) -> list[str]:
    """Return the method of each level by the recipe's ``favor``."""
    return evenly_best(judged.symmetric()) if favor == "all" else best_methods(judged)


def note_worse_levels(errors: Errors, kept: str, filters: Collection[str]) -> tuple[str, ...]:
    """Return a note on levels whose error exceeds AS_GOOD times a filter's."""
    count = len(next(iter(errors.values()))[kept])
    found = {
        level: {kind: over_best(of[kept][level], (of[name][level] for name in filters))
                for kind, of in errors.items()}
        for level in range(count)
    }  # fmt: skip
    levels = [
        f"level {level + 1} {ratio:.2f} under {kind} lights"
        for level, each in found.items()
        for kind, ratio in each.items()
        if round(ratio, 2) > AS_GOOD
    ]
    if not levels:
        return ()
    return (
        f"more wrong than the best filter, by so many times its error: {', '.join(levels)}. "
        "Each level was chosen under another draw of lights than this measurement has.",
    )
