"""PSNR of a field against its picture: a quick one while training, the exact one after."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.tensors import unpack_field
from neuralshade.engine.draw import draw_blocks
from neuralshade.engine.engine import Engine
from neuralshade.kinds.image.build import build_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.field import Field
from neuralshade.sampler.sample import PixelLattice
from neuralshade.source.picture import Picture

GLANCE_SIDE = 256  # rows and columns that a look while training compares, at most


def white_of(picture: Picture) -> float:
    """Return the peak of PSNR: 1, or the largest value of an HDR picture."""
    return (float(picture.pixels.max()) or 1.0) if picture.hdr else 1.0


def glance_psnr(engine: Engine, white: float, hdr: bool) -> float:
    """Return the PSNR in dB on evenly spread rows and columns, 256 x 256 at most."""
    target = engine.target
    lattice = PixelLattice(_spread(target.height), _spread(target.width))
    predicted, wanted = engine.glance(lattice)
    error = (predicted.float() if hdr else predicted.float().clamp(0, 1)) - wanted
    return decibels(float(error.square().mean()), white)


def stored_quality(
    recipe: ImageRecipe, tensors: dict[str, npt.NDArray[Any]], picture: Picture
) -> dict[str, Any]:
    """Return the PSNR in dB over every pixel of what ``tensors`` hold, in float32."""
    field = stored_field(recipe, tensors, picture.channels, "asset")
    squares = 0.0
    for rows, cols, block in draw_blocks(field, picture.width, picture.height):
        drawn = block if picture.hdr else block.clip(0, 1)
        error = drawn.astype(np.float64) - picture.as_float(rows, cols)
        squares += float(np.square(error).sum())
    return {"psnr_db": round(decibels(squares / picture.pixels.size, white_of(picture)), 3)}


def stored_field(
    recipe: ImageRecipe, tensors: dict[str, npt.NDArray[Any]], channels: int, place: str
) -> Field:
    """Return the field that ``tensors`` hold; AssetError naming ``place`` if they do not fit."""
    field = build_field(recipe, channels, torch.Generator())
    unpack_field(field, tensors, place)
    return field


def _spread(size: int) -> torch.Tensor:
    return torch.arange(0, size, math.ceil(size / GLANCE_SIDE))


def decibels(mean_square: float, white: float) -> float:
    """Return dB; 200 for a perfect fit, since infinity is no JSON number; NaN for no fit."""
    if not math.isfinite(mean_square):
        return math.nan
    return 10.0 * math.log10(white**2 / mean_square) if mean_square > 0 else 200.0
