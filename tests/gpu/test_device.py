"""gpu/device: what opens, what it says of itself, and what it says when nothing opens."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu import device as stem
from neuralshade.gpu.device import (
    describe_adapter,
    is_software,
    open_device,
    open_hardware_device,
)

FREED_BY_ANOTHER_THREAD = """
import gc
from threading import Thread
from neuralshade.gpu.device import open_device

kept, freed = open_device(API), [open_device(API)]

def free():
    freed.pop().close()
    gc.collect()

thread = Thread(target=free)
thread.start()
thread.join()
module = kept.load_module_from_source("zero", TEXT)
kept.create_compute_kernel(kept.link_program([module], [module.entry_point("main")]))
"""
OPENED_IN_TURN = """
import gc
import psutil
from neuralshade.gpu.device import open_device

for number in range(8):
    device = open_device(API)
    module = device.load_module_from_source("zero", TEXT)
    program = device.link_program([module], [module.entry_point("main")])
    kernel = device.create_compute_kernel(program)
    if number in (2, 7):
        print(psutil.Process().memory_info().rss)
    device.close()
    del device, module, program, kernel
    gc.collect()
"""
ZERO = """
RWStructuredBuffer<float> into;
[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) { into[thread.x] = 0; }
"""
GARBAGE_IN_FREED_MEMORY = {"MALLOC_PERTURB_": "165"}  # of glibc's; elsewhere chance decides


def refuse(*arguments, **settings):
    raise RuntimeError("Failed to create device!")


@pytest.fixture
def two_adapters(monkeypatch):
    pytest.importorskip("slangpy")
    adapters = [
        SimpleNamespace(name="llvmpipe (LLVM 15)", luid=1),
        SimpleNamespace(name="RTX", luid=2),
    ]
    monkeypatch.setattr(stem, "_adapters", lambda spy, backend: adapters)


def test_adapter_is_described(device):
    adapter = describe_adapter(device)
    assert adapter.name == device.info.adapter_name
    assert adapter.api in stem.BACKENDS
    assert adapter.software == is_software(adapter.name)
    assert {"half", "atomic_float", "wave_ops"} <= set(adapter.features)
    assert list(adapter.features) == sorted(adapter.features)


def test_each_call_opens_a_device_of_its_own(device):
    other = open_device(device.info.type.name)
    assert other is not device
    other.close()
    assert device.info.adapter_name  # the first one still answers


@pytest.mark.slow  # a process that compiles anew
def test_a_device_freed_by_another_thread_leaves_the_others_whole(device):
    code = f"API = {device.info.type.name!r}; TEXT = {ZERO!r}{FREED_BY_ANOTHER_THREAD}"
    environment = os.environ | GARBAGE_IN_FREED_MEMORY
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


@pytest.mark.slow  # eight devices in turn in a process of their own, for its memory
def test_closed_devices_leave_no_memory_behind(device):
    code = f"API = {device.info.type.name!r}; TEXT = {ZERO!r}{OPENED_IN_TURN}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    third, last = map(int, done.stdout.split())
    assert last < third + 60 * 2**20  # five more of them


def test_software_is_no_hardware(device):
    if not describe_adapter(device).software:
        pytest.skip("a hardware GPU answers here")
    assert open_hardware_device() is None


@pytest.mark.parametrize(
    "name, software",
    [
        ("llvmpipe (LLVM 19.1.7, 256 bits)", True),
        ("SwiftShader Device (Subzero)", True),
        ("Microsoft Basic Render Driver", True),
        ("NVIDIA H200", False),
        ("AMD Radeon Graphics (RADV RENOIR)", False),
        ("Apple M2", False),
    ],
)
def test_software_is_known_by_name(name, software):
    assert is_software(name) == software


def test_hardware_is_taken_before_software(two_adapters, monkeypatch):
    monkeypatch.setattr("slangpy.Device", lambda **settings: settings)
    assert open_device("vulkan")["adapter_luid"] == 2


def test_slangpy_stays_out_until_a_device_is_asked_for():
    code = "import sys, neuralshade.gpu.device; sys.exit('slangpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_refusal_of_an_unknown_backend():
    with pytest.raises(ConfigError) as refused:
        open_device("vulcan")
    choices = "auto, vulkan, metal, d3d12"
    assert str(refused.value) == f"device: got backend 'vulcan', need one of {choices}. Use auto."


def test_refusal_without_slangpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "slangpy", None)
    with pytest.raises(DeviceError) as refused:
        open_device()
    remedy = 'Run: pip install "neuralshade[gpu]"'
    assert str(refused.value) == f"device: got no slangpy, need it for Slang kernels. {remedy}"
    assert open_hardware_device() is None


def test_refusal_of_a_slangpy_that_does_not_load(monkeypatch, tmp_path, same_message):
    (tmp_path / "slangpy.py").write_text("raise ImportError('libatomic.so.1: no such file')")
    monkeypatch.delitem(sys.modules, "slangpy", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DeviceError) as refused:
        open_device()
    same_message(str(refused.value), "device", "Run")


@pytest.mark.slow
def test_refusal_without_a_driver():
    pytest.importorskip("slangpy")
    code = "from neuralshade.gpu.device import open_device; open_device('vulkan')"
    without = {**os.environ, "VK_DRIVER_FILES": "/none", "VK_ICD_FILENAMES": "/none"}
    done = subprocess.run([sys.executable, "-c", code], env=without, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "neuralshade.errors.DeviceError: device: got no vulkan device, need one. "
        "Run neuralshade doctor: it names the command that brings a driver."
    )


def test_refusal_of_an_old_driver(two_adapters, monkeypatch, same_message):
    monkeypatch.setattr("slangpy.Device", refuse)
    with pytest.raises(DeviceError) as refused:
        open_device("vulkan")
    same_message(str(refused.value), "device", "Run")
    assert open_hardware_device() is None


def test_a_cache_that_slangpy_refuses_is_done_without(two_adapters, monkeypatch, caplog, tmp_path):
    def choosy(**settings):
        if settings["shader_cache_path"] is not None:
            raise RuntimeError("Failed to open cache!\nand more of that")
        return settings

    monkeypatch.setattr("slangpy.Device", choosy)
    monkeypatch.setattr(stem, "cache_folder", lambda: tmp_path)
    stem.log_uncached.cache_clear()
    assert open_device("vulkan")["adapter_luid"] == 2
    assert caplog.messages == [
        f"kernels: they are compiled anew, since SlangPy refuses {tmp_path} (Failed to open cache!)"
    ]


@pytest.mark.slow
def test_a_full_disk_under_the_cache_is_told_and_done_without(device, small_disk):
    """In a process of its own: SlangPy's database would end it by SIGBUS."""
    kernels = small_disk / "neuralshade/kernels"
    kernels.mkdir(parents=True)
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "rest").write_bytes(bytes(2**20))
    code = f"import neuralshade.gpu.device as d; d.open_device({device.info.type.name!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env=os.environ | {"XDG_CACHE_HOME": str(small_disk)})  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (
        0, "", f"kernels: they are compiled anew, since {kernels} cannot be written "
        "([Errno 28] No space left on device)\n",
    )  # fmt: skip
