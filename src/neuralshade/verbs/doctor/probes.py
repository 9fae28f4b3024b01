"""Probes of drivers and large packages, each run in its own process; results are JSON.

Any of them may crash or hang. Nothing but the standard library is loaded before it is
needed.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

VULKAN = {"win32": ["vulkan-1.dll"], "darwin": ["libvulkan.1.dylib", "libMoltenVK.dylib"]}
CUDA = {"win32": ["nvcuda.dll"], "darwin": []}
DEVICE_TYPES = ("other", "integrated", "discrete", "virtual", "software")  # VkPhysicalDeviceType
INSTANCE_INFO = 1  # VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
PROPERTIES_BYTES = 4096  # of VkPhysicalDeviceProperties, which has 824
NAME_AT, NAME_BYTES = 20, 256
PORTABILITY = b"VK_KHR_portability_enumeration"  # macOS lists nothing without it


def torch() -> dict[str, Any]:
    """Return PyTorch's version, its build, and its devices."""
    import torch as package

    names = [package.cuda.get_device_name(i) for i in range(package.cuda.device_count())]
    mps = package.backends.mps.is_available()
    built = package.version.hip or package.version.cuda
    return {"version": package.__version__, "built_for": built,
            "devices": [*names, *(["Apple GPU"] if mps else [])]}  # fmt: skip


def slangpy() -> dict[str, Any]:
    """Return SlangPy's version, and each adapter that it lists: opened, or the error."""
    import slangpy as package

    from neuralshade.gpu.device import list_adapters

    adapters = [{"name": a.name, "api": a.api, "software": a.software, "error": a.error}
                for a in list_adapters()]  # fmt: skip
    return {"version": package.__version__, "adapters": adapters}


def vulkan() -> dict[str, Any]:
    """Return the loader's file and the devices it lists, using only the loader."""
    name, loader = _library(VULKAN.get(sys.platform, ["libvulkan.so.1"]))
    instance = ctypes.c_void_p()
    mac = sys.platform == "darwin"
    names = (ctypes.c_char_p * 1)(PORTABILITY)
    info = _InstanceInfo(INSTANCE_INFO, None, int(mac), None, 0, None, int(mac),
                         ctypes.cast(names, ctypes.c_void_p))  # fmt: skip
    _checked(loader.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance)),
             "vkCreateInstance")  # fmt: skip
    count = ctypes.c_uint32()
    listing = loader.vkEnumeratePhysicalDevices
    _checked(listing(instance, ctypes.byref(count), None), "vkEnumeratePhysicalDevices")
    devices = (ctypes.c_void_p * count.value)()
    _checked(listing(instance, ctypes.byref(count), devices), "vkEnumeratePhysicalDevices")
    return {"loader": name, "devices": [_vulkan_device(loader, device) for device in devices]}


def _vulkan_device(loader: Any, device: Any) -> dict[str, Any]:
    properties = ctypes.create_string_buffer(PROPERTIES_BYTES)
    loader.vkGetPhysicalDeviceProperties(ctypes.c_void_p(device), properties)
    api, _driver, _vendor, _device, kind = struct.unpack_from("5I", properties.raw)
    name = properties.raw[NAME_AT : NAME_AT + NAME_BYTES].split(b"\0")[0].decode(errors="replace")
    return {"name": name, "type": DEVICE_TYPES[kind] if kind < len(DEVICE_TYPES) else str(kind),
            "vulkan": f"{api >> 22 & 0x7F}.{api >> 12 & 0x3FF}.{api & 0xFFF}"}  # fmt: skip


class _InstanceInfo(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_uint32), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32),
        ("application", ctypes.c_void_p), ("layer_count", ctypes.c_uint32),
        ("layers", ctypes.c_void_p), ("extension_count", ctypes.c_uint32),
        ("extensions", ctypes.c_void_p),
    ]  # fmt: skip


def cuda() -> dict[str, Any]:
    """Return the newest CUDA version that NVIDIA's driver supports, and its GPUs."""
    _name, driver = _library(CUDA.get(sys.platform, ["libcuda.so.1"]))
    _checked(driver.cuInit(0), "cuInit")
    version, count = ctypes.c_int(), ctypes.c_int()
    _checked(driver.cuDriverGetVersion(ctypes.byref(version)), "cuDriverGetVersion")
    _checked(driver.cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
    names = []
    for index in range(count.value):
        text = ctypes.create_string_buffer(NAME_BYTES)
        _checked(driver.cuDeviceGetName(text, NAME_BYTES, index), "cuDeviceGetName")
        names.append(text.value.decode(errors="replace"))
    return {"driver": f"{version.value // 1000}.{version.value % 1000 // 10}", "devices": names}


def nvrtc() -> dict[str, Any]:
    """Return the version of NVRTC, which compiles kernels for CUDA."""
    from neuralshade.gpu.cuda_packages import nvrtc_version

    major, minor = nvrtc_version()
    return {"version": f"{major}.{minor}"}


def caches() -> dict[str, Any]:
    """Return the cache folders: purpose, files, bytes."""
    import platformdirs

    own = "neuralshade"
    folders = {
        "compiled kernels": Path(platformdirs.user_cache_dir(own)) / "kernels",
        "keys of these": Path(platformdirs.user_state_dir(own)) / "keys",
        "your own modules": Path(platformdirs.user_data_dir(own)) / "own-modules",
    }
    return {"folders": [{"what": what, **_folder(path)} for what, path in folders.items()]}


def _folder(path: Path) -> dict[str, Any]:
    sizes: list[int] = []
    refused: list[str] = []
    for above, _, names in os.walk(path, onerror=lambda error: refused.append(str(error))):
        for name in names:
            try:
                sizes.append(os.lstat(os.path.join(above, name)).st_size)
            except OSError as error:
                refused.append(str(error))
    there = os.path.lexists(path)
    nearest = next((p for p in (path, *path.parents) if os.path.lexists(p)), path)
    return {"path": str(path), "there": there, "files": len(sizes), "bytes": sum(sizes),
            "writable": os.path.isdir(nearest) and os.access(nearest, os.W_OK | os.X_OK),
            "error": refused[0] if refused and there else None}  # fmt: skip


def _library(names: list[str]) -> tuple[str, ctypes.CDLL]:
    why = "it is not for this system"
    for name in names:
        try:
            return name, ctypes.CDLL(name)
        except OSError as error:
            why = str(error)
    raise OSError(why)


def _checked(result: int, call: str) -> None:
    if result:
        raise OSError(f"{call} returned {result}")


def plugins() -> dict[str, Any]:
    """Return the plugins of other packages, each loaded."""
    from neuralshade.verbs.doctor.plugins import found_plugins

    return {"plugins": found_plugins()}


PROBES: dict[str, Callable[[], dict[str, Any]]] = {
    probe.__name__: probe for probe in (torch, slangpy, vulkan, cuda, nvrtc, caches, plugins)
}


def answer(name: str) -> None:
    """Print a probe's result as the last line of standard output, or its error."""
    try:
        found = PROBES[name]()
    except Exception as error:  # any error is a finding
        found = {"failed": f"{type(error).__name__}: {error}".partition("\n")[0][:400]}
    print("\n" + json.dumps(found), flush=True)
    os._exit(0)  # drivers may hang at the end of a process
