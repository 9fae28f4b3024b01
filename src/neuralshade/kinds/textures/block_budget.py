"""Byte budget of BC1 latents: file size by layout, and the layout for a size."""

from __future__ import annotations

from collections.abc import Sequence

from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.block_shape import (
    BlockShape,
    blocks_rate,
    candidates,
    level_bytes,
    level_sizes,
)
from neuralshade.kinds.textures.byte_budget import decoder_bytes, header_bytes
from neuralshade.kinds.textures.layout import decoder_bits
from neuralshade.kinds.textures.recipe import TexturesRecipe


def block_file_bytes(
    shapes: Sequence[BlockShape],
    sizes: Sequence[tuple[int, int]],
    channels: int,
    maps: int,
    recipe: TexturesRecipe,
) -> int:
    """Return the approximate file size: exact but for the header's text."""
    textures = sum(
        shape.textures * level_bytes(level_sizes(sizes[0], len(sizes), shape.scale))
        for shape in shapes
    )
    inputs = sum(shape.features for shape in shapes)
    decoder = decoder_bytes(inputs, channels, recipe, decoder_bits(recipe))
    return textures + decoder + header_bytes(maps)


def blocks_for_bytes(
    byte_count: int,
    sizes: Sequence[tuple[int, int]],
    channels: int,
    maps: int,
    recipe: TexturesRecipe,
) -> str:
    """Return the ``grids`` of a recipe with ``latents=bc1`` for a file of ``byte_count`` at most.

    Raises: ConfigError where not even the fewest textures fit.
    """
    fitting: list[tuple[BlockShape, ...]] = []
    needed: list[int] = []
    for shapes in candidates():
        needed.append(block_file_bytes(shapes, sizes, channels, maps, recipe))
        if needed[-1] <= byte_count:
            fitting.append(shapes)
    if not fitting:
        raise ConfigError(f"bytes: got {byte_count:,}, need about {min(needed):,} or more for such "
                          "a set and decoder with latents=bc1. Give more, or a smaller "
                          "--hidden-width.")  # fmt: skip
    best = max(fitting, key=blocks_rate)
    return ",".join(f"{shape.scale}:{shape.textures}" for shape in best)
