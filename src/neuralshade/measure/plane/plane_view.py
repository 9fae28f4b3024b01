"""Camera and light over a tiled plane: the mapping from pixels to plane coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import ConfigError
from neuralshade.measure.plane.mip_filters import Maps

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """A part of a picture; its pixels equal those of the whole."""

    rows: range
    cols: range


@dataclass(frozen=True)
class PlaneView:
    """A camera over the plane z = 0 that looks along y, and a light before it.

    The picture's x and y are those of the plane, to the right and up. The light is directional; a
    mirror plane would reflect it to where it is seen ``elevation_deg`` below the horizon. White
    that faces it has value 1. The horizon is inside the picture if ``pitch_deg`` is less than
    half of ``field_deg``.
    """

    width: int = 640  # pixels
    height: int = 360
    tiles: float = 2.0  # widths of the maps along the lower edge
    pitch_deg: float = 24.0  # of the camera, down from the horizon
    field_deg: float = 54.0  # from the lower edge to the upper one
    elevation_deg: float = 30.0  # of the light over the plane
    azimuth_deg: float = 8.0  # of the light, to the right of the view direction
    sky: float = 0.05  # radiance above the horizon, and ambient light on a white plane

    @classmethod
    def showing(cls, base: Maps, texels_per_pixel: float = 3.0) -> PlaneView:
        """Return the view whose lower edge has that many texels of ``base`` in a pixel."""
        return cls(tiles=cls.width * texels_per_pixel / base.albedo.shape[1])

    @property
    def whole(self) -> Window:
        """Return the window of the whole picture."""
        return Window(range(self.height), range(self.width))

    @property
    def pixel(self) -> float:
        """Return the side of a pixel on a screen at distance 1."""
        return 2 * math.tan(math.radians(self.field_deg) / 2) / self.height

    @property
    def horizon(self) -> int:
        """Return the first row whose pixels show only the plane.

        With few rows it is the last one, if its centers do. Raises: ConfigError otherwise.
        """
        up = math.tan(math.radians(self.pitch_deg)) / self.pixel
        row = max(0, math.ceil(self.height / 2 - up))
        if row >= self.height and float(self._depth(self.height - 0.5)) <= 0:
            raise ConfigError(
                f"PlaneView.pitch_deg: got {self.pitch_deg:g}, need more than "
                f"{-self.field_deg / 2:g}. The camera sees nothing but sky."
            )
        return min(row, self.height - 1)

    def first_row(self, below_deg: float) -> int:
        """Return the first row whose center is seen at least ``below_deg`` >= 0 below the horizon.

        In the middle column; ``height`` where there is none.
        """
        up = math.tan(math.radians(self.pitch_deg - below_deg)) / self.pixel
        row = math.ceil(self.height / 2 - up - 0.5)
        return min(max(self.horizon, row), self.height)

    @property
    def camera_height(self) -> float:
        """Return the camera's height over the plane, in widths of the maps."""
        return self.tiles * float(self._depth(self.height)) / (self.width * self.pixel)

    def _up(self, row: npt.ArrayLike) -> Doubles:
        return np.asarray((self.height / 2 - np.asarray(row, np.float64)) * self.pixel)

    def _depth(self, row: npt.ArrayLike) -> Doubles:
        """Return the downward component of a ray of forward length 1 through ``row``."""
        pitch = math.radians(self.pitch_deg)
        return np.asarray(math.sin(pitch) - self._up(row) * math.cos(pitch))

    def points(self, row: npt.ArrayLike, col: npt.ArrayLike) -> tuple[Doubles, Doubles]:
        """Return x and y on the plane, in widths of the maps, of places below the horizon."""
        pitch = math.radians(self.pitch_deg)
        scale = self.camera_height / self._depth(row)
        across = (np.asarray(col, np.float64) - self.width / 2) * self.pixel
        forward = math.cos(pitch) + self._up(row) * math.sin(pitch)
        return scale * across, np.broadcast_to(scale * forward, (scale * across).shape)

    def steps(self, row: npt.ArrayLike, col: Doubles) -> tuple[Doubles, Doubles]:
        """Return the extent of one pixel on the plane, in widths of the maps.

        ``row`` is one number, or one for each of ``col``.

        Returns:
            x extent of a step to the right, constant in a row; (x, y) of a step down, [columns, 2],
            for centers of pixels.
        """
        depth = self._depth(np.asarray(row) + 0.5)
        across = (col - self.width / 2) * self.pixel
        down = -self.camera_height * self.pixel / depth**2
        tilt = math.cos(math.radians(self.pitch_deg))
        right = self.camera_height * self.pixel / depth
        return right, np.stack([down * tilt * across, np.broadcast_to(down, across.shape)], axis=1)

    def to_light(self) -> torch.Tensor:
        """Return the direction to the light: float32 [3]."""
        rise, turn = math.radians(self.elevation_deg), math.radians(self.azimuth_deg)
        flat = math.cos(rise)
        return torch.tensor([flat * math.sin(turn), flat * math.cos(turn), math.sin(rise)])

    def to_eye(self, row: npt.ArrayLike, col: Doubles) -> torch.Tensor:
        """Return directions from the centers of pixels to the camera: float32 [n, 3]."""
        x, y = self.points(np.asarray(row) + 0.5, col)
        away = np.stack([-x, -y, np.full_like(x, self.camera_height)], axis=1)
        length = np.linalg.norm(away, axis=1, keepdims=True)
        return torch.from_numpy((away / length).astype(np.float32))
