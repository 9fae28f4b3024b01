"""engine/kernel_path: which kernels each adapter would run."""

import pytest

from neuralshade.engine.kernel_path import (
    PATH_TITLES,
    inference_path,
    inference_paths,
    loads_bytes,
    training_paths,
)
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo

AMD, NONE_GIVEN = 0x1002, 0
BOTH = ("cooperative_matrix", "cooperative_vector", "half")


@pytest.mark.parametrize("api, vendor_id, features, training, inference", [
    ("vulkan", NVIDIA_VENDOR_ID, BOTH, ("matrix", "fma"), "vector"),
    ("d3d12", NVIDIA_VENDOR_ID, BOTH, ("matrix", "fma"), "vector"),
    ("vulkan", NVIDIA_VENDOR_ID, ("cooperative_matrix",), ("matrix", "fma"), "fma"),
    ("vulkan", NVIDIA_VENDOR_ID, ("cooperative_vector",), ("fma",), "vector"),
    ("vulkan", NVIDIA_VENDOR_ID, ("cooperative_matrix2", "half"), ("fma",), "fma"),
    ("vulkan", AMD, BOTH, ("fma",), "vector"),  # its matrices were never measured
    ("vulkan", AMD, ("cooperative_matrix",), ("fma",), "fma"),
    ("vulkan", NONE_GIVEN, (), ("fma",), "fma"),
    ("metal", NONE_GIVEN, BOTH, ("fma",), "fma"),
])  # fmt: skip
def test_paths_through_slangpy(api, vendor_id, features, training, inference):
    adapter = AdapterInfo("any", api, False, features, vendor_id)
    assert (training_paths(adapter), inference_path(adapter)) == (training, inference)
    assert {*training, inference} <= PATH_TITLES.keys()


@pytest.mark.parametrize("capability, training", [
    ((7, 5), ("fma",)),
    ((8, 0), ("matrix", "fma")),
    ((8, 9), ("matrix", "fma")),
    ((9, 0), ("wgmma", "matrix", "fma")),
    ((10, 0), ("matrix", "fma")),  # later GPUs have no wgmma
    ((12, 1), ("matrix", "fma")),
])  # fmt: skip
def test_paths_through_cuda(capability, training):
    adapter = AdapterInfo("any", "cuda", False, (), NVIDIA_VENDOR_ID, capability=capability)
    assert training_paths(adapter) == inference_paths(adapter) == training
    assert inference_path(adapter) == training[0]
    assert set(training) <= PATH_TITLES.keys()


@pytest.mark.parametrize("api, features, loads", [
    ("cuda", (), True),
    ("vulkan", ("atomic_int64", "cooperative_vector"), True),
    ("vulkan", ("atomic_int64",), False),
    ("vulkan", ("cooperative_vector",), False),
    ("d3d12", ("atomic_int64", "cooperative_vector"), False),
])  # fmt: skip
def test_what_loads_bytes(api, features, loads):
    assert loads_bytes(AdapterInfo("any", api, False, features, NVIDIA_VENDOR_ID)) == loads
