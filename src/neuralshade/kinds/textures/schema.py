"""Header rules and forms of tensors of a fitted texture set; see asset.py."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from neuralshade.asset.rules import CURVE, DIGEST, SIDE, STEPS
from neuralshade.asset.schema import (
    AnyOf,
    Form,
    ListOf,
    MapOf,
    Number,
    ObjectOf,
    Rule,
    Text,
    stored_form,
)
from neuralshade.kinds.textures.block_shape import BLOCK_BYTES, level_bytes, level_sizes
from neuralshade.kinds.textures.byte_budget import inputs_of
from neuralshade.kinds.textures.channels import LONGEST_NAME, MOST_CHANNELS, MOST_MAPS
from neuralshade.kinds.textures.layout import blocks_for, shapes_for, stored_levels
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.model.widths import mlp_shapes
from neuralshade.source.material_mips import mip_sizes

LAYERS, DECODER = "layers.", "decoder."  # prefixes of parameters and of their tensors
MOST_MIPS = 25
MEANINGS = ("srgb", "linear", "normal", "data")
DECIBELS = Number(-1e6, 1e6)
MAP_RULE = ObjectOf({
    "name": Text(LONGEST_NAME), "meaning": Text(choices=MEANINGS),
    "channels": Number(1, 3, whole=True), "bits": Number(8, 32, whole=True),
    "first": Number(0, MOST_CHANNELS, whole=True),
    "curve": Text(choices=("none", "srgb", "log", "mask")), "low": Number(-1e30, 1e30),
    "high": Number(-1e30, 1e30),
    "constant": AnyOf((ListOf(Number(-1e30, 1e30), 1, 3), Text(0, or_none=True)),
                      "a list of 1 to 3 numbers, or nothing"),
})  # fmt: skip
TEXTURES_RULE = ObjectOf(
    {"name": Text(), "width": SIDE, "height": SIDE, "mips": Number(1, MOST_MIPS, whole=True),
     "maps": ListOf(MAP_RULE, 1, MOST_MAPS), "notes": ListOf(Text(2**16)), "digest": DIGEST},
)  # fmt: skip
RULES: dict[str, Rule] = {
    "textures": TEXTURES_RULE,
    "training": ObjectOf({**STEPS, "curve": CURVE}),
    "quality": ObjectOf({"psnr_db": DECIBELS, "maps": MapOf(ListOf(DECIBELS, 1, MOST_MIPS))}),
}


def packed_size(count: int, bits: int) -> int:
    """Return the bytes of ``count`` packed codes."""
    return -(-count * bits // 8)


def latent_counts(recipe: TexturesRecipe, size: tuple[int, int]) -> list[int]:
    """Return how many codes each grid of plain latents has, the finest first."""
    shapes = shapes_for(recipe)
    levels = stored_levels(mip_sizes(*size, recipe.mips or None), shapes)
    return [sum(width * height for width, height in of_grid) * shape.features
            for shape, of_grid in zip(shapes, levels, strict=True)]  # fmt: skip


def decoder_shapes(recipe: TexturesRecipe, channels: int) -> Mapping[str, tuple[int, ...]]:
    """Return the shapes of the decoder's parameters, by the names of its tensors."""
    if recipe.latents == "bc1":
        inputs = sum(shape.features for shape in blocks_for(recipe))
    else:
        inputs = inputs_of(shapes_for(recipe))
    shapes = mlp_shapes(inputs, channels, recipe.hidden_layers, recipe.hidden_width)
    return {name.replace(LAYERS, DECODER): shape for name, shape in shapes.items()}


def decoder_count(recipe: TexturesRecipe, channels: int) -> int:
    """Return how many trained numbers the decoder has."""
    return sum(map(prod, decoder_shapes(recipe, channels).values()))


def field_forms(recipe: TexturesRecipe, size: tuple[int, int], channels: int) -> Mapping[str, Form]:
    """Return the forms of the tensors that a recipe makes, without allocating them."""
    if recipe.latents == "bc1":
        sizes = mip_sizes(*size, recipe.mips or None)
        latents: list[Form] = []
        for shape in blocks_for(recipe):
            levels = level_sizes(sizes[0], len(sizes), shape.scale)
            form: Form = ("uint8", (level_bytes(levels) // BLOCK_BYTES, BLOCK_BYTES))
            latents += [form] * shape.textures
    else:
        counts = zip(latent_counts(recipe, size), shapes_for(recipe), strict=True)
        latents = [("uint8", (packed_size(count, shape.bits),)) for count, shape in counts]
    forms = {f"latents.{index}": form for index, form in enumerate(latents)}
    for name, dims in decoder_shapes(recipe, channels).items():
        bits = 8 if recipe.network_bits == 8 and name.endswith("weight") else 16
        forms |= stored_form(name, dims, bits)
    return forms
