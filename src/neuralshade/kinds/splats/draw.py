"""CPU renderer of Gaussians in PyTorch: the cloud on a pixel grid, or each as an ellipse."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.threads import threads
from neuralshade.model.gaussian import (
    COLOR,
    Compositing,
    channels_of,
    color_at,
    reach_px,
    stored_of,
)
from neuralshade.source.crop import WHOLE, Crop

TILE_PX = 32  # a side of a tile, evaluated with the Gaussians that meet it
LONGEST_PX = 768  # of a picture of ellipses
SHOWN_SIZE = 0.75  # scale of an ellipse, so that neighbors stay apart
FEATHER = 1.25  # an ellipse's edge, in its scaled standard deviations: nearly a disk
LOGIT = 6.0  # of an ellipse's opacity


@dataclass(frozen=True)
class Cloud:
    """Gaussians ready to be drawn; see ``model/gaussian.py`` for the rows of ``values``."""

    values: torch.Tensor  # float32 [A, N]
    background: torch.Tensor  # float32 [C]
    compositing: Compositing
    width: int  # of the fitted picture
    height: int


def unit_centers(cloud: Cloud) -> npt.NDArray[np.float32]:
    """Return the Gaussians' centers: float32 [N, 2], u and v, the picture is [0, 1]."""
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
    with threads(1):  # the operations are too small for more
        for rows, cols, block in draw_cloud_blocks(cloud, width, height, crop):
            picture[rows, cols] = block
    return picture


def ellipses_picture(cloud: Cloud, longest_px: int = LONGEST_PX) -> npt.NDArray[np.float32]:
    """Return the Gaussians as small ellipses in their colors on grey, small ones in front.

    float32 [h, w, C] in [0, 1], ``longest_px`` at its longer side. Additive Gaussians may have
    negative colors, which are drawn by their magnitude.
    """
    channels = len(cloud.background)
    smallest_first = torch.argsort(cloud.values[2] + cloud.values[3])
    values = cloud.values[: COLOR + channels, smallest_first].clone()
    values[2:4] += math.log(SHOWN_SIZE)
    if cloud.compositing.kind == "sum":
        colors = channels_of(values[COLOR : COLOR + channels]).abs()
        values[COLOR : COLOR + channels] = stored_of(colors)
    values = torch.cat([values, torch.full_like(values[:1], LOGIT)])
    grey = torch.full((channels,), 0.5)
    shown = Cloud(values, grey, Compositing("over", cutoff=FEATHER),
                  cloud.width, cloud.height)  # fmt: skip
    scale = min(1.0, longest_px / max(cloud.width, cloud.height))
    width, height = (max(1, round(side * scale)) for side in (cloud.width, cloud.height))
    picture: npt.NDArray[np.float32] = draw_cloud(shown, width, height).clip(0, 1)
    return picture
