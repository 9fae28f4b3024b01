"""Area filter for reduced drawings: each pixel is the mean of what it covers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from neuralshade.source.channels import multiply_by_alpha
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.crop import Crop

Floats = npt.NDArray[np.float32]
Draw = Callable[[int, int, Crop], Floats]  # width, height, crop: [height, width, C]
MOST_SAMPLES = 16  # of a pixel along each side, at most
STRIP_SAMPLES = 2**22  # held at a time
LEAST_ALPHA = 1e-6  # below it a pixel counts as empty


def samples_of(size: tuple[int, int], fitted: tuple[int, int]) -> tuple[int, int]:
    """Return the number of samples of a pixel across and down: one for each fitted pixel.

    Rounded up; at most MOST_SAMPLES, which spread over the pixel.
    """
    across, down = (min(MOST_SAMPLES, -(-f // s)) for f, s in zip(fitted, size, strict=True))
    return max(1, across), max(1, down)


def draw_area(draw: Draw, size: tuple[int, int], crop: Crop, samples: tuple[int, int],
              srgb: bool) -> Floats:  # fmt: skip
    """Return float32 [height, width, C]: means of samples in each pixel, drawn in strips.

    ``srgb``: colors are averaged as linear light, clamped to [0, 1], and encoded again, weighted by
    alpha.
    """
    (width, height), (across, down) = size, samples
    u0, v0, u1, v1 = crop
    rows = max(1, STRIP_SAMPLES // (width * across * down))
    strips = []
    for top in range(0, height, rows):
        end = min(top + rows, height)
        part = (u0, v0 + (v1 - v0) * top / height, u1, v0 + (v1 - v0) * end / height)
        drawn = draw(width * across, (end - top) * down, part)
        strips.append(_means(drawn, across, down, srgb))
    return np.concatenate(strips)


def _means(drawn: Floats, across: int, down: int, srgb: bool) -> Floats:
    """Return means of blocks of ``drawn``: [H * down, W * across, C] to [H, W, C]."""
    height, width, channels = drawn.shape
    unassociated = srgb and channels in (2, 4)
    if srgb:
        colors = channels - unassociated
        light = srgb_to_linear(drawn[..., :colors].clip(0, 1))
        drawn = np.concatenate([light, drawn[..., colors:].clip(0, 1)], axis=2)
    if unassociated:
        multiply_by_alpha(drawn)
    blocks = drawn.reshape(height // down, down, width // across, across, channels)
    means: Floats = blocks.mean((1, 3), dtype=np.float32)
    if unassociated:
        means[..., :-1] /= np.maximum(means[..., -1:], LEAST_ALPHA)
    if srgb:
        means[..., :colors] = linear_to_srgb(means[..., :colors])
    return means
