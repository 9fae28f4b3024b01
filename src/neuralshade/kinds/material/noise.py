"""Noise of a material's sampler: that of a path tracer's estimate of the albedo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

import torch

from neuralshade.engine.threads import side_by_side
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.schema import METHODS, MOST_MEASURE
from neuralshade.model.field import Field
from neuralshade.model.lobe_sampler import LobeSampler, Mixture, luminance
from neuralshade.sampler.material_directions import LEAST, hemisphere

SEED = 20_261_124  # of places, eyes and directions: equal for all fits, used by none
PLACES = 256
DIRECTIONS = 512  # of each
LOWEST = 0.1  # cosine of an eye
# places that a core evaluates at once; 64 took a sixth of the time of 8 on 16 cores
AT_ONCE = 64


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
    u = torch.rand((4, PLACES), generator=rng)
    shares = _shares(encoding.varied, fixed, rng)
    wo = hemisphere(LOWEST + (1 - LOWEST) * u[0], u[1])
    latents = encoding.latents(torch.stack([u[2], u[3], torch.zeros_like(u[2])], dim=1))
    lobes = sampler.mixture(encoding.lobes, latents, wo, trained=False)
    trained = sampler.mixture(encoding.lobes, latents, wo, shares)
    numbers = torch.rand((3, PLACES, DIRECTIONS), generator=rng)

    @torch.no_grad()  # of each thread
    def part(at: torch.Tensor) -> list[torch.Tensor]:
        """Return albedo and each method's mean square in these places: float64 [n] each."""
        eye = _repeated(wo, at)
        wi, density = _of_places(trained, at).sample(eye, numbers[:, at].flatten(1))
        read = encoding.columns(_repeated(latents, at), wi, eye, _repeated(shares.t(), at).t())
        light = luminance(field.network.on_columns(read, torch.float32))
        light = torch.where(wi[2] > LEAST, light, 0.0)  # no path continues along the surface
        found = torch.where(light > 0, light / density, 0.0).double()  # there the density is 0
        densities = {"cosine": wi[2] / math.pi, "sampler": density,
                     "lobes": _of_places(lobes, at).pdf(wi, eye)}  # fmt: skip
        sums = [found, *(found * light / densities[name] for name in METHODS)]
        return [each.view(len(at), DIRECTIONS).mean(1) for each in sums]

    parts = side_by_side(part, torch.arange(PLACES).split(AT_ONCE))
    albedo, *squares = (torch.cat(each) for each in zip(*parts, strict=True))
    return {f"noise_{name}": _noise(square, albedo)
            for name, square in zip(METHODS, squares, strict=True)}  # fmt: skip


def _repeated(columns: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """Return columns [..., PLACES] of these places, each for all of its directions."""
    return columns[..., at].repeat_interleave(DIRECTIONS, -1)


def _of_places(mixture: Mixture, at: torch.Tensor) -> Mixture:
    return Mixture(*(_repeated(getattr(mixture, one.name), at) for one in fields(mixture)))


def _shares(count: int, fixed: Sequence[float] | None, rng: torch.Generator) -> torch.Tensor:
    """Return shares of varied inputs, the same for all directions of a place: [PLACES, count]."""
    if fixed is None:
        return torch.rand((PLACES, count), generator=rng)
    return torch.tensor(fixed).expand(PLACES, count)


def _noise(mean_square: torch.Tensor, albedo: torch.Tensor) -> float:
    """Return the median of standard deviation over mean, of the mean square and the mean [n]."""
    ratio = (mean_square / albedo.square().clamp_min(1e-30)).nan_to_num(math.inf)  # both infinite
    return min(float((ratio - 1).clamp_min(0).sqrt().median()), MOST_MEASURE)
