"""verbs/devices: this machine, machines without parts, and machines made up of fake adapters."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

import neuralshade
from neuralshade.engine.engine_choice import torch_devices
from neuralshade.errors import DeviceError
from neuralshade.gpu import cuda_gpu as through_cuda
from neuralshade.gpu import open as gpu_open
from neuralshade.gpu.device import BACKENDS, AdapterInfo, describe_adapter
from neuralshade.gpu.open import hardware_adapter, open_gpu
from neuralshade.verbs.devices import FEATURES

KEYS = ["adapters", "torch", "auto", "slangpy", "cuda", "hint"]
ADAPTER_KEYS = ["name", "api", "software", "error", "profile", "multiprocessors",
                "subgroup_size", "features", "training", "inference"]  # fmt: skip
TORCH_KEYS = ["name", "description", "api", "version", "memory_bytes", "precision"]
LLVMPIPE = {
    "name": "llvmpipe (LLVM 19)",
    "vendor_id": 0x10005,
    "features": ("half", "software_device"),
}
RTX = {"name": "RTX", "vendor_id": 0x10DE,
       "features": ("cooperative_matrix", "cooperative_vector", "half")}  # fmt: skip
BROKEN = {"name": "Old card", "vendor_id": 0x1002, "features": None}  # None: it does not open
ODD = {"name": "New renderer", "vendor_id": 0, "features": ("software_device",)}
HOPPER = AdapterInfo("H200", "cuda", False, ("bfloat16", "half"), 0x10DE, (32, 32), "sm_90",
                     (9, 0), 132, 232448)  # fmt: skip
NO_CUDA = "device: got no CUDA device (none), need one."
REFUSED = (
    "device: got Old card, which SlangPy refuses, need a newer driver. "
    "Run neuralshade doctor: it names the command that brings a driver."
)


@pytest.fixture
def one_device():
    """Leave each its own device: that they are opened and closed is tested here."""


class FakeDevice:
    """Stands for an open device of a made-up adapter."""

    def __init__(self, adapter, api, still_open):
        self.adapter, self.api, self.still_open = adapter, api, still_open
        limits = SimpleNamespace(min_wave_size=32, max_wave_size=64)
        self.info = SimpleNamespace(
            adapter_name=adapter.name, type=SimpleNamespace(name=api), limits=limits
        )
        self.features = [SimpleNamespace(name=name) for name in adapter.features]
        self.capabilities = ["_spirv_1_5"]
        still_open.append(self)

    def close(self):
        self.still_open.remove(self)


@pytest.fixture
def machine(monkeypatch):
    """Give a function that makes SlangPy find these adapters (by API) and no others; and CUDA
    ``cuda``.

    It returns the list of devices that are open.
    """

    def machine(cuda=(), **apis):
        def cuda_adapters():
            if not cuda:
                raise DeviceError(NO_CUDA)
            return list(cuda)

        def cuda_gpu():
            adapter = cuda_adapters()[0]
            return SimpleNamespace(name=adapter.name, api="cuda", adapter=adapter,
                                   close=lambda: None)  # fmt: skip

        still_open = []
        made = {
            api: [SimpleNamespace(**fields, luid=(api, i)) for i, fields in enumerate(adapters)]
            for api, adapters in apis.items()
        }

        def open_device(*, type, adapter_luid, **settings):
            api, index = adapter_luid
            assert api == type
            adapter = made[api][index]
            if adapter.features is None:
                raise RuntimeError("Failed to create device!")
            return FakeDevice(adapter, api, still_open)

        open_device.enumerate_adapters = lambda api: made.get(api, [])
        fake = SimpleNamespace(
            __version__="7.8.9",
            DeviceType={api: api for api in BACKENDS},
            Device=open_device,
            SHADER_PATH="",
        )
        monkeypatch.setitem(sys.modules, "slangpy", fake)
        monkeypatch.setattr(gpu_open, "has_nvidia_driver", lambda: bool(cuda))
        monkeypatch.setattr(through_cuda, "cuda_adapters", cuda_adapters)
        monkeypatch.setattr(through_cuda, "CudaGpu", cuda_gpu)
        return still_open

    return machine


def test_this_machine(device):
    found = neuralshade.devices()
    mine = describe_adapter(device)
    row = next(a for a in found["adapters"] if (a["name"], a["api"]) == (mine.name, mine.api))
    assert row["features"] == {name: name in mine.features for name in FEATURES}
    assert row["features"]["half"] and row["features"]["atomic_float"]
    assert row["subgroup_size"] == list(mine.subgroup_size)
    assert (row["software"], row["profile"], row["error"]) == (mine.software, mine.profile, None)
    if mine.software:
        assert (row["training"], row["inference"]) == ("fma", "fma")
    assert (found["auto"]["engine"] == "gpu") == (hardware_adapter() is not None)
    assert found["hint"] is None


def test_torch_devices_are_described():
    described = neuralshade.devices()["torch"]
    assert [row["name"] for row in described] == torch_devices()
    cpu = described[0]
    assert (cpu["api"], cpu["memory_bytes"]) == ("cpu", psutil.virtual_memory().total)
    assert cpu["precision"] in ("bfloat16", "float32")


def test_keys_are_stable(machine):
    machine(vulkan=[RTX, BROKEN])
    found = neuralshade.devices()
    assert list(found) == KEYS
    assert [list(row) for row in found["adapters"]] == [ADAPTER_KEYS] * 2
    assert all(list(row) == TORCH_KEYS for row in found["torch"])
    assert list(found["auto"]) == ["engine", "device", "reason"]
    assert list(found["adapters"][0]["features"]) == list(FEATURES)
    assert json.loads(json.dumps(found)) == found


def test_every_api_is_listed_with_its_paths(machine):
    still_open = machine(cuda=[HOPPER], d3d12=[RTX], vulkan=[LLVMPIPE, RTX])
    found = neuralshade.devices()
    rows = [(a["api"], a["name"], a["software"], a["training"], a["inference"])
            for a in found["adapters"]]  # fmt: skip
    assert rows == [
        ("cuda", "H200", False, "wgmma", "wgmma"),
        ("vulkan", "RTX", False, "matrix", "vector"),
        ("vulkan", "llvmpipe (LLVM 19)", True, "fma", "fma"),
        ("d3d12", "RTX", False, "matrix", "vector"),
    ]
    hopper, rtx, *_ = found["adapters"]
    assert (hopper["subgroup_size"], rtx["subgroup_size"]) == ([32, 32], [32, 64])
    assert (hopper["profile"], rtx["profile"]) == ("sm_90", "spirv_1_5")
    assert (hopper["multiprocessors"], rtx["multiprocessors"]) == (132, None)
    assert found["cuda"] is None
    assert (found["slangpy"], found["hint"], still_open) == ("7.8.9", None, [])


def test_an_adapter_that_does_not_open_is_listed_and_the_rest_go_on(machine):
    machine(vulkan=[BROKEN, RTX])
    broken, fine = neuralshade.devices()["adapters"]
    assert broken == dict.fromkeys(ADAPTER_KEYS) | {
        "name": "Old card", "api": "vulkan", "software": False, "error": REFUSED,
    }  # fmt: skip
    assert (fine["name"], fine["error"], fine["training"]) == ("RTX", None, "matrix")


@pytest.mark.parametrize("apis, engine, device, reason", [
    ({"vulkan": [LLVMPIPE, RTX]}, "gpu", "RTX", "hardware answers (vulkan)"),
    ({"vulkan": [RTX], "cuda": [HOPPER]}, "gpu", "H200", "hardware answers (cuda)"),
    ({"metal": [RTX], "d3d12": [BROKEN]}, "gpu", "RTX", "hardware answers (metal)"),
    ({"vulkan": [LLVMPIPE], "d3d12": [LLVMPIPE]}, "torch", "cpu",
     "only software answers (vulkan, d3d12)"),
    ({"vulkan": [BROKEN, RTX]}, "torch", "cpu", "Old card (vulkan) does not open"),
    ({"vulkan": [ODD]}, "torch", "cpu", "New renderer (vulkan) is software"),
    ({}, "torch", "cpu", "no adapter answers"),
])  # fmt: skip
def test_auto_is_what_the_engine_would_take(machine, apis, engine, device, reason):
    still_open = machine(**apis)
    found = neuralshade.devices()
    assert found["auto"] == {"engine": engine, "device": device, "reason": reason}
    taken = hardware_adapter()
    assert (taken is not None) == (engine == "gpu")
    assert still_open == []
    if taken is not None:
        opened = open_gpu("auto")
        assert opened.name == device == taken.name
        assert reason == f"hardware answers ({opened.api})"


def test_without_slangpy(machine, monkeypatch):
    machine()
    monkeypatch.setitem(sys.modules, "slangpy", None)
    found = neuralshade.devices()
    assert found["cuda"] == (
        "device: got no NVIDIA driver with a GPU, need one for cuda. Use vulkan, or leave --device "
        "out."
    )
    assert (found["adapters"], found["slangpy"]) == ([], None)
    assert found["hint"] == (
        'device: got no slangpy, need it for Slang kernels. Run: pip install "neuralshade[gpu]"'
    )
    assert [row["name"] for row in found["torch"]] == torch_devices()
    assert found["auto"] == {"engine": "torch", "device": "cpu", "reason": "no adapter answers"}


def test_without_any_adapter(machine):
    machine()
    assert neuralshade.devices()["hint"] == (
        "device: got no adapter, need one for --engine gpu. "
        "Run neuralshade doctor: it names the command that brings a driver."
    )


@pytest.mark.slow  # as test_device.py refuses without one; a process that loads all anew
def test_without_a_vulkan_driver():
    pytest.importorskip("slangpy")
    code = "import json, neuralshade; print(json.dumps(neuralshade.devices()))"
    without = {**os.environ, "VK_DRIVER_FILES": "/none", "VK_ICD_FILENAMES": "/none"}
    done = subprocess.run([sys.executable, "-c", code], env=without, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert "vulkan" not in [adapter["api"] for adapter in found["adapters"]]
    assert found["torch"] and found["slangpy"]
    assert (found["hint"] is None) == bool(found["adapters"])
