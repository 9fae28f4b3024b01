"""Assembly of a mip levels' fit: recipe to engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.mipmaps.engine import MipEngine, MipTraining
from neuralshade.kinds.mipmaps.kernels import (
    GROUP,
    NUMBERS,
    SMALLEST_ROUGHNESS,
    STEEPEST,
    LevelSizes,
    Skies,
    level_weights,
    levels_of,
)
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import LEAST_Z, Maps, unit
from neuralshade.model.microfacet import slang_name
from neuralshade.sampler.directions import draw_pairs, near_mirror
from neuralshade.sampler.sky import sky_pairs
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_mips import covered_levels, mip_levels

if TYPE_CHECKING:
    from neuralshade.source.texture_set import TextureSet

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
FAR = 5  # level from which the recipe's mirror_far weighs near-mirror pairs
PAIR_BYTES = 8  # of a pair's reference in each texel
MOST_POOL_BYTES = 2**31  # of all references held at once


def base_maps(textures: TextureSet, weighted: bool) -> Maps:
    """Return level 0; ``weighted``: its texels count by opacity, if it has one."""
    opacity = textures.opacity if weighted else None
    return Maps(textures.albedo, textures.normal, textures.roughness, textures.metallic, opacity)


def opacity_levels(opacity: Floats, weighted: bool, levels: LevelSizes) -> list[Floats]:
    """Return the levels of an opacity [H, W], from 0 on.

    If texels count by it, they keep its coverage, see ``covered_levels``; else they are means.
    """
    one = MaterialMap("opacity", opacity[..., None], "data")
    made = covered_levels if weighted else mip_levels
    return [level[..., 0] for level in made(one, len(levels.sizes))]


def with_opacity(chain: Sequence[Maps], opacity: Sequence[Floats] | None) -> list[Maps]:
    """Return levels with those of the opacity, if any."""
    if opacity is None:
        return [replace(maps, opacity=None) for maps in chain]
    return [replace(maps, opacity=one) for maps, one in zip(chain, opacity, strict=True)]


def chain_levels(textures: TextureSet, recipe: MipmapsRecipe) -> LevelSizes:
    """Return the sizes of the chain; ConfigError if there is nothing below level 0."""
    levels = levels_of(textures.width, textures.height, recipe.levels or None)
    if len(levels.sizes) < 2:
        raise ConfigError(f"{textures.name}: got maps of 1 x 1 texels, need larger ones. "
                          "Nothing lies below them.")  # fmt: skip
    return levels


def pool_for(recipe: MipmapsRecipe, levels: LevelSizes) -> int:
    """Return how many pairs' references are held at once: the recipe's, or what memory allows.

    A multiple of the pairs of a step, and at least those.
    """
    a_step = recipe.pairs + skies_of(recipe).pairs  # of one step
    most = MOST_POOL_BYTES // (PAIR_BYTES * levels.texels * a_step)
    return max(recipe.pairs, min(recipe.pool, most * recipe.pairs))


def skies_of(recipe: MipmapsRecipe) -> Skies:
    """Return the skies of a step: none if single lights are favored."""
    count = recipe.skies if recipe.favor == "all" and recipe.sky_weight > 0 else 0
    return Skies(count, recipe.sky_lights, recipe.sky_weight)


def pool_notes(recipe: MipmapsRecipe, levels: LevelSizes) -> tuple[str, ...]:
    """Return a note if the pool differs from the recipe's."""
    pool = pool_for(recipe, levels)
    if pool == recipe.pool:
        return ()
    sky_lights = pool // recipe.pairs * skies_of(recipe).pairs
    held = PAIR_BYTES * (pool + sky_lights) * levels.texels
    besides = " and their skies'" if sky_lights else ""
    return (f"pool: {recipe.pool} reduced to {pool}: so many pairs'{besides} references in "
            f"{levels.texels:,} texels take {held / 2**30:.1f} GB.",)  # fmt: skip


def near_weights(recipe: MipmapsRecipe) -> tuple[float, ...]:
    """Return the weight of a near-mirror pair against others at levels 1 to FAR.

    At level 1 it is 1, so that their weight is their share; also if there are no others.
    """
    if not 0 < recipe.mirror < 1:
        return (1.0,)
    weights = np.linspace(recipe.mirror, recipe.mirror_far, FAR)
    return tuple((weights / (1 - weights) / (recipe.mirror / (1 - recipe.mirror))).tolist())


def check_groups(levels: LevelSizes, most: int, name: str) -> None:
    """Raise DeviceError if all texels exceed one dispatch of ``most`` groups."""
    if -(-levels.texels // GROUP) > most:
        width, height = levels.sizes[0]
        raise DeviceError(
            f"maps: got {width} x {height} texels, need so few that all levels below have "
            f"{most * GROUP:,} or fewer on {name}. Use smaller maps, or --device cuda."
        )


def build_mip_engine(
    recipe: MipmapsRecipe, base: Maps, levels: LevelSizes, start: Floats, gpu: Gpu
) -> MipEngine:
    """Return the trainer of the levels, starting at ``start``; DeviceError if too large."""
    check_groups(levels, gpu.most_groups, gpu.name)
    training = MipTraining(
        recipe.pairs, pool_for(recipe, levels), recipe.reuse,
        (recipe.albedo_rate, recipe.slope_rate, recipe.roughness_rate, recipe.metallic_rate),
        (recipe.beta1, recipe.beta2), recipe.epsilon, slang_name(recipe.diffuse),
        near_weights(recipe), skies_of(recipe),
    )  # fmt: skip

    def pairs(pool: int, count: int) -> tuple[Floats, Bools]:
        seed = recipe.seed + pool
        return (
            draw_pairs(count, recipe.mirror, recipe.lowest, seed),
            near_mirror(count, recipe.mirror, seed),
        )

    def skies(pool: int, count: int) -> tuple[Floats, Floats]:
        return sky_pairs(recipe.sky_lights, count, recipe.lowest, recipe.seed + pool)

    weights = None if base.opacity is None else level_weights(base.opacity, levels)
    return MipEngine(gpu, levels, training, packed_base(base), start, pairs, skies, weights)


def packed_base(base: Maps) -> Floats:
    """Return level 0 in the kernels' layout: float32 [2, H * W, 4]."""
    first = np.dstack([base.albedo, base.roughness])
    second = np.dstack([base.normal, base.metallic])
    return np.stack([first.reshape(-1, 4), second.reshape(-1, 4)]).astype(np.float32)


def numbers_of(chain: list[Maps]) -> Floats:
    """Return the trained numbers of levels, from maps: float32 [NUMBERS, texels]."""
    parts = []
    for m in chain:
        slope = m.normal[..., :2] / np.maximum(m.normal[..., 2:], LEAST_Z)
        rows = [m.albedo.clip(0, 1).reshape(-1, 3).T,
                slope.clip(-STEEPEST, STEEPEST).reshape(-1, 2).T,
                m.roughness.clip(SMALLEST_ROUGHNESS, 1).reshape(1, -1),
                m.metallic.clip(0, 1).reshape(1, -1)]  # fmt: skip
        parts.append(np.concatenate(rows))
    return np.concatenate(parts, axis=1).astype(np.float32)


def chain_of(values: Floats, levels: LevelSizes) -> list[Maps]:
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
