"""Device-drawn footprints of mip levels and the reference's means over them.

Device half: device_footprints.cs.slang, after the text of the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neuralshade.gpu.gpu import KernelText
from neuralshade.kinds.material.device_samples import (
    GROUP,
    OF_SHARES,
    check_samples,
    drawn_by,
    normals_text,
    places_buffers,
)
from neuralshade.kinds.material.footprints import POINTS, STEPS
from neuralshade.kinds.material.sample_prefetch import Drawing, SamplePrefetch
from neuralshade.kinds.material.samples import MaterialSampler

WORDS = 16  # of a footprint; OF_SHARES more if inputs are varied
PREFETCHED = (
    2**20 // POINTS
)  # footprints at once, on hardware: a dispatch should stay below a second
HEAD = """
static const uint FOOTPRINT_POINTS = {points};
static const float2 FOOTPRINT_STEPS = float2({steps[0]!r}, {steps[1]!r});
static const bool FOOTPRINT_WRAPS = {wraps};
"""
KERNEL = '#include "neuralshade/kinds/material/device_footprints.cs.slang"\n'


@dataclass(frozen=True)
class FootprintSamples:
    """One batch: where footprints lie, and the means over them."""

    at: torch.Tensor  # u, v, level and shares of varied inputs: float32 [N, 3 + V]
    wi: torch.Tensor  # float32 [3, N]
    wo: torch.Tensor
    seen: torch.Tensor  # bool [N]: both directions lie above the surface
    target: torch.Tensor  # mean of f * cos of wi: float32 [3, N]


class DeviceFootprints(SamplePrefetch[FootprintSamples]):
    """Batches of footprints, drawn by counters at places and directions like those of ``sampler``.

    A level is drawn in proportion to its side, and a footprint is as wide as its texels. Squares
    and the points in them are those of ``Footprints``. ``step`` is the number of the next step.
    """

    def __init__(
        self, sampler: MaterialSampler, sides: Sequence[int], *, wraps: bool, seed: int,
        device: torch.device,
    ):  # fmt: skip
        """``seed``: 32 bits. ``device``: the torch device of the batches."""
        self.sampler, self.sides, self.wraps, self.seed = sampler, sides, wraps, seed
        self.varied = len(sampler.reference.bsdf.varied)
        gpu = sampler.reference.gpu
        ahead = sampler.batch if gpu.adapter.software else PREFETCHED
        super().__init__(gpu, device, sampler.batch, ahead)

    def current(self) -> FootprintSamples:
        (rows,) = self._current
        columns = rows.t().contiguous()
        at = torch.cat([columns[:2], columns[12:13], columns[WORDS : WORDS + self.varied]]).t()
        return FootprintSamples(at, columns[2:5], columns[5:8], columns[11] > 0, columns[8:11])

    def _drawing(self, count: int) -> Drawing:
        sampler = self.sampler
        reference, gpu = sampler.reference, sampler.reference.gpu
        words = WORDS + (OF_SHARES if self.varied else 0)
        found = gpu.buffer(size=4 * words * count)
        sides = np.array(self.sides, np.float64)
        levels = np.stack([np.cumsum(sides) / sides.sum(), 1 / sides], axis=1)
        variables = {
            "drawn_by": drawn_by(sampler, count, self.seed, sampler.batch),
            **places_buffers(gpu, sampler), "drawn_states": self.states, "drawn_rows": found,
            "footprint_levels": gpu.buffer(levels.astype(np.float32)),
            "footprint_level_count": len(sides),
        }  # fmt: skip
        text = footprints_text(reference.bsdf.parameters, self.wraps)
        kernel = reference.compiled(text, variables)
        return (kernel, -(-count // GROUP)), [(found, words)]

    def _check(self, drawn: Sequence[torch.Tensor]) -> None:
        check_samples(self.sampler.reference, drawn[0])


def footprints_text(names: Sequence[str], wraps: bool) -> KernelText:
    """Return the kernel that draws footprints, see ``samples_text``."""
    head = HEAD.format(points=POINTS, steps=STEPS, wraps=str(wraps).lower())
    text = normals_text(names, keeps_values=False) + head + KERNEL
    return KernelText(text, "draw_footprints", fast_math=True)
