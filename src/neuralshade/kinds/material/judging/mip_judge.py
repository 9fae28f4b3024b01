"""Errors of a feature map's levels against the reference's mean over a texel's footprint.

For each level the better one of the trained level and of a box filter of the finest is kept, judged
on footprints, directions and points that no training has seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.threads import threads
from neuralshade.kinds.material.asset import stored_field
from neuralshade.kinds.material.footprints import Footprints
from neuralshade.kinds.material.judging.measures import smape
from neuralshade.kinds.material.levels import LevelShade, boxed_rows, level_shade
from neuralshade.kinds.material.map_rows import Rows, named, rows_of
from neuralshade.kinds.material.map_rows import level_rows as split_levels
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.samples import MaterialSampler
from neuralshade.kinds.material.schema import FILTERED, TRAINED, level_sides

Floats = npt.NDArray[np.float32]
Tensors = Mapping[str, npt.NDArray[Any]]

SEED = 20_261_124  # of footprints: equal for all fits, used by none
FOOTPRINTS = 4096  # of a level; those with a direction below the surface are dropped
POINTS = 64  # of each, at which the reference is evaluated
POOL = 2**15  # places, from which each level's are drawn


class LevelJudge:
    """Errors of mip levels over footprints; the reference is evaluated once."""

    def __init__(self, reference: ReferenceKernels, recipe: MaterialRecipe):
        self.reference, self.recipe = reference, recipe
        self._queries: list[tuple[Floats, Floats, Floats, Floats]] = []

    def errors(self, shade: LevelShade, levels: int) -> list[float]:
        """Return the mean symmetric error of each of the first ``levels``, see ``smape``."""
        return self._errors(shade, range(levels))

    def errors_of_finest(self, shade: LevelShade, levels: int) -> list[float]:
        """Return the errors of the finest level, read at the footprints' centers.

        That is rendering without levels at one sample a pixel.
        """
        return self._errors(shade, [0] * levels)

    def _errors(self, shade: LevelShade, read: Sequence[int]) -> list[float]:
        """Return the error of each level's footprints, ``read`` at these levels, all at once."""
        queries = self.queries[: len(read)]
        counts = [len(target) for *_, target in queries]
        uv, wi, wo = (np.concatenate(each) for each in list(zip(*queries, strict=True))[:3])
        found = shade(uv, wi, wo, np.repeat(np.array(read, np.float32), counts))
        parts = np.split(found, np.cumsum(counts)[:-1])
        return [smape(target, part) for (*_, target), part in zip(queries, parts, strict=True)]

    def take(self, prepared: LevelJudge) -> None:
        """Use the queries of another judge of this reference and recipe."""
        self._queries = prepared.queries

    @property
    def queries(self) -> list[tuple[Floats, Floats, Floats, Floats]]:
        """Return uv, wi, wo and the reference's means of each level's footprints."""
        if not self._queries:
            rng = torch.Generator().manual_seed(SEED)
            sampler = MaterialSampler(self.reference, FOOTPRINTS, 0.0, rng, POOL)
            means = Footprints(self.reference, self.recipe.wrap == "repeat", POINTS)
            sides = level_sides(self.recipe.size)
            with threads(1):  # the operations are too small for more
                self._queries = [_drawn(sampler, means, 1 / side, rng) for side in sides]
        return self._queries


def _drawn(
    sampler: MaterialSampler, means: Footprints, width: float, rng: torch.Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Draw footprints ``width`` wide, directions above them, and the reference's means."""
    index, wi, wo, seen = sampler.draw_queries(rng)
    uv, to_light, to_eye = sampler.places(index, rng)[seen], wi.t()[seen], wo.t()[seen]
    target = means.mean(uv, torch.full((len(uv),), width), to_light, to_eye, rng)
    uv_, wi_, wo_, target_ = (t.contiguous().numpy() for t in (uv, to_light, to_eye, target))
    return uv_, wi_, wo_, target_


def with_levels(
    judge: LevelJudge, tensors: Tensors, trained: Sequence[Rows] | None
) -> tuple[dict[str, npt.NDArray[Any]], list[dict[str, Any]]]:
    """Return tensors with the better variant of each level, and the header's facts of each.

    Facts of a level: its ``side``; which variant is ``kept``; its ``error``, and those of the
    ``trained`` (if there is one) and ``filtered`` variants (not for the finest); ``finest`` is that
    of the finest level read in its place. See ``LevelJudge``.

    Args:
        tensors: of a map of one level.
        trained: rows of the other levels, see map_rows.py; None if none were trained.
    """
    side = judge.recipe.size
    sides, first = level_sides(side), rows_of(tensors)
    chains = {FILTERED: [first, *boxed_rows(first, side, tensors["range"])]}
    if trained is not None:
        chains[TRAINED] = [first, *trained]
    errors = {how: judge.errors(_shade(judge, tensors, rows), len(sides))
              for how, rows in chains.items()}  # fmt: skip
    finest = judge.errors_of_finest(_shade(judge, tensors, [first]), len(sides))
    kept, facts = [first], [_level_facts(side, TRAINED, errors[FILTERED][0], finest[0])]
    for level in range(1, len(sides)):
        found = {how: of[level] for how, of in errors.items()}
        best = min(found, key=lambda how: found[how])
        kept.append(chains[best][level])
        facts.append(_level_facts(sides[level], best, found[best], finest[level], found))
    return {**tensors, **named(np.concatenate(kept))}, facts


def level_rows(
    judge: LevelJudge, tensors: Tensors, stored: Sequence[Mapping[str, Any]] | None
) -> list[dict[str, Any]]:
    """Return the facts of an asset's levels, in the form of ``with_levels``.

    ``stored``: those of its header, which supply the errors of variants that were not kept.
    """
    side = judge.recipe.size
    kept = split_levels(rows_of(tensors), side)
    filtered = [kept[0], *boxed_rows(kept[0], side, tensors["range"])]
    errors = judge.errors(_shade(judge, tensors, kept), len(kept))
    finest = judge.errors_of_finest(_shade(judge, tensors, kept[:1]), len(kept))
    rows = [_level_facts(side, TRAINED, errors[0], finest[0])]
    if stored is None:
        return rows
    boxes = judge.errors(_shade(judge, tensors, filtered), len(kept))
    for level in range(1, len(kept)):
        found = {how: stored[level][how] for how in (TRAINED,) if how in stored[level]}
        how = stored[level]["kept"]
        found |= {FILTERED: boxes[level], how: errors[level]}
        rows.append(_level_facts(stored[level]["side"], how, errors[level], finest[level], found))
    return rows


def _shade(judge: LevelJudge, tensors: Tensors, rows: Sequence[Rows]) -> LevelShade:
    """Return the function that reads these levels; keep one at a time, each is a float32 map."""
    stored = {**tensors, **named(np.concatenate(rows))}
    return level_shade(stored_field(judge.recipe, judge.recipe.size, stored))


def _level_facts(
    side: int, kept: str, error: float, finest: float, found: Mapping[str, float] | None = None
) -> dict[str, Any]:
    errors = {"error": error, "finest": finest, **(found or {})}
    return {"side": side, "kept": kept, **{how: round(each, 5) for how, each in errors.items()}}
