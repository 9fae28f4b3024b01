"""Gradient sums in device memory. Device half: gradients.slang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neuralshade.gpu.gpu import Gpu, run_once
from neuralshade.model.encoding import Encoding
from neuralshade.model.parameters import Table


@dataclass(frozen=True)
class GradientKind:
    """One way of summing the gradients of grids."""

    type: str  # in gradients.slang
    declarations: str  # of its buffers
    fields: str  # that make one from them
    number: int  # id in the update kernels
    sum_bytes: int  # per number, in the buffer grid_sums
    half_bytes: int  # per number, in the buffer grid_halves


GRADIENTS = {
    "float": GradientKind(
        "FloatGradients",
        "RWStructuredBuffer<Atomic<float>> grid_sums;\n",
        "grid_sums, crowded, group % COPIES * crowded, COPIES * crowded",
        0, 4, 0,
    ),
    "fixed": GradientKind(
        "FixedGradients", "RWStructuredBuffer<Atomic<uint>> grid_sums;\n", "grid_sums", 1, 8, 0
    ),
    "levels": GradientKind(  # none is crowded: groups add sums of theirs
        "FloatGradients",
        "RWStructuredBuffer<Atomic<float>> grid_sums;\n", "grid_sums, 0u, 0u, 0u", 0, 4, 0,
    ),
    "half": GradientKind(
        "HalfGradients",
        "RWStructuredBuffer<Atomic<float>> grid_sums;\nRWByteAddressBuffer grid_halves;\n",
        "grid_sums, grid_halves, crowded, group % COPIES * crowded",
        2, 0, 2,
    ),
}  # fmt: skip

UNCROWDED = ("fixed", "levels")
CROWDED_ENTRIES = 2**11  # of a grid's level; on smaller ones additions often collide
COPIES = 16  # of the sums of such levels


def crowded_numbers(tables: Sequence[Table]) -> int:
    """Return how many of the first numbers belong to levels of few entries; a multiple of 8."""
    numbers = 0
    for table in tables:
        if table.entries > CROWDED_ENTRIES or table.first != numbers:
            break
        numbers = table.end
    return numbers - numbers % 8  # so that eight at once are of one kind and lie aligned


def grid_parts(gradients: str, *, halves: bool) -> dict[str, Any]:
    """Return a task's text for its grids, by the placeholders of the text.

    ``halves``: their numbers are read as packed float16, else as float32.
    """
    sums = GRADIENTS[gradients]
    return {
        "parameters": "PackedParameters" if halves else "FloatParameters",
        "number": "uint" if halves else "float",
        "gradients": sums.type,
        "gradient_buffers": sums.declarations,
        "gradient_fields": sums.fields,
        "copies": COPIES,
    }


def grid_variables(encoding: Encoding, gradients: str, seed: int) -> dict[str, Any]:
    """Return the variables of such a task that its kernels share; ``seed`` becomes 32 bits."""
    crowded = 0 if gradients in UNCROWDED else crowded_numbers(encoding.tables())
    return {"crowded": crowded, "seed": seed_word(seed)}


def seed_word(seed: int) -> int:
    """Return a recipe's 64-bit seed as the 32 bits of kernels."""
    return (seed ^ (seed >> 32)) & 0xFFFFFFFF


PROBE = """RWByteAddressBuffer halves;
[shader("compute")]
[numthreads(64, 1, 1)]
void probe(uint thread : SV_DispatchThreadID)
{
    halves._NvInterlockedAddFp16x2(thread % 2u * 4u, 0x40003c00u); // 1 and 2
}
"""


def choose_gradients(gpu: Gpu, *, exact: bool, halves: bool) -> str:
    """Return the key of GRADIENTS for ``gpu``.

    ``exact`` demands equal bits on every run; ``halves``: the network's gradients are float16
    already. CUDA adds pairs of float16 on every GPU that NVRTC compiles for; elsewhere a probe
    shows whether a device does: no feature tells.
    """
    if exact:
        return "fixed"
    return "half" if halves and (gpu.api == "cuda" or _adds_pairs(gpu)) else "float"


def _adds_pairs(gpu: Gpu) -> bool:
    sums = gpu.buffer(size=8)
    try:
        run_once(gpu, [(gpu.kernel(PROBE, "probe", {"halves": sums}), 1)])
    except RuntimeError:  # ours, or SlangPy's own for a refused pipeline
        return False
    return sums.read().view(np.float16)[:4].tolist() == [32.0, 64.0, 32.0, 64.0]
