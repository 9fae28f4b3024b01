"""Baked reference: the graph's values in texture maps, as a game without a network has them.

Its closures are evaluated unchanged. Each value of the graph that varies becomes 8 bits of a map
over its own range. A constant stays a constant, and a value that depends linearly on another one is
computed from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.slangpy_gpu import slangpy_gpu
from neuralshade.kinds.material.batched_maps import empty_maps, map_edges
from neuralshade.kinds.material.levels import boxed
from neuralshade.kinds.material.references.pictures import Lookup, picture_table
from neuralshade.kinds.material.references.reference_bsdf import (
    VALUES_MARK,
    ReferenceBsdf,
    ReferenceKernels,
)
from neuralshade.kinds.material.samples import normal_firsts
from neuralshade.kinds.material.schema import level_sides
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.float32]

SAME = 1e-5  # of a value's spread over its size; of the residual of a linear fit to another
MIPS = 4 / 3  # of a map's bytes, with all levels
EVAL = re.compile(r"float3 eval\(float2 uv, float3 wi, float3 wo\)\s*\{\n")
READ = """
static float baked_numbers[{count}];

void read_baked(float2 uv)
{{
    float4 four;
{reads}}}
"""
IN_WORDS = """
import neuralshade.kinds.material.references.pictures;
StructuredBuffer<uint> baked_words;
"""
IN_TEXTURES = """
Texture2DArray<float4> baked_maps;
SamplerState baked_edges;
"""


@dataclass(frozen=True)
class Baked:
    """Maps of a graph's values, and the decoding of each value."""

    reference: ReferenceBsdf
    codes: npt.NDArray[np.uint8]  # [maps, side, side, 4]
    channels: tuple[int, ...]  # channel of each value in the maps; -1: none
    scales: tuple[float, ...]  # value = scale times the channel in [0, 1], plus
    shifts: tuple[float, ...]
    normals: tuple[str, ...]  # vectors to normalize
    wrap: str  # as in a recipe: repeat or clamp

    @property
    def byte_count(self) -> int:
        """Return the bytes in a GPU's memory, with mip levels."""
        return round(self.codes.nbytes * MIPS)

    def levels(self) -> list[Baked]:
        """Return these maps and all further levels, each a box filter of these."""
        count, side = self.codes.shape[:2]
        texels = self.codes.transpose(1, 2, 0, 3).reshape(side * side, count * 4)
        coarser = [each.reshape(-1, count, 4).swapaxes(0, 1) for each in boxed(texels, side)]
        return [self, *(replace(self, codes=each.reshape(count, edge, edge, 4))
                        for edge, each in zip(level_sides(side)[1:], coarser, strict=True))
        ]  # fmt: skip

    def in_words(self) -> ReferenceBsdf:
        """Return the material that reads them from a buffer, on any device."""
        lookups = [
            Lookup(f"baked_{i}", Path(f"baked_{i}"), self.wrap, self.wrap,
                   picture=Picture(pixels, "linear", f"baked_{i}"))
            for i, pixels in enumerate(self.codes)
        ]  # fmt: skip
        constants, words = picture_table(lookups)
        head = IN_WORDS + constants
        text = self._text(head, "looked_up(baked_words, baked_{map}, uv)")
        return self._as(text, {"baked_words": words["picture_words"]})

    def in_textures(self, gpu: Gpu) -> ReferenceBsdf:
        """Return the material that reads them as filtered textures of a SlangPy device."""
        device = slangpy_gpu(gpu, "textures").device
        look_up = "baked_maps.SampleLevel(baked_edges, float3(uv, {map}), 0.0f)"
        maps, edges = _array(device, self.codes), map_edges(device, self.wrap)
        text = self._text(IN_TEXTURES, look_up)
        return self._as(text, {"baked_maps": maps, "baked_edges": edges})

    def _as(self, text: str, variables: dict[str, Any]) -> ReferenceBsdf:
        return replace(
            self.reference, text=text, variables={**self.reference.variables, **variables}
        )

    def _text(self, head: str, look_up: str) -> str:
        """Return the material's text, with its values read from the maps."""
        reads = ""
        for number in range(len(self.codes)):
            reads += f"    four = {look_up.format(map=number)};\n"
            for i, channel in enumerate(self.channels):
                if channel // 4 == number:  # of a constant it is -1
                    reads += (f"    baked_numbers[{i}] = {self.scales[i]!r}f * four[{channel % 4}] "
                              f"+ {self.shifts[i]!r}f;\n")  # fmt: skip
        reads += "".join(f"    baked_numbers[{i}] = {self.shifts[i]!r}f;\n"
                         for i, channel in enumerate(self.channels) if channel < 0)  # fmt: skip
        assigned = "".join(f"    {target} = baked_numbers[{i}];\n"
                           for i, target in enumerate(self.reference.targets))  # fmt: skip
        assigned += "".join(f"    {name} = normalize({name});\n" for name in self.normals)
        text = self.reference.text.replace(VALUES_MARK, assigned)
        text = EVAL.sub(lambda found: f"{found[0]}    read_baked(uv);\n", text)
        return head + READ.format(count=len(self.channels), reads=reads) + text


def bake(kernels: ReferenceKernels, side: int, wrap: str) -> Baked | None:
    """Return a material's values in maps of ``side`` x ``side`` texels, ``wrap`` as in a recipe.

    None if its values cannot be replaced: for a user's own module, and with varied inputs.
    """
    reference = kernels.bsdf
    if not reference.targets or reference.varied or reference.text.count(VALUES_MARK) != 1:
        return None
    values = kernels.parameter_map(side, side).reshape(side * side, -1)
    kept, channels, scales, shifts = _channels(values)
    low, high = values[:, kept].min(0), values[:, kept].max(0)
    codes = np.zeros((side * side, -(-max(1, len(kept)) // 4) * 4), np.uint8)
    codes[:, : len(kept)] = np.rint((values[:, kept] - low) / (high - low) * 255)
    for i, channel in enumerate(channels):
        if channel >= 0:
            shifts[i] += scales[i] * low[channel]
            scales[i] *= high[channel] - low[channel]
    firsts = normal_firsts(reference.parameters, torch.from_numpy(values))
    normals = tuple(reference.targets[first].removesuffix(".x") for first in firsts)
    maps = codes.reshape(side, side, -1, 4).transpose(2, 0, 1, 3)
    numbers = (tuple(float(x) for x in scales), tuple(float(x) for x in shifts))
    return Baked(reference, np.ascontiguousarray(maps), tuple(channels), *numbers, normals, wrap)


def _channels(values: Floats) -> tuple[list[int], list[int], list[float], list[float]]:
    """Return the values to keep, and the decoding of each value: see ``Baked``."""
    kept: list[int] = []
    channels, scales, shifts = list[int](), list[float](), list[float]()
    means, spreads = values.mean(0, dtype=np.float64), values.std(0, dtype=np.float64)
    for i, column in enumerate(values.T):
        found, scale, shift = -1, 0.0, float(means[i])
        if spreads[i] > SAME * max(abs(shift), SAME):
            found, scale, shift = len(kept), 1.0, 0.0
            for number, other in enumerate(kept):
                both = np.mean((column - means[i]) * (values[:, other] - means[other]))
                slope = both / spreads[other] ** 2
                if spreads[i] ** 2 - slope * both <= SAME**2 * spreads[i] ** 2:
                    found, scale, shift = number, slope, means[i] - slope * means[other]
                    break
            else:
                kept.append(i)
        channels.append(found)
        scales.append(scale)
        shifts.append(shift)
    return kept, channels, scales, shifts


def _array(device: Any, maps: npt.NDArray[np.uint8]) -> Any:
    found = empty_maps(device, maps.shape[1], len(maps))
    for layer, pixels in enumerate(maps):
        found.copy_from_numpy(np.ascontiguousarray(pixels), layer=layer)
    return found
