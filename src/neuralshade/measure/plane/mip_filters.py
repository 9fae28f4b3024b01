"""Mip filters without training: box, Toksvig, LEAN; baselines of trained levels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neuralshade.model.roughness import SMALLEST_ALPHA
from neuralshade.source.halving import halved_counted

Floats = npt.NDArray[np.float32]
SHORTEST = 1e-3  # mean normal
LEAST_Z = 0.05  # of a normal, when its slope is computed


@dataclass(frozen=True)
class Maps:
    """One level: albedo [H, W, 3], normal [H, W, 3] of length 1, roughness and metallic [H, W].

    ``opacity`` [H, W], [0, 1]: weights of texels when levels are made of them; None: uniform.
    """

    albedo: Floats
    normal: Floats
    roughness: Floats
    metallic: Floats
    opacity: Floats | None = None

    def arrays(self) -> dict[str, Floats]:
        """Return its arrays by name."""
        return {name: values for name, values in vars(self).items() if values is not None}


def box_chain(base: Maps, levels: int) -> list[Maps]:
    """Return ``levels`` levels below ``base``: means, with normals renormalized."""
    return [
        Maps(m.albedo, unit(m.normal), m.roughness, m.metallic, m.opacity)
        for m in _means(base, levels)
    ]


def toksvig_chain(base: Maps, levels: int) -> list[Maps]:
    """Return levels whose roughness grows as mean normals get shorter.

    Source: Toksvig 2005, Mipmapping Normal Maps, equation 1, for a Blinn-Phong exponent of
    2 / alpha^2 - 2, which Walter et al. 2007 give for the same width (section 5.2).
    """
    chain = []
    for m in _means(base, levels):
        length = np.clip(np.linalg.norm(m.normal, axis=2), SHORTEST, 1)
        power = 2 / alpha_of(m.roughness) ** 2 - 2
        shorter = length / (length + power * (1 - length))
        alpha = np.sqrt(2 / (shorter * power + 2)).clip(0, 1)
        chain.append(replace(m, normal=unit(m.normal), roughness=_roughness_of(alpha)))
    return chain


def lean_chain(base: Maps, levels: int) -> list[Maps]:
    """Return levels whose roughness grows by the variance of the slopes below them.

    A texel with one roughness stores the mean of LEAN's covariance over both directions; alpha^2
    is twice a Beckmann distribution's variance of slopes.

    Source: Olano and Baker 2010, LEAN Mapping, sections 3 and 4.
    """
    slope = base.normal[..., :2] / np.maximum(base.normal[..., 2:], LEAST_Z)
    moments = {"slope": slope, "squares": np.square(slope),
               "width": alpha_of(base.roughness) ** 2}  # fmt: skip
    chain, weights = [], base.opacity
    for m in _means(base, levels):
        halves = {name: halved_counted(values, weights) for name, values in moments.items()}
        moments, weights = {name: values for name, (values, _) in halves.items()}, m.opacity
        variance = np.maximum(moments["squares"] - np.square(moments["slope"]), 0).sum(axis=2)
        alpha = np.sqrt(moments["width"] + variance).clip(0, 1)
        up = np.ones_like(variance)[..., None]
        normal = unit(np.concatenate([moments["slope"], up], axis=2))
        chain.append(replace(m, normal=normal, roughness=_roughness_of(alpha)))
    return chain


FILTERS = {"box": box_chain, "toksvig": toksvig_chain, "lean": lean_chain}


def unit(normal: Floats) -> Floats:
    """Return vectors normalized to length 1; straight up for zero vectors."""
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    up = np.array([0, 0, 1], np.float32)
    return np.where(length > 1e-12, normal / np.maximum(length, 1e-12), up).astype(np.float32)


def alpha_of(roughness: Floats) -> Floats:
    """Return the width of the microfacet distribution, as in microfacet.py."""
    return np.maximum(np.square(roughness), SMALLEST_ALPHA).astype(np.float32)


def _roughness_of(alpha: Floats) -> Floats:
    return np.sqrt(alpha).astype(np.float32)


def _means(base: Maps, levels: int) -> list[Maps]:
    """Return means, of normals too, weighted by opacity if any; and the mean opacity."""
    chain = [base]
    for _ in range(levels):
        before = chain[-1]
        maps = {name: values for name, values in before.arrays().items() if name != "opacity"}
        halves = {name: halved_counted(values, before.opacity) for name, values in maps.items()}
        opacity = halves["albedo"][1]
        chain.append(Maps(**{name: mean for name, (mean, _) in halves.items()}, opacity=opacity))
    return chain[1:]
