"""An asset of Gaussians on a GPU, drawn at any resolution."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neuralshade.base.closeable import Closing
from neuralshade.engine.draw import WHOLE, Crop
from neuralshade.errors import AssetError
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.splats.painter import SplatPainter
from neuralshade.verbs.opening import AssetLike, OpenedSplats, open_asset


class GpuSplats(Closing):
    """A fitted cloud of Gaussians that lies on a GPU, ready to be drawn.

    Args:
        asset: path of an asset that `fit splats` made, or what ``load`` returned.
        device: an API (cuda, vulkan, metal, d3d12) or "auto".

    Raises: AssetError, also for an asset of another kind; DeviceError where no device answers
        or has too little memory; ConfigError for an unknown API.
    """

    def __init__(self, asset: AssetLike, device: str = "auto"):
        opened = open_asset(asset)
        if not isinstance(opened, OpenedSplats):
            raise AssetError(f"{opened.asset.path}: got an asset of kind {opened.kind!r}, need "
                             "'splats'. Use one that fit splats made.")  # fmt: skip
        self.size = opened.size
        cloud = opened.cloud
        self.gpu = open_gpu(device)
        self.painter = SplatPainter(self.gpu, cloud)

    def picture(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[np.float32]:
        """Return the picture at the centres of width x height pixels that cover ``crop``.

        Args:
            width: in pixels, at least 1.
            height: likewise.
            crop: u0, v0, u1, v1: the part to draw; the whole is 0, 0, 1, 1.

        Returns:
            float32 [height, width, channels] in the fitted picture's colour space, not clamped.
        """
        return self.painter.picture(width, height, crop)

    def close(self) -> None:
        """Give the device back; nothing else may be asked afterwards."""
        self.gpu.close()
