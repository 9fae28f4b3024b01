"""Ordinary PBR maps in place of a material's map and decoder. Device half: material_maps.slang.

Eight: albedo (8 bits with a gamma of 2.2), x and y of a normal (128 is 0), roughness, metallic, one
that the model chooses: a reflectance, or how much of a clear coat there is.
"""

import math
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import normalize

from neuralshade.kinds.material.field import MaterialEncoding, encoding_of
from neuralshade.kinds.material.references.pictures import Lookup, picture_table
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.model import microfacet
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.source.picture import Picture

MAPS = 8
GAMMA = 2.2  # of an albedo
REFLECTANCE = 0.16  # f0 of a dielectric is this times the square of its map
COAT_ALPHA = 0.08  # of a clear coat on the flat surface
LEAST_UP = 1e-2  # square of a mapped normal's z
CONSTANTS = f"""
static const float GAMMA = {GAMMA};
static const float REFLECTANCE = {REFLECTANCE};
static const float LEAST_UP = {LEAST_UP};
"""
DEVICE_HALF = Path(__file__).with_suffix(".slang")


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


def maps_reference(field: Field, wrap: str) -> ReferenceBsdf:
    """Return a graph that is maps without a coat, of 8 bits in two pictures, for a device."""
    grid = encoding_of(field).grid
    width, height = grid.sizes[0]
    codes = grid.codes().reshape(height, width, MAPS)
    lookups = [
        Lookup(name, Path(name), wrap, wrap,
               picture=Picture(np.ascontiguousarray(codes[..., first : first + 4]), "linear", name))
        for name, first in (("first_maps", 0), ("last_maps", 4))
    ]  # fmt: skip
    constants, words = picture_table(lookups)
    text = DEVICE_HALF.read_text()
    imports, rest = text.split("\n\n", 1)
    return ReferenceBsdf("PBR maps", f"{imports}\n{CONSTANTS}{constants}{rest}", (), words)
