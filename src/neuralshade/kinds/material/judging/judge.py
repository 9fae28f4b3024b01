"""Sphere comparison of a fitted material and its reference under held-out lights.

Errors of light itself are in measures.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.cores import map_on_cores
from neuralshade.base.progress_scope import counted, part
from neuralshade.kinds.material.judging.lit_surfaces import (
    Light,
    LitSurface,
    Shade,
    at_centers,
    held_out_lights,
    sky,
    sphere,
)
from neuralshade.kinds.material.judging.measures import Measures
from neuralshade.kinds.material.levels import in_blocks
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.schema import MOST_MEASURE
from neuralshade.kinds.material.varied import spread_shares
from neuralshade.measure.quality import flip, missing_flip, psnr_db
from neuralshade.model.field import Field
from neuralshade.source.color import linear_to_srgb

Floats = npt.NDArray[np.float32]

SIDE_PX = 256
# Of a tile, from one lighting's sphere to the next: parts seen from the side in one are seen from
# the front in others, and tile borders are covered, too. Golden ratio: any few are far apart.
TURN = (5**0.5 - 1) / 2
SKY_LIGHTS = 64
EQUAL_DB = 200.0  # of equal pictures: infinity is no JSON number
QUICK_LIGHTS, QUICK_PIXELS = 4, 8  # during a fit: number of lights, and one of 8 pixels


@dataclass(frozen=True)
class Judged:
    """PSNR of spheres in sRGB: mean and worst of single lights, and under a sky; and ``light``."""

    psnr_db: float
    worst_db: float
    sky_db: float
    flip: float | None  # mean over the single lights; None: see missing_flip
    light: Mapping[str, float]  # of ``Measures``

    @property
    def highlight_l1(self) -> float:
        """Return the L1 error around highlights: sum of errors over sum of values."""
        return self.facts()["l1_highlight"]

    def facts(self) -> dict[str, float]:
        """Return all measures for a header, without those that could not be measured.

        Relative errors of a mirror, which almost no direction hits, are not bounded.
        """
        spheres = {"psnr_db": self.psnr_db, "worst_db": self.worst_db, "sky_db": self.sky_db}
        flips = {} if self.flip is None else {"flip": self.flip}
        return {name: round(min(max(value, -MOST_MEASURE), MOST_MEASURE), 5)
                for name, value in {**spheres, **flips, **self.light}.items()}  # fmt: skip


def field_shade(field: Field) -> Shade:
    """Return the f * cos function of a field at its finest level."""

    @torch.no_grad()
    def part(block: torch.Tensor) -> torch.Tensor:
        return field.on_samples(block, torch.float32).t()

    def shade(uv: Floats, wi: Floats, wo: Floats) -> Floats:
        level = np.zeros((len(uv), 1), np.float32)
        return in_blocks(part, np.concatenate([uv[:, :2], level, wi, wo, uv[:, 2:]], axis=1))

    return shade


class Judge:
    """Spheres of a reference, drawn once, and their distance to others.

    Each lighting has varied inputs at its own position in their ranges, evenly spread; with
    ``shares`` all have these.
    """

    def __init__(self, reference: ReferenceKernels, shares: Sequence[float] | None = None):
        self.reference, self.shares = reference, shares
        self._drawn: dict[int, list[Floats]] = {}  # points' sRGB, by the number of lights
        self._measures: Measures | None = None

    def quick_psnr(self, shade: Shade) -> float:
        """Return the mean PSNR in dB of a few spheres, over a subset of their pixels.

        Smaller spheres would miss details that are finer than their pixels.
        """
        lights = held_out_lights()
        picked = range(0, len(lights), len(lights) // QUICK_LIGHTS)
        surfaces = self._at_shares(
            [judged_sphere(SIDE_PX, number, QUICK_PIXELS) for number in picked]
        )
        pairs = self._compared(shade, surfaces, [[lights[number]] for number in picked])
        return float(np.mean(list(map_on_cores(_psnr_db, pairs))))

    def judge(self, shade: Shade) -> Judged:
        """Measure an f * cos function."""
        with part("measuring light"):
            light = self._reference_measures().measure(shade)
        surfaces, lights = self._lit()
        pairs = self._compared(shade, surfaces, lights)
        *found, under_sky = map_on_cores(_psnr_db, pairs)
        return Judged(float(np.mean(found)), min(found), under_sky,
                      _mean_flip(surfaces[0], pairs[:-1]), light)  # fmt: skip

    def prepare(self) -> None:
        """Evaluate what ``judge`` needs of the reference."""
        self._reference_measures()
        surfaces, lights = self._lit()
        (self._drawn[len(lights)],) = _drawn([self.reference.eval], surfaces, lights)

    def take(self, prepared: Judge) -> None:
        """Use what another judge of this reference, with the same shares, has evaluated."""
        self._measures, self._drawn = prepared._measures, prepared._drawn | self._drawn

    def _reference_measures(self) -> Measures:
        if self._measures is None:
            self._measures = Measures(self.reference, self.shares)
        return self._measures

    def _lit(self) -> tuple[list[LitSurface], list[Sequence[Light]]]:
        """Return the spheres that are judged, and the lights of each."""
        lights: list[Sequence[Light]] = [[light] for light in held_out_lights()]
        lights.append(sky(SKY_LIGHTS))
        spheres = [judged_sphere(SIDE_PX, number) for number in range(len(lights))]
        return self._at_shares(spheres), lights

    def _compared(
        self, shade: Shade, surfaces: Sequence[LitSurface], lights: Sequence[Sequence[Light]]
    ) -> list[tuple[Floats, Floats]]:
        """Return the reference's and another sphere's points under each of ``lights``: sRGB [n, 3].

        The reference's points are cached: all calls use the same ones.
        """
        shades = [shade] if len(lights) in self._drawn else [shade, self.reference.eval]
        found, *new = _drawn(shades, surfaces, lights)
        if new:
            self._drawn[len(lights)] = new[0]
        return list(zip(self._drawn[len(lights)], found, strict=True))

    def _at_shares(self, surfaces: Sequence[LitSurface]) -> list[LitSurface]:
        """Return spheres with varied inputs behind their places."""
        count, inputs = len(surfaces), len(self.reference.bsdf.varied)
        spread = spread_shares(count, inputs) if self.shares is None else [self.shares] * count
        return [surface.at(shares) for surface, shares in zip(surfaces, spread, strict=True)]


def _drawn(
    shades: Sequence[Shade], surfaces: Sequence[LitSurface], lights: Sequence[Sequence[Light]]
) -> list[list[Floats]]:
    """Return the points of each surface under its lights, by each function: sRGB [n, 3]."""
    rows = zip(surfaces, lights, strict=True)
    drawn = [seen.points_lit([*map(at_centers, shades)], each)
             for seen, each in counted("drawing spheres", rows, len(lights))]  # fmt: skip
    return [list(map_on_cores(on_screen, each)) for each in zip(*drawn, strict=True)]


def judged_sphere(side_px: int, number: int, every: int = 1) -> LitSurface:
    """Return the sphere of a lighting, by its number; of about one of ``every`` points."""
    return _front(side_px, every).turned(number * TURN % 1)


@lru_cache(2)  # the whole one and the quick one
def _front(side_px: int, every: int) -> LitSurface:
    return sphere(side_px, side_px) if every == 1 else _front(side_px, 1).thinned(every)


def on_screen(picture: Floats) -> Floats:
    """Return linear light as sRGB in [0, 1]."""
    return linear_to_srgb(picture.clip(0, 1))


def _psnr_db(pair: tuple[Floats, Floats]) -> float:
    """Return the PSNR in dB of a sphere's points; EQUAL_DB if they are equal."""
    target, predicted = (points[None] for points in pair)
    return min(psnr_db(target, predicted), EQUAL_DB)


def _mean_flip(surface: LitSurface, pairs: Sequence[tuple[Floats, Floats]]) -> float | None:
    """Return the mean FLIP over a sphere's points; None if it cannot be measured."""
    if missing_flip():
        return None
    seen = surface.picture  # black outside the sphere
    found = map_on_cores(lambda pair: flip(seen(pair[0]), seen(pair[1])) or 0.0, pairs)
    return float(np.mean(list(found)) / surface.inside.mean())
