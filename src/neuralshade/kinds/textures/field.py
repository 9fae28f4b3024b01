"""What a texture set is fitted with: latents and a decoder, before any training."""

from __future__ import annotations

import torch

from neuralshade.kinds.textures.layout import build_encoding, shapes_for
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.source.material_mips import mip_sizes

START_BIAS = 0.5  # of the last layer: the middle of what a channel may be


def build_field(
    recipe: TexturesRecipe, size: tuple[int, int], channels: int, rng: torch.Generator | None
) -> Field:
    """Return the untrained field for a set of ``size``; its start is drawn from ``rng``.

    None: for numbers that come from elsewhere.
    """
    sizes = mip_sizes(*size, recipe.mips or None)
    wraps = recipe.wrap == "repeat"
    if recipe.latents == "bc1":
        from neuralshade.kinds.textures.block_layout import blocks_for, build_blocks

        encoding = build_blocks(sizes, blocks_for(recipe), wraps, rng)
    else:
        encoding = build_encoding(sizes, shapes_for(recipe), wraps, rng)
    network = MLP(encoding.width, channels, recipe.hidden_layers, recipe.hidden_width,
                  "hard_gelu", rng=rng or torch.Generator())  # fmt: skip
    bias = network.members[-1].bias
    assert bias is not None
    torch.nn.init.constant_(bias, START_BIAS)
    # 16 are too near to what is trained to be rounded in each step
    if recipe.network_bits == 8:
        for layer in network.members:
            layer.bits = 8
    return Field(encoding, network)
