"""GPU memory in use: by the driver, or as the sum of buffers."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import torch

from neuralshade.engine.kernels.step.update import Numbers
from neuralshade.engine.network_trainer import NetworkTrainer

if TYPE_CHECKING:
    from neuralshade.engine.kernels.step.latent_words import LatentNumbers

NVIDIA_SMI = ["nvidia-smi", "--query-gpu=name,memory.used", "--format=csv,noheader,nounits"]


def used_bytes(twin: torch.device, adapter: str) -> tuple[int, str] | None:
    """Return the bytes in use on a GPU by all processes, and the source of the number.

    ``twin`` is the torch device of that GPU, the CPU where torch does not see it; then nvidia-smi
    reports the first GPU of that name. None where it is unknown.
    """
    if twin.type == "cuda":
        free, total = torch.cuda.mem_get_info(twin)
        return total - free, "torch.cuda.mem_get_info"
    if shutil.which(NVIDIA_SMI[0]) is None:
        return None
    result = subprocess.run(NVIDIA_SMI, capture_output=True, text=True)
    for line in result.stdout.splitlines():
        name, _, megabytes = line.rpartition(",")
        if name.strip() == adapter and megabytes.strip().isdecimal():
            return int(megabytes) * 2**20, "nvidia-smi"
    return None


def buffer_bytes(trainer: NetworkTrainer) -> int:
    """Return the total size of a fit's buffers on the device."""
    kept: list[Any] = [*trainer.buffers.values(), *trainer.task.variables.values()]
    kept = [getattr(thing, "buffer", thing) for thing in kept]  # of rings
    for numbers in (trainer.network, trainer.grid):
        kept += _buffers(numbers)
    return sum(buffer.size for buffer in kept if _is_buffer(buffer))


def _buffers(numbers: Numbers | LatentNumbers) -> list[Any]:
    return list(vars(numbers).values())


def _is_buffer(thing: Any) -> bool:
    return hasattr(thing, "read") and hasattr(thing, "size")
