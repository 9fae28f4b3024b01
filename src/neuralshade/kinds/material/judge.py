"""How close a fitted material is to its teacher: spheres under lights that no fit has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.material.lit import Light, Shade, Stage, held_out_lights, sky, sphere
from neuralshade.kinds.material.teacher import TeacherKernels
from neuralshade.measure.quality import psnr_db
from neuralshade.model.field import Field
from neuralshade.source.color import linear_to_srgb

Floats = npt.NDArray[np.float32]

SIDE_PX = 256
SKY_LIGHTS = 64
GLANCED_PX = 96  # while a fit runs
GLANCED_LIGHTS = 4
AT_ONCE = 2**14  # samples of a field


@dataclass(frozen=True)
class Judged:
    """PSNR in dB of sRGB spheres: the mean and the worst of single lights, and under a sky."""

    psnr_db: float
    worst_db: float
    sky_db: float


def field_shade(field: Field) -> Shade:
    """Return what says f * cos as a field has it, at its finest level."""

    @torch.no_grad()
    def shade(uv: Floats, wi: Floats, wo: Floats) -> Floats:
        rows = np.concatenate([uv, np.zeros((len(uv), 1), np.float32), wi, wo], axis=1)
        blocks = torch.from_numpy(rows).split(AT_ONCE)
        parts = [field.on_samples(block, torch.float32).t() for block in blocks]
        found: Floats = torch.cat(parts).numpy()
        return found

    return shade


class Judge:
    """Spheres of a teacher, drawn once, and how far others are from them."""

    def __init__(self, teacher: TeacherKernels):
        self.teacher = teacher
        self._drawn: dict[tuple[int, int], list[Floats]] = {}

    def glance(self, shade: Shade) -> float:
        """Return the mean PSNR in dB of a few small spheres."""
        lights = [[light] for light in held_out_lights()[:GLANCED_LIGHTS]]
        return float(np.mean(self._compared(shade, sphere(GLANCED_PX, GLANCED_PX), lights)))

    def judge(self, shade: Shade) -> Judged:
        """Return all that is measured of what says f * cos."""
        lights = [*([light] for light in held_out_lights()), sky(SKY_LIGHTS)]
        *single, under_sky = self._compared(shade, sphere(SIDE_PX, SIDE_PX), lights)
        return Judged(float(np.mean(single)), min(single), under_sky)

    def _compared(
        self, shade: Shade, stage: Stage, lights: Sequence[Sequence[Light]]
    ) -> list[float]:
        """Return the PSNR of a picture under each of ``lights``, of the sphere's own pixels."""
        key = (len(stage.uv), len(lights))
        if key not in self._drawn:
            self._drawn[key] = [stage.lit(self.teacher.eval, each) for each in lights]
        found = []
        for each, wanted in zip(lights, self._drawn[key], strict=True):
            had = stage.lit(shade, each)
            found.append(psnr_db(_seen(wanted, stage), _seen(had, stage)))
        return found


def _seen(picture: Floats, stage: Stage) -> Floats:
    """Return the pixels of a stage's surface as a screen shows them: sRGB [1, n, 3]."""
    return linear_to_srgb(picture[stage.inside].clip(0, 1))[None]
