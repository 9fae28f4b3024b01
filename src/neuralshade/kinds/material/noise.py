"""What a material's sampler is worth: the noise of a path tracer's estimate of its albedo."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from neuralshade.kinds.material.asset import MOST_MEASURE
from neuralshade.kinds.material.field import encoding_of
from neuralshade.model.field import Field
from neuralshade.model.lobe_sampler import LobeSampler, Mixture, luminance
from neuralshade.sampler.material_directions import LEAST, hemisphere

SEED = 20_261_124  # of places, eyes and directions: the same for every fit, and of none
PLACES = 256
DIRECTIONS = 512  # of each
LOWEST = 0.1  # cosine of an eye
WAYS = ("cosine", "lobes", "sampler")


@torch.no_grad()
def sampler_noise(
    field: Field, sampler: LobeSampler, given: Sequence[float] | None = None
) -> dict[str, float]:
    """Return the noise of one sample by ``noise_WAY``: standard deviation over mean, the median.

    Of luminance of f * cos over the density, that is of the estimate of the albedo that a direction
    gives, in PLACES places with an eye each, as the decoder has it. Directions are drawn by the
    cosine, by cosine and lobes equally often, or as the sampler says. All three are told by the
    same directions, which the sampler draws: the square of another way is the mean of f^2 cos^2
    over the product of both densities. Varied inputs are drawn at random, or are the shares
    ``given``.
    """
    rng = torch.Generator().manual_seed(SEED)
    encoding = encoding_of(field)
    u = torch.rand((4, PLACES, 1), generator=rng).expand(-1, -1, DIRECTIONS).flatten(1)
    shares = _shares(encoding.varied, given, rng)
    wo = hemisphere(LOWEST + (1 - LOWEST) * u[0], u[1])
    latents = encoding.latents(torch.stack([u[2], u[3], torch.zeros_like(u[2])], dim=1))
    ways = {"lobes": sampler.mixture(encoding.lobes, latents, wo, trained=False),
            "sampler": sampler.mixture(encoding.lobes, latents, wo, shares)}  # fmt: skip
    ways["cosine"] = _cosine(ways["lobes"])
    wi, density = ways["sampler"].sample(wo, torch.rand((3, wo.shape[1]), generator=rng))
    read = encoding.columns(latents, wi, wo, shares)
    light = luminance(field.network.on_columns(read, torch.float32))
    light = torch.where(wi[2] > LEAST, light, 0.0)  # what is along the surface no path looks at
    shares = torch.where(light > 0, light / density, 0.0).double()  # exactly along it density is 0
    albedo = shares.view(PLACES, DIRECTIONS).mean(1)
    return {f"noise_{way}": _noise(shares * light / ways[way].pdf(wi, wo), albedo) for way in WAYS}


def _shares(count: int, given: Sequence[float] | None, rng: torch.Generator) -> torch.Tensor:
    """Return shares of varied inputs, the same for all directions of a place: [N, count]."""
    if given is None:
        drawn = torch.rand((PLACES, count), generator=rng)
    else:
        drawn = torch.tensor(given).expand(PLACES, count)
    return drawn.repeat_interleave(DIRECTIONS, 0)


def _cosine(like: Mixture) -> Mixture:
    """Return a mixture of which the cosine alone is drawn."""
    weights = torch.zeros_like(like.weights)
    weights[0] = 1
    return Mixture(like.normal, like.tangent, like.widths, weights)


def _noise(squares: torch.Tensor, albedo: torch.Tensor) -> float:
    """Return the median of standard deviation over mean, given what squares are a mean of."""
    mean_square = squares.view(PLACES, DIRECTIONS).mean(1)
    ratio = (mean_square / albedo.square().clamp_min(1e-30)).nan_to_num(math.inf)  # infinite both
    return min(float((ratio - 1).clamp_min(0).sqrt().median()), MOST_MEASURE)
