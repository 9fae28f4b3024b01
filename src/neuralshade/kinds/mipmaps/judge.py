"""Errors of a texture set's mip levels, and the choice between chains."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from neuralshade.base.progress_scope import part
from neuralshade.kinds.mipmaps.asset import (
    ENVIRONMENT,
    decoded_level,
    stored_level,
)
from neuralshade.kinds.mipmaps.engine import MipEngine
from neuralshade.kinds.mipmaps.kernels import MEASURES
from neuralshade.kinds.mipmaps.mip_judge import MipJudge, by_measure
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.kinds.mipmaps.tiles import Tiles, tiled
from neuralshade.measure.plane.mip_filters import FILTERS, Floats, Maps
from neuralshade.sampler.directions import draw_pairs
from neuralshade.sampler.sky import sky_pairs

L = TypeVar("L")

TRAINED = "trained"
METHODS = (*FILTERS, TRAINED)
KINDS = {"mirror": 1.0, "cosine": 0.0}  # of held-out pairs: share near a mirror's
LIT_BY = (*KINDS, ENVIRONMENT)
PAIRS = 512  # of one kind; with 256, ratios of errors change by 0.02 from draw to draw
# texels of level 0 times pairs, and least pairs, in software: 128 pairs at 1,024 x 1,024 texels,
# which take 3 s to shade
SOFTWARE_SHADINGS, FEWEST_PAIRS = 2**27, 128
LIGHTS, EYES = 32, 8  # of the environment
CHOSEN_BY, HELD_OUT = 10_000, 20_000  # seeds, far from those of training
JUDGED_FOR = {CHOSEN_BY: "choosing levels"}

Errors = dict[str, list[dict[str, float]]]  # of a chain, its levels 1 and on by MEASURES


@dataclass(frozen=True)
class Judged:
    """Errors of each level and method: ``errors[kind][method][level - 1]`` by MEASURES."""

    errors: dict[str, Errors]

    def mean(self, method: str, measure: str = "symmetric") -> list[float]:
        """Return a measure of each level, the mean over KINDS."""
        kinds = [self.errors[kind][method] for kind in KINDS]
        return [float(np.mean([row[measure] for row in rows])) for rows in zip(*kinds, strict=True)]

    def symmetric(self) -> dict[str, dict[str, list[float]]]:
        """Return only the symmetric errors: by kind, method and level."""
        return {
            kind: {method: [row["symmetric"] for row in rows] for method, rows in methods.items()}
            for kind, methods in self.errors.items()
        }

    def bias(self) -> dict[str, dict[str, list[float]]]:
        """Return mean color over the reference's for fully judged chains, in the form of errors."""
        return {
            kind: {name: [bias_of(row) for row in rows]
                   for name, rows in methods.items() if all("color" in row for row in rows)}
            for kind, methods in self.errors.items()
        }  # fmt: skip


@dataclass(frozen=True)
class _Lights:
    """Pairs [n, 2, 3] and weights [n] of lights, in groups of ``together`` that are added up."""

    pairs: Floats
    weights: Floats
    together: int = 1

    def batches(self, most: int) -> Iterator[tuple[Floats, Floats]]:
        """Yield parts of at most ``most`` pairs, without splitting groups."""
        size = most // self.together * self.together
        for first in range(0, len(self.pairs), size):
            yield self.pairs[first : first + size], self.weights[first : first + size]


def judge(
    engine: MipEngine,
    chains: dict[str, Floats],
    recipe: MipmapsRecipe,
    seed: int,
    kinds: Sequence[str] = LIT_BY,
    briefly: Collection[str] = (),
    suns: int = EYES,
) -> Judged:
    """Return the errors of ``chains`` under lights drawn with ``seed``, of each of ``kinds``.

    Chains in ``briefly`` get only the symmetric error. "log" is the root of the mean square.
    ``suns``: of the environment; with more of them each sky has fewer lights.
    """
    judges = []
    for brief in (False, True):
        names = [name for name in chains if (name in briefly) is brief]
        if names:
            judges.append((names, brief, MipJudge(engine, [chains[n] for n in names], brief)))
    lights = {kind: _lights_of(kind, recipe, engine, seed, suns) for kind in kinds}
    pools = {kind: list(lit.batches(engine.training.pool)) for kind, lit in lights.items()}
    add = Tiles(engine).add if judged_in_tiles(engine) else partial(_add, engine)
    errors: dict[str, Errors] = {}
    with part(JUDGED_FOR.get(seed, "judging levels"), sum(map(len, pools.values()))) as work:
        for kind, lit in lights.items():
            for pairs, weights in pools[kind]:
                add([judging for *_, judging in judges], pairs, weights, lit.together)
                engine.gpu.wait()  # submitted work is not finished work
                work.done += 1
            found = {
                name: [_row(means, brief) for means in rows]
                for names, brief, judging in judges
                for name, rows in zip(names, judging.means().tolist(), strict=True)
            }
            errors[kind] = {name: found[name] for name in chains}
    return Judged(errors)


def judged_in_tiles(engine: MipEngine) -> bool:
    """Return whether a pair lights only some tiles: in software, for large levels."""
    return engine.gpu.adapter.software and tiled(engine.levels)


def _add(
    engine: MipEngine, judges: Sequence[MipJudge], pairs: Floats, weights: Floats, together: int
) -> None:
    engine.set_pool(pairs, weights)
    for judging in judges:
        judging.add(len(pairs), together)


def _lights_of(
    kind: str, recipe: MipmapsRecipe, engine: MipEngine, seed: int, suns: int
) -> _Lights:
    seed += recipe.seed
    if kind == ENVIRONMENT:
        lights = min(LIGHTS * EYES // suns, engine.training.pool)
        return _Lights(*sky_pairs(lights, suns, recipe.lowest, seed), lights)
    width, height = engine.levels.sizes[0]
    count = pairs_judged(width * height, software=engine.gpu.adapter.software)
    pairs = draw_pairs(count, KINDS[kind], recipe.lowest, seed)
    return _Lights(pairs, np.ones(count, np.float32))


def pairs_judged(texels: int, *, software: bool) -> int:
    """Return the number of pairs of a kind for judging levels below so many texels."""
    affordable = max(FEWEST_PAIRS, SOFTWARE_SHADINGS // texels) if software else PAIRS
    return min(PAIRS, affordable)


def _row(means: Sequence[float], briefly: bool) -> dict[str, float]:
    row = by_measure(means)
    if briefly:
        return {MEASURES[0]: row[MEASURES[0]]}
    return row | {"log": row["log"] ** 0.5}


def bias_of(row: Mapping[str, float]) -> float:
    """Return mean color over the reference's of a row by MEASURES; 1 for black."""
    return row["color"] / row["reference"] if row["reference"] else 1.0


def best_methods(judged: Judged) -> list[str]:
    """Return for each level the method with the least mean error over KINDS of lights.

    Ties go to the first of METHODS.
    """
    means = {method: judged.mean(method) for method in METHODS}
    return [min(means, key=lambda method: means[method][i]) for i in range(len(means[TRAINED]))]


def combined(chains: dict[str, list[L]], best: Sequence[str]) -> list[L]:
    """Return the chain with each level from its best method."""
    return [chains[method][level] for level, method in enumerate(best)]


def as_stored(chain: Sequence[Maps]) -> list[Maps]:
    """Return levels as read from 8-bit files."""
    return [Maps(**decoded_level(stored_level(level))) for level in chain]
