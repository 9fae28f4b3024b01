"""Byte budget of latent grids: file size by layout, and the layout for a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.layout import (
    Shapes,
    decoder_bits,
    layout_distance,
    layout_text,
    rate_of,
    stored_levels,
)
from neuralshade.kinds.textures.recipe import GRID_LIMITS, GridShape, TexturesRecipe
from neuralshade.model.widths import POSITION_WIDTH

HEADER_BYTES = 2700  # of a file, without its maps
MAP_BYTES = 350  # per map in the header: its coding, and its PSNR in every mip
NEAR = 0.01  # of the bytes, that a layout closer to a known one may leave unused


def file_bytes(
    shapes: Sequence[GridShape],
    sizes: Sequence[tuple[int, int]],
    channels: int,
    maps: int,
    recipe: TexturesRecipe,
) -> int:
    """Return the approximate file size: exact but for the header's text."""
    decoder = decoder_bytes(inputs_of(shapes), channels, recipe, decoder_bits(recipe, shapes))
    return latent_bytes(shapes, sizes) + decoder + header_bytes(maps)


def header_bytes(maps: int) -> int:
    """Return the approximate size of a header's text."""
    return HEADER_BYTES + MAP_BYTES * maps


def memory_bytes(
    shapes: Sequence[GridShape],
    sizes: Sequence[tuple[int, int]],
    channels: int,
    recipe: TexturesRecipe,
) -> int:
    """Return the bytes in a GPU's memory: packed codes of all levels, the decoder in float16."""
    decoder = decoder_bytes(inputs_of(shapes), channels, recipe, 16)
    return latent_bytes(shapes, sizes) + decoder


def latent_bytes(shapes: Sequence[GridShape], sizes: Sequence[tuple[int, int]]) -> int:
    """Return the bytes of packed codes of all levels."""
    latents = 0
    for shape, levels in zip(shapes, stored_levels(sizes, shapes), strict=True):
        codes = sum(width * height for width, height in levels) * shape.features
        latents += -(-codes * shape.bits // 8)
    return latents


def inputs_of(shapes: Sequence[GridShape]) -> int:
    """Return the number of a decoder's inputs."""
    return sum(shape.features for shape in shapes) + POSITION_WIDTH


def decoder_bytes(inputs: int, channels: int, recipe: TexturesRecipe, bits: int) -> int:
    """Return the bytes of a decoder with 8 or 16 bits per weight."""
    width, layers = recipe.hidden_width, recipe.hidden_layers
    weights = inputs * width + (layers - 1) * width * width + width * channels
    biases = layers * width + channels
    if bits == 16:
        return 2 * (weights + biases)
    return weights + (2 + 4) * biases  # each row has a float32 step


def grids_for(
    byte_count: int,
    sizes: Sequence[tuple[int, int]],
    channels: int,
    maps: int,
    recipe: TexturesRecipe,
    tried: tuple[Shapes, ...],
) -> str:
    """Return the ``grids`` of a recipe for a file of ``byte_count`` bytes at most.

    Among those that use nearly all of them, the closest to one of the layouts ``tried``.

    Raises: ConfigError where not even the fewest latents fit.
    """
    most_rate = 8 * byte_count / (sizes[0][0] * sizes[0][1])  # without deeper mips and decoder
    found: list[tuple[int, float, Shapes]] = []
    for known in tried:
        counts = range(1, GRID_LIMITS[1] + 1)
        for features in product(counts, repeat=len(known)):
            pairs = zip(known, features, strict=True)
            shapes = tuple(replace(shape, features=count) for shape, count in pairs)
            if rate_of(shapes) > most_rate:
                continue
            size = file_bytes(shapes, sizes, channels, maps, recipe)
            if size <= byte_count:
                found.append((size, layout_distance(shapes, known), shapes))
    if not found:
        least = tuple(replace(shape, features=1) for shape in tried[0])
        need = file_bytes(least, sizes, channels, maps, recipe)
        raise ConfigError(f"bytes: got {byte_count:,}, need about {need:,} or more for such a set "
                          "and decoder. Give more, or a smaller --hidden-width.")  # fmt: skip
    most = max(size for size, _, _ in found)
    near = [one for one in found if one[0] >= (1 - NEAR) * most]
    best = min(near, key=lambda one: one[1])[2]
    return layout_text(best)
