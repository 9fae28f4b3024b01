"""SlangPy devices: opening them, and their features. Needs the extra `gpu` (slangpy)."""

from __future__ import annotations

import ctypes
import functools
import pathlib
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from neuralshade.base.interrupt import signals_deferred
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu.cache_folder import cache_folder, check_file_limit, log_uncached
from neuralshade.gpu.nvidia_driver import initialized_driver

if TYPE_CHECKING:
    import slangpy

P = ParamSpec("P")
T = TypeVar("T")

# Slang's warnings about code that is right at other sizes: a loop that runs zero times for a
# network without hidden layers; an array that "may be" uninitialized since a loop fills it.
FALSE_ALARMS = ("30514", "41035")
NVIDIA_VENDOR_ID = 0x10DE  # of PCI
MULTIPROCESSOR_COUNT = 16  # of CUdevice_attribute
BACKENDS = ("vulkan", "metal", "d3d12")  # the order in which "auto" looks for hardware
SOFTWARE_NAMES = ("llvmpipe", "lavapipe", "swiftshader", "basic render", "warp")
SOURCE_FOLDER = pathlib.Path(__file__).parents[
    2
]  # so that `import neuralshade.gpu.random;` is found
REMEDY = {
    "vulkan": "Run neuralshade doctor: it names the command that brings a driver.",
    "metal": "Use vulkan outside macOS.",
    "d3d12": "Use vulkan outside Windows.",
}


@dataclass(frozen=True)
class AdapterInfo:
    """Description of an opened device."""

    name: str  # from the driver
    api: str  # "cuda", or one of BACKENDS
    software: bool  # llvmpipe, SwiftShader, WARP: the CPU emulates a GPU
    features: tuple[str, ...]  # SlangPy's names, sorted; "cooperative_vector" is one
    vendor_id: int = 0  # PCI's, from the API; 0 where unknown
    subgroup_size: tuple[int, int] = (0, 0)  # threads, least and most; 0 where unknown
    profile: str = ""  # newest that Slang may compile for, such as spirv_1_6; "" where unknown
    capability: tuple[int, int] = (0, 0)  # CUDA's compute capability; (0, 0) elsewhere
    multiprocessors: int | None = None  # None where unknown
    shared_bytes: int = 0  # of group-shared memory per group at most; 0 where unknown


@dataclass(frozen=True)
class ListedAdapter:
    """An adapter in the list of an API, opened or not."""

    name: str
    api: str  # "cuda", or one of BACKENDS
    software: bool  # from the name where it does not open
    opened: AdapterInfo | None  # None where it does not open
    error: str | None  # why it does not open, in one line


def open_device(backend: str = "auto") -> slangpy.Device:
    """Return a new SlangPy device on which ``import neuralshade.<folder>.<stem>;`` works.

    Prefers hardware where an API offers hardware and software.

    Args:
        backend: one of BACKENDS, or "auto": the first of them where hardware answers, else
            Vulkan in software.

    Raises: ConfigError for another backend; DeviceError where slangpy is missing, nothing
        answers, or SlangPy refuses the device.
    """
    if backend not in ("auto", *BACKENDS):
        choices = ", ".join(("auto", *BACKENDS))
        raise ConfigError(f"device: got backend {backend!r}, need one of {choices}. Use auto.")
    spy = _load_slangpy()
    if backend == "auto":
        backend = _hardware_backend(spy) or "vulkan"
    adapters = sorted(_adapters(spy, backend), key=lambda adapter: is_software(adapter.name))
    if not adapters:
        raise DeviceError(f"device: got no {backend} device, need one. {REMEDY[backend]}")
    return _open(spy, backend, adapters[0])


def describe_adapter(device: slangpy.Device) -> AdapterInfo:
    """Return the adapter of ``device`` and its features."""
    same_api = _adapters(_load_slangpy(), device.info.type.name)
    name = device.info.adapter_name  # an open device does not have its vendor
    return _describe(device, next((a.vendor_id for a in same_api if a.name == name), 0))


def list_adapters() -> list[ListedAdapter]:
    """Open and close each adapter of each API, and return their descriptions.

    They come in the order of BACKENDS, and within an API hardware first. One that does not open
    is listed with the reason. The list is empty where no driver answers.

    Raises: DeviceError where slangpy is missing or does not load.
    """
    spy = _load_slangpy()
    return [
        _try(spy, backend, adapter)
        for backend in BACKENDS
        for adapter in sorted(_adapters(spy, backend), key=lambda a: is_software(a.name))
    ]


def open_hardware_device() -> slangpy.Device | None:
    """Return the device of ``open_device("auto")`` if that is hardware; open nothing else.

    None also where slangpy or every driver is missing, or the driver is too old.
    """
    try:
        if _hardware_backend(_load_slangpy()) is None:
            return None
        return open_device("auto")
    except DeviceError:
        return None


def is_software(adapter_name: str) -> bool:
    """Return whether ``adapter_name`` is that of a known software rasterizer."""
    return any(name in adapter_name.lower() for name in SOFTWARE_NAMES)


def in_new_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Return ``function`` wrapped to run in a new thread: for calls of the Slang compiler.

    The compiler remembers per thread the last of its global sessions, one for each device of
    SlangPy, and uses it for reflection even after another thread has freed it, as a garbage
    collection may at any time. A new thread remembers nothing, which the compiler handles, and
    its memory ends with it.
    """

    @functools.wraps(function)
    def alone(*args: P.args, **kwargs: P.kwargs) -> T:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(function, *args, **kwargs).result()

    return alone


def trim_heap() -> None:
    """Call malloc_trim of glibc, if any: else each closed device would leave 90 MB allocated."""
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


def _open(spy: Any, backend: str, adapter: Any) -> Any:
    if is_software(adapter.name):
        check_file_limit(adapter.name)
    folder = cache_folder()
    try:
        try:
            return _opened(spy, backend, adapter, folder)
        except RuntimeError as error:
            if folder is None:
                raise
            device = _opened(spy, backend, adapter, None)
            words = str(error).partition("\n")[0]
            log_uncached(f"SlangPy refuses {folder} ({words})")
            return device
    except RuntimeError as error:
        raise DeviceError(
            f"device: got {adapter.name}, which SlangPy refuses, need a newer driver. "
            f"{REMEDY[backend]}"
        ) from error


@in_new_thread  # the caller's thread would remember it, and crash in other kernels once it is freed
def _opened(spy: Any, backend: str, adapter: Any, folder: pathlib.Path | None) -> Any:
    trim_heap()
    return spy.Device(
        type=spy.DeviceType[backend],
        adapter_luid=adapter.luid,
        compiler_options={
            "include_paths": [spy.SHADER_PATH, SOURCE_FOLDER],
            "disable_warnings": list(FALSE_ALARMS),
        },
        enable_hot_reload=False,  # its file watcher would outlive a closed device
        enable_rhi_validation=False,  # costs host time at each call
        shader_cache_path=folder,
    )


def _try(spy: Any, backend: str, adapter: Any) -> ListedAdapter:
    try:
        device = _open(spy, backend, adapter)
    except DeviceError as error:
        software = is_software(adapter.name)
        return ListedAdapter(adapter.name, backend, software, None, str(error))
    try:
        opened = _describe(device, adapter.vendor_id)
    finally:
        device.close()
    return ListedAdapter(adapter.name, backend, opened.software, opened, None)


def _describe(device: Any, vendor_id: int) -> AdapterInfo:
    features = tuple(sorted(feature.name for feature in device.features))
    limits = device.info.limits
    return AdapterInfo(
        device.info.adapter_name,
        device.info.type.name,
        "software_device" in features,
        features,
        vendor_id,
        (limits.min_wave_size, limits.max_wave_size),
        newest_profile(device.capabilities),
    )


def newest_profile(capabilities: Sequence[str]) -> str:
    """Return the newest profile among Slang's capabilities, or "" where none is."""
    form = re.compile(r"_(spirv|metallib|sm)_(\d+)_(\d+)")
    found = [match for match in map(form.fullmatch, capabilities) if match]
    newest = max(found, key=lambda m: (int(m[2]), int(m[3])), default=None)
    return newest[0][1:] if newest else ""


def _load_slangpy() -> Any:
    try:
        with signals_deferred():  # an exception that passes through its C++ ends the process
            import slangpy
    except ModuleNotFoundError as error:
        remedy = 'Run: pip install "neuralshade[gpu]"'
        raise DeviceError(f"device: got no slangpy, need it for Slang kernels. {remedy}") from error
    except ImportError as error:
        remedy = "Run neuralshade doctor: it names the command that brings it."
        raise DeviceError(
            f"device: got a slangpy that does not load ({error}), need it for Slang kernels. "
            f"{remedy}"
        ) from error
    return slangpy


def _hardware_backend(spy: Any) -> str | None:
    for backend in BACKENDS:
        if not all(is_software(adapter.name) for adapter in _adapters(spy, backend)):
            return backend
    return None


def _adapters(spy: Any, backend: str) -> list[Any]:
    return list(spy.Device.enumerate_adapters(spy.DeviceType[backend]))


def multiprocessors(device: slangpy.Device) -> int | None:
    """Return the multiprocessors of an NVIDIA GPU; None where its driver does not report them.

    Of several GPUs, the one with that name counts.
    """
    driver = initialized_driver()
    if driver is None:
        return None
    count, handle, value = (ctypes.c_int() for _ in range(3))
    driver.cuDeviceGetCount(ctypes.byref(count))
    for index in range(count.value):
        name = ctypes.create_string_buffer(256)
        driver.cuDeviceGet(ctypes.byref(handle), index)
        driver.cuDeviceGetName(name, len(name), handle)
        if name.value.decode(errors="replace") == device.info.adapter_name:
            driver.cuDeviceGetAttribute(ctypes.byref(value), MULTIPROCESSOR_COUNT, handle)
            return value.value
    return None
