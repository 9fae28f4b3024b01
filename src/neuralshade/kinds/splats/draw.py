"""Evaluating a cloud of Gaussians on a regular grid of places, in PyTorch."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.draw import WHOLE, Crop
from neuralshade.engine.threads import threads
from neuralshade.model.gaussian import Compositing, color_at, reach_px

TILE_PX = 32  # a side of what is evaluated at once, by the Gaussians that meet it


@dataclass(frozen=True)
class Cloud:
    """Gaussians ready to be drawn; see ``model/gaussian.py`` for the rows of ``values``."""

    values: torch.Tensor  # float32 [A, N]
    background: torch.Tensor  # float32 [C]
    compositing: Compositing
    width: int  # of the fitted picture
    height: int


def unit_centers(cloud: Cloud) -> npt.NDArray[np.float32]:
    """Return where the Gaussians lie: float32 [N, 2], u and v, the picture is [0, 1]."""
    size = torch.tensor([cloud.width, cloud.height])[:, None]
    return np.ascontiguousarray((cloud.values[:2].cpu() / size).T.float().numpy())


@torch.no_grad()
def draw_cloud_blocks(
    cloud: Cloud, width: int, height: int, crop: Crop = WHOLE
) -> Iterator[tuple[slice, slice, npt.NDArray[Any]]]:
    """Yield (rows, cols, float32 [rows, cols, channels]) that cover ``draw_cloud``'s picture."""
    u0, v0, u1, v1 = crop
    x = (u0 + (torch.arange(width) + 0.5) / width * (u1 - u0)) * cloud.width
    y = (v0 + (torch.arange(height) + 0.5) / height * (v1 - v0)) * cloud.height
    centers, reach = cloud.values[:2], reach_px(cloud.values, cloud.compositing.cutoff)
    low, high = centers - reach, centers + reach
    for top in range(0, height, TILE_PX):
        rows = slice(top, min(top + TILE_PX, height))
        beside = torch.nonzero((high[1] > y[rows][0]) & (low[1] < y[rows][-1])).flatten()
        for left in range(0, width, TILE_PX):
            cols = slice(left, min(left + TILE_PX, width))
            near = (high[0, beside] > x[cols][0]) & (low[0, beside] < x[cols][-1])
            places = torch.cartesian_prod(y[rows], x[cols]).flip(1)
            colors = color_at(
                cloud.values[:, beside[near]], places, cloud.background, cloud.compositing
            )
            yield rows, cols, colors.reshape(len(y[rows]), len(x[cols]), -1).numpy()


def draw_cloud(cloud: Cloud, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
    """Return the cloud at the centres of width x height pixels that cover ``crop``.

    float32 [height, width, channels], in the colour space it was fitted in, not clamped.
    """
    picture = np.empty((height, width, len(cloud.background)), np.float32)
    with threads(1):  # more would wait for each other: the operations are small
        for rows, cols, block in draw_cloud_blocks(cloud, width, height, crop):
            picture[rows, cols] = block
    return picture
