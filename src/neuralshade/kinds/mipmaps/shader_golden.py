"""Golden vectors of trained mip levels' shader functions, evaluated in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.mipmaps.asset import stored_levels
from neuralshade.languages.forms import GOLDEN, SEED, level_rows
from neuralshade.model.shader_form import Golden
from neuralshade.source.color import srgb_to_linear

if TYPE_CHECKING:
    from neuralshade.kinds.mipmaps.opened import OpenedMipmaps

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

TOLERANCE = 2e-6
# Half a step of sRGB-encoded 8 bits, in linear light: the tolerance of graphics APIs.
SRGB_UNITS = 4.5e-3
# Texture units have 8-bit weights, and some round to 8 bits after each axis and between levels.
BETWEEN_UNITS = {"normal": 4e-2}
USUAL_BETWEEN_UNITS = 1.6e-2
SHORT = 0.6  # mean of normals; shorter ones amplify errors when normalized
ROWS = 2 * GOLDEN  # to draw: rows of short mean normals are left out
TRIES = 64  # positions to draw until float32 holds one exactly
SHORTEST = 1e-6
CENTERS, BETWEEN = "texel centers of whole levels", "anywhere"


def golden_rows(opened: OpenedMipmaps, name: str) -> list[Golden]:
    """Return the maps at texels' centers, between them, and beyond the borders.

    Interpolation is of the stored numbers, for albedo in linear light; normals are normalized
    afterwards.
    """
    chains = {one: [_numbers(one, level[one]) for level in stored_levels(opened.asset)]
              for one in opened.names}  # fmt: skip
    sizes = np.array([(width, height) for width, height in opened.maps["sizes"]])
    wraps = opened.recipe.wrap == "repeat"
    rng = np.random.default_rng(SEED)
    centers, texels = _centers(sizes, rng)
    drawn = np.column_stack([rng.uniform(-1, 2, (ROWS, 2)),
                             rng.uniform(-0.5, len(sizes) - 0.5, ROWS)])  # fmt: skip
    between: Floats = drawn.astype(np.float32)
    found = []
    for one, chain in chains.items():
        of_texels = np.stack([chain[mip][y, x] for x, y, mip in texels])
        of_places = _trilinear(chain, sizes, between.astype(np.float64), wraps)
        exact = SRGB_UNITS if one == "albedo" else TOLERANCE
        rough = BETWEEN_UNITS.get(one, USUAL_BETWEEN_UNITS)
        for inputs, values, units, about in (
            (centers, of_texels, exact, CENTERS),
            (between, of_places, rough, BETWEEN),
        ):
            if one == "normal":
                length = np.linalg.norm(values, axis=1, keepdims=True)
                long = length[:, 0] > SHORT
                inputs, values = inputs[long], (values / np.maximum(length, SHORTEST))[long]
            outputs: Floats = values[:GOLDEN].astype(np.float32)
            found.append(Golden(f"{name}_{one}", inputs[:GOLDEN], outputs, TOLERANCE,
                                by_units=units, about=about))  # fmt: skip
    return [*found, level_rows(name, opened.maps["sizes"][0])]


def _numbers(name: str, stored: npt.NDArray[np.uint8]) -> Doubles:
    """Return the numbers to interpolate of a stored level: linear light, normals -1 to 1."""
    values = stored.astype(np.float64) / 255
    if name == "albedo":
        return srgb_to_linear(values).astype(np.float64)
    return values * 2 - 1 if name == "normal" else values


def _centers(sizes: npt.NDArray[np.int64], rng: np.random.Generator
             ) -> tuple[Floats, npt.NDArray[np.int64]]:  # fmt: skip
    """Return (u, v, level) of texels' centers, and these texels: column, row, level.

    Only positions whose product with the size is exact in float32: texture units that filter in
    8 bits then read a single texel.
    """
    texels = np.zeros((GOLDEN, 3), np.int64)
    texels[:, 2] = np.arange(GOLDEN) % len(sizes)
    size = sizes[texels[:, 2]]
    place = np.zeros((GOLDEN, 2), np.float32)
    for _ in range(TRIES):
        drawn = rng.integers(0, size)
        at = ((drawn + 0.5) / size).astype(np.float32)
        exact = at * size.astype(np.float32) == (drawn + 0.5).astype(np.float32)
        new = exact & (place == 0)
        place[new], texels[:, :2][new] = at[new], drawn[new]
    return np.column_stack([place, texels[:, 2]]).astype(np.float32), texels


def _trilinear(
    chain: list[Doubles], sizes: npt.NDArray[np.int64], at: Doubles, wraps: bool
) -> Doubles:
    """Return numbers at (u, v, level) [N, 3]: float64 [N, C]."""
    level = at[:, 2].clip(0, len(chain) - 1)
    lower = level.astype(np.int64)
    found = np.zeros((len(at), chain[0].shape[2]))
    for mip, part in ((lower, 1 - (level - lower)), (lower + 1, level - lower)):
        mip = mip.clip(0, len(chain) - 1)
        for index in range(len(chain)):
            own = mip == index
            found[own] += part[own, None] * _bilinear(chain[index], sizes[index], at[own], wraps)
    return found


def _bilinear(level: Doubles, size: npt.NDArray[np.int64], at: Doubles, wraps: bool) -> Doubles:
    inside = at[:, :2] - np.floor(at[:, :2]) if wraps else at[:, :2].clip(0, 1)
    place = inside * size - 0.5
    first = np.floor(place).astype(np.int64)
    share = place - first
    found = np.zeros((len(at), level.shape[2]))
    for right in (0, 1):
        for down in (0, 1):
            texel = first + np.array((right, down))
            texel = texel % size if wraps else texel.clip(0, size - 1)
            weight = np.abs(1 - right - share[:, 0]) * np.abs(1 - down - share[:, 1])
            found += weight[:, None] * level[texel[:, 1], texel[:, 0]]
    return found
