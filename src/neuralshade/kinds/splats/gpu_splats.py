"""A fitted cloud of Gaussians on a GPU, drawn at any resolution."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neuralshade.base.closeable import Closeable
from neuralshade.base.short_repr import ShortRepr
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.kind import AssetLike
from neuralshade.kinds.splats.gpu_renderer import SplatRenderer
from neuralshade.kinds.splats.opened import OpenedSplats
from neuralshade.source.crop import WHOLE, Crop


class GpuSplats(Closeable, ShortRepr):
    """A fitted cloud of Gaussians in a GPU's memory, ready to be drawn.

    Args:
        asset: path of an asset that `fit splats` made, or what ``load`` returned.
        device: an API (cuda, vulkan, metal, d3d12) or "auto".

    Raises: AssetError, also for an asset of another kind; DeviceError where no device answers
        or has too little memory; ConfigError for an unknown API.
    """

    def __init__(self, asset: AssetLike, device: str = "auto"):
        opened = OpenedSplats.read(asset)
        self.size = opened.size
        cloud = opened.cloud
        self.gpu = open_gpu(device)
        self.renderer = SplatRenderer(self.gpu, cloud)
        self._brief = f"{opened.brief()} on {self.gpu.api}"

    def brief(self) -> str:
        return self._brief

    def picture(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[np.float32]:
        """Return the picture at the centres of width x height pixels that cover ``crop``.

        Args:
            width: in pixels, at least 1.
            height: likewise.
            crop: u0, v0, u1, v1: the part to draw; the whole is 0, 0, 1, 1.

        Returns:
            float32 [height, width, channels] in the fitted picture's colour space, not clamped.
        """
        return self.renderer.picture(width, height, crop)

    def close(self) -> None:
        """Close the device; the object cannot be used afterwards."""
        self.gpu.close()
