"""Latent layout: grids by rate, and the levels that serve each mip."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from neuralshade.kinds.textures.block_shape import BlockShape, blocks_of, parse_blocks
from neuralshade.kinds.textures.recipe import (
    FEW_BITS,
    GRID_LIMITS,
    ROUGH_BITS,
    GridShape,
    TexturesRecipe,
    parse_grids,
)

if TYPE_CHECKING:
    import torch

    from neuralshade.model.composite import Composite

MANY_BITS = 12.0  # per texel, above which latents take smaller steps
SPARED = 0.03  # of a rate, that a layout closer to a known one may leave unused

Shapes = tuple[GridShape, ...]
# The best of those tried at each rate, finest first, for the two classes of sets of spectrum.py,
# rate by rate; see docs/textures.md. At 2.5 and 5 bits smooth ones leave room for a decoder of 16
# bits. While they train on GPUs, more than two features take the place of a multiple of four.
ROUGH = (
    (GridShape(4, 4, 2), GridShape(8, 16, 2), GridShape(16, 7, 4)),
    (GridShape(2, 2, 2), GridShape(4, 8, 2), GridShape(8, 16, 2)),
    (GridShape(2, 7, 2), GridShape(4, 8, 2), GridShape(8, 8, 4)),
    (GridShape(2, 16, 2), GridShape(4, 12, 2), GridShape(8, 8, 3)),
    (GridShape(1, 4, 3), GridShape(2, 8, 3), GridShape(4, 6, 5)),
)
SMOOTH = (
    (GridShape(4, 4, 2), GridShape(8, 16, 2), GridShape(16, 7, 4)),
    (GridShape(4, 8, 4), GridShape(8, 4, 4), GridShape(16, 14, 4)),
    (GridShape(2, 4, 3), GridShape(4, 8, 2), GridShape(8, 12, 5)),
    (GridShape(2, 10, 3), GridShape(4, 8, 4), GridShape(8, 8, 3)),
    (GridShape(1, 3, 4), GridShape(2, 4, 4), GridShape(4, 12, 5)),
)
# Layouts of files that name only a rate: since 25 November 2026 fits name their grids.
OLDER = (
    (GridShape(4, 4, 2), GridShape(8, 8, 4), GridShape(16, 7, 4)),
    (GridShape(4, 8, 4), GridShape(8, 4, 4), GridShape(16, 16, 4)),
    (GridShape(2, 4, 3), GridShape(4, 4, 4), GridShape(8, 16, 4)),
    (GridShape(2, 10, 3), GridShape(4, 7, 4), GridShape(8, 12, 4)),
    (GridShape(1, 2, 4), GridShape(2, 8, 4), GridShape(4, 16, 4)),
)


def rate_of(shapes: Sequence[GridShape]) -> float:
    """Return the nominal rate in bits per texel of mip 0."""
    return sum(shape.rate for shape in shapes)


def layout_text(shapes: Sequence[GridShape]) -> str:
    """Return the text of grids for a recipe."""
    return ",".join(f"{shape.scale}:{shape.features}:{shape.bits}" for shape in shapes)


def latent_rate(recipe: TexturesRecipe) -> float:
    """Return Adam's step size of latents: with many fine codes, 0.1 never settles."""
    if recipe.latent_rate:
        return recipe.latent_rate
    many = recipe.latents == "plain" and rate_of(shapes_for(recipe)) > MANY_BITS
    return 0.025 if many else 0.1


def decoder_bits(recipe: TexturesRecipe, shapes: Sequence[GridShape] = ()) -> int:
    """Return the bits per weight of the decoder in a fit's file: 8 or 16.

    ``shapes``: grids in place of the recipe's.
    """
    if recipe.network_bits:
        return recipe.network_bits
    if recipe.latents != "plain":
        return 16
    grids = shapes or shapes_for(recipe)
    return 8 if rate_of(grids) <= FEW_BITS and grids[0].bits <= ROUGH_BITS else 16


def shapes_for(recipe: TexturesRecipe) -> Shapes:
    """Return the grids that a recipe names, or those of its rate in an older file."""
    return parse_grids(recipe.grids) or shapes_of(recipe.bpp, OLDER)


def blocks_for(recipe: TexturesRecipe) -> tuple[BlockShape, ...]:
    """Return the textures that a recipe names, or those for its rate."""
    return parse_blocks(recipe.grids) or blocks_of(recipe.bpp)


def with_grids(recipe: TexturesRecipe, tried: tuple[Shapes, ...]) -> TexturesRecipe:
    """Return a fit's recipe with named grids, which readers of the file need.

    ``tried``: layouts for the set, from which the rate selects.
    """
    return replace(recipe, grids=layout_text(shapes_of(recipe.bpp, tried)))


@lru_cache(64)
def shapes_of(bpp: float, tried: tuple[Shapes, ...]) -> Shapes:
    """Return the grids for a nominal rate: at most ``bpp`` bits per texel of mip 0.

    Between the rates of ``tried`` the finest grid of a neighbor gets more or fewer features; where
    that would leave more than SPARED of the bits unused, the second one, too, and then the third.
    """
    candidates: list[tuple[float, Shapes]] = []
    for free in (1, 2, 3):
        candidates = [one for known in tried for one in _neighbors(known, free)]
        below = [one for one in candidates if rate_of(one[1]) <= bpp * (1 + 5e-3)]
        best = max((rate_of(shapes) for _, shapes in below), default=0.0)
        if best >= (1 - SPARED) * bpp:
            break
    if not below:
        return min((shapes for _, shapes in candidates), key=rate_of)
    near = [one for one in below if rate_of(one[1]) > (1 - SPARED) * best]
    return min(near, key=lambda one: one[0])[1]


def _neighbors(known: Shapes, free: int) -> Iterator[tuple[float, Shapes]]:
    """Yield ``known`` with other features in its first ``free`` grids, and the distance to it."""
    counts = range(1, GRID_LIMITS[1] + 1)
    tried = [
        [replace(shape, features=count) for count in counts] if index < free else [shape]
        for index, shape in enumerate(known)
    ]
    for shapes in product(*tried):
        yield layout_distance(shapes, known), shapes


def layout_distance(shapes: Sequence[GridShape], known: Sequence[GridShape]) -> float:
    """Return the distance of grids' features to those of a known layout."""
    pairs = zip(shapes, known, strict=True)
    return sum(abs(math.log(shape.features / own.features)) for shape, own in pairs)


def served_first(scale: int, mips: int) -> list[int]:
    """Return, for each mip, the finest mip that the same levels of all grids serve.

    ``scale``: of the finest grid. Its first level serves log2(scale) + 3 mips, later ones two
    each: where a texel covers many latents, more levels add the least.
    """
    first = round(math.log2(scale)) + 3
    return [0 if mip < first else (mip - first) // 2 * 2 + 2 for mip in range(mips)]


def stored_levels(
    sizes: Sequence[tuple[int, int]], shapes: Sequence[GridShape]
) -> list[list[tuple[int, int]]]:
    """Return width and height of the stored levels of each grid, for mips of ``sizes``."""
    stored = sorted(set(served_first(shapes[0].scale, len(sizes))))
    found = []
    for shape in shapes:
        across, down = (-(-side // shape.scale) for side in sizes[0])
        found.append([(max(1, across >> first), max(1, down >> first)) for first in stored])
    return found


def build_encoding(
    sizes: Sequence[tuple[int, int]],
    shapes: Sequence[GridShape],
    wraps: bool,
    rng: torch.Generator | None,
) -> Composite:
    """Return the encoding of (u, v, mip) for mips of ``sizes``, mip 0 first."""
    from neuralshade.model.composite import Composite
    from neuralshade.model.latent_grid import LatentGrid
    from neuralshade.model.latent_position import LatentPosition

    served = served_first(shapes[0].scale, len(sizes))
    stored = sorted(set(served))
    serves = [stored.index(first) for first in served]
    parts: list[LatentGrid | LatentPosition] = []
    for shape, levels in zip(shapes, stored_levels(sizes, shapes), strict=True):
        parts.append(LatentGrid(levels, serves, shape.features, shape.bits, wraps=wraps, rng=rng))
    return Composite([*parts, LatentPosition(sizes, served)])
