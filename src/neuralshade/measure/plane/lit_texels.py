"""Lit error of maps: texels shaded one by one, under lights that no fit has used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.threads import side_by_side
from neuralshade.measure.map_psnr import Bytes
from neuralshade.measure.plane.lit_sphere import AMBIENT, GREY, LIT, RADIANCE, ROUGH
from neuralshade.model.microfacet import Surface, shade
from neuralshade.sampler.directions import draw_pairs
from neuralshade.source.color import linear_to_srgb, srgb_to_linear

Floats = npt.NDArray[np.float32]

PAIRS = 16  # of light and eye
NEAR_MIRROR = 0.5  # share of pairs near the mirror direction
LOWEST = 0.2  # least cosine of both with the surface
SEED = 99
MOST_TEXELS = 2**14  # shaded texels, evenly over the maps


def lit_errors(
    reference: Mapping[str, Bytes], others: Sequence[Mapping[str, Bytes]],
    weights: Floats | None = None,
) -> list[float]:  # fmt: skip
    """Return the mean |difference| of lit texels, sRGB in [0, 1], of each other set.


    A flat surface under PAIRS distant lights and eyes, without shadows; colors are clipped and
    sRGB encoded.

    Args:
        reference: as in ``lit_sphere``; large maps are subsampled.
        others: the same maps, of the same size.
        weights: [H, W], weights of texels, such as opacity; uniform where None.
    """
    size = next(iter(reference.values())).shape
    step = math.ceil(size[0] * size[1] / MOST_TEXELS)
    surfaces = [_surface(maps, step, size[0] * size[1]) for maps in (reference, *others)]
    pairs = list(torch.from_numpy(draw_pairs(PAIRS, NEAR_MIRROR, LOWEST, SEED)))
    counted = None if weights is None else weights.reshape(-1)[::step].astype(np.float64)
    by_pair = list(side_by_side(partial(_differences, surfaces, counted), pairs))
    return [float(np.mean(differences)) for differences in zip(*by_pair, strict=True)]


def _differences(
    surfaces: Sequence[tuple[Surface, torch.Tensor]], weights: npt.NDArray[np.float64] | None,
    pair: torch.Tensor,
) -> list[float]:  # fmt: skip
    """Return the difference of each further set from the first, under one light."""
    wi, wo = pair
    first = _lit(*surfaces[0], wi, wo)
    by_texel = [np.abs(first - _lit(*other, wi, wo)).mean(axis=1, dtype=np.float64)
                for other in surfaces[1:]]  # fmt: skip
    if weights is None or not weights.any():
        return [float(errors.mean()) for errors in by_texel]
    return [float(np.average(errors, weights=weights)) for errors in by_texel]


def _surface(maps: Mapping[str, Bytes], step: int, count: int) -> tuple[Surface, torch.Tensor]:
    """Return every ``step``-th texel as a surface, and its ambient reflection."""
    usual = {"albedo": GREY, "roughness": ROUGH, "metallic": 0.0, "ao": 1.0}

    def read(name: str) -> Floats:
        if name not in maps:
            return np.full((len(range(0, count, step)), 1), usual[name], np.float32)
        texels = maps[name].reshape(count, -1)[::step].astype(np.float32) / np.float32(255)
        return srgb_to_linear(texels) if name == "albedo" else texels

    values = {name: torch.from_numpy(read(name)) for name in LIT if name != "normal"}
    albedo = values["albedo"].expand(-1, 3)
    up = torch.tensor([0.0, 0.0, 1.0]).expand(len(albedo), 3)
    normal = torch.from_numpy(read("normal")) * 2 - 1 if "normal" in maps else up
    surface = Surface(albedo, torch.nn.functional.normalize(normal, dim=-1),
                      values["roughness"][:, 0], values["metallic"][:, 0])  # fmt: skip
    return surface, AMBIENT * values["ao"] * albedo


def _lit(surface: Surface, ambient: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor) -> Floats:
    light = RADIANCE * math.pi * shade(surface, wi, wo) + ambient
    return linear_to_srgb(light.clamp(0, 1).numpy())
