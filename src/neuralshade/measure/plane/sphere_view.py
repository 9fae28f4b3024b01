"""View of a sphere covered with the maps of a set, at any size and with a movable light."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.measure.plane.lit_sphere import BACKGROUND, LIGHT, RADIUS, lit_points
from neuralshade.source.color import linear_to_srgb
from neuralshade.source.crop import Crop

Floats = npt.NDArray[np.float32]

EDGE = 0.999  # of the radius, where the outline is shaded: an edge-on surface is black
LOWEST_DEG, HIGHEST_DEG = 2.0, 90.0  # of the light towards the eye


def usual_light() -> tuple[float, float]:
    """Return azimuth and elevation in degrees of the light of ``lit_sphere``."""
    return angles_to(LIGHT)


def angles_to(light: Sequence[float]) -> tuple[float, float]:
    """Return azimuth and elevation in degrees of a direction, the inverse of ``to_light``."""
    x, y, z = light
    return math.degrees(math.atan2(x, y)), math.degrees(math.asin(z / math.hypot(x, y, z)))


def to_light(azimuth_deg: float, elevation_deg: float) -> tuple[float, float, float]:
    """Return the direction to a light: x right, y up, z to the eye.

    Elevation, clamped to LOWEST_DEG and HIGHEST_DEG, is 90 at the eye; azimuth is 0 above and 90 on
    the right.
    """
    turn = math.radians(azimuth_deg)
    rise = math.radians(min(max(elevation_deg, LOWEST_DEG), HIGHEST_DEG))
    off = math.cos(rise)
    return off * math.sin(turn), off * math.cos(turn), math.sin(rise)


@dataclass(frozen=True, eq=False)
class SphereView:
    """The pixels of a sphere in the middle of a picture, seen from far away."""

    cover: Floats  # [height, width], coverage of each pixel
    up: Floats  # [n, 3], normals at the covered pixels
    u: Floats  # [n], position in the repeating maps, in 0 to 1
    v: Floats

    @classmethod
    def of(cls, size: tuple[int, int], region: Crop, width: int, height: int) -> SphereView:
        """Return ``width`` x ``height`` pixels of a part of a picture of the maps' size.

        At the sphere's center a texel is as large as a pixel of that picture.

        Args:
            size: width and height of the maps.
            region: the part.
            width: of the pixels that show it.
            height: of them.
        """
        radius = RADIUS * min(size) / 2
        u0, v0, u1, v1 = region
        across = (u0 + (np.arange(width) + 0.5) / width * (u1 - u0) - 0.5) * size[0] / radius
        above = (0.5 - v0 - (np.arange(height) + 0.5) / height * (v1 - v0)) * size[1] / radius
        x, y = np.meshgrid(across.astype(np.float32), above.astype(np.float32))
        far = np.sqrt(x * x + y * y)
        pixel = (u1 - u0) * size[0] / radius / width
        cover = ((1 - far) / np.float32(pixel) + np.float32(0.5)).clip(0, 1)
        seen = cover > 0
        inwards = np.minimum(1, EDGE / np.maximum(far[seen], EDGE))
        x, y = x[seen] * inwards, y[seen] * inwards
        z = np.sqrt(1 - x * x - y * y)
        u = (0.5 + np.arctan2(x, z) * (radius / size[0])) % 1
        v = (0.5 - np.arcsin(y) * (radius / size[1])) % 1
        return cls(cover, np.stack([x, y, z], -1), u, v)

    def texels(self, width: int, height: int) -> npt.NDArray[np.int64]:
        """Return the indices of the nearest texels of maps of a size, row by row: int64 [n]."""
        cols = np.minimum((self.u * width).astype(np.int64), width - 1)
        rows = np.minimum((self.v * height).astype(np.int64), height - 1)
        return rows * width + cols

    def lit(self, maps: Mapping[str, Floats], light: tuple[float, float]) -> Floats:
        """Return the picture as displayed: float32 [height, width, 3], sRGB in [0, 1].

        Args:
            maps: at the sphere's pixels, float32 [n, C], as in ``lit_points``.
            light: azimuth and elevation in degrees, see ``to_light``.
        """
        return linear_to_srgb(self._before_grey(self._shaded(maps, light).clip(0, 1)))

    def radiance(self, maps: Mapping[str, Floats], light: tuple[float, float]) -> Floats:
        """Return the same as linear light, which may exceed 1."""
        return self._before_grey(self._shaded(maps, light))

    def _shaded(self, maps: Mapping[str, Floats], light: tuple[float, float]) -> Floats:
        return lit_points(maps, self.up, to_light(*light))

    def _before_grey(self, sphere: Floats) -> Floats:
        """Return the picture of the sphere's pixels over the background."""
        colors = np.full((*self.cover.shape, 3), BACKGROUND, np.float32)
        seen = self.cover > 0
        colors[seen] += self.cover[seen][:, None] * (sphere - np.float32(BACKGROUND))
        return colors
