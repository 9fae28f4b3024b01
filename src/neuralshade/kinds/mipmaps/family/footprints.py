"""Footprint statistics of mip texels: means and covariances of the maps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.mipmaps.kernels import SMALLEST_ROUGHNESS, STEEPEST
from neuralshade.measure.plane.mip_filters import LEAST_Z, Floats, Maps
from neuralshade.source.halving import halved_counted

INVARIANTS, VECTORS = 26, 6
LEAST = 1e-3  # deviation, against division by 0 in constant footprints
DARK = 0.01  # added to albedo before the logarithm
SINGLE = ("roughness", "metallic", "grey")  # maps of one number
Doubles = npt.NDArray[np.float64]
Moments = dict[str, Doubles]  # of one level, each [texels]


@dataclass(frozen=True)
class Footprints:
    """Statistics of all texels of all levels but 0, level by level, row by row.

    ``invariants`` float32 [T, INVARIANTS] do not change if the maps are rotated or mirrored;
    ``vectors`` float32 [T, VECTORS, 2], in slopes, rotate with them. ``level`` [T] is 1 and on.
    """

    invariants: Floats
    vectors: Floats
    level: npt.NDArray[np.int64]


def footprints(base: Maps, levels: int) -> Footprints:
    """Return the statistics of the texels of ``levels`` levels below ``base``."""
    known = [_statistics(moments, i + 1) for i, moments in enumerate(_moments(base, levels))]
    return Footprints(
        np.concatenate([invariants for invariants, _ in known]),
        np.concatenate([vectors for _, vectors in known]),
        np.repeat(np.arange(1, levels + 1), [len(vectors) for _, vectors in known]),
    )


def _moments(base: Maps, levels: int) -> list[Moments]:
    """Return means over footprints of the maps and of their products, level by level."""
    slope = base.normal[..., :2] / np.maximum(base.normal[..., 2:], LEAST_Z)
    x, y = np.moveaxis(slope.clip(-STEEPEST, STEEPEST), 2, 0)
    single = {
        "roughness": base.roughness.clip(SMALLEST_ROUGHNESS, 1),
        "metallic": base.metallic,
        "grey": base.albedo.mean(axis=2),
    }
    colors = zip("rgb", np.moveaxis(base.albedo, 2, 0), strict=True)
    normals = zip(("nx", "ny", "nz"), np.moveaxis(base.normal, 2, 0), strict=True)
    maps = {"x": x, "y": y, **single, **dict(colors), **dict(normals)}
    pairs = [("x", "x"), ("x", "y"), ("y", "y")]
    pairs += [(name, axis) for name in SINGLE for axis in "xy"]
    pairs += [(a, b) for i, a in enumerate(SINGLE) for b in SINGLE[i:]]
    found: list[Moments] = [{} for _ in range(levels)]
    for name, values in maps.items():
        _add_chain(found, name, values, base.opacity)
    for a, b in pairs:  # one by one: all products of large maps take memory
        _add_chain(found, a + b, maps[a] * maps[b], base.opacity)
    return found


def _add_chain(found: list[Moments], name: str, values: Floats, weights: Floats | None) -> None:
    for moments in found:
        values, weights = halved_counted(values, weights)
        moments[name] = values.ravel().astype(np.float64)


def _statistics(m: Moments, level: int) -> tuple[Floats, Floats]:
    """Return invariants [T, INVARIANTS] and vectors [T, VECTORS, 2] of one level."""
    xx, xy, yy = (m[a + b] - m[a] * m[b] for a, b in ("xx", "xy", "yy"))
    spread = np.maximum(xx + yy, 0) + 1e-7
    deviation = {
        name: np.sqrt(np.maximum(m[2 * name] - m[name] ** 2, 0) + LEAST**2) for name in SINGLE
    }
    filtered = np.stack([m["nx"], m["ny"]]) / np.maximum(m["nz"], LEAST_Z)
    filtered = filtered.clip(-STEEPEST, STEEPEST)  # of the averaged normal
    mean = np.stack([m["x"], m["y"]])
    # correlation of slopes with roughness, metallic and albedo
    along = {
        name: np.stack([m[name + axis] - m[name] * m[axis] for axis in "xy"]) / deviation[name]
        for name in SINGLE
    }
    stretched = np.stack([xx * filtered[0] + xy * filtered[1],
                          xy * filtered[0] + yy * filtered[1]]) / spread  # fmt: skip
    vectors = np.stack([filtered, *along.values(), stretched, mean - filtered])
    invariants = [
        *_scalars(m, deviation, spread),
        np.sqrt((xx - yy) ** 2 + 4 * xy**2) / spread,
        np.hypot(*filtered),
        *(np.hypot(*vector) / np.sqrt(spread) for vector in along.values()),
        *((filtered * vector).sum(axis=0) / np.sqrt(spread) for vector in along.values()),
        (along["roughness"] * along["grey"]).sum(axis=0) / spread,
        np.full_like(spread, level / 8),
    ]
    return (np.stack(invariants, axis=1).astype(np.float32),
            np.moveaxis(vectors, 2, 0).astype(np.float32))  # fmt: skip


def _scalars(m: Moments, deviation: Moments, spread: Doubles) -> list[Doubles]:
    """Return the scalar statistics: widths, single maps, and pairs of maps."""
    alpha = np.log(m["roughness"] ** 2)
    short = 1 - np.sqrt(m["nx"] ** 2 + m["ny"] ** 2 + m["nz"] ** 2)
    colors = np.stack([m[name] for name in "rgb"])
    found = [alpha, np.log(spread) / 2, np.log(spread) / 2 - alpha,
             np.log(np.maximum(short, 1e-6)), np.ptp(colors, axis=0),
             *(m[name] for name in ("metallic", "grey")), np.log(m["grey"] + DARK),
             *deviation.values(), np.log(deviation["roughness"] / m["roughness"]),
             np.log(deviation["grey"] / (m["grey"] + DARK))]  # fmt: skip
    for i, a in enumerate(SINGLE):
        for b in SINGLE[i + 1 :]:
            found.append((m[a + b] - m[a] * m[b]) / (deviation[a] * deviation[b]))
    return found
