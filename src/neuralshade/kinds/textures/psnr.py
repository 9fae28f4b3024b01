"""How close decoded maps are: PSNR by map and mip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import Decode, decode_texels
from neuralshade.kinds.textures.texels import Texels
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import EQUAL_DB, map_psnr_db
from neuralshade.measure.picture_psnr import decibels
from neuralshade.model.field import Field

SAMPLED_TEXELS = 2**16


def mean_psnr(errors: npt.NDArray[np.float64], codings: Sequence[MapCoding]) -> float:
    """Return the mean of the maps' PSNR in dB, by the squared errors of trained channels.

    About what ``map_psnr`` measures: without rounding to 8 bits, and without a normal's z.
    """
    own = [errors[one.first : one.first + one.count].mean() for one in codings if one.count]
    return float(np.mean([min(EQUAL_DB, decibels(float(error), 1.0)) for error in own]))


def map_psnr(
    field: Field,
    texels: Texels,
    codings: Sequence[MapCoding],
    decode: Decode = decode_texels,
) -> dict[str, list[float]]:
    """Return the PSNR of every varying map, mip by mip, both sides rounded to 8 bits.

    As ``MapCoding.shown`` has them: colors as they are displayed, normals with their z.
    """
    varying = [coding for coding in codings if coding.count]
    found: dict[str, list[float]] = {coding.name: [] for coding in varying}
    for mip in range(len(texels.sizes)):
        wanted = texels.level(mip)
        decoded = decode(field, texels.sizes, mip).reshape(wanted.shape)
        for coding in varying:
            target, result = (to_uint8(coding.shown(side)) for side in (wanted, decoded))
            found[coding.name].append(round(map_psnr_db(target, result), 3))
    return found


def sampled_psnr(
    field: Field, texels: Texels, codings: Sequence[MapCoding], most: int = SAMPLED_TEXELS
) -> dict[str, float]:
    """Return what ``map_psnr`` does of mip 0, by about ``most`` of its texels at most."""
    width, height = texels.sizes[0]
    step = -(-width * height // most) | 1  # odd, or a column of each latent is all that is seen
    index = torch.arange(0, width * height, step)
    wanted = texels.level(0).reshape(width * height, -1)[index.numpy()]
    decoded = decode_texels(field, texels.sizes, 0, index)
    found = {}
    for coding in codings:
        if coding.count:
            sides = (to_uint8(coding.shown(side)[None]) for side in (wanted, decoded))
            found[coding.name] = map_psnr_db(*sides)
    return found
