"""Importance sampler of a decoder's lobes. Device half: lobe_sampler.slang.

The weighting network is only here. Columns are samples. Directions have length 1 and are in
the frame of the flat surface, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch

from neuralshade.model.lobes import LobeInputs, across, dots
from neuralshade.model.mlp import MLP
from neuralshade.model.widths import sampler_sizes
from neuralshade.sampler.material_directions import unit

LEAST_SEEN = 0.02  # cosine of an eye with a lobe's normal, below which nothing is drawn from it
LEAST_WEIGHT = 0.02  # of all weights together: no direction has a density of nearly 0
WIDTHS = (0.01, 1.5)  # of lobes that are drawn from
LUMINANCE = (0.2126, 0.7152, 0.0722)  # of linear Rec. 709


@dataclass(frozen=True)
class Mixture:
    """Mixture of a cosine and GGX lobes per eye, for sampling directions."""

    normal: torch.Tensor  # float [3, count, N]
    tangent: torch.Tensor
    widths: torch.Tensor  # alpha along the tangent and across: [2, count, N]
    weights: torch.Tensor  # of the cosine and of each lobe: [1 + count, N], they sum to 1

    @cached_property
    def frames(self) -> torch.Tensor:
        """Return tangent, bitangent and normal: [3 axes, 3, count, N]."""
        return torch.stack([self.tangent, across(self.normal, self.tangent), self.normal])

    def pdf(self, wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
        """Return the density of ``sample`` at wi, per steradian: [N]; 0 for a wi below.

        It sums to 1 over the upper hemisphere. Gradients reach weights and widths.
        """
        both = torch.stack([wi, torch.cat([wi[:2], -wi[2:]])], 1)  # and what was folded up to it
        lobes = self._lobes(both, wo).sum(0)
        density = self.weights[0] * wi[2] / math.pi + (self.weights[1:] * lobes).sum(0)
        return torch.where(wi[2] > 0, density, 0.0)

    @torch.no_grad()
    def sample(self, wo: torch.Tensor, u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return wi [3, N] and its density [N], for wo [3, N] and u [3, N] in [0, 1).

        What a lobe sends below the surface is folded up, z to -z, and ``pdf`` counts it there.
        Source: Dupuy and Benyoub 2023, Sampling Visible GGX Normals with Spherical Caps, listing 3.
        """
        choice = (u[0] >= self.weights.cumsum(0)).sum(0).clamp(max=len(self.weights) - 1)
        wi = torch.where(choice == 0, _cosine(u[1], u[2]), self._mirrored(wo, u, choice))
        wi = torch.cat([wi[:2], wi[2:].abs()])
        return wi, self.pdf(wi, wo)

    def _mirrored(self, wo: torch.Tensor, u: torch.Tensor, choice: torch.Tensor) -> torch.Tensor:
        """Return wo mirrored about visible normals of the chosen lobes."""
        lobe = (choice - 1).clamp(min=0)
        frame = self.frames.gather(2, lobe.expand(3, 3, 1, -1))[:, :, 0]
        alpha = self.widths.gather(1, lobe.expand(2, 1, -1))[:, 0]
        local = (frame * wo).sum(1)
        stretched = unit(torch.cat([alpha * local[:2], local[2:]]))
        seen = 1 + stretched[2]
        depth, angle = u[2] * seen, 2 * math.pi * u[1]
        # clamped: a height that a rounded length puts below -1
        radius = (depth * (2 - depth)).clamp(min=0).sqrt()
        cap = radius * torch.stack([angle.cos(), angle.sin()]) + stretched[:2]
        # its height as a product, which is above 0 where 1 - u is all that float32 has left
        drawn = unit(torch.cat([alpha * cap, ((1 - u[2]) * seen)[None]]))
        wm = (drawn[:, None] * frame).sum(0)
        return unit(2 * (wo * wm).sum(0) * wm - wo)

    def _lobes(self, wi: torch.Tensor, wo: torch.Tensor) -> torch.Tensor:
        """Return each lobe's density over the whole sphere at wi [3, M, N]: [M, count, N]."""
        half, eye = unit(wi + wo[:, None]), [dots(wo, axis) for axis in self.frames]
        x, y, z = ((half[:, :, None] * axis[:, None]).sum(0) for axis in self.frames)
        along, across = self.widths
        spread = (x / along).square() + (y / across).square() + z.square()
        facets = 1 / (math.pi * along * across * spread.square()).clamp_min(1e-30)
        length = ((along * eye[0]).square() + (across * eye[1]).square() + eye[2].square()).sqrt()
        towards = facets / (2 * (eye[2] + length)).clamp_min(1e-6)
        return torch.where((z > 0) & (eye[2] >= LEAST_SEEN), towards, 0.0)


class LobeSampler(torch.nn.Module):
    """Weighs and widens the lobes of a ``LobeInputs``, for a texel's latents and an eye.

    A network of the latents, ``shares`` of other surface inputs, wo.z and the eye's cosines with
    the lobes computes a logit of the cosine and of each lobe, and log factors for the squared
    widths of each lobe.
    Gradients reach the network alone.
    """

    def __init__(self, features: int, count: int, shares: int = 0, *,
                 rng: torch.Generator | None):  # fmt: skip
        super().__init__()
        self.count = count
        self.network = MLP(*sampler_sizes(features, count, shares), "leaky_relu", rng=rng)

    def mixture(
        self, lobes: LobeInputs, latents: torch.Tensor, wo: torch.Tensor,
        shares: torch.Tensor | None = None, *, trained: bool = True,
    ) -> Mixture:  # fmt: skip
        """Return the mixture for latents [features, N] and wo [3, N].

        ``shares`` [N, shares], each in [0, 1], are inputs of the network. ``trained`` False: equal
        weights, and the decoder's widths.
        """
        with torch.no_grad():
            normal, tangent, widths = lobes.frames(latents)
            cosines = dots(wo, normal)
        logits = cosines.new_zeros((self.count + 1, cosines.shape[1]))
        if trained:
            extra = [] if shares is None else [2 * shares.t() - 1]
            x = torch.cat([latents.detach(), *extra, wo[2:], cosines])
            output = self.network.on_columns(x, x.dtype)
            logits, wider = output[: self.count + 1], output[self.count + 1 :]
            widths = widths * (wider / 2).exp()
        weights = LEAST_WEIGHT / len(logits) + (1 - LEAST_WEIGHT) * logits.softmax(0)
        weights = torch.cat([weights[:1], weights[1:] * (cosines >= LEAST_SEEN)])
        return Mixture(normal, tangent, widths.clamp(*WIDTHS), weights / weights.sum(0))


def sampler_loss(
    mixture: Mixture, wi: torch.Tensor, wo: torch.Tensor, target: torch.Tensor
) -> torch.Tensor:
    """Return the mean cross entropy of a mixture's density against the scattered light.

    Args:
        wi: [3, N], drawn by some density.
        target: [N], luminance of f * cos over that density; finite.
    """
    return -(target * mixture.pdf(wi, wo).clamp_min(1e-9).log()).mean()


def luminance(light: torch.Tensor) -> torch.Tensor:
    """Return the luminance of linear light [3, N]: [N]."""
    red, green, blue = (weight * channel for weight, channel in zip(LUMINANCE, light, strict=True))
    return red + green + blue


def _cosine(turn: torch.Tensor, part: torch.Tensor) -> torch.Tensor:
    angle, radius = 2 * math.pi * turn, part.sqrt()
    return torch.stack([radius * angle.cos(), radius * angle.sin(), (1 - part).sqrt()])
