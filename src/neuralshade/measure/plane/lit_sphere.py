"""Lit sphere covered with the maps of a set: shows how errors of maps look on a surface."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import normalize

from neuralshade.measure.map_psnr import Bytes
from neuralshade.model.microfacet import Surface, shade
from neuralshade.source.color import linear_to_srgb, srgb_to_linear

Floats = npt.NDArray[np.float32]

SIDE_PX = 256
SAMPLES = 2  # of a pixel, along either axis
RADIUS = 0.94  # of half the picture's side
LIGHT = (-0.5, 0.6, 0.62)  # direction to it: from above left, behind the viewer
RADIANCE = 1.7  # of the light times pi: a white diffuse surface facing it has this brightness
AMBIENT = 0.18  # of the same surface, from the environment
GREY, ROUGH = 0.5, 0.6  # linear albedo and roughness where these maps are missing
BACKGROUND = 0.025  # linear
LIT = ("albedo", "normal", "roughness", "metallic", "ao")


def lights(maps: Collection[str]) -> bool:
    """Return whether one of these map names affects a lit surface."""
    return any(name in maps for name in LIT[:3])


def lit_sphere(maps: Mapping[str, Bytes]) -> Floats:
    """Return the sphere as displayed: float32 [SIDE_PX, SIDE_PX, 3], sRGB in [0, 1].

    Seen from far away; at its center a sample is as large as a texel, and maps repeat around it.
    Each sample reads the nearest texel and is shaded separately; pixels are means of samples in
    linear light: the comparison is of maps, not of their filtering.

    Args:
        maps: uint8 [H, W, C], all of one size: albedo in sRGB, normal (n + 1) / 2, roughness,
            metallic and ao with C = 1. Those that are missing are GREY, flat, ROUGH, 0 and 1.
    """
    side = SIDE_PX * SAMPLES
    steps = ((np.arange(side) + 0.5) / side * 2 - 1) / RADIUS
    x, y = np.meshgrid(steps, -steps)
    inside = x * x + y * y < 1
    x, y = x[inside], y[inside]
    z = np.sqrt(1 - x * x - y * y)
    around, above = np.arctan2(x, z), np.arcsin(y)
    radius = RADIUS * side / 2  # in samples, which equals texels
    colors = np.full((side, side, 3), BACKGROUND, np.float32)
    colors[inside] = _shaded(maps, np.stack([x, y, z], -1), radius * around, radius * above)
    pixels = colors.reshape(SIDE_PX, SAMPLES, SIDE_PX, SAMPLES, 3).mean((1, 3), dtype=np.float32)
    return linear_to_srgb(pixels.clip(0, 1))


def _shaded(
    maps: Mapping[str, Bytes], up: npt.NDArray[np.float64], across: npt.NDArray[np.float64],
    above: npt.NDArray[np.float64],
) -> Floats:  # fmt: skip
    """Return linear colors [n, 3] of points with the sphere's normals ``up`` [n, 3]."""

    def read(name: str) -> Floats:
        height, width = maps[name].shape[:2]
        cols = np.floor(across + width / 2).astype(np.int64) % width
        rows = np.floor(height / 2 - above).astype(np.int64) % height
        return maps[name][rows, cols].astype(np.float32) / np.float32(255)

    found = {name: read(name) for name in LIT if name in maps}
    if "albedo" in found:
        found["albedo"] = srgb_to_linear(found["albedo"])
    if "normal" in found:
        found["normal"] = found["normal"] * 2 - 1
    return lit_points(found, up)


def lit_points(
    maps: Mapping[str, Floats], up: npt.NDArray[Any], light: Sequence[float] = LIGHT
) -> Floats:
    """Return the light that points of a sphere reflect to a distant eye: float32 [n, 3], linear.

    Args:
        maps: the available maps of LIT at each point, float32 [n, C]: albedo linear, normal from
            -1 to 1 in tangent space, roughness, metallic and ao. Others are GREY, flat, ROUGH, 0
            and 1.
        up: [n, 3], the sphere's own normals: x right, y up, z to the eye.
        light: direction to it, in that space; of any length.
    """
    count = len(up)

    def read(name: str, otherwise: float) -> Floats:
        return maps.get(name, np.full((count, 1), otherwise, np.float32))

    albedo = read("albedo", GREY)
    surface = Surface(
        torch.from_numpy(np.broadcast_to(albedo, (count, 3)).copy()),
        _normals(maps.get("normal"), up),
        torch.from_numpy(read("roughness", ROUGH)[:, 0]),
        torch.from_numpy(read("metallic", 0)[:, 0]),
    )
    eye = torch.tensor([0.0, 0.0, 1.0])
    to_light = normalize(torch.tensor(light), dim=0)
    direct = RADIANCE * math.pi * shade(surface, to_light, eye).numpy()
    occluded = AMBIENT * read("ao", 1) * albedo
    shown: Floats = (direct + occluded).astype(np.float32)
    return shown


def _normals(mapped: Floats | None, up: npt.NDArray[Any]) -> torch.Tensor:
    """Return normals in the sphere's space: x right, y up, z to the eye."""
    z = torch.from_numpy(up.astype(np.float32))
    if mapped is None:
        return z
    x = normalize(torch.stack([z[:, 2], torch.zeros(len(z)), -z[:, 0]], -1), dim=-1)
    y = torch.linalg.cross(z, x)
    tangent = torch.from_numpy(mapped)
    return normalize(tangent[:, :1] * x + tangent[:, 1:2] * y + tangent[:, 2:] * z, dim=-1)
