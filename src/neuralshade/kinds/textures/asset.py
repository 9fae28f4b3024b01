"""File form of a fitted texture set: packed codes, the decoder, and the header's maps.

Tensors: ``latents.N`` uint8, the codes of grid N (0 the finest), its levels one after the other,
row by row, the features of a latent together, packed at the grid's bits, lowest bit first. Where
latents are BC1 textures ``latents.N`` is uint8 [blocks, 8], texture N as in a DDS file.
``decoder.N.weight`` [outputs, inputs] and ``decoder.N.bias`` are float16; where ``network_bits``
is 8, weights are int8 beside ``decoder.N.weight.scale`` float32 [outputs], their steps.
``textures`` of a header: name, width and height of mip 0, mips, maps (see MapCoding), notes, and a
digest of the fitted maps. ``quality``: psnr_db, the mean over the maps at mip 0, and for each map
that of every mip.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset import tensors as tensors_of
from neuralshade.kinds.textures.engine import latent_grids
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.schema import DECODER, LAYERS
from neuralshade.model.block_grid import BlockGrid
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP


def pack_bits(codes: npt.NDArray[np.uint8], bits: int) -> npt.NDArray[np.uint8]:
    """Return codes of ``bits`` bits packed, the lowest bit first: uint8 [bytes]."""
    flat = np.ascontiguousarray(codes).reshape(-1)
    words = np.zeros(-(-flat.size // 8), "<u8")  # 8 codes of n bits fill n bytes
    words.view(np.uint8)[: flat.size] = flat
    width, lanes = bits, 8
    while lanes < 64:  # joins neighbors, each pair in the place of the lower one
        low = sum((2**width - 1) << at for at in range(0, 64, 2 * lanes))
        upper = words >> np.uint64(lanes - width)
        upper &= np.uint64(low << width)
        words &= np.uint64(low)
        words |= upper
        width, lanes = 2 * width, 2 * lanes
    packed = words.view(np.uint8).reshape(-1, 8)[:, :bits].reshape(-1)
    return packed[: -(-flat.size * bits // 8)]


def unpack_bits(packed: npt.NDArray[np.uint8], bits: int, count: int) -> npt.NDArray[np.uint8]:
    """Return the first ``count`` codes from packed bytes: uint8 [count]."""
    groups = -(-count // 8)  # 8 codes of n bits fill n bytes
    whole = np.zeros((groups, 8), np.uint8)
    tail = np.zeros(groups * bits, np.uint8)
    tail[: len(packed)] = packed[: groups * bits]
    whole[:, :bits] = tail.reshape(groups, bits)
    words, codes = whole.view("<u8")[:, 0], np.empty((groups, 8), np.uint8)
    for code in range(8):  # the upper bits of the lowest byte belong to other codes
        codes[:, code] = (words >> np.uint64(code * bits)).astype(np.uint8)
    codes &= np.uint8(2**bits - 1)
    return codes.reshape(-1)[:count]


def pack_field(field: Field) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a field, with rounded latents."""
    tensors: dict[str, npt.NDArray[Any]] = {}
    for grid in latent_grids(field):
        if isinstance(grid, BlockGrid):
            from neuralshade.kinds.textures.blocks import pack_blocks

            parts = pack_blocks(grid)
        else:
            parts = [pack_bits(grid.codes(), grid.bits)]
        for part in parts:
            tensors[f"latents.{len(tensors)}"] = part
    for name, numbers in tensors_of.pack_field(stored_network(field)).items():
        tensors[name.replace(LAYERS, DECODER)] = numbers
    return tensors


def stored_network(field: Field) -> MLP:
    """Return a copy of the decoder with layers rounded as in a file: to 16 bits at most."""
    network = copy.deepcopy(field.network)
    for layer in network.members:
        layer.bits = min(layer.bits, 16)
    return network


@torch.no_grad()
def round_decoder(field: Field) -> None:
    """Round the numbers of a field's decoder as a file will."""
    rounded = stored_network(field)
    for layer, stored in zip(field.network.members, rounded.members, strict=True):
        weight, bias = stored.stored()
        assert layer.bias is not None and bias is not None
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)


@torch.no_grad()
def stored_field(
    recipe: TexturesRecipe,
    size: tuple[int, int],
    channels: int,
    tensors: Mapping[str, npt.NDArray[Any]],
) -> Field:
    """Return the field of tensors that have the right forms, in float32.

    Raises: AssetError for BC1 blocks that no fit makes.
    """
    field = build_field(recipe, size, channels, None)
    index = 0
    for grid in latent_grids(field):
        if isinstance(grid, BlockGrid):
            from neuralshade.kinds.textures.blocks import unpack_blocks

            unpack_blocks(grid, [tensors[f"latents.{index + i}"] for i in range(grid.textures)])
            index += grid.textures
            continue
        codes = unpack_bits(tensors[f"latents.{index}"], grid.bits, grid.texels.numel())
        grid.set_codes(codes.reshape(grid.texels.shape))
        index += 1
    field.network = stored_network(field)
    decoder = {name.replace(DECODER, f"network.{LAYERS}"): numbers
               for name, numbers in tensors.items() if name.startswith(DECODER)}  # fmt: skip
    tensors_of.unpack_field(field, decoder, "decoder")
    return field
