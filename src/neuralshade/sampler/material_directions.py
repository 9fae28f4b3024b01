"""Pairs of directions for fitting a BSDF: uniform, by half vector, and near the mirror.

A half of uniform angles of the half vector and of the difference (Zeltner et al. 2024, Real-Time
Neural Appearance Models, section 4.3), a quarter uniform over the hemisphere, and a quarter of
mirror directions about the normals of the argument, of log-uniform widths.

Device half: material_directions.slang, which computes the same from equal numbers.
"""

import math

import torch

NARROWEST, WIDEST = 0.015, 0.6  # of lobes that are mirrored about normals
LEAST = 1e-3  # z of a drawn direction
REDRAWN = 2  # times, pairs of which one lies below: a fifth of all at first, then 1 %
SHORTEST = 1e-12  # length that a vector is divided by


def hemisphere(u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return directions uniform over the upper hemisphere: [3, N] of u, v [N] in [0, 1)."""
    z = u * (1 - LEAST) + LEAST
    radius, angle = (1 - z * z).clamp_min(0).sqrt(), 2 * math.pi * v
    return torch.stack([radius * angle.cos(), radius * angle.sin(), z])


def unit(vectors: torch.Tensor) -> torch.Tensor:
    """Return columns of length 1: float [3, ...]; a column of zeros stays one.

    As torch.nn.functional.normalize for dim=0, which takes 40 times as long on a CPU.
    """
    return vectors / vectors.square().sum(0).clamp_min(SHORTEST**2).sqrt()


def mirrored(direction: torch.Tensor, normal: torch.Tensor) -> torch.Tensor:
    """Return ``direction`` mirrored about ``normal``, [3, N] both."""
    return 2 * (direction * normal).sum(0) * normal - direction


def half_vector_pairs(u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return wi and wo [3, N] of uniform half-vector angles, of u [4, N]; some lie below."""
    polar, around = u[:2] * math.pi / 2, u[2:] * 2 * math.pi  # of the half vector, the difference
    (sin_t, sin_td), (sin_p, sin_pd) = polar.sin(), around.sin()
    (cos_t, cos_td), (cos_p, cos_pd) = polar.cos(), around.cos()
    x, y = sin_td * cos_pd, sin_td * sin_pd
    across, up = x * cos_t + cos_td * sin_t, cos_td * cos_t - x * sin_t
    wi = torch.stack([across * cos_p - y * sin_p, across * sin_p + y * cos_p, up])
    half = torch.stack([sin_t * cos_p, sin_t * sin_p, cos_t])
    return wi, mirrored(wi, half)


def mirror_pairs(normals: torch.Tensor, u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return wi and wo [3, N]: wo uniform, wi its mirror about GGX slopes around ``normals``.

    ``u``: [5, N] in [0, 1): two of wo, then the lobe's width, and its slope's length and angle.
    """
    wo = hemisphere(u[0], u[1])
    width = torch.exp(math.log(NARROWEST) + u[2] * math.log(WIDEST / NARROWEST))
    slope = width * (u[3] / (1 - u[3]).clamp_min(1e-4)).sqrt()
    angle = 2 * math.pi * u[4]
    flat = -normals[:2] / normals[2].clamp_min(0.05)
    tilted = flat + slope * torch.stack([angle.cos(), angle.sin()])
    micro = torch.cat([-tilted, torch.ones_like(slope)[None]])
    return mirrored(wo, unit(micro)), wo


def mixed_pairs(
    normals: torch.Tensor, rng: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return wi and wo [3, N] of the mixture, and whether both lie above the surface: bool [N].

    ``normals``: [3, N]; those of the last quarter are mirrored about. Pairs of which one lies below
    are drawn again, REDRAWN times at most, from the same mixture, so that
    those above keep their distribution. What is left looks straight up, so that all is finite.
    """
    count = normals.shape[1]
    quarter = count // 4
    parts = [half_vector_pairs(torch.rand((4, count - 2 * quarter), generator=rng))]
    u = torch.rand((4, quarter), generator=rng)
    parts.append((hemisphere(u[0], u[1]), hemisphere(u[2], u[3])))
    u = torch.rand((5, quarter), generator=rng)
    parts.append(mirror_pairs(normals[:, count - quarter :], u))
    wi, wo = (torch.cat(both, dim=1) for both in zip(*parts, strict=True))
    for _ in range(REDRAWN):
        below = (~_above(wi, wo)).nonzero()[:, 0]
        wi[:, below], wo[:, below] = _any_pairs(normals[:, below], rng)
    seen = _above(wi, wo)
    up = torch.tensor([[0.0], [0.0], [1.0]])
    return torch.where(seen, wi, up), torch.where(seen, wo, up), seen


def _above(wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
    return torch.minimum(wi[2], wo[2]) > LEAST


def _any_pairs(
    normals: torch.Tensor, rng: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Return pairs [3, N], each from a random one of the three distributions."""
    share, *u = torch.rand((6, normals.shape[1]), generator=rng)
    half = half_vector_pairs(torch.stack(u[:4]))
    uniform = hemisphere(u[0], u[1]), hemisphere(u[2], u[3])
    mirrors = mirror_pairs(normals, torch.stack(u))
    wi, wo = (torch.where(share < 0.5, a, torch.where(share < 0.75, b, c))
              for a, b, c in zip(half, uniform, mirrors, strict=True))  # fmt: skip
    return wi, wo
