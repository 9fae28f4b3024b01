"""gpu/open: which GPU is taken, and every refusal word for word."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu import cuda_gpu
from neuralshade.gpu import open as stem
from neuralshade.gpu.device import ListedAdapter
from neuralshade.gpu.open import APIS, auto_adapter, hardware_adapter, open_gpu, open_hardware
from neuralshade.gpu.slangpy_gpu import SlangpyGpu

NONE = DeviceError("device: got no CUDA device, need one.")


@pytest.fixture
def machine(monkeypatch):
    """Give a function that makes up what answers: CUDA, and SlangPy's best API."""

    def machine(cuda, hardware):
        def no_cuda():
            raise NONE

        def named(name):
            return SimpleNamespace(info=SimpleNamespace(
                adapter_name="found", type=SimpleNamespace(name=name)))  # fmt: skip

        monkeypatch.setattr(stem, "has_nvidia_driver", lambda: cuda is not None)
        monkeypatch.setattr(cuda_gpu, "CudaGpu", (lambda: SimpleNamespace(api="cuda")) if cuda
                            else no_cuda)  # fmt: skip
        monkeypatch.setattr(
            stem, "open_device", lambda api: named((hardware or "vulkan") if api == "auto" else api)
        )
        monkeypatch.setattr(stem, "open_hardware_device",
                            lambda: None if hardware is None else named(hardware))  # fmt: skip

    return machine


@pytest.mark.parametrize("cuda, hardware, taken, taken_as_hardware", [
    (True, "vulkan", "cuda", "cuda"),
    (True, None, "cuda", "cuda"),
    (False, "vulkan", "vulkan", "vulkan"),  # a driver, but the packages are missing
    (None, "metal", "metal", "metal"),
    (None, None, "vulkan", None),  # in software
])  # fmt: skip
def test_auto_prefers_cuda(machine, caplog, cuda, hardware, taken, taken_as_hardware):
    machine(cuda, hardware)
    caplog.set_level("INFO", "neuralshade")
    assert open_gpu("auto").api == taken
    assert caplog.messages == [f"device: CUDA is left out. {NONE}"] * (cuda is False)
    found = open_hardware()
    assert (None if found is None else found.api) == taken_as_hardware


def test_an_api_that_is_named_is_taken(machine):
    machine(True, "vulkan")
    assert open_gpu("vulkan").api == "vulkan"
    machine(False, "vulkan")
    with pytest.raises(DeviceError) as caught:
        open_gpu("cuda")
    assert caught.value is NONE


def test_cuda_without_a_driver_is_refused_before_packages_are(machine, same_message):
    """No package would help there."""
    machine(None, "vulkan")
    with pytest.raises(DeviceError) as caught:
        open_gpu("cuda")
    same_message(str(caught.value), "device", "--device")


def test_the_api_that_opens_is_the_one_asked_for(gpu):
    opened = open_gpu(gpu.api)
    assert (opened.name, opened.api) == (gpu.name, gpu.api)
    assert isinstance(opened, cuda_gpu.CudaGpu if gpu.api == "cuda" else SlangpyGpu)
    opened.close()


def test_an_unknown_api_is_refused():
    with pytest.raises(ConfigError) as caught:
        open_gpu("vulcan")
    choices = ", ".join(("auto", *APIS))
    assert str(caught.value) == f"device: got API 'vulcan', need one of {choices}. Use auto."


@pytest.mark.gpu
def test_hardware_answers():
    adapter = hardware_adapter()
    assert adapter is not None
    assert not adapter.software
    assert "half" in adapter.features


def test_the_first_hardware_is_what_auto_tries():
    def listed(name):
        return ListedAdapter(name, "vulkan", False, None, None)

    cards = [listed("llvmpipe (LLVM 19)"), listed("RTX"), listed("Arc")]
    assert auto_adapter(cards) is cards[1]
    assert auto_adapter(cards[:1]) is None


def test_nvidia_s_packages_stay_out_until_a_device_is_asked_for():
    code = "import sys, neuralshade.gpu.open; sys.exit('cuda' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
