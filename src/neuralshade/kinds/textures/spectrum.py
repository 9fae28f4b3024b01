"""Layout choice by spectrum: many coarse numbers for rough textures, fewer fine ones for smooth.

The measure is what the first principal components of 2 x 2 texels, all channels together, leave
over: where that is much, a latent needs more numbers; where it is little, finer ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neuralshade.kinds.textures.channels import MapCoding, trained_levels
from neuralshade.kinds.textures.layout import ROUGH, SMOOTH, Shapes
from neuralshade.source.material_set import MaterialSet

SIDE = 2  # texels of a patch
SHARE = 5 / 16  # of its principal components: 10 of 32 with eight channels
# PSNR of the first components below which a set is rough, for each rate of ROUGH and SMOOTH: three
# of six sets lie at 33 to 36, three at 39 to 46. At 20 bits a worn shelf of 35.9 dB gains less
# from more numbers than bark of 32.8 and bricks of 34.5.
ROUGH_DB = (37.0, 37.0, 37.0, 37.0, 35.2)
BANDS = 256  # of SIDE rows, sampled at most


def layouts_for(textures: MaterialSet, codings: Sequence[MapCoding]) -> tuple[Shapes, ...]:
    """Return the layouts for a set, of the fewest bits first."""
    left = left_db(textures, codings)
    tables = zip(ROUGH, SMOOTH, ROUGH_DB, strict=True)
    return tuple(rough if left < bound else smooth for rough, smooth, bound in tables)


def left_db(textures: MaterialSet, codings: Sequence[MapCoding]) -> float:
    """Return the PSNR in dB of patches with the first SHARE of their components alone.

    Infinite for an exact reconstruction, and for a set smaller than a patch.
    """
    height, width = textures.height // SIDE, textures.width // SIDE
    if not height or not width or not any(coding.count for coding in codings):
        return math.inf
    first = np.unique(np.linspace(0, height - 1, min(height, BANDS)).astype(np.int64)) * SIDE
    rows = (first[:, None] + np.arange(SIDE)).ravel()
    cut_out = [replace(one, values=one.values[rows, : width * SIDE]) for one in textures.maps]
    bands = replace(textures, maps=tuple(cut_out))
    image = trained_levels(bands, codings, 1)[0]
    channels = image.shape[2]
    cut = image.reshape(len(first), SIDE, width, SIDE, channels).transpose(0, 2, 1, 3, 4)
    patches = np.array(cut, np.float64, order="C").reshape(len(first) * width, -1)
    patches -= patches.mean(0)
    variances = np.linalg.eigvalsh(patches.T @ patches / len(patches))[::-1]
    left = float(variances[math.ceil(SHARE * len(variances)) :].clip(0).sum()) / len(variances)
    return -10 * math.log10(left) if left > 0 else math.inf
