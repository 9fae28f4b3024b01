"""Levels of a feature map: sizes, box filter, and interpolated look-up.

Device half: the look-up of scattering.slang.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.threads import side_by_side
from neuralshade.kinds.material.block_choice import block_rows
from neuralshade.kinds.material.field import MaterialEncoding, encoding_of
from neuralshade.kinds.material.map_rows import Rows, codes_of, is_blocks
from neuralshade.kinds.material.schema import level_sides
from neuralshade.model.field import Field
from neuralshade.source.halving import halved

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]
# uv, wi, wo [n, ...] and levels [n] -> f * cos [n, 3]
LevelShade = Callable[[Floats, Floats, Floats, Floats], Floats]

LARGEST = 255  # code of a number
BAND = 256  # rows of a map that are halved at once, an even number
# samples of a field that a core evaluates at once; 2^12 took twice as long on 2 cores, and as long
# on 16, where small pieces wait for Python's lock
AT_ONCE = 2**14


def boxed(finest: Codes, side: int) -> list[Codes]:
    """Return box filters of a finest level [side * side, features] for all levels after it.

    Each is the mean of the texels that it covers, weighted by area for odd sizes. It is rounded
    once, from unrounded values of the level above.
    """
    values: npt.NDArray[Any] = finest.reshape(side, side, -1)
    found = []
    for _ in level_sides(side)[1:]:
        values = _halved(values)
        found.append(np.round(values).astype(np.uint8).reshape(-1, values.shape[2]))
    return found


def boxed_rows(finest: Rows, side: int, ends: npt.NDArray[np.float32]) -> list[Rows]:
    """Return the box filters of a finest level for all levels after it, as rows of its sort.

    ``ends``: float32 [2, features], the values of codes 0 and 255.
    """
    codes = boxed(codes_of(finest, side), side)
    return compressed(codes, side, ends) if is_blocks(finest) else codes


def compressed(codes: Sequence[Rows], side: int, ends: npt.NDArray[np.float32]) -> list[Rows]:
    """Return the blocks of all levels behind the finest, of their codes."""
    weights = torch.from_numpy(ends[1] - ends[0]).clamp_min(1e-6)
    weights = weights / weights.max()
    return [block_rows(torch.from_numpy(level).float().view(each, each, -1), weights)
            for level, each in zip(codes, level_sides(side)[1:], strict=True)]  # fmt: skip


def _halved(values: npt.NDArray[Any]) -> Floats:
    """Return ``halved`` values [H, W, C], in bands of an even height, to keep copies small."""
    if len(values) % 2 or len(values) <= BAND:
        return halved(values.astype(np.float32, copy=False))
    bands = [halved(values[row : row + BAND]) for row in range(0, len(values), BAND)]
    return np.concatenate(bands)


def level_of(footprint: npt.ArrayLike, side: int) -> Floats:
    """Return the level whose texels are as wide as ``footprint``, the side of a square in uv."""
    texels = np.asarray(footprint, np.float32) * np.float32(side)
    return np.log2(np.maximum(texels, np.float32(1)))


def levels_of(level: npt.ArrayLike, count: int) -> Floats:
    """Return float32 [count] levels, from one for all or one each."""
    return np.array(np.broadcast_to(np.asarray(level, np.float32), count))


def level_latents(
    encoding: MaterialEncoding, uv: torch.Tensor, level: torch.Tensor
) -> torch.Tensor:
    """Return the numbers at uv [N, 2] and fractional ``level`` [N]: float32 [features, N].

    Bilinear in each of the two nearest levels, and linear between them; clamped to the finest and
    the coarsest.
    """
    coarsest = len(encoding.grid.serves) - 1
    level = level.clamp(0, coarsest)
    lower = level.floor()
    part = level - lower
    found = encoding.latents(torch.cat([uv, lower[:, None]], dim=1))
    traced = torch.compiler.is_compiling() or level.requires_grad
    if not traced and not part.any():
        return found
    upper = (lower + 1).clamp(max=coarsest)
    above = encoding.latents(torch.cat([uv, upper[:, None]], dim=1))
    return torch.lerp(found, above, part)


def in_blocks(part: Callable[[torch.Tensor], torch.Tensor], rows: Floats) -> Floats:
    """Return ``part`` of samples [n, ...], evaluated block by block: float32 [n, C].

    There are many samples with little work each: threads within a block would mostly wait for each
    other.
    """
    blocks = torch.from_numpy(rows).split(AT_ONCE)
    found: Floats = torch.cat(list(side_by_side(part, blocks))).numpy()
    return found


def level_shade(field: Field) -> LevelShade:
    """Return the f * cos function of a field at levels, fractions included."""
    encoding = encoding_of(field)

    @torch.no_grad()
    def part(block: torch.Tensor) -> torch.Tensor:
        latents = level_latents(encoding, block[:, :2], block[:, 8])
        columns = block.t()
        read = encoding.columns(latents, columns[2:5], columns[5:8], block[:, 9:])
        return field.network.on_columns(read, torch.float32).t()

    def shade(uv: Floats, wi: Floats, wo: Floats, level: Floats) -> Floats:
        rows = np.concatenate([uv[:, :2], wi, wo, level.reshape(-1, 1), uv[:, 2:]],
                              axis=1).astype(np.float32)  # fmt: skip
        return in_blocks(part, rows)

    return shade
