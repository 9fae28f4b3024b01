"""Evaluating a field on a regular grid of positions."""

from collections.abc import Iterator

import numpy as np
import torch

from neuralshade.model.field import Field

STRIP_SAMPLES = 2**15  # evaluated at once: 4 MB a layer of 32, which stays in cache

Crop = tuple[float, float, float, float]  # u0, v0, u1, v1


@torch.no_grad()
def draw_strips(
    field: Field, width: int, height: int, crop: Crop = (0.0, 0.0, 1.0, 1.0)
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield (rows, float32 [rows, width, channels]) from top to bottom; see ``draw_field``."""
    device = next(field.parameters()).device
    u0, v0, u1, v1 = crop
    u = u0 + (torch.arange(width, device=device) + 0.5) / width * (u1 - u0)
    v = v0 + (torch.arange(height, device=device) + 0.5) / height * (v1 - v0)
    along_u = field.encoding.along(0, u)
    top = 0
    for rows in v.split(max(1, STRIP_SAMPLES // width)):
        columns = field.combine(along_u, field.encoding.along(1, rows), torch.float32)
        strip = columns.reshape(-1, len(rows), width).permute(1, 2, 0)
        yield slice(top, top + len(rows)), strip.cpu().numpy()
        top += len(rows)


def draw_field(
    field: Field, width: int, height: int, crop: Crop = (0.0, 0.0, 1.0, 1.0)
) -> np.ndarray:
    """Return the field at the centres of width x height pixels that cover ``crop``.

    float32 [height, width, channels], in the colour space the field was fitted in, not
    clamped.
    """
    return np.concatenate([strip for _, strip in draw_strips(field, width, height, crop)])
