"""Batched decoder: materials of one architecture, evaluated by index in one kernel."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from neuralshade.gpu.gpu import Gpu

MOST_THREADS = 256  # of a group that evaluates a frame


@dataclass(frozen=True)
class BatchedDecoder:
    """Slang text of an evaluator of materials by index, with its variables.

    ``DecodedPoint decoded_at(uint material, float2 uv, float level)``: the part that all lights
    share; ``level`` of the feature map, 0 is the finest, fractions interpolate.
    ``float3 decoded_towards(uint material, DecodedPoint point, float3 wi, float3 wo)``: f * cos of
    wi. All threads of a group call both, MOST_THREADS at most and whole warps.
    """

    text: str  # whose other variables and functions are named frame_...
    variables: Mapping[str, Any]
    path: str  # vector, matrix or fma
    network_bytes: int  # of all networks
    shared_bytes: int = 0  # of group-shared memory for a launch

    @property
    def options(self) -> dict[str, Any]:
        """Return keywords of ``Gpu.kernel`` for kernels of the text."""
        return {"shared_bytes": self.shared_bytes, "fast_math": self.path == "matrix"}


class BatchedMaterial(Protocol):
    """A material that a batched decoder can take."""

    @property
    def architecture(self) -> Hashable:
        """Return a key: materials with equal keys share a decoder."""

    @property
    def side(self) -> int:
        """Return the texels along a side of its finest level."""

    def path(self, gpu: Gpu) -> str:
        """Return the kernel path of its decoder on ``gpu``: vector, matrix or fma."""

    def decoder(self, gpu: Gpu, materials: Sequence[Any]) -> BatchedDecoder:
        """Return the decoder of materials of one architecture, this one among them."""
