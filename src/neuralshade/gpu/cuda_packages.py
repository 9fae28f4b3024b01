"""NVIDIA's Python packages, imported when a CUDA device is first opened."""

from __future__ import annotations

import functools
from typing import Any

from neuralshade.base.optional import optional_module
from neuralshade.errors import DeviceError

REMEDY = 'Run: pip install "neuralshade[cuda]"'


@functools.cache
def driver() -> Any:
    """Return the module of the CUDA driver, initialized.

    Raises: DeviceError where the package, the driver or every NVIDIA GPU is missing.
    """
    bindings = _bindings("driver")
    try:
        (error,) = bindings.cuInit(0)
    except RuntimeError as missing:  # the package's error for a missing library
        raise _no_driver(str(missing)) from missing
    if error:
        raise _no_driver(str(error))
    return bindings


@functools.cache
def nvrtc() -> Any:
    """Return the module of NVRTC, its library loaded. Needs no GPU.

    Raises: DeviceError where the package or the library is missing.
    """
    bindings = _bindings("nvrtc")
    try:
        bindings.nvrtcVersion()
    except RuntimeError as missing:
        raise DeviceError(f"device: got no NVRTC ({missing}), need it to compile for CUDA. "
                          f"{REMEDY}") from missing  # fmt: skip
    return bindings


def nvrtc_version() -> tuple[int, int]:
    """Return NVRTC's version, such as (13, 5); DeviceError where it is missing."""
    _, major, minor = nvrtc().nvrtcVersion()
    return major, minor


def _bindings(name: str) -> Any:
    return optional_module(f"cuda.bindings.{name}", "cuda-bindings", "device", "for CUDA", REMEDY)


def _no_driver(reason: str) -> DeviceError:
    return DeviceError(f"device: got no CUDA device ({reason}), need an NVIDIA GPU and its driver. "
                       "Use vulkan, or install NVIDIA's driver.")  # fmt: skip
