"""Fields that compete with a material's lobes: learned frames, and ordinary PBR maps.

Each has eight numbers of 8 bits a texel, and takes the place of ``LobeInputs`` and of the decoder
in a material's field, so that the same engine trains it on the same samples.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch.nn.functional import normalize

from neuralshade.kinds.material.field import BITS, FIRST, MaterialEncoding, build_field
from neuralshade.kinds.material.log_loss import log_loss
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.loss.pointwise import Loss
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.linear import Linear
from neuralshade.model.lobes import SMALL_START
from neuralshade.model.mlp import MLP
from rivals.material_maps import MAPS, MapEncoding, MapShading

FRAMES = 2


class FrameInputs(torch.nn.Module):
    """Latents, then wi and wo in frames that are read out of them: [features + 6 FRAMES, N].

    A frame is a normal and a tangent, each a linear read-out, orthonormalized.
    Source: Zeltner et al. 2024, Real-Time Neural Appearance Models, section 4.1.
    """

    def __init__(self, features: int, *, rng: torch.Generator | None):
        super().__init__()
        self.width = features + 6 * FRAMES
        self.read = Linear(features, 6 * FRAMES, 1.0, True, rng=rng)
        with torch.no_grad():  # frames start near the surface's own, as lobes do
            self.read.weight.mul_(SMALL_START)
            self.read.bias.view(FRAMES, 6).copy_(torch.tensor([0.0, 0.0, 1.0, 1.0, 0.0, 0.0]))

    def forward(self, latents: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
        """Return the decoder's input of latents [features, N] and directions [3, N]."""
        read = torch.addmm(self.read.bias[:, None], self.read.weight, latents)
        read = read.view(FRAMES, 6, -1).transpose(0, 1)
        normal, along = normalize(read[:3], dim=0), read[3:]
        tangent = normalize(along - (along * normal).sum(0) * normal, dim=0)
        axes = (tangent, torch.linalg.cross(normal, tangent, dim=0), normal)
        seen = [(w[:, None] * axis).sum(0) for w in (wi, wo) for axis in axes]
        return torch.cat([latents, *seen])


@dataclass(frozen=True)
class Contender:
    """One way to say how a surface scatters."""

    name: str
    build: Callable[[MaterialRecipe, torch.Generator], Field]
    encoder_output: str = "none"  # activation of what an encoder says of texels
    rate: float | None = None  # Adam step size, where the recipe's is not its best
    loss: str | Loss = log_loss  # of logarithms of light


def lobes(width: int, layers: int) -> Contender:
    """Return this package's own field."""

    def build(recipe: MaterialRecipe, rng: torch.Generator) -> Field:
        sized = replace(recipe, hidden_width=width, hidden_layers=layers)
        return build_field(sized, recipe.size, rng)

    return Contender(f"lobes {width}x{layers}", build)


def frames(width: int, layers: int, activation: str = "leaky_relu") -> Contender:
    """Return learned frames before a decoder of that size, as published or otherwise."""

    def build(recipe: MaterialRecipe, rng: torch.Generator) -> Field:
        inputs = FrameInputs(recipe.features, rng=rng)
        network = MLP(inputs.width, 3, layers, width, activation, "exp", rng=rng)
        torch.nn.init.constant_(network.members[-1].bias, FIRST)
        return Field(MaterialEncoding(_grid(recipe, recipe.features, rng), inputs), network)

    title = f"frames {width}x{layers}"
    name = title if activation == "leaky_relu" else f"{title}, {activation}"
    # 1e-2 cost them 1 to 2 dB on two graphs; our loss 0.5 and 0.8 on two, for 0.3 on one
    return Contender(name, build, rate=2e-2, loss="l1")


def maps(*, coated: bool) -> Contender:
    """Return eight ordinary PBR maps, with a clear coat or with a reflectance."""

    def build(recipe: MaterialRecipe, rng: torch.Generator) -> Field:
        return Field(MapEncoding(_grid(recipe, MAPS, rng)), MapShading(coated=coated))

    # at 2e-2 those of a plastic ended 7 dB lower
    return Contender("PBR maps, coat" if coated else "PBR maps", build, "sigmoid", 1e-2, "l1")


def _grid(recipe: MaterialRecipe, features: int, rng: torch.Generator) -> LatentGrid:
    size, wraps = (recipe.size, recipe.size), recipe.wrap == "repeat"
    return LatentGrid([size], [0], features, BITS, wraps=wraps, rng=rng)
