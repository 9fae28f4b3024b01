"""Opening of GPUs by API, or of the best one; a list of all."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu.device import (
    BACKENDS,
    AdapterInfo,
    ListedAdapter,
    is_software,
    open_device,
    open_hardware_device,
)
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.nvidia_driver import has_nvidia_driver, started_context

if TYPE_CHECKING:
    import slangpy

    from neuralshade.gpu.cuda_gpu import CudaGpu

APIS = ("cuda", *BACKENDS)  # the order in which "auto" looks for hardware

log = logging.getLogger("neuralshade")


def open_gpu(api: str = "auto") -> Gpu:
    """Open a GPU.

    Args:
        api: one of APIS, or "auto": the first of them where hardware answers, else Vulkan in
            software.

    Raises: ConfigError for another API; DeviceError where a package is missing, nothing
        answers, or the device is too old.
    """
    if api not in ("auto", *APIS):
        choices = ", ".join(("auto", *APIS))
        raise ConfigError(f"device: got API {api!r}, need one of {choices}. Use auto.")
    if api == "cuda":
        _check_driver()
        return _open_cuda()
    cuda = _cuda_or_none() if api == "auto" else None
    return _through_slangpy(open_device(api)) if cuda is None else cuda


def open_hardware() -> Gpu | None:
    """Return the GPU of ``open_gpu("auto")`` if that is hardware; open nothing else.

    None also where the packages or every driver is missing, or the driver is too old.
    """
    cuda = _cuda_or_none()
    if cuda is not None:
        return cuda
    device = open_hardware_device()
    return None if device is None else _through_slangpy(device)


def hardware_adapter() -> AdapterInfo | None:
    """Return the adapter of ``open_hardware``, closed again; None without one."""
    gpu = open_hardware()
    if gpu is None:
        return None
    adapter = gpu.adapter
    gpu.close()
    return None if adapter.software else adapter


def list_cuda() -> list[ListedAdapter]:
    """Open and close each CUDA device, and return their descriptions.

    Raises: DeviceError where a package, the driver or every device is missing, or too old.
    """
    from neuralshade.gpu.cuda_gpu import cuda_adapters

    _check_driver()
    return [ListedAdapter(a.name, a.api, False, a, None) for a in cuda_adapters()]


def auto_adapter(listed: Sequence[ListedAdapter]) -> ListedAdapter | None:
    """Return the adapter that ``open_gpu("auto")`` tries as hardware, or None.

    ``listed``: in the order of APIS, from ``list_cuda`` and ``list_adapters``.
    """
    return next((adapter for adapter in listed if not is_software(adapter.name)), None)


def _through_slangpy(device: slangpy.Device) -> Gpu:
    from neuralshade.gpu.slangpy_gpu import SlangpyGpu

    return SlangpyGpu(device)


def _check_driver() -> None:
    """Raise DeviceError where no NVIDIA GPU answers: installing packages would not help."""
    if not has_nvidia_driver():
        raise DeviceError("device: got no NVIDIA driver with a GPU, need one for cuda. Use vulkan, "
                          "or leave --device out.")  # fmt: skip


def _open_cuda() -> CudaGpu:
    from neuralshade.gpu.cuda_gpu import CudaGpu  # eight modules that only NVIDIA GPUs need

    with started_context():
        gpu = CudaGpu()
    return gpu


def _cuda_or_none() -> CudaGpu | None:
    if not has_nvidia_driver():
        return None
    try:
        return _open_cuda()
    except DeviceError as error:
        log.info("device: CUDA is left out. %s", error)
        return None
