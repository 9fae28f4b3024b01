"""Sums of gradients in device memory. Device half: gradients.slang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neuralshade.errors import DeviceError
from neuralshade.gpu.kernel import Kernel, device_buffer, load_text
from neuralshade.model.parameters import Table

if TYPE_CHECKING:
    import slangpy


@dataclass(frozen=True)
class GradientKind:
    """One way of summing the gradients of grids."""

    type: str  # in gradients.slang
    declarations: str  # of its buffers
    fields: str  # that make one from them
    number: int  # how the update kernels know it
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
    "half": GradientKind(
        "HalfGradients",
        "RWStructuredBuffer<Atomic<float>> grid_sums;\nRWByteAddressBuffer grid_halves;\n",
        "grid_sums, grid_halves, crowded, group % COPIES * crowded",
        2, 0, 2,
    ),
}  # fmt: skip

CROWDED_ENTRIES = 2**11  # of a grid's level; on smaller ones additions wait for each other
COPIES = 16  # of the sums of such levels


def crowded_numbers(tables: Sequence[Table]) -> int:
    """Return how many of the first numbers belong to levels of few entries; even."""
    numbers = 0
    for table in tables:
        if table.entries > CROWDED_ENTRIES or table.first != numbers:
            break
        numbers = table.first + table.entries * table.features
    return numbers - numbers % 2


PROBE = """RWByteAddressBuffer halves;
[shader("compute")]
[numthreads(64, 1, 1)]
void probe(uint thread : SV_DispatchThreadID)
{
    halves._NvInterlockedAddFp16x2(thread % 2u * 4u, 0x40003c00u); // 1 and 2
}
"""


def choose_gradients(device: slangpy.Device, *, exact: bool, halves: bool) -> str:
    """Return which of GRADIENTS to use on ``device``.

    ``exact`` demands equal bits on every run; ``halves``: the network's gradients are float16
    already. Whether a device adds pairs of float16 is found by trying: no feature tells it.
    """
    if exact:
        return "fixed"
    return "half" if halves and _adds_pairs(device) else "float"


def _adds_pairs(device: slangpy.Device) -> bool:
    try:
        sums = device_buffer(device, size=8)
        kernel = Kernel(device, load_text(device, PROBE), "probe", {"halves": sums})
        encoder = device.create_command_encoder()
        with encoder.begin_compute_pass() as into:
            kernel.record(into, [1])
        device.submit_command_buffer(encoder.finish())
    except (RuntimeError, DeviceError):
        return False
    return sums.to_numpy().view(np.float16)[:4].tolist() == [32.0, 64.0, 32.0, 64.0]
