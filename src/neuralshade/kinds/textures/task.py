"""Training task of the texels of all mips on the device. Device half: task.slang."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.step.gradients import grid_parts, grid_variables
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.textures.shaded import LitMap, channels_slang, lit_numbers
from neuralshade.kinds.textures.texels import PAIR, Texels
from neuralshade.model.encoding import Encoding
from neuralshade.model.level_table import MOST_MIPS

# Names that the engine expects, declared by every kind's text.
TEXT = """
typealias Encoding = {encoding};

uniform uint4 mip_table[{mips}];
public struct SetMips : ITexelMips
{{
    public static uint4 mip(int index) {{ return mip_table[index]; }}
}}

typealias MapsTask = TexelTask<
    {channels}, {wraps}, {jittered}, {alpha}, SetMips, Encoding, {parameters}, {gradients}>;

StructuredBuffer<{number}> grid_numbers;
{gradient_buffers}StructuredBuffer<uint> texels;
uniform float4 channel_weights[({channels} + 3) / 4];
uniform uint pairs;
uniform uint seed;
uniform uint crowded;
static const uint COPIES = {copies};

{parameters} grid()
{{
    return {{ grid_numbers }};
}}

MapsTask maps_task(uint group)
{{
    {gradients} gradients = {{ {gradient_fields} }};
    return {{ texels, channel_weights, grid(), gradients, pairs, seed }};
}}
"""

MAPS = """
typealias Task = MapsTask;

Task make_task(uint group)
{
    return maps_task(group);
}
"""
SHADED = """
{channels}
typealias Task = ShadedTask<{count}, {wraps}, {jittered}, {alpha}, SetMips, LitChannels, Encoding,
                            {parameters}, {gradients}>;

StructuredBuffer<LitNumbers> lit_numbers;

Task make_task(uint group)
{{
    return {{ maps_task(group), lit_numbers }};
}}
"""


def texel_task(
    gpu: Gpu,
    encoding: Encoding,
    texels: Texels,
    weights: npt.NDArray[np.float32],
    wraps: bool,
    batch: int,
    seed: int,
    *,
    jittered: bool = False,
    halves: bool,
    gradients: str,
    lit: Mapping[str, LitMap] | None = None,
) -> TaskText:
    """Return the task of fitting ``texels``, uploaded to the device.

    ``weights`` [C]: of channels in the loss. ``jittered``: see TexelSampler. ``halves``: grid
    numbers are read as packed float16, else as float32. ``gradients``: how those of grids are
    summed, a key of GRADIENTS. ``lit``: maps that are compared when lit, see ``lit_maps``;
    None compares channels only.
    """
    half = encoding.sized_slang("Textures")
    imports = half.modules | {
        "neuralshade.engine.kernels.step.gradients",
        "neuralshade.kinds.textures.task",
        "neuralshade.model.parameters",
    }
    parts = grid_parts(gradients, halves=halves)
    flags = {"wraps": str(wraps).lower(), "jittered": str(jittered).lower(),
             "alpha": -1 if texels.alpha is None else texels.alpha}  # fmt: skip
    text = TEXT.format(encoding=half.type, channels=texels.channels, mips=MOST_MIPS, **flags,
                       **parts)  # fmt: skip
    if lit is None:
        text += MAPS
    else:
        imports |= {"neuralshade.kinds.textures.shaded"}
        text += SHADED.format(count=texels.channels, channels=channels_slang(lit), **flags, **parts)
    lines = "".join(f"import {name};\n" for name in sorted(imports))
    variables: dict[str, Any] = {
        "texels": gpu.buffer(paired_words(texels.words)),
        "mip_table": mip_table(texels),
        "channel_weights": weight_quads(weights),
        "pairs": batch // PAIR,
        **half.uniforms,
        **grid_variables(encoding, gradients, seed),
    }
    if lit is not None:
        variables["lit_numbers"] = gpu.buffer(lit_numbers(lit))
    return TaskText(lines + half.declarations + text, variables)


def paired_words(words: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint32]:
    """Return uint16 [n, C] as words of two channels each, the first one low: [n, (C + 1) / 2]."""
    if words.shape[1] % 2:
        words = np.pad(words, [(0, 0), (0, 1)])
    pairs = np.ascontiguousarray(words).view("<u4")
    return pairs.astype(np.uint32, copy=False)


def mip_table(texels: Texels) -> npt.NDArray[np.uint32]:
    """Return each mip's numbers as ITexelMips has them: uint32 [MOST_MIPS, 4].

    The last mip ends at 2, which no place of a batch is.
    """
    table = np.zeros((MOST_MIPS, 4), np.uint32)
    count = len(texels.sizes)
    table[:count, :2] = texels.sizes
    table[:count, 2] = texels.firsts
    ends = np.full(count, 2, np.float32)
    ends[:-1] = np.cumsum(texels.shares)[:-1]
    table[:count, 3] = ends.view(np.uint32)
    return table


def weight_quads(weights: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return channels' weights, filled up with zeros: float32 [n, 4]."""
    padded = np.pad(weights.astype(np.float32), (0, -len(weights) % 4))
    return padded.reshape(-1, 4)
