"""Noise of a material's sampler: that of a path tracer's estimate of the albedo."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.schema import METHODS, MOST_MEASURE
from neuralshade.model.field import Field
from neuralshade.model.lobe_sampler import LobeSampler, Mixture, luminance
from neuralshade.sampler.material_directions import LEAST, hemisphere

SEED = 20_261_124  # of places, eyes and directions: equal for all fits, used by none
PLACES = 256
DIRECTIONS = 512  # of each
LOWEST = 0.1  # cosine of an eye


@torch.no_grad()
def sampler_noise(
    field: Field, sampler: LobeSampler, fixed: Sequence[float] | None = None
) -> dict[str, float]:
    """Return the noise of one sample by ``noise_METHOD``: standard deviation over mean, the median.

    The estimate is luminance of f * cos over the density of one direction, in PLACES places with
    an eye each, for the decoder's f. Directions are drawn by the cosine, by cosine and lobes in
    equal parts, or by the sampler. All three use the sampler's directions: the mean square of
    another method is the mean of f^2 cos^2 over the product of both densities. Varied inputs are
    random, or have the shares ``fixed``.
    """
    rng = torch.Generator().manual_seed(SEED)
    encoding = encoding_of(field)
    u = torch.rand((4, PLACES, 1), generator=rng).expand(-1, -1, DIRECTIONS).flatten(1)
    shares = _shares(encoding.varied, fixed, rng)
    wo = hemisphere(LOWEST + (1 - LOWEST) * u[0], u[1])
    latents = encoding.latents(torch.stack([u[2], u[3], torch.zeros_like(u[2])], dim=1))
    mixtures = {"lobes": sampler.mixture(encoding.lobes, latents, wo, trained=False),
                "sampler": sampler.mixture(encoding.lobes, latents, wo, shares)}  # fmt: skip
    mixtures["cosine"] = _cosine(mixtures["lobes"])
    wi, density = mixtures["sampler"].sample(wo, torch.rand((3, wo.shape[1]), generator=rng))
    read = encoding.columns(latents, wi, wo, shares)
    light = luminance(field.network.on_columns(read, torch.float32))
    light = torch.where(wi[2] > LEAST, light, 0.0)  # no path continues along the surface
    shares = torch.where(light > 0, light / density, 0.0).double()  # there the density is 0
    albedo = shares.view(PLACES, DIRECTIONS).mean(1)
    return {f"noise_{name}": _noise(shares * light / mixtures[name].pdf(wi, wo), albedo)
            for name in METHODS}  # fmt: skip


def _shares(count: int, fixed: Sequence[float] | None, rng: torch.Generator) -> torch.Tensor:
    """Return shares of varied inputs, the same for all directions of a place: [N, count]."""
    if fixed is None:
        drawn = torch.rand((PLACES, count), generator=rng)
    else:
        drawn = torch.tensor(fixed).expand(PLACES, count)
    return drawn.repeat_interleave(DIRECTIONS, 0)


def _cosine(like: Mixture) -> Mixture:
    """Return a mixture that draws only by the cosine."""
    weights = torch.zeros_like(like.weights)
    weights[0] = 1
    return Mixture(like.normal, like.tangent, like.widths, weights)


def _noise(squares: torch.Tensor, albedo: torch.Tensor) -> float:
    """Return the median of standard deviation over mean; ``squares`` have the mean square."""
    mean_square = squares.view(PLACES, DIRECTIONS).mean(1)
    ratio = (mean_square / albedo.square().clamp_min(1e-30)).nan_to_num(math.inf)  # both infinite
    return min(float((ratio - 1).clamp_min(0).sqrt().median()), MOST_MEASURE)
