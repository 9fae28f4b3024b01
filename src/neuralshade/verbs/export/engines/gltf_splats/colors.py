"""Colors of splats: in the range that renderers keep, and the picture as close as they can.

Colors below 0 are 0 by the specification, and many renderers hold colors in 8 bits. What covers
what is known, so that the picture is linear in colors: least squares by separable surrogates
(De Pierro 1995), accelerated (Nesterov 1983).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.measure.quality import psnr_db
from neuralshade.verbs.export.engines.gltf_splats.geometry import REACH, FlatSplats

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

STEPS = 40  # it gains less than 0.02 dB afterwards
MOST_SAMPLES = 2**16  # of the picture
TILE = 16  # samples a side, evaluated with the splats that meet it
KEPT = 1e-3  # weight of the first colors, in samples: of splats that nothing shows


@dataclass(frozen=True)
class Tile:
    """Samples of a picture, and what each splat that meets them adds."""

    rows: slice
    cols: slice
    near: npt.NDArray[np.int64]  # indices of splats
    shares: Floats  # [samples, near], of their colors in each sample


@dataclass(frozen=True)
class Colored:
    """Colors of splats, and how close they come."""

    colors: Doubles  # [N, C]
    psnr_db: float  # of the picture in the right order, against the asset's
    clamped: bool  # the asset's are beyond the range


def colored(
    splats: FlatSplats, first: Doubles, draw: Callable[[int, int], Floats], white: float | None
) -> Colored:
    """Return the colors of splats.

    Args:
        first: [N, C], colors of the asset, which may be beyond 0 to ``white``.
        draw: the asset's picture of a width and height.
        white: the brightest color; None: there is none, and PSNR is of the picture's maximum.
    """
    width, height = _size(splats)
    target = np.asarray(draw(width, height), np.float32)
    tiles = list(_tiles(splats, width, height))
    most = math.inf if white is None else white
    colors = first.clip(0, most).astype(np.float32)
    clamped = bool((first < 0).any() or (first > most).any())
    if clamped:
        colors = _fitted(tiles, colors, target, most)
    drawn = picture_of(tiles, colors, width, height)
    if white is not None:
        target, drawn = target.clip(0, white), drawn.clip(0, white)
    peak = float(target.max()) if white is None else white
    return Colored(colors.astype(np.float64), psnr_db(target, drawn, max(peak, 1e-6)), clamped)


def picture_of(tiles: Sequence[Tile], colors: Floats, width: int, height: int) -> Floats:
    """Return the picture of tiles: [height, width, C]."""
    found = np.zeros((height, width, colors.shape[1]), np.float32)
    for one in tiles:
        part = found[one.rows, one.cols]
        part[:] = (one.shares @ colors[one.near]).reshape(part.shape)
    return found


def _size(splats: FlatSplats) -> tuple[int, int]:
    """Return width and height of the samples: all pixels, where they are not too many."""
    scale = min(1.0, math.sqrt(MOST_SAMPLES / (splats.width * splats.height)))
    return max(1, round(splats.width * scale)), max(1, round(splats.height * scale))


def _tiles(splats: FlatSplats, width: int, height: int) -> list[Tile]:
    """Return the tiles of a picture of width x height samples."""
    covariances = splats.covariances
    reach = REACH * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    low, high = splats.centers - reach, splats.centers + reach
    inverse = np.linalg.inv(covariances)
    x = (np.arange(width) + 0.5) * splats.width / width
    y = (np.arange(height) + 0.5) * splats.height / height
    found = []
    for top in range(0, height, TILE):
        for left in range(0, width, TILE):
            rows, cols = slice(top, top + TILE), slice(left, left + TILE)
            meets = ((low < [x[cols][-1], y[rows][-1]]) & (high > [x[cols][0], y[rows][0]])).all(1)
            near = np.flatnonzero(meets)
            places = np.stack(np.meshgrid(x[cols], y[rows]), -1).reshape(-1, 1, 2)
            offset = places - splats.centers[near]
            squared = ((offset[..., None, :] @ inverse[near])[..., 0, :] * offset).sum(-1)
            alpha = np.exp(-0.5 * squared) * (squared < REACH**2) * splats.opacities[near]
            passed = np.cumprod(1 - alpha, axis=1)
            before = np.concatenate([np.ones_like(passed[:, :1]), passed[:, :-1]], axis=1)
            found.append(Tile(rows, cols, near, (before * alpha).astype(np.float32)))
    return found


def _fitted(tiles: Sequence[Tile], first: Floats, target: Floats, most: float) -> Floats:
    """Return colors of 0 to ``most`` whose picture is closest to the target."""
    curvature = np.full((len(first), 1), KEPT, np.float32)
    for one in tiles:
        own = one.shares.T @ one.shares.sum(1, keepdims=True)
        np.add.at(curvature, one.near, own)

    def descent(colors: Floats) -> Floats:
        found = KEPT * (colors - first)
        for one in tiles:
            wanted = target[one.rows, one.cols].reshape(-1, first.shape[1])
            found[one.near] += one.shares.T @ (one.shares @ colors[one.near] - wanted)
        stepped: Floats = np.clip(colors - found / curvature, 0, most)
        return stepped

    colors, ahead, pace = first, first, 1.0
    for _ in range(STEPS):
        next_pace = (1 + math.sqrt(1 + 4 * pace**2)) / 2
        stepped = descent(ahead)
        ahead = stepped + np.float32((pace - 1) / next_pace) * (stepped - colors)
        colors, pace = stepped, next_pace
    return colors
