"""Quality of a picture's stored numbers, over every pixel."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import rounded_db
from neuralshade.base.progress_scope import part
from neuralshade.engine.draw import draw_blocks
from neuralshade.errors import DeviceError
from neuralshade.kinds.image.field import Tensors, stored_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.measure.picture_psnr import decibels, weighted_squares, white_of
from neuralshade.model.field import Field
from neuralshade.source.picture import Picture

if TYPE_CHECKING:  # a fit on a CPU loads none
    from neuralshade.gpu.gpu import Gpu

log = logging.getLogger("neuralshade")
Floats = npt.NDArray[np.float32]
Quality = dict[str, Any]  # psnr_db, and for an HDR picture the facts of Light.facts
Blocks = Iterable[tuple[Floats, Floats]]  # what is drawn and what was fitted, [h, w, C] each

COMPARED_PIXELS = 2**16  # at once, of what a GPU drew: within a core's cache


def stored_quality(
    recipe: ImageRecipe, tensors: Tensors, picture: Picture, gpu: Gpu | None = None
) -> Quality:
    """Return the quality over every pixel of what ``tensors`` hold, in float32.

    ``gpu`` evaluates the field; the CPU does for None, and where the GPU has too little memory.
    """
    field = stored_field(recipe, tensors, picture.channels, "asset")
    with part("measuring"):
        if gpu is not None:
            try:
                return _quality(picture, _gpu_blocks(gpu, field, picture))
            except DeviceError as error:
                log.info("the CPU evaluates the result: %s", error)
        return _quality(picture, _host_blocks(field, picture))


def _quality(picture: Picture, blocks: Blocks) -> Quality:
    squares, counted, light = 0.0, 0.0, None
    if picture.hdr:
        from neuralshade.measure.light import Light

        light = Light.of(picture)
    for block, target in blocks:
        drawn = block if picture.hdr else block.clip(0, 1)
        error = drawn.astype(np.float64) - target
        own, all_of_it = weighted_squares(error, target, picture.alpha_weighted)
        squares, counted = squares + own, counted + all_of_it
        if light is not None:
            light.add(drawn, target)
    quality = {"psnr_db": rounded_db(decibels(squares / counted, white_of(picture)))}
    return quality | ({} if light is None else light.facts())


def _host_blocks(field: Field, picture: Picture) -> Iterator[tuple[Floats, Floats]]:
    for rows, cols, block in draw_blocks(field, picture.width, picture.height):
        yield block, picture.as_float(rows, cols)


def _gpu_blocks(gpu: Gpu, field: Field, picture: Picture) -> Iterator[tuple[Floats, Floats]]:
    """Yield blocks of one row each: pixels in their order."""
    from neuralshade.engine.kernels.infer.field_inference import field_inference

    inference, width = field_inference(gpu, field, exact=True), picture.width
    for before, pixels in inference.picture_parts(width, picture.height):
        for first in range(0, len(pixels), COMPARED_PIXELS):
            drawn = pixels[first : first + COMPARED_PIXELS]
            row, col = divmod(before + first, width)
            rows = slice(row, row + -(-(col + len(drawn)) // width))
            target = picture.as_float(rows).reshape(-1, picture.channels)
            yield drawn[None], target[None, col : col + len(drawn)]
