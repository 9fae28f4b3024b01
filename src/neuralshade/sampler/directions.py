"""Pairs of directions to light and eye. Device half, one pair per thread: directions.slang."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import torch

Floats = npt.NDArray[np.float32]
NARROWEST, WIDEST = 0.03, 0.6  # alpha of the lobes that pairs near the mirror are drawn from
DRAWN = 8  # candidates per pair: some are too low


def draw_pairs(count: int, mirror: float, lowest: float, seed: int) -> Floats:
    """Return wi and wo of length 1, z up: float32 [count, 2, 3].

    wo is distributed by the cosine. So is wi for the share 1 - ``mirror`` of the pairs; for the
    others it is a mirror's about a normal drawn from GGX lobes, narrow and wide ones alike:
    there, roughness shows. Points of a Sobol sequence, scrambled by ``seed``.

    Args:
        lowest: least cosine of both with z.
    """
    near = round(count * mirror)
    pairs = np.concatenate([
        _pairs(near, True, lowest, 2 * seed), _pairs(count - near, False, lowest, 2 * seed + 1)
    ])  # fmt: skip
    return pairs[_order(count, seed)]


def near_mirror(count: int, mirror: float, seed: int) -> npt.NDArray[np.bool_]:
    """Return which pairs of ``draw_pairs`` with the same arguments are near a mirror's: [count]."""
    return _order(count, seed) < round(count * mirror)


def _order(count: int, seed: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(count)


def _pairs(count: int, mirror: bool, lowest: float, seed: int) -> Floats:
    if count == 0:
        return np.zeros((0, 2, 3), np.float32)
    drawn = DRAWN * count + 64
    while True:
        sequence = torch.quasirandom.SobolEngine(5, scramble=True, seed=seed % 2**31)
        u = sequence.draw(drawn, dtype=torch.float64).numpy()
        wo = cosine_directions(u[:, 0], u[:, 1])
        if mirror:
            wi = mirrored(wo, u[:, 2], u[:, 3], u[:, 4])
        else:
            wi = cosine_directions(u[:, 2], u[:, 3])
        high = (wi[:, 2] >= lowest) & (wo[:, 2] >= lowest)
        pairs = np.stack([wi[high], wo[high]], axis=1)
        if len(pairs) >= count:
            return pairs[:count].astype(np.float32)
        drawn *= 2


def cosine_directions(turn: npt.ArrayLike, share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return directions distributed by the cosine, of uniform numbers: float64 [n, 3]."""
    z = np.sqrt(1 - np.asarray(share))
    return _around(np.asarray(turn), np.sqrt(np.asarray(share)), z)


def mirrored(
    wo: npt.NDArray[np.float64],
    share: npt.NDArray[np.float64],
    turn: npt.NDArray[np.float64],
    width: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return wo mirrored about normals drawn from GGX lobes about z: float64 [n, 3]."""
    alpha = np.exp(math.log(NARROWEST) + width * math.log(WIDEST / NARROWEST))
    slope = alpha * np.sqrt(share / np.maximum(1 - share, 1e-6))
    up = 1 / np.sqrt(1 + slope * slope)
    normal = _around(turn, slope * up, up)
    wi: npt.NDArray[np.float64] = 2 * (wo * normal).sum(axis=1, keepdims=True) * normal - wo
    return wi


def _around(
    turn: npt.NDArray[np.float64], radius: npt.NDArray[np.float64], z: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    angle = 2 * np.pi * turn
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1)


def drawn_pairs(u: Floats, lowest: float) -> npt.NDArray[np.float64]:
    """Return the pairs that a thread draws from its numbers: wi and wo, float64 [n, 2, 3].

    The reference of ``drawn_pair`` in the device half, which documents the distribution.

    Args:
        u: [n, 8], uniform in [0, 1): two draws of four numbers each.
        lowest: cosine with z that a lower light is raised to.
    """
    numbers = np.asarray(u, np.float64)
    wo = _upward(numbers[:, 0], numbers[:, 1])
    wm = _upward(numbers[:, 4], numbers[:, 5]) * np.stack(
        [numbers[:, 7], numbers[:, 7], np.ones(len(numbers))], axis=1
    )
    wm /= np.linalg.norm(wm, axis=1, keepdims=True)
    mirror = 2 * (wo * wm).sum(axis=1, keepdims=True) * wm - wo
    wi = np.where(numbers[:, 6:7] < 0.5, _upward(numbers[:, 2], numbers[:, 3]), mirror)
    wi[:, 2] = np.maximum(wi[:, 2], lowest)
    return np.stack([wi / np.linalg.norm(wi, axis=1, keepdims=True), wo], axis=1)


def _upward(
    share: npt.NDArray[np.float64], turn: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return directions by the cosine, but for those whose squared cosine is below 0.1."""
    z = np.sqrt(0.1 + 0.9 * share)
    return _around(turn, np.sqrt(1 - z * z), z)
