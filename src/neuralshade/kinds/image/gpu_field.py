"""GPU evaluator of a fitted picture: at positions, as a picture, into a texture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.closeable import Closeable
from neuralshade.base.lazy_import import lazy_type
from neuralshade.base.short_repr import ShortRepr
from neuralshade.engine.kernel_path import inference_path
from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.errors import DeviceError, ShapeError
from neuralshade.gpu.device import open_hardware_device
from neuralshade.gpu.gpu import Gpu, run_steps
from neuralshade.gpu.open import open_gpu
from neuralshade.gpu.slangpy_gpu import SlangpyGpu
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.kind import AssetLike
from neuralshade.source.crop import WHOLE, Crop

if TYPE_CHECKING:
    from slangpy import Device, Texture
else:  # for tools that read type hints at run time
    Device, Texture = lazy_type("slangpy:Device"), lazy_type("slangpy:Texture")

KEPT_TENSORS = 4  # pairs of PyTorch buffers whose bindings are cached


class GpuField(Closeable, ShortRepr):
    """A fitted field in a GPU's memory, ready to be evaluated.

    Grids of 4 or 8 bits a number stay as in the file, see ``neuralshade.model.stepped_codes``.

    Runs in float16 on cooperative vectors, or on matrix units through CUDA, where the device has
    them and they take the network; else in float32 loops.

    Args:
        asset: path of an asset, or what ``load`` returned.
        device: an open SlangPy device, which stays open; or an API (cuda, vulkan, metal, d3d12)
            or "auto", whose device ``close`` closes. "auto" prefers one with cooperative
            vectors. A device of your own needs this package's parent folder among its include
            paths, as ``neuralshade.gpu.device.open_device`` adds it.

    Raises: AssetError, DeviceError where no device answers or has too little memory, ConfigError
        for an unknown API.
    """

    def __init__(self, asset: AssetLike, device: Device | str = "auto"):
        opened = OpenedImage.read(asset)
        self._owned = isinstance(device, str)
        self.gpu = _opened(device) if isinstance(device, str) else SlangpyGpu(device, owned=False)
        self.inference = field_inference(self.gpu, opened.field, codes=opened.codes)
        self._tensor_steps: dict[tuple[int, int, int], Any] = {}
        self._brief = f"{opened.brief()} on {self.gpu.api}"

    def brief(self) -> str:
        return self._brief

    def at(self, uv: Any) -> Any:
        """Return the channels at ``uv`` [N, 2] in [0, 1], u to the right and v down.

        [N, D] for a field with D inputs.

        float32 [N, C] in the fitted picture's colour space, not clamped, without gradients. A
        NumPy array, a torch tensor on the CPU or nested lists return a NumPy array. With a field
        on ``cuda``, a float32 torch tensor on the same GPU returns another one: the kernel reads
        and writes PyTorch's memory without a copy, after the work of PyTorch's stream.

        Raises: ShapeError for another shape, or a tensor with gaps; DeviceError for a CUDA tensor
        where the field is not on CUDA.
        """
        if isinstance(uv, torch.Tensor) and uv.is_cuda:
            return self._at_tensor(uv)
        return self.inference.at_positions(np.asarray(uv, np.float32))

    def _at_tensor(self, uv: torch.Tensor) -> torch.Tensor:
        gpu: Any = self.gpu
        if gpu.api != "cuda":
            raise DeviceError(
                f"at.uv: got a tensor on {uv.device} for a field on {gpu.api}, need a field on "
                'cuda. Pass GpuField(asset, "cuda") or uv.cpu().'
            )
        if uv.dtype != torch.float32:
            raise ShapeError(f"at.uv: got {uv.dtype}, need float32. Pass uv.float().")
        self.inference.field.check_positions("at.uv", uv.shape)
        drawn = torch.empty(len(uv), self.inference.outputs, device=uv.device)
        if len(uv) == 0:
            return drawn
        uv = uv.detach()
        key = (uv.data_ptr(), drawn.data_ptr(), len(uv))
        if key not in self._tensor_steps:  # binding costs a millisecond; PyTorch reuses memory
            if len(self._tensor_steps) >= KEPT_TENSORS:
                self._tensor_steps.clear()
            self._tensor_steps[key] = self.inference.steps_between(
                gpu.wrap(uv), gpu.wrap(drawn), len(uv)
            )
        torch.cuda.current_stream(uv.device).synchronize()
        run_steps(gpu, self._tensor_steps[key])
        gpu.wait()
        return drawn

    def picture(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[np.float32]:
        """Return ``crop`` (u0, v0, u1, v1) at width x height pixels: [height, width, C]."""
        return self.inference.picture(width, height, crop)

    def into_texture(self, texture: Texture, crop: Crop = WHOLE) -> None:
        """Draw ``crop`` over all of ``texture``, of this device and for unordered access.

        Channels that the picture lacks are 0, alpha is 1. Nothing passes through the host.

        Raises: DeviceError where the device is not SlangPy's.
        """
        self.inference.into_texture(texture, crop)

    def close(self) -> None:
        """Close the device where this object opened it."""
        if self._owned:
            self.gpu.close()


def _opened(api: str) -> Gpu:
    """Open ``api``; for "auto", a device with cooperative vectors, several times faster."""
    device = open_hardware_device() if api == "auto" else None
    if device is not None:
        gpu = SlangpyGpu(device)
        if inference_path(gpu.adapter) == "vector":
            return gpu
        gpu.close()
    return open_gpu(api)
