"""A sheet of spheres: a material and everything that was fitted to it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from neuralshade.kinds.material.judging.judge import on_screen
from neuralshade.kinds.material.judging.lit_surfaces import (
    WEAK,
    Shade,
    held_out_lights,
    key,
    sky,
    sphere,
)

SIDE_PX = 256
LABEL_PX = 16
SKY_LIGHTS = 48  # not all that is drawn has a sampler
PICKED = 9  # of the lights that no fit has seen


def sheet(path: Path, shades: Mapping[str, Shade]) -> None:
    """Write spheres of ``shades`` side by side: under the usual light, and under a held-out one."""
    seen = sphere(SIDE_PX, SIDE_PX)
    usual = [key(), *((towards, WEAK * radiance) for towards, radiance in sky(SKY_LIGHTS))]
    columns = []
    for shade in shades.values():
        rows = [on_screen(seen.lit(shade, lights))
                for lights in (usual, [held_out_lights()[PICKED]])]  # fmt: skip
        columns.append(np.concatenate([np.zeros((LABEL_PX, SIDE_PX, 3)), *rows]))
    picture = Image.fromarray((np.concatenate(columns, 1) * 255 + 0.5).astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    for index, name in enumerate(shades):
        draw.text((index * SIDE_PX + 4, 2), name, fill="white")
    path.parent.mkdir(exist_ok=True)
    picture.save(path)
