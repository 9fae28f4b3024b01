"""Evaluation of a field on a regular grid of positions."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.progress_scope import part
from neuralshade.model.field import Field
from neuralshade.source.crop import WHOLE, Crop

BLOCK_SAMPLES = 2**15  # evaluated at once: 4 MB a layer of 32, which stays in cache
BLOCK_COLS = 1024  # columns of a block, at most


@torch.no_grad()
def draw_blocks(
    field: Field, width: int, height: int, crop: Crop = WHOLE
) -> Iterator[tuple[slice, slice, npt.NDArray[Any]]]:
    """Yield (rows, cols, float32 [rows, cols, channels]) that cover ``draw_field``'s picture.

    Blocks, because a block reads few texels of a large grid, and little of it is in memory.

    Raises: ShapeError where the field's positions are not (u, v).
    """
    field.check_drawn("draw_field.field")
    device = next(field.parameters()).device
    u0, v0, u1, v1 = crop
    u = u0 + (torch.arange(width, device=device) + 0.5) / width * (u1 - u0)
    v = v0 + (torch.arange(height, device=device) + 0.5) / height * (v1 - v0)
    for left in range(0, width, BLOCK_COLS):
        cols = slice(left, min(left + BLOCK_COLS, width))
        across = len(u[cols])
        down = min(max(1, BLOCK_SAMPLES // across), height)
        at_rows = field.at_columns(u[cols], down, torch.float32)
        for top in range(0, height, down):
            rows = slice(top, min(top + down, height))
            block = at_rows(v[rows]).reshape(-1, len(v[rows]), across).permute(1, 2, 0)
            yield rows, cols, block.cpu().numpy()


def draw_field(field: Field, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
    """Return the field at the centres of width x height pixels that cover ``crop``.

    float32 [height, width, channels], in the colour space the field was fitted in, not
    clamped.
    """
    picture: npt.NDArray[Any] | None = None
    with part("drawing pixels", width * height) as work:
        for rows, cols, block in draw_blocks(field, width, height, crop):
            if picture is None:
                picture = np.empty((height, width, block.shape[2]), np.float32)
            picture[rows, cols] = block
            work.done += block.shape[0] * block.shape[1]
    assert picture is not None, (width, height)
    return picture
