"""gpu/cache_folder: a software device is refused in a line where its memory could not grow."""

import pytest

from neuralshade.errors import DeviceError
from neuralshade.gpu.cache_folder import LEAST_LIMIT_BYTES, check_file_limit
from neuralshade.gpu.device import is_software, list_adapters, open_device

resource = pytest.importorskip("resource")


@pytest.fixture
def limited():
    """Return what sets the limit of this process, which the test's end takes back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_limit_below_what_a_device_takes_is_refused(limited, refusal, same_message):
    limited(LEAST_LIMIT_BYTES - 1)
    same_message(refusal(DeviceError, check_file_limit, "llvmpipe"), "device", "Run")
    limited(LEAST_LIMIT_BYTES)
    check_file_limit("llvmpipe")
    limited(resource.RLIM_INFINITY)
    check_file_limit("llvmpipe")


def test_no_software_device_is_opened_under_it(device, limited):
    """It would end the process."""
    if not is_software(device.info.adapter_name):
        pytest.skip("needs a machine whose Vulkan is software")
    limited(1024)
    with pytest.raises(DeviceError, match="got a limit of 1,024 bytes for files, need"):
        open_device("vulkan")
    assert "a limit of 1,024 bytes" in list_adapters()[0].error
