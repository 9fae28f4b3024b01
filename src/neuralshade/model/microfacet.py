"""Microfacet BRDF of dielectrics and metals. Device half: microfacet.slang.

Directions have length 1, point away from the surface and are in its tangent space (z is up): wi to
the light, wo to the eye, wm is the normal of the microfacets that reflect one to the other. All
tensors are float32 or float64 and broadcast against each other.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.functional import normalize

from neuralshade.model.parameters import registered_name
from neuralshade.model.roughness import SMALLEST_ALPHA

DIELECTRIC_F0 = 0.04  # reflected head-on by what is not a metal
# Of a direction with the normal. Lower ones are below the surface: float32 has less than three
# digits of them left, and the visibility has no bound.
SMALLEST_COSINE = 1e-4


@dataclass(frozen=True)
class Surface:
    """One point of a surface, or many."""

    albedo: torch.Tensor  # [..., 3], linear, 0 to 1
    normal: torch.Tensor  # [..., 3], of length 1; gradients along it mean nothing
    roughness: torch.Tensor  # [...], perceptual, 0 to 1
    metallic: torch.Tensor  # [...], 0 to 1


def dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the inner product of vectors [..., 3]: [...]."""
    return (a * b).sum(-1)


def alpha_of(roughness: torch.Tensor) -> torch.Tensor:
    """Return the width of the distribution of microfacets. Source: Burley 2012, section 5.4."""
    return (roughness * roughness).clamp(min=SMALLEST_ALPHA)


def distribution(normal: torch.Tensor, wm: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    """Return the GGX distribution of microfacet normals, 0 for those below the surface.

    Its sine is that of a cross product, since 1 - cos^2 has no digits left where a narrow
    distribution has its peak.

    Args:
        normal: [..., 3].
        wm: [..., 3].
        alpha: [...], of ``alpha_of``.

    Returns:
        [...], per steradian.

    Source: Walter et al. 2007, equation 33.
    """
    normal, wm = torch.broadcast_tensors(normal, wm)
    across = torch.linalg.cross(normal, wm)
    square = alpha * alpha
    spread = square + (1 - square) * dot(across, across)
    return torch.where(dot(normal, wm) > 0, square / (math.pi * spread * spread), 0.0)


def _slope_term(cosine: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    """Return cos sqrt(1 + alpha^2 tan^2)."""
    square = alpha * alpha
    return torch.sqrt(square + (1 - square) * cosine * cosine)


def masking(cosine: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    """Return the part of the microfacets towards a direction that others do not hide from it.

    ``cosine`` [...]: of the direction with the normal, above 0. Source: Heitz 2014, equation 72.
    """
    return 2 * cosine / (cosine + _slope_term(cosine, alpha))


def visibility(cos_i: torch.Tensor, cos_o: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    """Return height-correlated Smith masking-shadowing over 4 cos_i cos_o.

    ``cos_i``, ``cos_o`` [...]: of wi and wo with the normal, above 0.
    Source: Heitz 2014, equation 99.
    """
    return 0.5 / (cos_i * _slope_term(cos_o, alpha) + cos_o * _slope_term(cos_i, alpha))


def _grazing(cosine: torch.Tensor) -> torch.Tensor:
    """Return (1 - cos)^5, not negative where rounding has put a cosine above 1."""
    return (1 - cosine).clamp(min=0) ** 5


def fresnel(f0: torch.Tensor, cosine: torch.Tensor) -> torch.Tensor:
    """Return the reflectance of a mirror: [..., 3].

    Args:
        f0: [..., 3], reflected head-on.
        cosine: [...], of the light with the mirror's normal.

    Source: Schlick 1994, equation 15.
    """
    return f0 + (1 - f0) * _grazing(cosine)[..., None]


def f0_of(surface: Surface) -> torch.Tensor:
    """Return the reflectance at normal incidence to the microfacets: [..., 3]."""
    metallic = surface.metallic[..., None]
    return DIELECTRIC_F0 + (surface.albedo - DIELECTRIC_F0) * metallic


# What a surface of albedo 1 scatters from within, per steradian: of its roughness and the cosines
# of wi and wo with the normal and of wi with wm, all [...].
Diffuse = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def lambert(
    roughness: torch.Tensor, cos_i: torch.Tensor, cos_o: torch.Tensor, cos_m: torch.Tensor
) -> torch.Tensor:
    """Return the same for all directions."""
    return torch.full_like(cos_i, 1 / math.pi)


def burley(
    roughness: torch.Tensor, cos_i: torch.Tensor, cos_o: torch.Tensor, cos_m: torch.Tensor
) -> torch.Tensor:
    """Return less at grazing angles where smooth, more where rough.

    Where rough it reflects more than it receives, at those angles.
    Source: Burley 2012, Physically Based Shading at Disney, section 5.3.
    """
    change = 2 * roughness * cos_m * cos_m - 0.5
    return (1 + change * _grazing(cos_i)) * (1 + change * _grazing(cos_o)) / math.pi


DIFFUSES: dict[str, Diffuse] = {"lambert": lambert, "burley": burley}


def slang_name(kind: str) -> str:
    """Return the Slang name of diffuse ``kind``: burley is Burley.

    Raises: ConfigError for a kind that is not registered.
    """
    return registered_name("diffuse", kind, DIFFUSES)


def shade(
    surface: Surface, wi: torch.Tensor, wo: torch.Tensor, diffuse: Diffuse = lambert
) -> torch.Tensor:
    """Return BRDF times the cosine of wi with the normal; 0 where wi or wo is below the surface.

    Below is what has a cosine with ``surface.normal`` of SMALLEST_COSINE or less: the BRDF is one
    of angles with that normal. Of a plane z = 0 under a mapped normal it knows nothing; what that
    hides is for the renderer to say. The diffuse part is not lessened by what the specular part
    reflects, so that both may come to more than 1.

    Args:
        surface: of [...] points.
        wi: [..., 3].
        wo: [..., 3].
        diffuse: model of the diffuse part.

    Returns:
        [..., 3], linear, per steradian, not negative.

    Gradients: reach ``surface``; they are finite, and 0 below it.
    """
    normal = surface.normal
    cos_i, cos_o = torch.broadcast_tensors(dot(normal, wi), dot(normal, wo))
    above = torch.minimum(cos_i, cos_o) > SMALLEST_COSINE
    # points below are shaded as if seen and lit head-on, so that the gradient is 0, not 0 * NaN
    cos_i, cos_o = (torch.where(above, cosine, 1.0) for cosine in (cos_i, cos_o))
    wm = normalize(wi + wo, dim=-1)  # of as many as there are of these: often far fewer
    cos_m = dot(wi, wm)
    alpha = alpha_of(surface.roughness)
    facets = distribution(normal, wm, alpha) * visibility(cos_i, cos_o, alpha)
    specular = fresnel(f0_of(surface), cos_m) * facets[..., None]
    scattered = diffuse(surface.roughness, cos_i, cos_o, cos_m) * (1 - surface.metallic)
    reflected = (specular + scattered[..., None] * surface.albedo) * cos_i[..., None]
    return torch.where(above[..., None], reflected, 0.0)


def _specular_share(surface: Surface, cos_o: torch.Tensor) -> torch.Tensor:
    """Return the share of samples that ``sample_microfacet`` takes from the specular part."""
    specular = fresnel(f0_of(surface), cos_o).sum(-1)
    diffuse = surface.albedo.sum(-1) * (1 - surface.metallic)
    share = torch.where(diffuse > 0, specular / (specular + diffuse), 1.0)
    return torch.where(cos_o > SMALLEST_COSINE, share, 0.0)  # no microfacets are seen from below


def _tangents_of(normal: torch.Tensor) -> torch.Tensor:
    """Return two directions that make a right-handed frame with ``normal``: [..., 2, 3].

    Source: Duff et al. 2017, Building an Orthonormal Basis, Revisited, listing 3.
    """
    x, y, z = normal.unbind(-1)
    side = torch.where(z < 0, -1.0, 1.0).to(z)
    a = -1 / (side + z)
    b = x * y * a
    first = torch.stack([1 + side * x * x * a, side * b, -side * x], -1)
    return torch.stack([first, torch.stack([b, side + y * y * a, -y], -1)], -2)


def _around(turn: torch.Tensor, depth: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return x and y [..., 2] and z [...] of a turn of 0 to 1 about z, z being 1 - ``depth``."""
    # clamped: a height that a rounded length puts below -1
    radius = (depth * (2 - depth)).clamp(min=0).sqrt()
    angle = 2 * math.pi * turn
    return radius[..., None] * torch.stack([angle.cos(), angle.sin()], -1), 1 - depth


@torch.no_grad()
def sample_microfacet(surface: Surface, wo: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """Return wi [..., 3] drawn for wo, by GGX visible normals or by the cosine.

    It may come out below the surface, where ``shade`` is 0.

    Args:
        surface: of [...] points.
        wo: [..., 3].
        u: [..., 3], uniform in [0, 1); the first one chooses the part.

    Gradients: none, sampling is held constant.
    Source: Dupuy and Benyoub 2023, Sampling Visible GGX Normals with Spherical Caps, listing 3.
    """
    normal, wo, u = torch.broadcast_tensors(surface.normal, wo, u)
    choice, turn, part = u.unbind(-1)
    tangents, cos_o = _tangents_of(normal), dot(normal, wo)

    def in_space(flat: torch.Tensor, height: torch.Tensor) -> torch.Tensor:
        return (flat[..., None] * tangents).sum(-2) + height[..., None] * normal

    diffuse = in_space(*_around(turn, 1 - torch.sqrt(1 - part)))
    alpha = alpha_of(surface.roughness).expand(cos_o.shape)[..., None]
    flat = alpha * (tangents * wo[..., None, :]).sum(-1)
    stretched = normalize(torch.cat([flat, cos_o[..., None]], -1), dim=-1)
    seen = 1 + stretched[..., 2]
    cap = _around(turn, part * seen)[0] + stretched[..., :2]
    # its height as a product, which is above 0 where 1 - u is all that float32 has left
    drawn = normalize(torch.cat([alpha * cap, ((1 - part) * seen)[..., None]], -1), dim=-1)
    wm = in_space(drawn[..., :2], drawn[..., 2])
    specular = normalize(2 * dot(wo, wm)[..., None] * wm - wo, dim=-1)
    chosen = choice < _specular_share(surface, cos_o)
    return torch.where(chosen[..., None], specular, diffuse)


@torch.no_grad()
def pdf(surface: Surface, wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
    """Return the density [...] per steradian of ``sample_microfacet`` at wi.

    It sums to 1 over the sphere. Gradients: none.

    Args:
        surface: of [...] points.
        wi: [..., 3].
        wo: [..., 3].
    """
    normal, wi, wo = torch.broadcast_tensors(surface.normal, wi, wo)
    cos_o = dot(normal, wo)
    share, alpha = _specular_share(surface, cos_o), alpha_of(surface.roughness)
    facets = distribution(normal, normalize(wi + wo, dim=-1), alpha)
    facets = torch.where(share > 0, facets / (2 * (cos_o + _slope_term(cos_o, alpha))), 0.0)
    return (1 - share) * dot(normal, wi).clamp(min=0) / math.pi + share * facets
