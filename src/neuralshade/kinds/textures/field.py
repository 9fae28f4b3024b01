"""Field of a texture set: latents and decoder before training."""

from __future__ import annotations

import torch

from neuralshade.kinds.textures.layout import blocks_for, build_encoding, shapes_for
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.source.material_mips import mip_sizes

START_BIAS = 0.5  # of the last layer: the middle of a channel's range


def build_field(
    recipe: TexturesRecipe, size: tuple[int, int], channels: int, rng: torch.Generator | None
) -> Field:
    """Return the untrained field for a set of ``size``, initialised from ``rng``.

    None leaves the numbers as allocated.
    """
    sizes = mip_sizes(*size, recipe.mips or None)
    wraps = recipe.wrap == "repeat"
    if recipe.latents == "bc1":
        from neuralshade.kinds.textures.block_layout import build_blocks

        encoding = build_blocks(sizes, blocks_for(recipe), wraps, rng)
    else:
        encoding = build_encoding(sizes, shapes_for(recipe), wraps, rng)
    network = MLP(encoding.width, channels, recipe.hidden_layers, recipe.hidden_width,
                  "hard_gelu", rng=rng or torch.Generator())  # fmt: skip
    bias = network.members[-1].bias
    assert bias is not None
    torch.nn.init.constant_(bias, START_BIAS)
    # 16 bits are close enough to the trained numbers not to be rounded in each step
    if recipe.network_bits == 8:
        for layer in network.members:
            layer.bits = 8
    return Field(encoding, network)
