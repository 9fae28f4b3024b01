"""Lit spheres and planes of a material, for judging and for display."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neuralshade.base.progress_scope import counted
from neuralshade.model.ray_cone import cone_footprint
from neuralshade.source.crop import WHOLE, Crop

Floats = npt.NDArray[np.float32]
Shade = Callable[[Floats, Floats, Floats], Floats]  # uv, wi, wo [n, ...] -> f * cos [n, 3]
Filtered = Callable[[Floats, Floats, Floats, Floats], Floats]  # the same of uv, wi, wo, footprints
Draw = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]  # uv, wo, u -> wi, its density
Light = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]  # towards it; radiance [3]

RADIUS = 0.95  # of half a picture's shorter side
TILES = 2.0  # repeats of the material around a sphere
LOWEST = 1e-3  # cosine below which nothing is lit
KEY = (-0.45, 0.65, 0.61)  # direction of the default light
EYE = (0.0, 0.0, 1.0)
WEAK = 0.35  # of a sky beside the default light
DRAWN = 24  # directions of a pixel to such a sky
# Of u, v and w from one direction to the next. Source: Roberts 2018, The Unreasonable
# Effectiveness of Quasirandom Sequences.
GOLDEN = 1.2207440846057596 ** -np.arange(1, 4)
POLE, EAST = 1e-12, (1.0, 0.0, 0.0)  # where every direction is south, any tangent will do


def at_centers(shade: Shade) -> Filtered:
    """Return a function that evaluates ``shade`` at the center of each footprint."""
    return lambda uv, wi, wo, _: shade(uv, wi, wo)


@dataclass(frozen=True)
class LitSurface:
    """Visible points of a surface, one a pixel, and their frames: tangent, bitangent, normal.

    ``footprint``: the side in uv of the square that a pixel covers there [n].
    """

    inside: npt.NDArray[np.bool_]  # [height, width]
    uv: Floats
    frames: npt.NDArray[np.float64]  # [n, 3, 3]: contiguous, a direction is one product with all
    footprint: Floats

    @property
    def tangent(self) -> npt.NDArray[np.float64]:
        return self.frames[:, 0]

    @property
    def bitangent(self) -> npt.NDArray[np.float64]:
        return self.frames[:, 1]

    @property
    def normal(self) -> npt.NDArray[np.float64]:
        return self.frames[:, 2]

    def local(self, direction: npt.ArrayLike) -> Floats:
        """Return a direction in the frames of all points: float32 [n, 3]."""
        found = self.frames.reshape(-1, 3) @ np.asarray(direction, np.float64)
        return found.reshape(-1, 3).astype(np.float32)

    def at(self, shares: Sequence[float]) -> LitSurface:
        """Return the same surface with shares of varied inputs behind its places, see varied.py."""
        rows = np.broadcast_to(np.array(shares, np.float32), (len(self.uv), len(shares)))
        return replace(self, uv=np.concatenate([self.uv[:, :2], rows], axis=1))

    def thinned(self, every: int) -> LitSurface:
        """Return about one of ``every`` points, a fixed random choice."""
        kept = np.random.default_rng(every).random(len(self.uv)) * every < 1
        inside = self.inside.copy()
        inside[inside] = kept
        return LitSurface(inside, self.uv[kept], self.frames[kept], self.footprint[kept])

    def turned(self, tiles: float) -> LitSurface:
        """Return a sphere that is turned to the right by a part of a tile: its places alone differ.

        As ``sphere`` with a ``turn`` of 360 / TILES degrees a tile, without its geometry.
        """
        uv = self.uv.copy()
        uv[:, 0] -= np.float32(tiles)
        uv[:, 0] += uv[:, 0] < 0
        return replace(self, uv=uv)

    def lit(self, shade: Shade, lights: Sequence[Light]) -> Floats:
        """Return linear light towards the eye: float32 [height, width, 3], 0 off the surface."""
        return self.lit_over(at_centers(shade), lights)

    def lit_over(self, shade: Filtered, lights: Sequence[Light]) -> Floats:
        """Return the same for a function that takes a pixel's footprint."""
        (total,) = self.points_lit([shade], lights)
        return self.picture(total)

    def points_lit(self, shades: Sequence[Filtered], lights: Sequence[Light]) -> list[Floats]:
        """Return the points' linear light towards the eye by each function: float32 [n, 3].

        All of them are evaluated at the same samples, which are computed once.
        """
        wo = self.local(EYE)
        towards = wo[:, 2] > LOWEST
        totals = [np.zeros((len(self.uv), 3), np.float32) for _ in shades]
        # three numbers as one, which are copied at once
        whole = [total.view(f"V{total.itemsize * 3}") for total in totals]
        for direction, radiance in counted("adding up lights", lights, len(lights)):
            wi = self.local(direction)
            on = np.flatnonzero((wi[:, 2] > LOWEST) & towards)
            if not len(on):
                continue
            at = self._points(wi, wo, on)
            for total, points, shade in zip(totals, whole, shades, strict=True):
                sums = total.take(on, 0)
                sums += shade(*at) * radiance.astype(np.float32)
                np.put(points, on, sums.view(points.dtype))
        return totals

    def lit_by_default(self, shade: Filtered, draw: Draw) -> Floats:
        """Return the same under the default light and a weak sky with directions of ``draw``.

        A polished surface mirrors a sky of few lights as dots. Each pixel starts at another
        position of one sequence, which turns the dots into noise.
        """
        wo = self.local(EYE)
        begin = np.random.default_rng(0).random(wo.shape)
        total = np.zeros((len(self.uv), 3), np.float32)
        for number in counted("adding up the sky", range(DRAWN), DRAWN):
            u = ((begin + number * GOLDEN) % 1).astype(np.float32).clip(0, 1 - 2**-24)
            wi, density = draw(self.uv, wo, u)
            on = np.flatnonzero((np.minimum(wi[:, 2], wo[:, 2]) > LOWEST) & (density > 0))
            if len(on):
                towards = (wi[:, :, None] * self.frames).sum(1)
                radiance = (WEAK / DRAWN * sky_radiance(towards) / density[:, None]).take(on, 0)
                total[on] += shade(*self._points(wi, wo, on)) * radiance.astype(np.float32)
        return self.lit_over(shade, [key()]) + self.picture(total)

    def _points(self, wi: Floats, wo: Floats, on: npt.NDArray[np.int64]) -> list[Floats]:
        """Return the samples of points with these indices: five times as fast as with a mask."""
        return [each.take(on, 0) for each in (self.uv, wi, wo, self.footprint)]

    def picture(self, total: Floats) -> Floats:
        """Return values of the points [n, 3] as a picture [height, width, 3], 0 elsewhere."""
        picture = np.zeros((*self.inside.shape, 3), np.float32)
        picture[self.inside] = total
        return picture


def sphere(
    width: int, height: int, crop: Crop = WHOLE, turn: tuple[float, float] = (0.0, 0.0)
) -> LitSurface:
    """Return a sphere seen from far away along -z, x right and y up.

    ``turn``: rotation in degrees: to the right, then its top towards the eye.
    """
    x, y = _plane(width, height, crop)
    x, y = x / RADIUS, y / RADIUS
    inside = x * x + y * y < 1
    x, y = x[inside], y[inside]
    z = np.sqrt(1 - x * x - y * y)
    normal, turning = np.stack([x, y, z], 1), _turning(*turn)
    x, y, z = turning.T @ normal.T  # before the rotation
    tangent = np.stack([z, np.zeros_like(z), -x], 1)
    tangent[np.hypot(x, z) < POLE] = EAST
    tangent = tangent / np.linalg.norm(tangent, axis=1, keepdims=True) @ turning.T
    u = (np.arctan2(x, z) / (2 * math.pi) * TILES + 0.5) % 1  # tiles meet at the sides
    v = np.arccos(np.clip(y, -1, 1)) / math.pi * TILES / 2 % 1
    uv = np.stack([u, v], 1).astype(np.float32)
    around = np.maximum(np.sqrt(1 - y * y), 1e-3)  # at a pole all of u is one point
    per_area = (TILES / (2 * math.pi)) ** 2 / around
    shorter = min(width / (crop[2] - crop[0]), height / (crop[3] - crop[1]))
    footprint = cone_footprint(2 / (RADIUS * shorter), per_area, normal[:, 2]).astype(np.float32)
    frames = np.stack([tangent, np.cross(normal, tangent), normal], 1)
    return LitSurface(inside, uv, frames, footprint)


def _turning(around: float, over: float) -> npt.NDArray[np.float64]:
    """Return the matrix of a rotation about y and then about x, in degrees."""
    a, b = math.radians(around), math.radians(over)
    about_y = [[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]]
    about_x = [[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]]
    return np.array(about_x) @ np.array(about_y)


def plane(width: int, height: int, crop: Crop = WHOLE) -> LitSurface:
    """Return the flat material, seen from above: one picture is one tile."""
    u = crop[0] + (np.arange(width) + 0.5) / width * (crop[2] - crop[0])
    v = crop[1] + (np.arange(height) + 0.5) / height * (crop[3] - crop[1])
    uv = np.stack(np.meshgrid(u, v), axis=2).reshape(-1, 2).astype(np.float32)
    across, down = (crop[2] - crop[0]) / width, (crop[3] - crop[1]) / height
    footprint = np.full(len(uv), math.sqrt(across * down), np.float32)
    frames = np.tile(np.eye(3), (len(uv), 1, 1))
    return LitSurface(np.ones((height, width), bool), uv, frames, footprint)


def _plane(width: int, height: int, crop: Crop) -> tuple[npt.NDArray[np.float64], ...]:
    """Return x to the right and y up of pixel centers; the shorter side is [-1, 1]."""
    u = crop[0] + (np.arange(width) + 0.5) / width * (crop[2] - crop[0])
    v = crop[1] + (np.arange(height) + 0.5) / height * (crop[3] - crop[1])
    across, down = width / (crop[2] - crop[0]), height / (crop[3] - crop[1])
    shorter = min(across, down)
    x, y = (2 * u - 1) * across / shorter, (1 - 2 * v) * down / shorter
    return tuple(np.meshgrid(x, y))


def spread(count: int, turn: float = 0.0) -> npt.NDArray[np.float64]:
    """Return directions spread evenly over the sphere [count, 3]: a Fibonacci lattice."""
    i = np.arange(count) + 0.5
    z, phi = 1 - 2 * i / count, math.pi * (1 + 5**0.5) * i + turn
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(phi), radius * np.sin(phi), z], 1)


def held_out_lights(count: int = 16, radiance: float = 3.0) -> list[Light]:
    """Return the single lights of judging, on the eye's side."""
    found = spread(3 * count, 0.37)
    return [(d, np.full(3, radiance)) for d in found[found[:, 2] > -0.2]][:count]


def sky_radiance(towards: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the radiance of a sky that is brighter above: [n, 3] for directions [n, 3]."""
    bright = 0.25 + 0.75 * np.clip(towards[:, 1] * 0.5 + 0.5, 0, 1)
    return bright[:, None] * np.array([0.9, 0.95, 1.0])


def sky(count: int) -> list[Light]:
    """Return that sky as ``count`` lights."""
    found = spread(count)
    return [*zip(found, sky_radiance(found) * 4 * math.pi / count, strict=True)]


def key(radiance: float = 3.0) -> Light:
    """Return the default light, from above left."""
    return np.array(KEY) / np.linalg.norm(KEY), np.full(3, radiance)
