"""PSNR of decoded maps, by map and mip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.cores import map_on_cores
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import decode_texels
from neuralshade.kinds.textures.texels import Decode, Texels
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import EQUAL_DB, map_psnr_db
from neuralshade.measure.picture_psnr import decibels
from neuralshade.model.field import Field

SAMPLED_TEXELS = 2**16
MOST_THREADS = 8  # 16 took 0.11 s for a set of 1024 x 1024, 8 took 0.08
BAND_TEXELS = 2**16  # compared at once by a core, within its cache
WHITE = 255.0

Floats = npt.NDArray[np.float32]


def mean_psnr(errors: npt.NDArray[np.float64], codings: Sequence[MapCoding]) -> float:
    """Return the mean of the maps' PSNR in dB, from squared errors of trained channels.

    Close to ``map_psnr``, but without rounding to 8 bits, and without a normal's z.
    """
    own = [errors[one.first : one.first + one.count].mean() for one in codings if one.count]
    return float(np.mean([min(EQUAL_DB, decibels(float(error), 1.0)) for error in own]))


def map_psnr(
    decode: Decode, texels: Texels, codings: Sequence[MapCoding]
) -> dict[str, list[float]]:
    """Return the PSNR of every varying map, mip by mip, both sides rounded to 8 bits.

    In the form of ``MapCoding.shown``: colors as displayed, normals with their z.
    """
    varying = [coding for coding in codings if coding.count]
    found: dict[str, list[float]] = {coding.name: [] for coding in varying}
    for mip in range(len(texels.sizes)):
        decoded = decode(texels.sizes, mip)

        def squares(first: int, mip: int = mip, decoded: Floats = decoded) -> list[float]:
            part = slice(first, first + BAND_TEXELS)
            target, result = _planar(texels.part(mip, part)), _planar(decoded[part])
            alpha = _opacity(target, texels, varying)
            own = [None if coding.first == texels.alpha else alpha for coding in varying]
            return [_squares(coding, target, result, weights)
                    for coding, weights in zip(varying, own, strict=True)]  # fmt: skip

        bands = map_on_cores(squares, range(0, len(decoded), BAND_TEXELS), MOST_THREADS)
        seen = float(len(decoded))
        if texels.alpha is not None:
            alpha = _opacity(texels.part(mip, slice(None)), texels, varying)
            seen = seen if alpha is None else max(float(alpha.sum(dtype=np.float64)), 1e-9)
        for coding, total in zip(varying, np.sum(list(bands), axis=0), strict=True):
            texel_count = len(decoded) if coding.first == texels.alpha else seen
            error = float(total) / (texel_count * coding.channels)
            found[coding.name].append(min(EQUAL_DB, decibels(error, WHITE)))
    return found


def _planar(texels: Floats) -> Floats:
    """Return texels [n, C] with each channel's numbers beside each other: maps take few of them."""
    planar: Floats = np.asfortranarray(texels)
    return planar


def _opacity(target: Floats, texels: Texels, codings: Sequence[MapCoding]) -> Floats | None:
    """Return the weights of texels' errors [n], from 8-bit opacity [n, C]; None: all equal."""
    for coding in codings:
        if texels.alpha is not None and coding.count and coding.first == texels.alpha:
            return to_uint8(coding.shown(target))[:, 0] / np.float32(255)
    return None


def _squares(coding: MapCoding, expected: Floats, decoded: Floats, weights: Floats | None) -> float:
    """Return the weighted sum of squared 8-bit differences of texels [n, C]."""
    target, result = (to_uint8(coding.shown(side[None])).astype(np.int32)
                      for side in (expected, decoded))  # fmt: skip
    squares = (target - result) ** 2
    if weights is None:
        return float(squares.sum(dtype=np.int64))
    return float((squares[0].sum(axis=1) * weights.astype(np.float64)).sum())


def sampled_psnr(
    field: Field, texels: Texels, codings: Sequence[MapCoding], most: int = SAMPLED_TEXELS
) -> dict[str, float]:
    """Return ``map_psnr`` of mip 0, over about ``most`` of its texels at most."""
    width, height = texels.sizes[0]
    step = -(-width * height // most) | 1  # odd: an even one would sample few columns of latents
    index = torch.arange(0, width * height, step)
    target = texels.level(0).reshape(width * height, -1)[index.numpy()]
    decoded = decode_texels(field, texels.sizes, 0, index)
    found = {}
    for coding in codings:
        if coding.count:
            reference, ours = (to_uint8(coding.shown(side)[None]) for side in (target, decoded))
            alpha = None if coding.first == texels.alpha else _opacity(target, texels, codings)
            found[coding.name] = map_psnr_db(
                reference, ours, None if alpha is None else alpha[None]
            )
    return found
