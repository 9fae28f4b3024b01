"""A picture of the Gaussians themselves."""

import math

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.splats.draw import Cloud, draw_cloud
from neuralshade.model.gaussian import COLOR, Compositing, channels_of, stored_of

LONGEST_PX = 768
SHOWN_SIZE = 0.75  # of a Gaussian, so that neighbors come apart
FEATHER = 1.25  # where one ends, in its shown standard deviations: nearly a disk
LOGIT = 6.0  # of the opacity that it is shown with


def ellipses_picture(cloud: Cloud, longest_px: int = LONGEST_PX) -> npt.NDArray[np.float32]:
    """Return the Gaussians as small ellipses in their colors on grey, small ones in front.

    float32 [h, w, C] in [0, 1], ``longest_px`` at its longer side. Colors of Gaussians that are
    added up may be negative; what is shown of them is their size.
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
