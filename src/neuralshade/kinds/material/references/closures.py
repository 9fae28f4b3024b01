"""Albedo table of a stack's clear layers. Device half: closures.slang.

The light that a layer reflects is subtracted from the layers below (albedo scaling).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from neuralshade.base.cores import map_on_cores

Doubles = npt.NDArray[np.float64]

SIDE = 32  # of a part of the table, as in closures.slang
DRAWN = 32  # squared: number of directions of an albedo
SMALLEST_ALPHA = 1e-3  # as in model/microfacet
SMALLEST_SHEEN = 0.25  # roughness, as in closures.slang
LOWEST = 1e-3  # cosine
MOST_THREADS = 4  # of the table: calls are short


@cache
def albedo_table() -> npt.NDArray[np.float32]:
    """Return albedos by direction: float32 [3 * SIDE * SIDE], read-only.

    Parts: GGX of f0 = 1 minus GGX of f0 = 0; GGX of f0 = 0; sheen of color 1. Rows: roughness from
    0 to 1. Columns: square root of the cosine, from 0 to 1.
    """
    steps = np.linspace(0, 1, SIDE)
    cosines = np.maximum(steps**2, LOWEST)[None, :, None]

    def row(roughness: Doubles) -> list[Doubles]:  # small enough for a core's cache
        return [*_ggx_albedo(cosines, roughness), _sheen_albedo(cosines, roughness)]

    rows = map_on_cores(row, np.split(steps[:, None, None], SIDE), MOST_THREADS)
    parts = [np.concatenate(part) for part in zip(*rows, strict=True)]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def _square() -> tuple[Doubles, Doubles]:
    """Return points spread over the unit square: [DRAWN^2] each."""
    middle = (np.arange(DRAWN) + 0.5) / DRAWN
    first, second = np.meshgrid(middle, middle)
    return first.ravel(), second.ravel()


def _ggx_albedo(cosine: Doubles, roughness: Doubles) -> tuple[Doubles, Doubles]:
    """Return the parts with and without the factor f0: [roughness, cosine].

    Visible normals are sampled for wo: Dupuy and Benyoub 2023, listing 3.
    """
    alpha = np.maximum(roughness**2, SMALLEST_ALPHA)
    turn, height = _square()
    x_o, z_o = np.sqrt(1 - cosine**2), cosine
    scale = np.sqrt((alpha * x_o) ** 2 + z_o**2)
    x, z = alpha * x_o / scale, z_o / scale
    depth = height * (1 + z)
    radius = np.sqrt(np.maximum(depth * (2 - depth), 0))
    x_m = alpha * (radius * np.cos(2 * math.pi * turn) + x)
    y_m = alpha * radius * np.sin(2 * math.pi * turn)
    z_m = (1 - height) * (1 + z)
    size = np.sqrt(x_m**2 + y_m**2 + z_m**2)
    cos_m = np.clip((x_m * x_o + z_m * z_o) / size, 0, 1)
    z_i = 2 * cos_m * z_m / size - z_o
    lit = np.maximum(z_i, 1e-9)
    # masking-shadowing over masking, height-correlated: Heitz 2014, equations 72 and 99
    slope_o = np.sqrt(alpha**2 + (1 - alpha**2) * z_o**2)
    slope_i = np.sqrt(alpha**2 + (1 - alpha**2) * lit**2)
    seen = np.where(z_i > 0, lit * (z_o + slope_o) / (lit * slope_o + z_o * slope_i), 0)
    grazing = (1 - cos_m) ** 5
    return (seen * (1 - grazing)).mean(-1), (seen * grazing).mean(-1)


def _sheen_albedo(cosine: Doubles, roughness: Doubles) -> Doubles:
    """Return the albedo of sheen of color 1: [roughness, cosine]. Formula: closures.slang."""
    over = 1 / np.maximum(roughness, SMALLEST_SHEEN) ** 2
    turn, z_i = _square()  # uniform over the hemisphere
    x_i = np.sqrt(1 - z_i**2) * np.cos(2 * math.pi * turn)
    across = np.sqrt(1 - cosine**2)
    between = np.sqrt(2 + 2 * (x_i * across + z_i * cosine))
    z_m = np.minimum((z_i + cosine) / between, 1)
    distribution = (2 + over) * (1 - z_m**2) ** (over / 2) / (2 * math.pi)
    found: Doubles = distribution * 0.25 / (z_i + cosine - z_i * cosine) * z_i
    return found.mean(-1) * 2 * math.pi
