"""Decoding of a fit's fields on its GPU, to measure them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.infer.field_inference import field_inference, upload_numbers
from neuralshade.errors import DeviceError
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.textures.texels import Decode
from neuralshade.model.field import Field

if TYPE_CHECKING:
    from neuralshade.engine.kernels.infer.infer import Inference

log = logging.getLogger("neuralshade")
Floats = npt.NDArray[np.float32]


class HardwareDecoder:
    """Decodes fields of one form in float32 on ``gpu``: as PyTorch does, but for rounding.

    The first field builds the kernel, others only upload numbers. The CPU takes over where the
    GPU has too little memory: what is measured is a fit's result, and must not be lost.
    """

    def __init__(self, gpu: Gpu):
        self.gpu = gpu
        self._inference: Inference | None = None

    def decoder(self, field: Field, on_host: Decode) -> Decode:
        """Return ``on_host``, which is ``decode_texels`` of a field, on the GPU.

        It has the field's numbers of now; the next call replaces them.
        """
        try:
            inference = self._loaded(field)
        except DeviceError as error:
            return self._without(error, on_host)

        def decode(
            sizes: Sequence[tuple[int, int]], mip: int, index: torch.Tensor | None = None
        ) -> Floats:
            positions = texel_positions(sizes[mip], mip, index)
            try:
                found: Floats = inference.at_positions(positions)
            except DeviceError as error:
                found = self._without(error, on_host)(sizes, mip, index)
            return found

        return decode

    def _loaded(self, field: Field) -> Inference:
        if self._inference is None:
            self._inference = field_inference(self.gpu, field, exact=True)
        else:
            upload_numbers(self._inference, field)
        return self._inference

    def _without(self, error: DeviceError, on_host: Decode) -> Decode:
        """Return ``on_host``, free memory, and log why."""
        self._inference = None
        log.info("the CPU decodes: %s", error)
        return on_host


def texel_positions(size: tuple[int, int], mip: int, index: torch.Tensor | None) -> Floats:
    """Return the numbers of ``mip_positions``: float32 [n, 3]; of all texels where None.

    In NumPy, as PyTorch's threads cost more than they save, and without quotients of each number.
    """
    width, height = size
    u, v = ((np.arange(side, dtype=np.float32) + np.float32(0.5)) / np.float32(side)
            for side in size)  # fmt: skip
    shape = (height, width, 3) if index is None else (len(index), 3)
    found = np.empty(shape, np.float32)
    if index is None:
        found[..., 0], found[..., 1] = u, v[:, None]
    else:
        row, col = np.divmod(index.numpy(), width)
        found[:, 0], found[:, 1] = u[col], v[row]
    found[..., 2] = mip
    return found.reshape(-1, 3)
