"""Fields that compete with a material's lobes: learned frames, and ordinary PBR maps.

Each has eight numbers of 8 bits a texel, and takes the place of ``LobeInputs`` and of the decoder
in a material's field, so that the same engine trains it on the same samples.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch.nn.functional import normalize

from neuralshade.kinds.material.field import BITS, FIRST, MaterialEncoding, build_field
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.model import microfacet
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.linear import Linear
from neuralshade.model.mlp import MLP

FRAMES = 2
MAPS = 8  # albedo, normal's x and y, roughness, metallic, and one that the model chooses
GAMMA = 2.2  # of an albedo's 8 bits
REFLECTANCE = 0.16  # f0 of a dielectric is this times the square of its map
COAT_ALPHA = 0.08  # of a clear coat on the flat surface
LEAST_UP = 1e-2  # square of a mapped normal's z


class FrameInputs(torch.nn.Module):
    """Latents, then wi and wo in frames that are read out of them: [features + 6 FRAMES, N].

    A frame is a normal and a tangent, each a linear read-out, orthonormalized.
    Source: Zeltner et al. 2024, Real-Time Neural Appearance Models, section 4.1.
    """

    def __init__(self, features: int, *, rng: torch.Generator | None):
        super().__init__()
        self.width = features + 6 * FRAMES
        self.read = Linear(features, 6 * FRAMES, 1.0, True, rng=rng)
        with torch.no_grad():  # frames start near the surface's own
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


class MapInputs(torch.nn.Module):
    """The maps' numbers and both directions as they are: [MAPS + 6, N]."""

    width = MAPS + 6

    def forward(self, maps: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
        """Return the rows one below the other."""
        return torch.cat([maps, wi, wo])


class MapEncoding(MaterialEncoding):
    """Maps in [0, 1] are what they are: the texels' range is given, not found."""

    def __init__(self, grid: LatentGrid):
        super().__init__(grid, MapInputs())
        self.get_buffer("low").zero_()

    @torch.no_grad()
    def take_over(self, numbers: torch.Tensor) -> None:
        """Set the texels to ``numbers`` [texels, MAPS], in [0, 1]."""
        self.grid.texels.copy_(numbers)


class MapShading(torch.nn.Module):
    """The standard shading model of eight maps, in place of a decoder: GGX on Lambert.

    The eighth is the reflectance of a dielectric, f0 = 0.16 x^2 (Lagarde and de Rousiers 2014,
    Moving Frostbite to PBR, section 3.1.3), or where ``coated`` how much of a clear coat lies on
    it, flat and of one width, that takes from below what it reflects (KHR_materials_clearcoat).
    """

    def __init__(self, *, coated: bool):
        super().__init__()
        self.coated = coated

    def on_columns(self, x: torch.Tensor, compute: torch.dtype) -> torch.Tensor:
        """Return f * cos of rows from ``MapInputs``: [MAPS + 6, N] -> [3, N]."""
        maps, wi, wo = (part.t() for part in x.to(compute).split([MAPS, 3, 3]))
        if not self.coated:
            return shaded(maps, wi, wo, REFLECTANCE * maps[:, 7].square()).t()
        f0 = torch.full_like(maps[:, 7], microfacet.DIELECTRIC_F0)
        cosine = (normalize(wi + wo, dim=-1) * wi).sum(-1)
        mirrored = (maps[:, 7] * microfacet.fresnel(f0[:, None], cosine)[:, 0])[:, None]
        flat = torch.zeros_like(wi)
        flat[:, 2] = 1
        facets = reflected(flat, wi, wo, torch.full_like(f0, COAT_ALPHA)) * wi[:, 2]
        below = shaded(maps, wi, wo, f0)
        return ((1 - mirrored) * below + mirrored * facets[:, None]).t()


def shaded(
    maps: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor, dielectric: torch.Tensor
) -> torch.Tensor:
    """Return f * cos [N, 3] of maps [N, MAPS] whose dielectric part reflects ``dielectric`` [N]."""
    albedo, metallic = maps[:, :3].clamp_min(1e-6) ** GAMMA, maps[:, 6:7]
    slant = (255 * maps[:, 3:5] - 128) / 127  # 128 is flat
    up = (1 - slant.square().sum(-1, keepdim=True)).clamp_min(LEAST_UP).sqrt()
    normal = normalize(torch.cat([slant, up], -1), dim=-1)
    f0 = dielectric[:, None] * (1 - metallic) + albedo * metallic
    cosine = (normalize(wi + wo, dim=-1) * wi).sum(-1)
    facets = reflected(normal, wi, wo, microfacet.alpha_of(maps[:, 5]))
    light = microfacet.dot(normal, wi).clamp_min(0) * (microfacet.dot(normal, wo) > 0)
    diffuse = albedo * (1 - metallic) / math.pi
    return (microfacet.fresnel(f0, cosine) * facets[:, None] + diffuse) * light[:, None]


def reflected(
    normal: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor, alpha: torch.Tensor
) -> torch.Tensor:
    """Return what mirrors of GGX's slopes reflect, per steradian: [N]; 0 from below."""
    cos_i, cos_o = microfacet.dot(normal, wi), microfacet.dot(normal, wo)
    above = torch.minimum(cos_i, cos_o) > microfacet.SMALLEST_COSINE
    cos_i, cos_o = (torch.where(above, cosine, 1.0) for cosine in (cos_i, cos_o))
    facets = microfacet.distribution(normal, normalize(wi + wo, dim=-1), alpha)
    return torch.where(above, facets * microfacet.visibility(cos_i, cos_o, alpha), 0.0)


@dataclass(frozen=True)
class Contender:
    """One way to say how a surface scatters."""

    name: str
    build: Callable[[MaterialRecipe, torch.Generator], Field]
    encoder_output: str = "none"  # activation of what an encoder says of texels


def lobes(width: int, layers: int) -> Contender:
    """Return this package's own field."""

    def build(recipe: MaterialRecipe, rng: torch.Generator) -> Field:
        sized = replace(recipe, hidden_width=width, hidden_layers=layers)
        return build_field(sized, recipe.size, rng)

    return Contender(f"lobes {width}x{layers}", build)


def frames(width: int, layers: int) -> Contender:
    """Return learned frames before a decoder of that size."""

    def build(recipe: MaterialRecipe, rng: torch.Generator) -> Field:
        inputs = FrameInputs(recipe.features, rng=rng)
        network = MLP(inputs.width, 3, layers, width, "leaky_relu", "exp", rng=rng)
        torch.nn.init.constant_(network.members[-1].bias, FIRST)
        return Field(MaterialEncoding(_grid(recipe, recipe.features, rng), inputs), network)

    return Contender(f"frames {width}x{layers}", build)


def maps(*, coated: bool) -> Contender:
    """Return eight ordinary PBR maps, with a clear coat or with a reflectance."""

    def build(recipe: MaterialRecipe, rng: torch.Generator) -> Field:
        return Field(MapEncoding(_grid(recipe, MAPS, rng)), MapShading(coated=coated))

    return Contender("PBR maps, coat" if coated else "PBR maps", build, "sigmoid")


def _grid(recipe: MaterialRecipe, features: int, rng: torch.Generator) -> LatentGrid:
    size, wraps = (recipe.size, recipe.size), recipe.wrap == "repeat"
    return LatentGrid([size], [0], features, BITS, wraps=wraps, rng=rng)
