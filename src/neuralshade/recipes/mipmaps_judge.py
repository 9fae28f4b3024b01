"""Mip levels of a texture set: how wrong they are, and which of several chains to keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from neuralshade.engine.mip_engine import MipEngine
from neuralshade.engine.mipmaps import MEASURES
from neuralshade.measure.mip_filters import FILTERS, Floats
from neuralshade.recipes.mipmaps import MipmapsRecipe
from neuralshade.sampler.directions import draw_pairs
from neuralshade.sampler.sky import sky_pairs

L = TypeVar("L")

TRAINED = "trained"
KEPT = "kept"  # the chain that is written, each level by its best method, in 8 bits
METHODS = (*FILTERS, TRAINED)
KINDS = {"mirror": 1.0, "cosine": 0.0}  # of held-out pairs: which share lies near a mirror's
ENVIRONMENT = "environment"  # a sun and a sky, seen together
LIT_BY = (*KINDS, ENVIRONMENT)
PAIRS = 512  # of one kind; with 256, ratios of errors change by 0.02 from draw to draw
LIGHTS, EYES = 32, 8  # of the environment
CHOSEN_BY, HELD_OUT, EVALUATED = 10_000, 20_000, 30_000  # seeds, far from what is trained on

Errors = dict[str, list[dict[str, float]]]  # of a chain, its levels 1 and on by MEASURES


@dataclass(frozen=True)
class Judged:
    """How wrong each level is by each method: ``errors[kind][method][level - 1]`` by MEASURES."""

    errors: dict[str, Errors]

    def mean(self, method: str, measure: str = "symmetric") -> list[float]:
        """Return a measure of each level, the mean over KINDS."""
        kinds = [self.errors[kind][method] for kind in KINDS]
        return [float(np.mean([row[measure] for row in rows])) for rows in zip(*kinds, strict=True)]

    def symmetric(self) -> dict[str, dict[str, list[float]]]:
        """Return the symmetric errors alone: by kind, method and level."""
        return {
            kind: {method: [row["symmetric"] for row in rows] for method, rows in methods.items()}
            for kind, methods in self.errors.items()
        }

    def short(self) -> dict[str, Errors]:
        """Return ``errors`` with five digits each."""
        return {
            kind: {
                method: [{name: float(f"{value:.5g}") for name, value in r.items()} for r in rows]
                for method, rows in methods.items()
            }
            for kind, methods in self.errors.items()
        }


@dataclass(frozen=True)
class _Lit:
    """Pairs [n, 2, 3] and weights [n] of lights, ``together`` of which are seen at a time."""

    pairs: Floats
    weights: Floats
    together: int = 1

    def batches(self, most: int) -> Iterator[tuple[Floats, Floats]]:
        """Yield parts of ``most`` pairs or fewer, lights that are seen together in one."""
        size = most // self.together * self.together
        for first in range(0, len(self.pairs), size):
            yield self.pairs[first : first + size], self.weights[first : first + size]


def judge(
    engine: MipEngine,
    chains: dict[str, Floats],
    recipe: MipmapsRecipe,
    seed: int,
    kinds: Sequence[str] = LIT_BY,
) -> Judged:
    """Return how wrong ``chains`` are under lights that ``seed`` draws, of each of ``kinds``.

    "log" is the root of the mean square. The engine's own numbers are left as they were.
    """
    kept, errors = engine.values(), {}
    for kind in kinds:
        errors[kind] = _judged(engine, chains, _lit(kind, recipe, engine.training.pool, seed))
    engine.set_values(kept)
    return Judged(errors)


def _lit(kind: str, recipe: MipmapsRecipe, pool: int, seed: int) -> _Lit:
    seed += recipe.seed
    if kind == ENVIRONMENT:
        lights = min(LIGHTS, pool)
        return _Lit(*sky_pairs(lights, EYES, recipe.lowest, seed), lights)
    pairs = draw_pairs(PAIRS, KINDS[kind], recipe.lowest, seed)
    return _Lit(pairs, np.ones(PAIRS, np.float32))


def _judged(engine: MipEngine, chains: dict[str, Floats], lit: _Lit) -> Errors:
    levels = len(engine.levels.sizes) - 1
    sums = {name: np.zeros((levels, len(MEASURES))) for name in chains}
    for pairs, weights in lit.batches(engine.training.pool):
        engine.set_pool(pairs, weights)
        share = len(pairs) / len(lit.pairs)
        for name, values in chains.items():
            engine.set_values(values)
            rows = engine.judge(len(pairs), lit.together)
            sums[name] += share * np.array([[row[m] for m in MEASURES] for row in rows])
    return {name: [_row(means) for means in found.tolist()] for name, found in sums.items()}


def _row(means: Sequence[float]) -> dict[str, float]:
    row = dict(zip(MEASURES, means, strict=True))
    row["log"] **= 0.5
    return row


def best_methods(judged: Judged) -> list[str]:
    """Return for each level which method is least wrong, the first of METHODS where it is a tie."""
    means = {method: judged.mean(method) for method in METHODS}
    return [min(means, key=lambda method: means[method][i]) for i in range(len(means[TRAINED]))]


def combined(chains: dict[str, list[L]], best: Sequence[str]) -> list[L]:
    """Return the chain that takes each level from its best method."""
    return [chains[method][level] for level, method in enumerate(best)]
