"""neuralshade devices: devices for training and inference, and the choice of ``auto``."""

from collections.abc import Sequence
from typing import Any

import psutil
import torch

from neuralshade.engine.engine_choice import choose_precision, torch_devices
from neuralshade.engine.kernel_path import inference_path, training_paths
from neuralshade.errors import DeviceError
from neuralshade.gpu.device import REMEDY, ListedAdapter, list_adapters
from neuralshade.gpu.open import auto_adapter, list_cuda

FEATURES = (  # features of SlangPy that affect speed or results
    "half",
    "bfloat16",
    "atomic_float",
    "atomic_int64",
    "wave_ops",
    "cooperative_vector",
    "cooperative_matrix",
    "cooperative_matrix2",
)


def devices() -> dict[str, Any]:
    """Return every adapter of every API, every torch device, and the choice of ``auto``.

    Each adapter is opened and closed in turn, which takes time. One that does not open is listed
    with its error; a machine without slangpy or a driver still lists its torch devices.

    Returns:
        Plain JSON data. ``adapters``: a list of name, api, software, error (None where it
        opens); and, None where it does not open, profile (the newest that Slang may compile
        for, or CUDA's compute capability, such as sm_90), multiprocessors (None where unknown),
        subgroup_size ([least, most], threads), features (name -> bool), and training and
        inference ("wgmma", "matrix", "vector" or "fma"). ``torch``: a list of name, description,
        api, version, memory_bytes, precision (the choice of ``precision="auto"``). ``auto``:
        engine, device, reason. ``slangpy``: its version or None. ``cuda``: why the adapters of
        CUDA are missing, or None. ``hint``: how to get adapters where there are none, else None.
        SlangPy reports neither driver versions nor memory sizes.
    """
    version = hint = without_cuda = None
    listed: list[ListedAdapter] = []
    try:
        listed += list_cuda()
    except DeviceError as error:  # a package, the driver or the GPU is missing
        without_cuda = str(error)
    try:
        listed += list_adapters()
    except DeviceError as error:  # slangpy is missing or does not load
        hint = str(error)
    else:
        version = _slangpy_version()
        if not listed:
            hint = f"device: got no adapter, need one for --engine gpu. {REMEDY['vulkan']}"
    return {
        "adapters": [_adapter(adapter) for adapter in listed],
        "torch": [_torch_device(name) for name in torch_devices()],
        "auto": _auto(listed),
        "slangpy": version,
        "cuda": without_cuda,
        "hint": hint,
    }


def _slangpy_version() -> str:
    import slangpy

    return slangpy.__version__


def _adapter(adapter: ListedAdapter) -> dict[str, Any]:
    opened = adapter.opened
    return {
        "name": adapter.name,
        "api": adapter.api,
        "software": adapter.software,
        "error": adapter.error,
        "profile": opened and (opened.profile or None),
        "multiprocessors": opened and opened.multiprocessors,
        "subgroup_size": opened and list(opened.subgroup_size),
        "features": opened and {name: name in opened.features for name in FEATURES},
        "training": opened and training_paths(opened)[0],
        "inference": opened and inference_path(opened),
    }


def _torch_device(name: str) -> dict[str, Any]:
    device = torch.device(name)
    precision = str(choose_precision("auto", device)).removeprefix("torch.")
    return {"name": name, **_torch_facts(device), "precision": precision}


def _torch_facts(device: torch.device) -> dict[str, Any]:
    if device.type == "cuda":
        about = torch.cuda.get_device_properties(device)
        api = "rocm" if torch.version.hip else "cuda"
        return {"description": about.name, "api": api,
                "version": torch.version.hip or torch.version.cuda,
                "memory_bytes": about.total_memory}  # fmt: skip
    memory = psutil.virtual_memory().total
    if device.type == "mps":
        return {"description": "Apple GPU", "api": "metal", "version": None,
                "memory_bytes": memory}  # fmt: skip
    return {"description": _cpu_description(), "api": "cpu", "version": None,
            "memory_bytes": memory}  # fmt: skip


def _cpu_description() -> str:
    threads = torch.get_num_threads()
    unit = "thread" if threads == 1 else "threads"
    return f"{threads} {unit}, {torch.backends.cpu.get_cpu_capability()}"


def _auto(listed: Sequence[ListedAdapter]) -> dict[str, str]:
    hardware = auto_adapter(listed)
    if hardware is None:
        apis = ", ".join(dict.fromkeys(adapter.api for adapter in listed))
        reason = f"only software answers ({apis})" if listed else "no adapter answers"
    elif hardware.opened is None:
        reason = f"{hardware.name} ({hardware.api}) does not open"
    elif hardware.software:
        reason = f"{hardware.name} ({hardware.api}) is software"
    else:
        reason = f"hardware answers ({hardware.api})"
        return {"engine": "gpu", "device": hardware.name, "reason": reason}
    return {"engine": "torch", "device": "cpu", "reason": reason}
