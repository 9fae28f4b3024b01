"""Colors and opacities of splats in the ranges that renderers keep, the picture as close as it can.

Colors below 0 are 0 by the specification, and many renderers hold colors in 8 bits. So colors and
opacities are fitted again, where splats lie as they do, by Adam (Kingma and Ba 2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from neuralshade.measure.quality import psnr_db
from neuralshade.verbs.export.engines.gltf_splats.geometry import REACH, FlatSplats

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

ENOUGH_DB = 45.0  # of the first look, which is kept then
STEPS = 60  # twice as many bring 0.3 dB more
RATES = (0.3, 0.05)  # of the opacities' logits, of colors; falling to 0
MOMENTS, LEAST = (0.9, 0.99), 1e-8
MOST_LOGIT = 6.0
MOST_SAMPLES = 2**16  # of the picture
TILE = 16  # samples a side, evaluated with the splats that meet it


@dataclass(frozen=True)
class Look:
    """Splats as they look, and how close they come."""

    splats: FlatSplats  # with opacities
    colors: Doubles  # [N, C]
    psnr_db: float  # of the picture in the right order, against the asset's
    fitted: bool  # again: it is not the asset's look


@dataclass(frozen=True)
class Tile:
    """Samples of a picture, and the splats that meet them."""

    rows: slice
    cols: slice
    near: npt.NDArray[np.int64]  # indices of splats, the first in front
    weights: Floats  # [samples, near]

    def alphas(self, opacities: Floats) -> tuple[Floats, Floats]:
        """Return what each splat covers in each sample, and what those before it let pass."""
        alphas: Floats = self.weights * opacities[self.near]
        passed = np.ones_like(alphas)
        np.cumprod(1 - alphas[:, :-1], axis=1, out=passed[:, 1:])
        return alphas, passed


@dataclass
class Adam:
    """Adam's moments of an array."""

    rate: float
    moments: list[Floats] = field(default_factory=list)

    def step(self, values: Floats, gradient: Floats, turn: int) -> Floats:
        """Return the values after a step."""
        powers = (gradient, gradient**2)
        before = self.moments or [np.zeros_like(gradient)] * 2
        parts = zip(MOMENTS, before, powers, strict=True)
        self.moments = [kept * old + (1 - kept) * new for kept, old, new in parts]
        mean, square = (moment / (1 - kept ** (turn + 1))
                        for kept, moment in zip(MOMENTS, self.moments, strict=True))  # fmt: skip
        pace = self.rate * (1 - turn / STEPS)
        return (values - pace * mean / (np.sqrt(square) + LEAST)).astype(np.float32)


def look_of(
    splats: FlatSplats, first: Doubles, draw: Callable[[int, int], Floats], white: float | None
) -> Look:
    """Return how splats look.

    Args:
        first: [N, C], colors of the asset, which may be beyond 0 to ``white``.
        draw: the asset's picture of a width and height.
        white: the brightest color; None: there is none, and PSNR is of the picture's maximum.
    """
    width, height = _size(splats)
    target = np.maximum(np.asarray(draw(width, height), np.float32), 0)
    peak = max(float(target.max()), 1e-6) if white is None else white
    most = math.inf if white is None else 1.0  # in units of the peak, as all below
    target, tiles = (target / peak).clip(0, most), list(tiles_of(splats, width, height))
    colors = (first / peak).clip(0, most).astype(np.float32)
    opacities = splats.opacities.astype(np.float32)

    def off(colors: Floats, opacities: Floats) -> float:
        drawn = _picture(tiles, colors, opacities, target.shape)
        return psnr_db(target, drawn.clip(0, most))

    found = off(colors, opacities)
    fitted = found < ENOUGH_DB
    if fitted:
        colors, opacities = _fitted(tiles, colors, opacities, target, most)
        found = off(colors, opacities)
    look = replace(splats, opacities=opacities.astype(np.float64))
    return Look(look, colors.astype(np.float64) * peak, found, fitted)


def _picture(
    tiles: Sequence[Tile], colors: Floats, opacities: Floats, shape: tuple[int, ...]
) -> Floats:
    """Return the picture of tiles: [height, width, C]."""
    found = np.zeros(shape, np.float32)
    for one in tiles:
        alphas, passed = one.alphas(opacities)
        part = found[one.rows, one.cols]
        part[:] = ((passed * alphas) @ colors[one.near]).reshape(part.shape)
    return found


def _size(splats: FlatSplats) -> tuple[int, int]:
    """Return width and height of the samples: all pixels, where they are not too many."""
    scale = min(1.0, math.sqrt(MOST_SAMPLES / (splats.width * splats.height)))
    return max(1, round(splats.width * scale)), max(1, round(splats.height * scale))


def tiles_of(splats: FlatSplats, width: int, height: int) -> Iterator[Tile]:
    """Yield the tiles of a picture of width x height samples."""
    covariances = splats.covariances
    reach = REACH * np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    low, high = splats.centers - reach, splats.centers + reach
    inverse = np.linalg.inv(covariances)
    x = (np.arange(width) + 0.5) * splats.width / width
    y = (np.arange(height) + 0.5) * splats.height / height
    for top in range(0, height, TILE):
        for left in range(0, width, TILE):
            rows, cols = slice(top, top + TILE), slice(left, left + TILE)
            meets = ((low < [x[cols][-1], y[rows][-1]]) & (high > [x[cols][0], y[rows][0]])).all(1)
            near = np.flatnonzero(meets)
            across = x[cols][None, :, None] - splats.centers[near, 0]
            down = y[rows][:, None, None] - splats.centers[near, 1]
            to = inverse[near]
            squared = to[:, 0, 0] * across**2 + to[:, 1, 1] * down**2
            squared = (squared + 2 * to[:, 0, 1] * across * down).reshape(-1, len(near))
            weights = np.exp(-0.5 * squared) * (squared < REACH**2)
            yield Tile(rows, cols, near, weights.astype(np.float32))


def _fitted(
    tiles: Sequence[Tile], colors: Floats, opacities: Floats, target: Floats, most: float
) -> tuple[Floats, Floats]:
    """Return colors of 0 to ``most``, and opacities, whose picture is closer to the target."""
    shares = opacities.astype(np.float64)
    logits = np.log(shares / (1 - shares)).clip(-MOST_LOGIT, MOST_LOGIT).astype(np.float32)
    of_logits, of_colors = map(Adam, RATES)
    for turn in range(STEPS):
        opacities = _sigmoid(logits)
        d_opacities, d_colors = gradients(tiles, colors, opacities, target)
        logits = of_logits.step(logits, d_opacities * opacities * (1 - opacities), turn)
        colors = of_colors.step(colors, d_colors, turn).clip(0, most)
        logits = logits.clip(-MOST_LOGIT, MOST_LOGIT)
    return colors, _sigmoid(logits)


def _sigmoid(logits: Floats) -> Floats:
    found: Floats = np.float32(1) / (np.float32(1) + np.exp(-logits))
    return found


def gradients(
    tiles: Sequence[Tile], colors: Floats, opacities: Floats, target: Floats
) -> tuple[Floats, Floats]:
    """Return the gradients of half the sum of squares, by opacities and by colors."""
    d_opacities, d_colors = np.zeros_like(opacities), np.zeros_like(colors)
    for one in tiles:
        alphas, passed = one.alphas(opacities)
        shares, own = passed * alphas, colors[one.near]
        off = shares @ own - target[one.rows, one.cols].reshape(-1, own.shape[1])
        d_shares = off @ own.T
        behind = shares * d_shares
        behind = behind.sum(axis=1, keepdims=True) - np.cumsum(behind, axis=1)
        d_alphas = passed * d_shares - behind / (1 - alphas)
        d_colors[one.near] += shares.T @ off
        d_opacities[one.near] += (d_alphas * one.weights).sum(axis=0)
    return d_opacities, d_colors
