"""How many fits this machine runs at once, and on which of its GPUs."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field

from neuralshade.baking.executors.gpu_packing import GpuPacking
from neuralshade.base.cores import core_count

QUERY = ["nvidia-smi", "--query-gpu=index,memory.{}", "--format=csv,noheader,nounits"]
QUERY_SECONDS = 30.0
CPU_CORES = 2  # for a fit on cores: PyTorch spreads small networks no wider
# For a fit on a GPU: it reads, measures and writes beside. More fits than cores for that would
# wait for these, so cores and memory alone limit them.
GPU_CORES = 2
VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True)
class LocalSlots:
    """Number of fits at once, and the GPUs that they spread over; none: cores, or an only GPU.

    ``packing``: adapts the number while they run; None without NVIDIA GPUs.
    """

    count: int
    gpus: tuple[str, ...] = ()
    packing: GpuPacking | None = field(default=None, compare=False)


def local_slots(jobs: int | None = None) -> LocalSlots:
    """Return the slots of this machine; ``jobs``: their number, if the user said one.

    By default as many as fit into the free memory of its NVIDIA GPUs and onto its cores.
    """
    free = free_bytes()
    if not free:
        return LocalSlots(max(1, core_count() // CPU_CORES) if jobs is None else jobs)
    gpus = tuple(free) if len(free) > 1 else ()
    most = max(len(free), core_count() // GPU_CORES) if jobs is None else jobs
    packing = GpuPacking(free, most, fixed=jobs is not None)
    return LocalSlots(packing.count(), gpus, packing)


def free_bytes() -> dict[str, int]:
    """Return the free memory of the NVIDIA GPUs that this process may use, by number."""
    free = _gpu_bytes("free")
    allowed = os.environ.get(VISIBLE)
    if allowed is None:
        return free
    return {each: free[each] for each in allowed.split(",") if each in free}


def smallest_gpu() -> int | None:
    """Return the memory of the smallest NVIDIA GPU of this machine; None: no GPU.

    Of all of them: which ones a task of a cluster may use is not known before it runs.
    """
    return min(_gpu_bytes("total").values(), default=None)


def _gpu_bytes(what: str) -> dict[str, int]:
    """Return the "free" or "total" memory of all NVIDIA GPUs, by number."""
    if shutil.which(QUERY[0]) is None:
        return {}
    query = [word.format(what) for word in QUERY]
    try:
        found = subprocess.run(query, capture_output=True, text=True, timeout=QUERY_SECONDS)
    except (OSError, subprocess.TimeoutExpired):  # a driver that is broken: fits say so
        return {}
    sizes = {}
    for line in found.stdout.splitlines():
        number, _, megabytes = (word.strip() for word in line.partition(","))
        if number.isdecimal() and megabytes.isdecimal() and int(megabytes):
            sizes[number] = int(megabytes) * 2**20
    return sizes
