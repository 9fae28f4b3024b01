"""Sun and sky as directional lights, and view directions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.sampler.directions import Floats, cosine_directions

Doubles = npt.NDArray[np.float64]

SUN_SHARE = 0.5  # of the light that a level plane receives comes from the sun
SUN_HEIGHTS = (0.5, 0.95)  # cosines with z between which the sun stands
HORIZON = 2.0  # times as bright as the zenith


def sky_pairs(lights: int, eyes: int, lowest: float, seed: int) -> tuple[Floats, Floats]:
    """Return wi and wo of every light for every eye, and how bright each light is.

    Every eye has a sun and a sky of its own. Their first light is the sun; the others, if any,
    are points of a sky that grows brighter towards the horizon. A plane that faces z receives 1
    from all of them together.

    Args:
        lights: of one eye, >= 1.
        eyes: distributed by the cosine.
        lowest: least cosine of an eye's direction with z; the sky has none.
        seed: scrambles the Sobol sequences that all are points of.

    Returns:
        float32 [eyes * lights, 2, 3], of length 1, an eye's lights one behind the other;
        float32 [eyes * lights].
    """
    u = _points(eyes, 4, 2 * seed)
    # the cosine's distribution above ``lowest`` alone
    to_eye = cosine_directions(u[:, 0], u[:, 1] * (1 - lowest * lowest))
    parts = _points(eyes * (lights - 1), 2, 2 * seed + 1).reshape(eyes, lights - 1, 2)
    skies = [_sky(sun, part) for sun, part in zip(u[:, 2:], parts, strict=True)]
    to_light = np.concatenate([directions for directions, _ in skies])
    pairs = np.stack([to_light, np.repeat(to_eye, lights, axis=0)], axis=1)
    bright = np.concatenate([weights for _, weights in skies])
    return pairs.astype(np.float32), bright.astype(np.float32)


def _sky(sun: Doubles, part: Doubles) -> tuple[Doubles, Doubles]:
    """Return directions [n, 3] and weights [n] of a sun, ``sun`` [2] says where, and a sky."""
    low, high = SUN_HEIGHTS
    turn, z = np.concatenate([sun[None], part]).T
    z[0] = low + (high - low) * z[0]
    received = (1 + (HORIZON - 1) * (1 - z)) * z
    received[1:] *= (1 - SUN_SHARE) / max(received[1:].sum(), 1e-12)
    received[0] = 1 - received[1:].sum()
    angle, radius = 2 * np.pi * turn, np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1), received / z


def _points(count: int, sides: int, seed: int) -> Doubles:
    """Return points in the open cube: float64 [count, sides]."""
    sequence = torch.quasirandom.SobolEngine(sides, scramble=True, seed=seed % 2**31)
    # none cannot be drawn
    points: Doubles = sequence.draw(max(1, count), dtype=torch.float64).numpy()
    return points[:count].clip(1e-6, 1 - 1e-6)
