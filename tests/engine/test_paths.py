"""engine/paths: which kernels each adapter would run."""

import pytest

from neuralshade.engine.paths import PATH_TITLES, inference_path, training_path
from neuralshade.gpu.device import AdapterInfo

NVIDIA, AMD, NONE_GIVEN = 0x10DE, 0x1002, 0
BOTH = ("cooperative_matrix", "cooperative_vector", "half")


@pytest.mark.parametrize("api, vendor_id, features, training, inference", [
    ("vulkan", NVIDIA, BOTH, "matrix", "vector"),
    ("d3d12", NVIDIA, BOTH, "matrix", "vector"),
    ("cuda", NONE_GIVEN, BOTH, "matrix", "fma"),  # vectors are emulated there
    ("cuda", NVIDIA, ("cooperative_matrix",), "matrix", "matrix"),
    ("vulkan", NVIDIA, ("cooperative_matrix",), "matrix", "matrix"),
    ("vulkan", NVIDIA, ("cooperative_vector",), "fma", "vector"),
    ("vulkan", NVIDIA, ("cooperative_matrix2", "half"), "fma", "fma"),
    ("vulkan", AMD, BOTH, "fma", "vector"),  # its matrices were never measured
    ("vulkan", AMD, ("cooperative_matrix",), "fma", "fma"),
    ("vulkan", NONE_GIVEN, (), "fma", "fma"),
    ("metal", NONE_GIVEN, BOTH, "fma", "fma"),
])  # fmt: skip
def test_paths(api, vendor_id, features, training, inference):
    adapter = AdapterInfo("any", api, False, features, vendor_id)
    assert (training_path(adapter), inference_path(adapter)) == (training, inference)
    assert {training, inference} <= PATH_TITLES.keys()
