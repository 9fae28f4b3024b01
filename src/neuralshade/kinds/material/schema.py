"""Header rules and forms of tensors of a fitted material; see asset.py."""

from __future__ import annotations

from collections.abc import Mapping

from neuralshade.asset.rules import BREAKS, CURVE, DIGEST, SIDE, STEPS
from neuralshade.asset.schema import Form, ListOf, Number, ObjectOf, Rule, Text
from neuralshade.kinds.material.recipe import BLOCK_CHANNELS, BLOCK_SIDE, MaterialRecipe
from neuralshade.kinds.material.varied import MOST_VARIED
from neuralshade.model.widths import lobes_shapes, lobes_width, mlp_shapes, sampler_sizes

MOST_MEASURE = 1e6  # stored numbers are clamped to it
MEASURE = Number(-MOST_MEASURE, MOST_MEASURE)
# Measures that assets of earlier versions lack; see measures.py and noise.py.
MEASURED = ("flip", "smape_uniform", "smape_half", "smape_highlight", "l1_uniform", "l1_half",
            "l1_highlight", "bias", "albedo_mean", "albedo_p95", "albedo_grazing",
            "albedo_most", "teacher_albedo_most", "reciprocity",
            "teacher_reciprocity")  # fmt: skip
NOISE = Number(0, MOST_MEASURE)  # standard deviation over mean
METHODS = ("cosine", "lobes", "sampler")  # of drawing directions
NOISES = tuple(f"noise_{name}" for name in METHODS)
ERROR = Number(0, 1)  # a symmetric one
TRAINED, FILTERED = "trained", "filtered"  # how a level was made
LEVEL = ObjectOf({"side": SIDE, "kept": Text(choices=(TRAINED, FILTERED)), "error": ERROR,
               "finest": ERROR},
              {TRAINED: ERROR, FILTERED: ERROR})  # fmt: skip
END = Number(-1e30, 1e30)
VARIED = ObjectOf({"name": Text(), "low": END, "high": END, "default": END})
BLOCK_BYTES = 16  # of BC7
MOST_LEVELS = 25  # of the largest side
RULES: dict[str, Rule] = {
    "material": ObjectOf({"name": Text(), "side": SIDE, "digest": DIGEST,
                       "notes": ListOf(Text(2**16))},
                      {"element": Text(), "levels": ListOf(LEVEL, 1, MOST_LEVELS),
                       "shared": ObjectOf({"layers": Number(1, 4, whole=True), "digest": DIGEST}),
                       "varied": ListOf(VARIED, 1, MOST_VARIED)}),
    "training": ObjectOf({**STEPS, "curve": CURVE}, {"breaks": BREAKS}),
    "quality": ObjectOf({"psnr_db": MEASURE, "worst_db": MEASURE, "sky_db": MEASURE},
                     {**dict.fromkeys(MEASURED, MEASURE), **dict.fromkeys(NOISES, NOISE)}),
}  # fmt: skip


def level_sides(side: int) -> list[int]:
    """Return the side in texels of each level of a full chain, as textures have them."""
    return [max(1, side >> level) for level in range(side.bit_length())]


def texel_count(side: int, levels: int) -> int:
    """Return the number of texels of the first ``levels`` of a chain."""
    return sum(each * each for each in level_sides(side)[:levels])


def block_counts(side: int) -> list[int]:
    """Return the number of 4 x 4 blocks of each level of a full chain."""
    return [(-(-each // BLOCK_SIDE)) ** 2 for each in level_sides(side)]


def half_shapes(recipe: MaterialRecipe) -> Mapping[str, tuple[int, ...]]:
    """Return the shapes of read-out, decoder and sampler by tensor name: all are float16."""
    features, lobes, varied = recipe.features, recipe.lobes, recipe.varied_count
    inputs = lobes_width(features, lobes, recipe.lobe_inputs) + varied
    decoder = mlp_shapes(inputs, 3, recipe.hidden_layers, recipe.hidden_width)
    sampler = mlp_shapes(*sampler_sizes(features, lobes, varied))
    return {**{f"lobes.{name}": shape for name, shape in lobes_shapes(features, lobes).items()},
            **{name.replace("layers.", "decoder."): shape for name, shape in decoder.items()},
            **{name.replace("layers.", "sampler."): shape
               for name, shape in sampler.items()}}  # fmt: skip


def field_forms(recipe: MaterialRecipe, side: int, levels: int = 1) -> Mapping[str, Form]:
    """Return the forms of the tensors of a recipe, without allocating them."""
    texels: Form = ("uint8", (texel_count(side, levels), recipe.features))
    blocks = sum(block_counts(side)[:levels])
    textures: Form = ("uint8", (blocks, recipe.features // BLOCK_CHANNELS, BLOCK_BYTES))
    forms: dict[str, Form] = {
        **({"blocks": textures} if recipe.latents == "bc7" else {"features": texels}),
        "range": ("float32", (2, recipe.features)),
    }
    return forms | {name: ("float16", shape) for name, shape in half_shapes(recipe).items()}
