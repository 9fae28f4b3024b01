"""Result of a fit beside the textures of equal bytes that a GPU samples, in a line."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from neuralshade.base.ahead import begin, begun_result
from neuralshade.errors import NeuralShadeError
from neuralshade.measure.block_baselines import BlockCodec, block_codecs
from neuralshade.measure.quality import psnr_db
from neuralshade.measure.verdict import SAME_BYTES
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture

LEAST_PX, MOST_PX = 2**13, 2**19  # below, headers decide; above, encoding takes seconds
ASTC_SIDES = (4, 5, 6, 8, 10, 12)
EQUAL_DB = 0.1  # a smaller difference is none that anybody sees


def begin_beside(picture: Picture, byte_count: float) -> None:
    """Begin to measure what ``textures_beside`` tells, if the asset will have these bytes."""
    if _is_measured(picture):
        for codec in _of_size(picture, byte_count):
            begin(_key(codec, picture), partial(_psnr, codec, picture))


def textures_beside(result: Any, subject: str) -> str | None:
    """Return how much better or worse BC1 and ASTC are in as many bytes; None where neither is.

    Of sRGB pictures with three channels and a usual number of pixels, fitted as they are.
    """
    if not os.path.isfile(subject):
        return None
    try:
        picture = load_picture(subject)
    except NeuralShadeError:  # replaced meanwhile: the result stands all the same
        return None
    if not _is_measured(picture) or result.psnr_db is None:
        return None
    found = [(codec.name, _psnr_begun(codec, picture) - result.psnr_db)
             for codec in _of_size(picture, result.asset_bytes)]  # fmt: skip
    if not found:
        return None
    return f"in as many bytes: {', '.join(map(_compared, found))} (neuralshade evaluate has more)"


def _is_measured(picture: Picture) -> bool:
    plain = picture.color_space == "srgb" and picture.channels == 3
    return plain and LEAST_PX <= picture.width * picture.height <= MOST_PX


def _key(codec: BlockCodec, picture: Picture) -> tuple[str, ...]:
    return "textures beside", codec.name, picture.digest


def _psnr_begun(codec: BlockCodec, picture: Picture) -> float:
    """Return the PSNR in dB, which was begun ahead if the picture is still the fitted one."""
    begun: float | None = begun_result(_key(codec, picture))
    return _psnr(codec, picture) if begun is None else begun


def _of_size(picture: Picture, byte_count: float) -> list[BlockCodec]:
    """Return the best ASTC and BC1, as far as they fit into the bytes."""
    codecs = block_codecs(picture.channels, ASTC_SIDES)
    fit = [codec for codec in codecs if not codec.obstacle
           and codec.size(picture.height, picture.width) <= SAME_BYTES * byte_count]  # fmt: skip
    astc = [codec for codec in fit if codec.name.startswith("ASTC")]
    best = [max(astc, key=lambda codec: codec.bits)] if astc else []
    return best + [codec for codec in fit if codec.name == "BC1"]


def _psnr(codec: BlockCodec, picture: Picture) -> float:
    target = picture.as_float()
    return psnr_db(target, codec.round_trip(target))


def _compared(found: tuple[str, float]) -> str:
    name, gain = found
    if abs(gain) < EQUAL_DB:
        return f"{name} is equal"
    return f"{name} is {abs(gain):.1f} dB {'better' if gain > 0 else 'worse'}"
