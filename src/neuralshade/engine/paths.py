"""Which kernels train and evaluate networks on an adapter."""

from typing import Literal

from neuralshade.gpu.device import AdapterInfo

KernelPath = Literal["matrix", "vector", "fma"]
PATH_TITLES: dict[KernelPath, str] = {
    "matrix": "cooperative matrices",
    "vector": "cooperative vectors",
    "fma": "FMA loops",
}
NVIDIA_VENDOR_ID = 0x10DE  # of PCI


def training_path(adapter: AdapterInfo) -> KernelPath:
    """Return "matrix" where the adapter trains on cooperative matrices, else "fma".

    Matrices of other vendors than NVIDIA were never measured, so those take the loops.
    """
    matrices = "cooperative_matrix" in adapter.features
    return "matrix" if matrices and _is_nvidia(adapter) else "fma"


def inference_path(adapter: AdapterInfo) -> KernelPath:
    """Return "vector", "matrix" or "fma": how the adapter evaluates a network.

    SlangPy's CUDA device lists cooperative vectors and emulates them, slowly: it takes loops.
    """
    vectors = "cooperative_vector" in adapter.features
    if vectors and adapter.api in ("vulkan", "d3d12"):
        return "vector"
    return "fma" if vectors and adapter.api == "cuda" else training_path(adapter)


def _is_nvidia(adapter: AdapterInfo) -> bool:
    return adapter.api == "cuda" or adapter.vendor_id == NVIDIA_VENDOR_ID
