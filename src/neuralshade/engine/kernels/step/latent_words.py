"""Latents and their moments in few bytes. Device half: latent_words.slang.

What the host uploads is rounded to the nearest; only steps on the device round at random.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

LATENT_STEPS = 65535  # of a kept latent, from 0 to 1
LARGEST_MOMENT = 0x7F7F  # of a bfloat16 that is finite
Floats = npt.NDArray[np.float32]
Words = npt.NDArray[Any]


def pack_latents(latents: Floats) -> Words:
    """Return latents [N] in [0, 1] as they are kept: uint16 [N]."""
    steps = np.rint(latents.astype(np.float64) * LATENT_STEPS)
    return np.clip(steps, 0, LATENT_STEPS).astype(np.uint16)


def unpack_latents(kept: Words) -> Floats:
    """Return what uint16 [N] stand for: float32 [N]."""
    return kept.astype(np.float32) / np.float32(LATENT_STEPS)


def pack_moments(means: Floats, squares: Floats) -> Words:
    """Return the moments of N latents as they are kept: uint16 [N, 2], as bfloat16."""
    return np.stack([_bfloats(means), _bfloats(squares)], axis=1)


def unpack_moments(kept: Words) -> Floats:
    """Return what bfloat16 stand for, uint16 [N]: float32 [N]."""
    return (kept.astype(np.uint32) << np.uint32(16)).view(np.float32)


def _bfloats(values: Floats) -> Words:
    """Return the nearest bfloat16, the even one of two, finite ones: uint16."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    size = ((bits & np.uint32(0x7FFFFFFF)) + np.uint32(0x7FFF) + odd) >> np.uint32(16)
    sign = (bits >> np.uint32(16)) & np.uint32(0x8000)
    return (np.minimum(size, LARGEST_MOMENT) | sign).astype(np.uint16)
