"""Kernel paths of an adapter, for training and for inference."""

from typing import Literal

from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo

TrainingPath = Literal["wgmma", "matrix", "fma"]
KernelPath = Literal["wgmma", "matrix", "vector", "fma"]
PATH_TITLES: dict[KernelPath, str] = {
    "wgmma": "warpgroup products",
    "matrix": "matrix products",
    "vector": "cooperative vectors",
    "fma": "FMA loops",
}
WARPGROUPS_OF = (9, 0)  # the one compute capability with wgmma instructions
MATRICES_SINCE = (8, 0)  # compute capability with the mma.sync instructions that we use


def training_paths(adapter: AdapterInfo) -> tuple[TrainingPath, ...]:
    """Return an adapter's paths for training, the fastest first.

    Matrices of vendors other than NVIDIA were never measured, so those get the loops.
    """
    if adapter.api == "cuda":
        paths: tuple[TrainingPath, ...] = ("fma",)
        if adapter.capability >= MATRICES_SINCE:
            paths = ("matrix", *paths)
        return ("wgmma", *paths) if adapter.capability == WARPGROUPS_OF else paths
    nvidia = adapter.vendor_id == NVIDIA_VENDOR_ID
    matrices = nvidia and "cooperative_matrix" in adapter.features
    return ("matrix", "fma") if matrices else ("fma",)


def inference_paths(adapter: AdapterInfo) -> tuple[KernelPath, ...]:
    """Return an adapter's paths for inference, the fastest first.

    Loops take every network; CUDA products take those that they can train.
    """
    if adapter.api == "cuda":
        return training_paths(adapter)
    vectors = "cooperative_vector" in adapter.features
    return ("vector",) if vectors and adapter.api in ("vulkan", "d3d12") else ("fma",)


def inference_path(adapter: AdapterInfo) -> KernelPath:
    """Return the first of ``inference_paths``."""
    return inference_paths(adapter)[0]


def loads_bytes(adapter: AdapterInfo) -> bool:
    """Return whether an adapter is known to load single bytes of a buffer.

    SlangPy does not report it. It enables all features of Vulkan 1.2 that a device has, which
    include 64-bit atomics, and devices with cooperative vectors have it.
    """
    required = {"atomic_int64", "cooperative_vector"}
    return adapter.api == "cuda" or (adapter.api == "vulkan" and required <= set(adapter.features))
