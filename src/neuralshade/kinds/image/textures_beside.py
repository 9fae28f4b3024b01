"""Result of a fit beside the textures of equal bytes that a GPU samples, in a line."""

from __future__ import annotations

import os
from typing import Any

from neuralshade.base.ahead import begin, begun_result
from neuralshade.errors import NeuralShadeError
from neuralshade.fitting.command import CommandLine
from neuralshade.measure.picture_apart import TASK, psnr_apart, textures_within
from neuralshade.measure.rival_process import begin_process, begun_process
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture

LEAST_PX, MOST_PX = 2**13, 2**19  # below, headers decide; above, encoding takes seconds
EQUAL_DB = 0.1  # a smaller difference is none that anybody sees


def begin_ahead(typed: CommandLine) -> None:
    """Begin to start the process that measures, while PyTorch is imported."""
    if typed.options.get("engine") != "torch" and typed.options.get("device") != "cpu":
        begin_process(TASK)


def begin_beside(picture: Picture, byte_count: float) -> None:
    """Begin to measure what ``textures_beside`` tells, if the asset will have these bytes."""
    process = begun_process()  # it ends here where it is not needed
    names = textures_within(picture, byte_count) if _is_measured(picture) else []
    if names:
        begin(_key(picture), lambda: psnr_apart(picture, names, process))


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
    names = textures_within(picture, result.asset_bytes)
    known: dict[str, float | None] = begun_result(_key(picture)) or {}
    missing = [name for name in names if name not in known]
    if missing:
        from neuralshade.measure.picture_rivals import picture_rivals

        known = known | picture_rivals({"names": missing}, [picture.as_float()])
    found = [_compared(name, psnr - result.psnr_db)
             for name in names if (psnr := known[name]) is not None]  # fmt: skip
    if not found:
        return None
    return f"in as many bytes: {', '.join(found)} (neuralshade evaluate has more)"


def _is_measured(picture: Picture) -> bool:
    plain = picture.color_space == "srgb" and picture.channels == 3
    return plain and LEAST_PX <= picture.width * picture.height <= MOST_PX


def _key(picture: Picture) -> tuple[str, ...]:
    return "textures beside", picture.digest


def _compared(name: str, gain: float) -> str:
    if abs(gain) < EQUAL_DB:
        return f"{name} is equal"
    return f"{name} is {abs(gain):.1f} dB {'better' if gain > 0 else 'worse'}"
