"""Orbits of a camera around its target, and of a light around the same point."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neuralshade.scene.entries import LIGHTS, Camera, LightEntry, Vector

MOST_OVER_DEG = 89.0  # largest elevation of a camera, up or down
Doubles = npt.NDArray[np.float64]


def orbit_camera(camera: Camera, around_deg: float, over_deg: float) -> Camera:
    """Return a camera that orbits its target: the scene's front appears to move right and down.

    Target and distance stay; y stays up.
    """
    away = np.subtract(camera.position, camera.look_at)
    azimuth, elevation = angles_of(away)
    raised = min(max(elevation + over_deg, -MOST_OVER_DEG), MOST_OVER_DEG)
    vector = _direction(azimuth - around_deg, raised) * np.linalg.norm(away)
    return replace(camera, position=_vector(np.add(camera.look_at, vector)))


def light_angles(camera: Camera, light: LightEntry) -> tuple[float, float]:
    """Return azimuth and elevation in degrees of a light, as seen from the camera's target.

    Azimuth is 0 behind it and 90 on the right, from the camera; elevation 90 is overhead.
    """
    azimuth, elevation = angles_of(_to_light(camera, light))
    return (_ahead(camera) - azimuth + 180) % 360 - 180, elevation


def orbit_light(
    camera: Camera, light: LightEntry, azimuth_deg: float, elevation_deg: float
) -> LightEntry:
    """Return a light at these angles and the same distance; a rectangle rotates with it."""
    before = _to_light(camera, light)
    azimuth, elevation = angles_of(before)
    after = _ahead(camera) - azimuth_deg, elevation_deg
    if light.type == LIGHTS[0]:
        return replace(light, direction=_vector(_direction(*after)))
    turn = _frame(*after) @ _frame(azimuth, elevation).T
    middle = np.asarray(camera.look_at, np.float64)
    place = middle + turn @ np.subtract(light.position, middle)
    return replace(light, position=_vector(place), across=_vector(turn @ np.asarray(light.across)),
                   up=_vector(turn @ np.asarray(light.up)))  # fmt: skip


def angles_of(vector: npt.ArrayLike) -> tuple[float, float]:
    """Return azimuth about y, from x towards minus z, and elevation of a vector; degrees."""
    x, y, z = np.asarray(vector, np.float64)
    return math.degrees(math.atan2(-z, x)), math.degrees(math.atan2(y, math.hypot(x, z)))


def _ahead(camera: Camera) -> float:
    """Return the azimuth of a camera's view direction."""
    return angles_of(np.subtract(camera.look_at, camera.position))[0]


def _to_light(camera: Camera, light: LightEntry) -> Doubles:
    """Return the vector from the camera's target to a light's center."""
    if light.type == LIGHTS[0]:
        return np.asarray(light.direction, np.float64)
    middle = np.asarray(light.position, np.float64)
    if light.type == LIGHTS[2]:
        middle = middle + 0.5 * np.add(light.across, light.up)
    return middle - np.asarray(camera.look_at, np.float64)


def _direction(azimuth_deg: float, elevation_deg: float) -> Doubles:
    """Return the unit vector at these angles."""
    return _frame(azimuth_deg, elevation_deg)[:, 0]


def _frame(azimuth_deg: float, elevation_deg: float) -> Doubles:
    """Return a rotation whose first column is the unit vector at these angles."""
    turn, rise = math.radians(azimuth_deg), math.radians(elevation_deg)
    c, s, up, out = math.cos(turn), math.sin(turn), math.sin(rise), math.cos(rise)
    return np.array([[c * out, -s, -c * up], [up, 0.0, out], [-s * out, -c, s * up]])


def _vector(values: Doubles) -> Vector:
    x, y, z = map(float, values)
    return x, y, z
