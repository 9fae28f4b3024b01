"""Environment map with importance sampling. Device half: environment.slang.

Latitude-longitude: rows from straight up (+y) to straight down, columns around.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.image_file import load_picture

Floats = npt.NDArray[np.float32]
SKY_ROWS = 512
MOST_TEXELS = 2**23
BRIGHT = (0.2126, 0.7152, 0.0722)  # luminance of linear sRGB, IEC 61966-2-1


@dataclass(frozen=True)
class Environment:
    """Radiance, and its cumulative sums for sampling directions.

    ``radiance`` float32 [H, W, 3]; ``rows`` [H] and ``columns`` [H, W] are cumulative
    probabilities of a row, and of a column in its row; both end with 1.
    """

    radiance: Floats
    rows: Floats
    columns: Floats

    @property
    def numbers(self) -> Floats:
        """Return all arrays concatenated, as environment.slang reads them: float32 [any]."""
        parts = (self.rows, self.columns, self.radiance)
        return np.concatenate([part.reshape(-1) for part in parts])


def environment_of(radiance: Floats) -> Environment:
    """Return the environment of a picture: float32 [H, W, 3], linear, finite and not negative.

    Texels are sampled by luminance times solid angle; those of a black one uniformly.
    """
    height, width = radiance.shape[:2]
    edges = np.cos(np.linspace(0, np.pi, height + 1))
    solid = (edges[:-1] - edges[1:])[:, None]
    weights = np.asarray(radiance, np.float64) @ np.array(BRIGHT)
    weights = (weights if weights.any() else np.ones((height, width))) * solid
    rows = weights.sum(1)
    inside = np.where(rows[:, None] > 0, weights, 1)
    columns = np.cumsum(inside, 1) / inside.sum(1, keepdims=True)
    cumulative = np.cumsum(rows) / rows.sum()
    columns[:, -1] = cumulative[-1] = 1
    return Environment(np.ascontiguousarray(radiance, np.float32), cumulative.astype(np.float32),
                       columns.astype(np.float32))  # fmt: skip


def sky(zenith: Sequence[float], horizon: Sequence[float], ground: Sequence[float]) -> Environment:
    """Return a sky gradient: radiance blends from horizon to zenith with the square root of the
    sine of elevation, above a ground of constant radiance; each linear [3].
    """
    up = np.cos((np.arange(SKY_ROWS) + 0.5) / SKY_ROWS * np.pi)[:, None]
    above = np.asarray(horizon) + np.clip(up, 0, 1) ** 0.5 * (np.subtract(zenith, horizon))
    return environment_of(np.where(up > 0, above, ground).astype(np.float32)[:, None])


def picture_environment(path: str | os.PathLike[str], strength: float) -> Environment:
    """Return the environment of a latitude-longitude picture, such as an .hdr or .exr file.

    Raises: PictureError for an invalid picture; ConfigError for one that is too large, has fewer
        than three channels, or negative light.
    """
    picture = load_picture(path)
    height, width, channels = picture.pixels.shape
    if channels < 3 or height * width > MOST_TEXELS:
        raise ConfigError(f"{path}: got {width} x {height} pixels of {channels} channels, need 3 "
                          f"channels and at most {MOST_TEXELS:,} pixels. Reduce it.")  # fmt: skip
    pixels = picture.pixels[..., :3]
    if pixels.dtype.kind == "u":
        pixels = pixels.astype(np.float32) / np.iinfo(pixels.dtype).max
    linear = srgb_to_linear(pixels) if picture.color_space == "srgb" else pixels
    if (linear < 0).any():
        raise ConfigError(f"{path}: got light below 0, need 0 or more. Clip it.")
    return environment_of(np.asarray(linear, np.float32) * np.float32(strength))
