"""Footprint means: the mean of a reference BSDF over a square in uv."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.material.references.reference_bsdf import AT_ONCE, ReferenceKernels

Floats = npt.NDArray[np.float32]

POINTS = 32  # of a footprint, at which the reference is evaluated
# Steps of a lattice that fills a square evenly for any number of points.
# Source: Roberts 2018, The Unreasonable Effectiveness of Quasirandom Sequences (R2).
STEPS = (0.7548776662466927, 0.5698402909980532)


class Footprints:
    """Means of a reference over squares in uv, at newly drawn points for each.

    One lattice of points serves all squares, shifted at random in each and wrapped around
    (Cranley and Patterson 1976): every point of a footprint is equally likely, and the mean has
    less noise than that of independent points.
    """

    def __init__(self, reference: ReferenceKernels, wraps: bool, points: int = POINTS):
        """``wraps``: the material repeats beyond its border; otherwise it is clamped."""
        self.reference, self.wraps = reference, wraps
        numbers = torch.arange(points, dtype=torch.float64)[:, None]
        self.lattice = (numbers * torch.tensor(STEPS, dtype=torch.float64) % 1).float()

    def places(
        self, uv: torch.Tensor, width: torch.Tensor, rng: torch.Generator
    ) -> torch.Tensor:  # fmt: skip
        """Return points of footprints ``width`` [N] wide around uv [N, 2]: [N, points, 2].

        Shares of varied inputs behind u and v are the same for all points of a footprint.
        """
        shift = torch.rand((len(uv), 1, 2), generator=rng)
        inside = self.lattice + shift
        inside.sub_(inside.floor()).sub_(0.5)
        found = torch.addcmul(uv[:, None, :2], inside, width[:, None, None])
        found = found.sub_(found.floor()) if self.wraps else found.clamp_(0, 1)
        shares = uv[:, None, 2:].expand(-1, len(self.lattice), -1)
        return torch.cat([found, shares], dim=2) if shares.shape[2] else found

    def mean(
        self, uv: torch.Tensor, width: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor,
        rng: torch.Generator,
    ) -> torch.Tensor:  # fmt: skip
        """Return the means of f * cos of wi: float32 [N, 3]; directions are [N, 3]."""
        points = len(self.lattice)
        parts = []
        for at in torch.arange(len(uv)).split(max(1, AT_ONCE // points)):
            places = self.places(uv[at], width[at], rng).reshape(-1, uv.shape[1])
            to_light, to_eye = (w[at].repeat_interleave(points, 0).numpy() for w in (wi, wo))
            found = self.reference.eval(places.numpy(), to_light, to_eye)
            parts.append(torch.from_numpy(found).view(-1, points, 3).mean(1))
        return torch.cat(parts)
