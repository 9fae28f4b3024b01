"""How close decoded maps are: PSNR by map and mip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.cores import on_cores
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import Decode, decode_texels
from neuralshade.kinds.textures.texels import Texels
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import EQUAL_DB, map_psnr_db
from neuralshade.measure.picture_psnr import decibels
from neuralshade.model.field import Field

SAMPLED_TEXELS = 2**16
BAND_TEXELS = 2**16  # compared at once by a core, so that a pass stays in its cache
WHITE = 255.0

Floats = npt.NDArray[np.float32]


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
        decoded = decode(field, texels.sizes, mip)

        def squares(first: int, mip: int = mip, decoded: Floats = decoded) -> list[int]:
            part = slice(first, first + BAND_TEXELS)
            sides = texels.part(mip, part), decoded[part]
            return [_squares(coding, *sides) for coding in varying]

        bands = on_cores(squares, range(0, len(decoded), BAND_TEXELS))
        for coding, total in zip(varying, np.sum(list(bands), axis=0), strict=True):
            error = float(total) / (len(decoded) * coding.channels)
            found[coding.name].append(min(EQUAL_DB, decibels(error, WHITE)))
    return found


def _squares(coding: MapCoding, wanted: Floats, decoded: Floats) -> int:
    """Return the sum of squared differences in 8 bits, of texels [n, C]."""
    target, result = (to_uint8(coding.shown(side[None])).astype(np.int32)
                      for side in (wanted, decoded))  # fmt: skip
    return int(((target - result) ** 2).sum(dtype=np.int64))


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
