"""Asset of a fitted material: 8-bit feature map, lobes and decoder in float16.

Tensors:
- ``features``, uint8 [texels, features]: the map row by row, level after level, finest first.
  code / 255 is the position in the number's range.
- or ``blocks``, uint8 [blocks, features / 4, 16], if ``latents`` of the recipe is bc7: BC7 blocks
  of modes 4 and 6, row by row, level after level; a texture for each four numbers.
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

import numpy.typing as npt
import torch

from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.material.field import (
    MaterialEncoding,
    as_decoded,
    build_field,
    encoding_of,
)
from neuralshade.kinds.material.map_blocks import compress_map
from neuralshade.kinds.material.map_rows import codes_of, level_rows, named, rows_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.model.field import Field
from neuralshade.model.lobe_sampler import LobeSampler

RANGE = ("low", "high")
READERS = ("lobes.weight", "decoder.0.weight")  # of latents


def parameters_of(field: Field) -> dict[str, torch.Tensor]:
    """Return the parameters of read-out and decoder by tensor name."""
    read = encoding_of(field).lobes.read
    network = field.network.named_parameters()
    return {**{f"lobes.{name}": getattr(read, name) for name in ("weight", "bias")},
            **{name.replace("layers.", "decoder."): p for name, p in network}}  # fmt: skip


def recipe_facts(recipe: MaterialRecipe) -> dict[str, Any]:
    """Return the recipe as a header stores it: ``vary`` and ``latents`` only if they are set.

    So earlier versions read files that have neither.
    """
    usual = {"vary": "", "latents": "plain"}
    return {name: value for name, value in to_dict(recipe).items()
            if name not in usual or value != usual[name]}  # fmt: skip


def pack_field(field: Field, *, compresses: bool = True) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a field, its feature map rounded to codes or compressed to blocks.

    ``compresses``: False leaves blocks out that would have to be found first, and gives codes.
    """
    encoding = encoding_of(field)
    blocks = encoding.blocks
    if blocks is None and encoding.compressed and compresses:
        blocks = compress_map(field)
    rows, ends = (encoding.grid.codes(), encoding.ends()) if blocks is None else (
        blocks.rows, blocks.ends)  # fmt: skip
    tensors = {**named(rows), "range": ends.cpu().numpy()}
    for name, parameter in parameters_of(field).items():
        numbers = parameter.detach().cpu()
        if blocks is not None and name in READERS:
            numbers = blocks.unmixed(numbers)
        tensors[name] = numbers.half().numpy()
    return tensors


def sampler_parameters(sampler: LobeSampler) -> dict[str, torch.nn.Parameter]:
    """Return a sampler's parameters by tensor name."""
    return {name.replace("network.layers.", "sampler."): parameter
            for name, parameter in sampler.named_parameters()}  # fmt: skip


def pack_sampler(sampler: LobeSampler) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a sampler."""
    return {n: p.detach().cpu().half().numpy() for n, p in sampler_parameters(sampler).items()}


@torch.no_grad()
def stored_field(
    recipe: MaterialRecipe, side: int, tensors: Mapping[str, npt.NDArray[Any]]
) -> Field:
    """Return the field of tensors that have the right forms: float32, all levels.

    Blocks are decompressed.
    """
    rows = rows_of(tensors)
    field = build_field(as_decoded(recipe), side, None, len(level_rows(rows, side)))
    encoding: MaterialEncoding = encoding_of(field)
    encoding.grid.set_codes(codes_of(rows, side))
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
