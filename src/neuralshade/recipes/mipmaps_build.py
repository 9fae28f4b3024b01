"""Mip levels of a texture set: how the recipe is assembled, and how levels are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.mip_engine import MipEngine, MipTraining
from neuralshade.engine.mipmaps import NUMBERS, SMALLEST_ROUGHNESS, STEEPEST, Levels, levels_of
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.measure.mip_filters import FILTERS, LEAST_Z, Maps, unit
from neuralshade.model.microfacet import slang_name
from neuralshade.recipes.mipmaps import MipmapsRecipe
from neuralshade.sampler.directions import draw_pairs
from neuralshade.source.texture_set import TextureSet

Floats = npt.NDArray[np.float32]
TRAINED = "trained"
METHODS = (*FILTERS, TRAINED)
KINDS = {"mirror": 1.0, "cosine": 0.0}  # of held-out pairs: which share lies near a mirror's
CHOSEN_BY, HELD_OUT = 10_000, 20_000  # seeds, far from those that are trained on


def base_maps(textures: TextureSet) -> Maps:
    """Return level 0."""
    return Maps(textures.albedo, textures.normal, textures.roughness, textures.metallic)


def chain_levels(textures: TextureSet, recipe: MipmapsRecipe) -> Levels:
    """Return the sizes of the chain; ConfigError where there is nothing below level 0."""
    levels = levels_of(textures.width, textures.height, recipe.levels or None)
    if len(levels.sizes) < 2:
        raise ConfigError(f"{textures.name}: got maps of 1 x 1 texels, need larger ones. "
                          "Nothing lies below them.")  # fmt: skip
    return levels


def build_mip_engine(
    recipe: MipmapsRecipe, base: Maps, levels: Levels, start: Floats, gpu: Gpu
) -> MipEngine:
    """Return what trains the levels, from ``start`` on."""
    training = MipTraining(
        recipe.pairs, recipe.pool, recipe.reuse,
        (recipe.albedo_rate, recipe.slope_rate, recipe.roughness_rate, recipe.metallic_rate),
        (recipe.beta1, recipe.beta2), recipe.epsilon, slang_name(recipe.diffuse),
    )  # fmt: skip

    def pairs(pool: int, count: int) -> Floats:
        return draw_pairs(count, recipe.mirror, recipe.lowest, recipe.seed + pool)

    return MipEngine(gpu, levels, training, packed_base(base), start, pairs)


def packed_base(base: Maps) -> Floats:
    """Return level 0 as kernels read it: float32 [2, H * W, 4]."""
    first = np.dstack([base.albedo, base.roughness])
    second = np.dstack([base.normal, base.metallic])
    return np.stack([first.reshape(-1, 4), second.reshape(-1, 4)]).astype(np.float32)


def numbers_of(chain: list[Maps]) -> Floats:
    """Return what is trained of levels, from maps: float32 [NUMBERS, texels]."""
    parts = []
    for m in chain:
        slope = m.normal[..., :2] / np.maximum(m.normal[..., 2:], LEAST_Z)
        rows = [m.albedo.clip(0, 1).reshape(-1, 3).T,
                slope.clip(-STEEPEST, STEEPEST).reshape(-1, 2).T,
                m.roughness.clip(SMALLEST_ROUGHNESS, 1).reshape(1, -1),
                m.metallic.clip(0, 1).reshape(1, -1)]  # fmt: skip
        parts.append(np.concatenate(rows))
    return np.concatenate(parts, axis=1).astype(np.float32)


def chain_of(values: Floats, levels: Levels) -> list[Maps]:
    """Return levels 1 and on as maps, from their numbers [NUMBERS, texels]."""
    assert values.shape == (NUMBERS, levels.texels)
    chain = []
    for level in range(1, len(levels.sizes)):
        width, height = levels.sizes[level]
        first = levels.first(level)
        numbers = values[:, first : first + width * height].reshape(NUMBERS, height, width)
        up = np.ones_like(numbers[:1])
        normal = unit(np.moveaxis(np.concatenate([numbers[3:5], up]), 0, 2))
        albedo = np.ascontiguousarray(np.moveaxis(numbers[:3], 0, 2))
        chain.append(Maps(albedo, normal, numbers[5].copy(), numbers[6].copy()))
    return chain


@dataclass(frozen=True)
class Judged:
    """How wrong each level is by each method: ``errors[kind][method][level - 1]`` by MEASURES."""

    errors: dict[str, dict[str, list[dict[str, float]]]]

    def mean(self, method: str, measure: str = "symmetric") -> list[float]:
        """Return a measure of each level, the mean over the kinds of pairs."""
        kinds = [self.errors[kind][method] for kind in KINDS]
        return [float(np.mean([row[measure] for row in rows])) for rows in zip(*kinds, strict=True)]


def judge(engine: MipEngine, chains: dict[str, Floats], recipe: MipmapsRecipe, seed: int) -> Judged:
    """Return how wrong ``chains`` are under pairs that ``seed`` draws: half of the pool's size.

    The engine's own numbers are left as they were.
    """
    count = max(1, engine.training.pool // 2)
    kept, errors = engine.values(), {}
    for kind, mirror in KINDS.items():
        engine.set_pool(draw_pairs(count, mirror, recipe.lowest, seed + recipe.seed))
        errors[kind] = {}
        for method, values in chains.items():
            engine.set_values(values)
            errors[kind][method] = engine.judge(count)
    engine.set_values(kept)
    return Judged(errors)


def best_methods(judged: Judged) -> list[str]:
    """Return for each level which method is least wrong, the trained one where it is a tie."""
    means = {method: judged.mean(method) for method in reversed(METHODS)}
    return [min(means, key=lambda method: means[method][i]) for i in range(len(means[TRAINED]))]


def combined(chains: dict[str, Any], best: list[str]) -> list[Maps]:
    """Return the chain that takes each level from its best method."""
    return [chains[method][level] for level, method in enumerate(best)]
