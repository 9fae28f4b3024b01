"""A picture of where Gaussians lie."""

import numpy as np
import numpy.typing as npt

from neuralshade.engine.draw_splats import Cloud
from neuralshade.model.gaussian import COLOR, channels_of

LONGEST_PX = 1024
POINTS = 96  # of an ellipse's outline


def ellipses_picture(cloud: Cloud, longest_px: int = LONGEST_PX) -> npt.NDArray[np.float32]:
    """Return outlines of the Gaussians at one standard deviation, in their colors, on black.

    float32 [h, w, 3] in [0, 1], ``longest_px`` at its longer side; several outlines in a
    pixel add up.
    """
    scale = longest_px / max(cloud.width, cloud.height)
    width, height = (max(1, round(side * scale)) for side in (cloud.width, cloud.height))
    values = cloud.values.double().numpy()
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)[:, None]
    across = np.exp(values[2]) * np.cos(angle)
    down = np.exp(values[3]) * (np.sin(angle) + values[4] * np.cos(angle))
    col = ((values[0] + across) * scale).astype(np.int64)
    row = ((values[1] + down) * scale).astype(np.int64)
    inside = (col >= 0) & (col < width) & (row >= 0) & (row < height)
    flat = (row * width + col)[inside]
    picture = np.zeros((height, width, 3), np.float32)
    for channel, color in enumerate(_colors(cloud)):
        counted = np.broadcast_to(color, col.shape)[inside]
        sums = np.bincount(flat, weights=counted, minlength=width * height)
        picture[:, :, channel] = sums.reshape(height, width)
    return picture.clip(0, 1)


def _colors(cloud: Cloud) -> npt.NDArray[np.float32]:
    """Return red, green and blue [3, N], bright enough to be seen."""
    count = len(cloud.background)
    colors = channels_of(cloud.values[COLOR : COLOR + count])[: 3 if count >= 3 else 1]
    shown = np.abs(colors.numpy())
    shown = 0.25 + 0.75 * shown / max(float(shown.max(initial=0)), 1e-6)
    return np.broadcast_to(shown, (3, shown.shape[1])).astype(np.float32)
