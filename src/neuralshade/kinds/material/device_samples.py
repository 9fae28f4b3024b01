"""Device-drawn training samples of a material, evaluated by its reference.

Device half: device_samples.cs.slang, after the text of the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from neuralshade.gpu.gpu import QUICK, Dispatch, Gpu, KernelText
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import Floats, ReferenceKernels
from neuralshade.kinds.material.sample_prefetch import Drawing, SamplePrefetch, floats_on
from neuralshade.kinds.material.samples import POOL, MaterialSampler, Samples, vector_firsts

GROUP = 64  # threads, as in device_samples.cs.slang
WORDS, OF_SHARES = 12, 4  # numbers of a sample; more of them if inputs are varied
PREFETCHED = 2**20  # samples that are drawn at once
GPU_POOL = 2**20  # points whose values are computed in advance, on hardware
UP = 2**32 - 1  # in place of a normal's first value
NORMALS = """
static const bool DRAWN_KEEPS_VALUES = {keeps};

float3 drawn_normal(float values[REFERENCE_PARAMETERS], uint first)
{{
{cases}    return float3(0.0f, 0.0f, 1.0f);
}}
"""
CASE = """    if (first == {x}u)
        return normalize(float3(values[{x}], values[{y}], values[{z}]));
"""
KERNEL = '#include "neuralshade/kinds/material/device_samples.cs.slang"\n'


@dataclass(frozen=True)
class DeviceSamples:
    """Sample kernel of a fit: points and directions like those of ``sampler``, drawn by counters.

    ``batch``: samples of a step. ``seed``: 32 bits; a step's samples depend on the seed and on the
    number of the step.
    """

    gpu: Gpu
    reference: ReferenceKernels
    sampler: MaterialSampler
    batch: int
    seed: int

    @property
    def words(self) -> int:
        """Return how many numbers a sample has."""
        return WORDS + (OF_SHARES if self.reference.bsdf.varied else 0)

    def kernel(self, count: int, bound: dict[str, Any], *, keeps_values: bool) -> Dispatch:
        """Return the dispatch that draws ``count`` samples into the buffers in ``bound``.

        Raises: KernelError.
        """
        variables = {**bound, "drawn_by": drawn_by(self.sampler, count, self.seed, self.batch)}
        text = samples_text(self.reference.bsdf.parameters, keeps_values=keeps_values)
        return self.reference.compiled(text, variables), -(-count // GROUP)

    def buffers(self, count: int) -> dict[str, Any]:
        """Return buffers for ``count`` samples, by the kernel's names."""
        return {**places_buffers(self.gpu, self.sampler),
                "drawn_rows": self.gpu.buffer(size=4 * self.words * count)}  # fmt: skip


class DeviceBatches(SamplePrefetch[Samples]):
    """The same samples as tensors, with the graph's values, for training in PyTorch."""

    def __init__(self, drawn: DeviceSamples, device: torch.device):
        self.drawn = drawn
        self._width = max(1, len(drawn.reference.bsdf.parameters))
        super().__init__(drawn.gpu, device, drawn.batch, PREFETCHED)
        sampler = drawn.sampler
        self._mean, self._spread = (t.to(device) for t in (sampler.mean, sampler.spread))

    def current(self) -> Samples:
        rows, of_graph = self._current
        columns = rows.t().contiguous()
        values = (of_graph - self._mean) / self._spread
        shares = columns[WORDS : WORDS + len(self.drawn.reference.bsdf.varied)]
        place = torch.cat([columns[:2], shares]).t()
        return Samples(place, values.t().contiguous(), columns[2:5], columns[5:8],
                       columns[11] > 0, columns[8:11])  # fmt: skip

    def _drawing(self, count: int) -> Drawing:
        drawn = self.drawn
        values = drawn.gpu.buffer(size=4 * self._width * count)
        bound = {**drawn.buffers(count), "drawn_values": values, "drawn_states": self.states}
        dispatch = drawn.kernel(count, bound, keeps_values=True)
        return dispatch, [(bound["drawn_rows"], drawn.words), (values, self._width)]

    def _check(self, drawn: Sequence[torch.Tensor]) -> None:
        check_samples(self.drawn.reference, drawn[0])


def device_sampler(
    recipe: MaterialRecipe, reference: ReferenceKernels, batch: int, rng: torch.Generator
) -> MaterialSampler:
    """Return the sampler of a fit whose samples are drawn on the reference's device."""
    pool = POOL if reference.gpu.adapter.software else GPU_POOL
    return MaterialSampler(reference, batch, recipe.rare, rng, pool, 1 / recipe.size)


def drawn_by(sampler: MaterialSampler, count: int, seed: int, batch: int) -> dict[str, float]:
    """Return the arguments of the sample kernel, as ``DrawnBy`` in the device half."""
    return {"batch": batch, "count": count, "seed": seed, "rare": sampler.rare,
            "rare_count": len(sampler.often), "around": sampler.around,
            "normals": max(1, len(sampler.normal_firsts))}  # fmt: skip


def places_buffers(gpu: Gpu, sampler: MaterialSampler) -> dict[str, Any]:
    """Return buffers of the sampler's rare points and of the graph's normals, by name."""
    firsts = np.array(sampler.normal_firsts or [UP], np.uint32)
    return {"drawn_points": gpu.buffer(sampler.rare_points.numpy()),
            "drawn_firsts": gpu.buffer(firsts)}  # fmt: skip


def values_on(device: torch.device, reference: ReferenceKernels, uv: Floats) -> torch.Tensor:
    """Return the graph's values at places on a torch device, like ``parameters``: [n, P].

    Raises: ConfigError, with the place, if a value is not finite.
    """
    found, first = torch.empty((len(uv), reference.value_count), device=device), 0
    for buffer, count in reference.value_parts(uv):
        reference.gpu.wait()
        part = floats_on(device, buffer, count, reference.value_count)
        found[first : first + count] = part
        if device.type == "cuda":
            torch.cuda.synchronize()  # the next values overwrite this buffer
        first += count
    if not found.isfinite().all():
        reference.check_values(found.cpu().numpy(), uv)
    return found


def check_samples(reference: ReferenceKernels, rows: torch.Tensor) -> None:
    """Raise ConfigError, with the place, if a reference's values are not valid light."""
    light = rows[:, 8:11]
    if not (light.isfinite() & (light >= 0)).all():
        values = rows.cpu().numpy()
        reference.check_light(values[:, 8:11], values[:, :2], values[:, 2:5], values[:, 5:8])


def samples_text(names: Sequence[str], *, keeps_values: bool) -> KernelText:
    """Return the kernel that draws samples, for ``ReferenceKernels.prepare``.

    ``names``: of the graph's values. Which of its vectors are normals is not part of the text, so
    that it is compiled before any value is known. A fit begins with the one that keeps values, for
    a part of its steps: that one is compiled quickly.
    """
    text = normals_text(names, keeps_values) + (QUICK if keeps_values else "") + KERNEL
    return KernelText(text, "draw_samples", fast_math=True)


def normals_text(names: Sequence[str], keeps_values: bool) -> str:
    """Return the declaration of a function that returns the normal at a number among values."""
    cases = "".join(CASE.format(x=first, y=first + 1, z=first + 2)
                    for first in vector_firsts(names))  # fmt: skip
    return NORMALS.format(keeps=str(keeps_values).lower(), cases=cases)
