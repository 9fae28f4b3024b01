"""Errors of an f * cos function in linear light: direction pairs, albedos, reciprocity.

PSNR of spheres misses errors where light is clipped, such as a lost highlight. The sum of errors
over the sum of values around highlights (``l1_highlight``) shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.threads import threads
from neuralshade.kinds.material.judging.lit_surfaces import Shade
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels, places
from neuralshade.kinds.material.samples import unit_normals, with_shares
from neuralshade.sampler.material_directions import (
    LEAST,
    half_vector_pairs,
    hemisphere,
    mirror_pairs,
)

Floats = npt.NDArray[np.float32]
Drawn = tuple[Floats, Floats, Floats]  # uv [n, 2], wi [n, 3], wo [n, 3]

SEED = 20_261_123  # of points and directions: equal for all fits, used by none
PAIRS = 2**15  # of each sampling method; pairs below the surface are dropped
PLACES = 512  # where albedos are measured
AT_ONCE = 16  # of these, whose directions are drawn at once
GRAZING = 0.1  # cosine of an eye, below which albedo errors are separate
TOWARDS = 16  # directions along a side of each lattice
SHARP = (0.3, 0.05)  # widths of half vectors that find highlights
FLOOR = 0.01  # of the denominator of symmetric errors, as in the fit's loss
SHINING = 1e-3  # of a value, below which reciprocity is not measured
SAMPLINGS = ("uniform", "half", "highlight")


class Measures:
    """Pairs and albedos of a reference, evaluated once, and their distance to others.

    Varied inputs are random; with ``shares`` they have these everywhere.
    """

    @threads(1)  # the operations are too small for more
    def __init__(self, reference: ReferenceKernels, shares: Sequence[float] | None = None):
        self.shares = shares
        rng = torch.Generator().manual_seed(SEED)
        self.pairs = {
            sampling: self._at(*_drawn(sampling, reference, rng)) for sampling in SAMPLINGS
        }
        self.target = {sampling: reference.eval(*drawn) for sampling, drawn in self.pairs.items()}
        places, weights = _places(reference, rng)
        self.places = self._at(*places), weights
        self.albedos = _albedos(reference.eval, self.places)
        _, _, wo = self.places[0]
        self.grazing = wo.reshape(PLACES, -1, 3)[:, 0, 2] < GRAZING
        self.gap = reciprocity_gap(reference.eval, self.pairs["uniform"])

    def _at(self, uv: Floats, wi: Floats, wo: Floats) -> Drawn:
        """Return what was drawn, with the requested shares of varied inputs, if any."""
        return uv if self.shares is None else places(uv[:, :2], self.shares), wi, wo

    def measure(self, shade: Shade) -> dict[str, float]:
        """Return the measures of an f * cos function, by name.

        ``smape_SAMPLING``, ``l1_SAMPLING`` (sum of errors over sum of values): for SAMPLINGS;
        ``bias``: mean over the reference's mean, less 1, of uniform pairs; ``albedo_mean`` and
        ``albedo_p95``: relative error of directional albedos for eyes from GRAZING on;
        ``albedo_grazing``: sum of errors over sum of albedos, for the eyes below, where an albedo
        may be 0; ``albedo_most`` and ``teacher_albedo_most``: the largest of all eyes;
        ``reciprocity`` and ``teacher_reciprocity``: medians.
        """
        found: dict[str, float] = {}
        for sampling, drawn in self.pairs.items():
            predicted, target = shade(*drawn), self.target[sampling]
            found[f"smape_{sampling}"] = smape(target, predicted)
            found[f"l1_{sampling}"] = relative_l1(target, predicted)
            if sampling == "uniform":
                found["bias"] = float(predicted.mean(dtype=np.float64)) / _mean(target) - 1
        albedos = _albedos(shade, self.places)
        errors = np.abs(albedos - self.albedos).sum(1)
        shares = (errors / np.maximum(self.albedos.sum(1), FLOOR))[~self.grazing]
        found |= {
            "albedo_mean": float(shares.mean()),
            "albedo_p95": float(np.quantile(shares, 0.95)),
            "albedo_grazing": relative_l1(self.albedos[self.grazing], albedos[self.grazing]),
            "albedo_most": float(albedos.max()),
            "teacher_albedo_most": float(self.albedos.max()),
            "reciprocity": reciprocity_gap(shade, self.pairs["uniform"]),
            "teacher_reciprocity": self.gap,
        }
        return found


def smape(target: Floats, predicted: Floats) -> float:
    """Return the mean of |p - t| / (|p| + |t| + 0.01) of prediction and target: 0 to 1."""
    errors = np.abs(predicted - target) / (np.abs(predicted) + np.abs(target) + np.float32(FLOOR))
    return float(errors.mean(dtype=np.float64))


def relative_l1(target: Floats, predicted: Floats) -> float:
    """Return the sum of errors over the sum of values: 0 is equal, 1 is all black."""
    return float(np.abs(predicted - target).mean(dtype=np.float64)) / _mean(target)


def _mean(target: Floats) -> float:
    """Return the mean; never 0, even for a black material."""
    return max(float(target.mean(dtype=np.float64)), 1e-12)


def reciprocity_gap(shade: Shade, drawn: Drawn) -> float:
    """Return the median of |f(wi, wo) - f(wo, wi)| over the mean of both, where there is light."""
    uv, wi, wo = drawn
    one = shade(uv, wi, wo).sum(1) / wi[:, 2]
    other = shade(uv, wo, wi).sum(1) / wo[:, 2]
    shining = one + other > SHINING
    if not shining.any():
        return 0.0
    gaps = 2 * np.abs(one - other)[shining] / (one + other)[shining]
    return float(np.median(gaps))


def _drawn(sampling: str, reference: ReferenceKernels, rng: torch.Generator) -> Drawn:
    """Draw points and pairs of directions, both above the surface."""
    uv = with_shares(torch.rand((PAIRS, 2), generator=rng), reference.bsdf, rng)
    makes: dict[str, Callable[[], tuple[torch.Tensor, torch.Tensor]]] = {
        "uniform": lambda: (_upper(rng), _upper(rng)),
        "half": lambda: half_vector_pairs(torch.rand((4, PAIRS), generator=rng)),
        "highlight": lambda: mirror_pairs(
            _normals(reference, uv, rng), torch.rand((5, PAIRS), generator=rng)
        ),
    }
    wi, wo = makes[sampling]()
    seen = (wi[2] > LEAST) & (wo[2] > LEAST)
    at, to_light, to_eye = uv[seen], wi.t()[seen], wo.t()[seen]
    return at.numpy(), to_light.contiguous().numpy(), to_eye.contiguous().numpy()


def _upper(rng: torch.Generator) -> torch.Tensor:
    return hemisphere(*torch.rand((2, PAIRS), generator=rng))


def _normals(reference: ReferenceKernels, uv: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Return one of the graph's normals at each point, straight up if it has none."""
    values = torch.from_numpy(reference.parameters(uv.numpy()))
    found = unit_normals(reference.bsdf.parameters, values)
    if not found:
        return torch.tensor([[0.0], [0.0], [1.0]]).expand(3, len(uv))
    which = torch.randint(0, len(found), (len(uv),), generator=rng)
    return torch.stack(found)[which, :, torch.arange(len(uv))].t()


def _places(reference: ReferenceKernels, rng: torch.Generator) -> tuple[Drawn, Floats]:
    """Return places and eyes, each with directions above it; and 1 / their density [n].

    Directions are a cosine lattice and a lattice of half vectors for each of SHARP, combined by
    the balance heuristic (Veach 1997, Robust Monte Carlo Methods, section 9.2). Both matt surfaces
    and sharp highlights are then covered by many directions.
    """
    uv = with_shares(torch.rand((PLACES, 2), generator=rng), reference.bsdf, rng)
    wo = hemisphere(*torch.rand((2, PLACES), generator=rng)).t()[:, None]
    parts = [_directions(some) for some in wo.split(AT_ONCE)]
    wi, weights = (torch.cat(each) for each in zip(*parts, strict=True))
    count = wi.shape[1]
    rows = (uv.repeat_interleave(count, 0), wi.flatten(0, 1), wo[:, 0].repeat_interleave(count, 0))
    at, to_light, to_eye = (values.contiguous().numpy() for values in rows)
    return (at, to_light, to_eye), weights.flatten().numpy()


def _directions(wo: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return directions [n, m, 3] above eyes [n, 1, 3], and 1 / their density [n, m]."""
    first, second = _lattice(TOWARDS, TOWARDS)
    cosine = torch.stack([first.sqrt() * second.cos(), first.sqrt() * second.sin(),
                          (1 - first).sqrt()], 1).expand(len(wo), -1, 3)  # fmt: skip
    found = [cosine]
    for width in SHARP:
        first, second = _lattice(TOWARDS // 2, TOWARDS)
        up = (1 - first) / (1 + (width * width - 1) * first)  # squared
        flat, up = (1 - up).sqrt(), up.sqrt()
        half = torch.stack([flat * second.cos(), flat * second.sin(), up], 1)
        found.append(2 * (wo * half).sum(2, keepdim=True) * half - wo)
    wi = torch.cat(found, 1)
    half = wi + wo
    half = half / half.square().sum(2, keepdim=True).sqrt()
    density = wi[..., 2] / math.pi * cosine.shape[1]
    for width, drawn in zip(SHARP, found[1:], strict=True):
        spread = half[..., 2].square() * (width * width - 1) + 1
        of_half = width * width / (math.pi * spread.square()) * half[..., 2]
        density = density + drawn.shape[1] * of_half / (4 * (wo * half).sum(2))
    seen = wi[..., 2] > LEAST
    weights = torch.where(seen, wi.shape[1] / density, 0.0)
    return torch.where(seen[..., None], wi, torch.tensor([0.0, 0.0, 1.0])), weights


def _lattice(rows: int, cols: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the centers of ``rows`` x ``cols`` cells: in [0, 1], and as angles."""
    sides = ((torch.arange(count) + 0.5) / count for count in (rows, cols))
    first, second = (axis.flatten() for axis in torch.meshgrid(*sides, indexing="ij"))
    return first, 2 * math.pi * second


def _albedos(shade: Shade, places: tuple[Drawn, Floats]) -> Floats:
    """Return the directional albedo towards each place's eye: float32 [PLACES, 3]."""
    drawn, weights = places
    shares = shade(*drawn) * weights[:, None]
    # of PyTorch, whose mean over the middle is 13 times as fast
    found: Floats = torch.from_numpy(shares).reshape(PLACES, -1, 3).mean(1).numpy()
    return found
