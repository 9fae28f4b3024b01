"""Trained numbers on the device, with what Adam keeps of them and their rounded copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.step.latent_words import (
    pack_latents,
    pack_moments,
    unpack_latents,
    unpack_moments,
)
from neuralshade.engine.kernels.step.update import whole_quads
from neuralshade.gpu.gpu import Buffer, Gpu

Floats = npt.NDArray[np.float32]
Write = Callable[[Buffer, npt.NDArray[Any]], None]  # into a buffer, from its beginning


class Numbers:
    """Numbers in float32."""

    def __init__(self, gpu: Gpu, values: Floats, halves: bool, room: int = 0):
        size = values.nbytes
        self.count = values.size
        self.values = gpu.buffer(values)
        self.moments = gpu.buffer(size=2 * size)
        self.means = gpu.buffer(size=size)
        room = max(room, self.count)  # of rounded numbers
        self.stored = gpu.buffer(size=room * (2 if halves else 4))
        self.stored_mean = gpu.buffer(size=size // 2 if halves else size)

    def bound(self) -> dict[str, Any]:
        """Return the buffers by the names that the update kernels use."""
        return {"values": self.values, "moments": self.moments, "means": self.means,
                "stored": self.stored}  # fmt: skip

    def bound_mean(self, average: bool) -> dict[str, Any]:
        """Return the same for rounding to ``stored_mean``: the means where ``average``."""
        return {"values": self.means if average else self.values, "stored": self.stored_mean}

    def read(self, name: str, part: int = 0) -> Floats:
        """Return the numbers of buffer ``name``; ``part`` 1 is the second moments."""
        buffer: Buffer = getattr(self, name)
        raw = buffer.read().view(np.float32)
        return raw[part * self.count : (part + 1) * self.count]

    def write(self, name: str, parts: Sequence[Floats], write: Write) -> None:
        """Replace the numbers of buffer ``name``: all its parts, as ``read`` has them."""
        write(getattr(self, name), np.concatenate(parts))


class LatentNumbers:
    """The same of latents: in 16 bits each, moments too; see latent_words.slang. No means."""

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
