"""An asset on a GPU: at any positions, as a picture, or straight into a texture."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.draw import Crop
from neuralshade.engine.infer import Inference
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.matrix import SIDE
from neuralshade.engine.paths import inference_path
from neuralshade.gpu.device import describe_adapter, open_device
from neuralshade.gpu.kernel import device_buffer
from neuralshade.verbs.opening import AssetLike, open_asset

if TYPE_CHECKING:
    import slangpy


class GpuField:
    """A fitted picture whose numbers lie on a GPU, ready to be evaluated.

    Where the device has cooperative vectors the network runs in float16 on its matrix units,
    else in float32 loops.

    Args:
        asset: path of an asset, or what ``load`` returned.
        device: an open SlangPy device, which stays open; or an API (vulkan, metal, d3d12, cuda)
            or "auto", whose device ``close`` closes. An own device needs this package's parent
            folder among its include paths, as ``neuralshade.gpu.device.open_device`` gives it.

    Raises: AssetError, DeviceError where no device answers or has too little memory, ConfigError
        for an unknown API.
    """

    def __init__(self, asset: AssetLike, device: slangpy.Device | str = "auto"):
        field = open_asset(asset).field
        self._owned = isinstance(device, str)
        self.device: Any = open_device(device) if isinstance(device, str) else device
        vectors = inference_path(describe_adapter(self.device)) == "vector"
        layout = NetworkLayout(field.network, SIDE if vectors else 1)
        number = np.float16 if vectors else np.float32
        network = layout.flatten(list(field.network.parameters())).astype(number)
        grid = field.encoding.flatten(list(field.encoding.parameters())).numpy().astype(number)
        self.inference = Inference(
            self.device,
            field,
            layout,
            device_buffer(self.device, network),
            device_buffer(self.device, grid),
            halves=vectors,
            vectors=vectors,
        )
        encoder = self.device.create_command_encoder()
        self.inference.refresh(encoder)
        self.device.submit_command_buffer(encoder.finish())

    def at(self, uv: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Return the channels at ``uv`` [N, 2] in [0, 1], u to the right and v down.

        float32 [N, C] in the fitted picture's colour space, not clamped. ``uv`` may be a NumPy
        array or a torch tensor on the CPU.

        Raises: ShapeError for another shape.
        """
        return self.inference.at_positions(np.asarray(uv, np.float32))

    def picture(
        self, width: int, height: int, crop: Crop = (0.0, 0.0, 1.0, 1.0)
    ) -> npt.NDArray[np.float32]:
        """Return ``crop`` (u0, v0, u1, v1) at width x height pixels: [height, width, C]."""
        return self.inference.picture(width, height, crop)

    def into_texture(self, texture: slangpy.Texture, crop: Crop = (0.0, 0.0, 1.0, 1.0)) -> None:
        """Draw ``crop`` over all of ``texture``, of this device and for unordered access.

        Channels that the picture has not are 0, alpha is 1. Nothing passes through the host.
        """
        self.inference.into_texture(texture, crop)

    def close(self) -> None:
        """Close the device where this object opened it."""
        if self._owned:
            self.device.close()

    def __enter__(self) -> GpuField:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
