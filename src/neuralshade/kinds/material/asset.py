"""Asset of a fitted material: 8-bit feature map, lobes and decoder in float16.

Tensors:
- ``features``, uint8 [texels, features]: the map row by row, level after level, finest first.
  code / 255 is the position in the number's range.
- ``range``, float32 [2, features]: the values of codes 0 and 255.
- ``lobes.weight``, ``lobes.bias``: the read-out.
- ``decoder.N.weight`` [outputs, inputs], ``decoder.N.bias``.
- ``sampler.N.weight``, ``sampler.N.bias``: the network that weighs the lobes to draw from.
All but the first two are float16.

``material`` in the header: name, side of the map in texels, digest of the reference, notes; the
``element`` of a document; ``varied`` inputs, if any (varied.py); ``levels``, an entry for each
(mip_judge.py), absent if the map has one; ``shared``, how many of the decoder's first layers may be
shared, and their digest (shared.py).

Two RGBA8 textures with mips hold a map of eight features without conversion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.rules import BREAKS, CURVE, DIGEST, SIDE, STEPS
from neuralshade.asset.schema import Form, ListOf, Number, ObjectOf, Rule, Text
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.material.field import MaterialEncoding, build_field, encoding_of
from neuralshade.kinds.material.levels import level_codes, texel_count
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.varied import MOST_VARIED
from neuralshade.model.field import Field
from neuralshade.model.lobe_sampler import LobeSampler

MOST_MEASURE = 1e6  # stored numbers are clamped to it
MEASURE = Number(-MOST_MEASURE, MOST_MEASURE)
# Measures that assets of earlier versions lack; see measures.py and noise.py.
MEASURED = ("flip", "smape_uniform", "smape_half", "smape_highlight", "l1_uniform", "l1_half",
            "l1_highlight", "bias", "albedo_mean", "albedo_p95", "albedo_grazing",
            "albedo_most", "teacher_albedo_most", "reciprocity",
            "teacher_reciprocity")  # fmt: skip
NOISE = Number(0, MOST_MEASURE)  # standard deviation over mean
NOISES = ("noise_cosine", "noise_lobes", "noise_sampler")
ERROR = Number(0, 1)  # a symmetric one
LEVEL = ObjectOf({"side": SIDE, "kept": Text(choices=("trained", "filtered")), "error": ERROR,
               "finest": ERROR},
              {"trained": ERROR, "filtered": ERROR})  # fmt: skip
END = Number(-1e30, 1e30)
VARIED = ObjectOf({"name": Text(), "low": END, "high": END, "default": END})
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
RANGE = ("low", "high")


def parameters_of(field: Field) -> dict[str, torch.Tensor]:
    """Return the parameters of read-out and decoder by tensor name."""
    read = encoding_of(field).lobes.read
    network = field.network.named_parameters()
    return {**{f"lobes.{name}": getattr(read, name) for name in ("weight", "bias")},
            **{name.replace("layers.", "decoder."): p for name, p in network}}  # fmt: skip


def recipe_facts(recipe: MaterialRecipe) -> dict[str, Any]:
    """Return the recipe as a header stores it: ``vary`` only if inputs are varied."""
    return {name: value for name, value in to_dict(recipe).items() if name != "vary" or value}


def pack_field(field: Field) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a field, its feature map rounded to codes."""
    encoding = encoding_of(field)
    ends = [encoding.get_buffer(name).cpu().numpy() for name in RANGE]
    tensors = {"features": encoding.grid.codes(), "range": np.stack(ends)}
    for name, parameter in parameters_of(field).items():
        tensors[name] = parameter.detach().cpu().half().numpy()
    return tensors


def sampler_parameters(sampler: LobeSampler) -> dict[str, torch.nn.Parameter]:
    """Return a sampler's parameters by tensor name."""
    return {name.replace("network.layers.", "sampler."): parameter
            for name, parameter in sampler.named_parameters()}  # fmt: skip


def pack_sampler(sampler: LobeSampler) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a sampler."""
    return {n: p.detach().cpu().half().numpy() for n, p in sampler_parameters(sampler).items()}


def field_forms(recipe: MaterialRecipe, side: int, levels: int = 1) -> Mapping[str, Form]:
    """Return the forms of the tensors of a recipe, without allocating them."""
    with torch.device("meta"):
        field = build_field(recipe, side, None)
        sampler = LobeSampler(recipe.features, recipe.lobes, recipe.varied_count, rng=None)
    forms: dict[str, Form] = {
        "features": ("uint8", (texel_count(side, levels), recipe.features)),
        "range": ("float32", (2, recipe.features)),
    }
    halves = {**parameters_of(field), **sampler_parameters(sampler)}
    return forms | {n: ("float16", tuple(p.shape)) for n, p in halves.items()}


@torch.no_grad()
def stored_field(
    recipe: MaterialRecipe, side: int, tensors: Mapping[str, npt.NDArray[Any]]
) -> Field:
    """Return the field of tensors that have the right forms: float32, all levels."""
    levels = len(level_codes(tensors["features"], side))
    field = build_field(recipe, side, None, levels)
    encoding: MaterialEncoding = encoding_of(field)
    encoding.grid.set_codes(tensors["features"])
    for name, values in zip(RANGE, tensors["range"], strict=True):
        encoding.get_buffer(name).copy_(torch.from_numpy(values))
    for name, parameter in parameters_of(field).items():
        parameter.copy_(torch.from_numpy(tensors[name]).float())
    return field


@torch.no_grad()
def stored_sampler(
    recipe: MaterialRecipe, tensors: Mapping[str, npt.NDArray[Any]]
) -> LobeSampler:  # fmt: skip
    """Return the sampler of tensors that have the right forms, in float32."""
    sampler = LobeSampler(recipe.features, recipe.lobes, recipe.varied_count,
                          rng=None)  # fmt: skip
    for name, parameter in sampler_parameters(sampler).items():
        parameter.copy_(torch.from_numpy(tensors[name]).float())
    return sampler
