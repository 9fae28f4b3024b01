"""Latents and their moments in 16 bits each. Device half: latent_words.slang.

Uploads are rounded to nearest; only steps on the device round stochastically.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.step.update import Floats, Write, whole_quads
from neuralshade.gpu.gpu import Gpu

LATENT_STEPS = 65535  # of a kept latent, from 0 to 1
AT_ONCE = 2**15  # latents packed in one go, within a core's cache
LARGEST_MOMENT = 0x7F7F  # of a bfloat16 that is finite
Words = npt.NDArray[Any]


def pack_latents(latents: Floats) -> Words:
    """Return latents [N] in [0, 1] in stored form: uint16 [N]."""
    words = np.empty(latents.shape, np.uint16)
    steps = np.empty(min(AT_ONCE, latents.size))
    for first in range(0, latents.size, AT_ONCE):
        part = slice(first, first + AT_ONCE)
        own = steps[: latents[part].size]
        np.multiply(latents[part], LATENT_STEPS, out=own, dtype=np.float64)
        np.clip(np.rint(own, out=own), 0, LATENT_STEPS, out=own)
        words[part] = own
    return words


def unpack_latents(kept: Words) -> Floats:
    """Return latents from their stored form, uint16 [N]: float32 [N]."""
    return kept.astype(np.float32) / np.float32(LATENT_STEPS)


def pack_moments(means: Floats, squares: Floats) -> Words:
    """Return the moments of N latents in stored form: uint16 [N, 2], as bfloat16."""
    return np.stack([_bfloats(means), _bfloats(squares)], axis=1)


def unpack_moments(kept: Words) -> Floats:
    """Return the numbers of bfloat16 stored as uint16 [N]: float32 [N]."""
    return (kept.astype(np.uint32) << np.uint32(16)).view(np.float32)


def _bfloats(values: Floats) -> Words:
    """Return the nearest finite bfloat16, ties to even: uint16."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    size = ((bits & np.uint32(0x7FFFFFFF)) + np.uint32(0x7FFF) + odd) >> np.uint32(16)
    sign = (bits >> np.uint32(16)) & np.uint32(0x8000)
    return (np.minimum(size, LARGEST_MOMENT) | sign).astype(np.uint16)


class LatentNumbers:
    """``Numbers`` for latents: 16 bits each, also for moments. No means."""

    def __init__(self, gpu: Gpu, values: Floats, halves: bool):
        self.count, self.halves = values.size, halves
        room = whole_quads(values.size)  # kernels take four at once
        self.values = gpu.buffer(np.pad(pack_latents(values), (0, room - values.size)))
        self.moments = gpu.buffer(size=4 * room)
        self.stored, self.stored_mean = (
            gpu.buffer(size=room * (2 if halves else 4)) for _ in range(2)
        )

    def bound(self) -> dict[str, Any]:
        """Return the buffers by the names that the update kernels use."""
        return {"latent_quads": self.values, "moment_quads": self.moments,
                "stored_quads": self.stored}  # fmt: skip

    def bound_mean(self, average: bool) -> dict[str, Any]:
        """Return the same for rounding to ``stored_mean``."""
        assert not average, "latents have no mean weights"
        return {"latent_quads": self.values, "stored_quads": self.stored_mean}

    def read(self, name: str, part: int = 0) -> Floats:
        """Return the numbers of buffer ``name``; ``part`` 1 is the second moments."""
        raw = getattr(self, name).read()
        if name == "values":
            return unpack_latents(raw.view(np.uint16)[: self.count])
        if name == "moments":
            return unpack_moments(raw.view(np.uint16).reshape(-1, 2)[: self.count, part])
        return raw.view(np.float16 if self.halves else np.float32)[: self.count].astype(np.float32)

    def write(self, name: str, parts: Sequence[Floats], write: Write) -> None:
        """Replace the numbers of buffer ``name``: all its parts, as ``read`` has them."""
        packed = pack_latents(*parts) if name == "values" else pack_moments(*parts)
        write(getattr(self, name), packed)
