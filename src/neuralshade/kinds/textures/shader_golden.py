"""What a fitted set answers in Python, for those who check its functions in a shader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.textures.sample import Filter, TextureSetField, values_of
from neuralshade.kinds.textures.shader_maps import AT, full_scale
from neuralshade.languages.forms import GOLDEN, IN_HALVES, SEED, level_rows
from neuralshade.languages.numbers import fours
from neuralshade.model.shader_form import Golden

if TYPE_CHECKING:
    from neuralshade.kinds.textures.opened import OpenedTextures

Floats = npt.NDArray[np.float32]

TOLERANCE = 2e-6  # of full scale
ROWS = 2 * GOLDEN  # that are drawn: of normals those near the horizon are left out
STEEP = 4.0  # dz by dx of a normal there
EDGE = 4e-3  # how far a random number keeps from where another texel is chosen
BEYOND = 2  # texels and levels beyond the border


def golden_rows(opened: OpenedTextures, name: str, names: Sequence[str]) -> list[Golden]:
    """Return what ``TextureSetField`` says at positions, beyond the borders too.

    ``names``: of the maps' functions.
    """
    rng, field = np.random.default_rng(SEED), TextureSetField(opened)
    rows = _Rows(field, rng)
    found = [rows.texels(f"{name}_texel"), rows.stochastic(f"{name}_stochastic"),
             level_rows(name, opened.sizes[0])]  # fmt: skip
    mixed = rows.mixed("bilinear")
    found.append(_golden(f"{name}_bilinear", rows.places, mixed))
    if field.filtered:
        found.append(_golden(f"{name}_filtered", rows.places, rows.mixed("latents")))
    for coding, own in zip(opened.codings, names, strict=True):
        values = values_of(coding, torch.from_numpy(mixed)).numpy()
        kept = _fair(values) if coding.meaning == "normal" else slice(None)
        full = full_scale(coding)
        found.append(Golden(f"{name}_{own}{AT}", rows.places[kept][:GOLDEN], values[kept][:GOLDEN],
                            TOLERANCE * full, in_halves=IN_HALVES * full))  # fmt: skip
    return found


class _Rows:
    """Arguments of functions, and what the field says of them."""

    def __init__(self, field: TextureSetField, rng: np.random.Generator):
        self.field, self.rng = field, rng
        levels = len(field.sizes)
        uv = rng.uniform(-1, 2, (ROWS, 2)).astype(np.float32)
        uv[:4] = [(0, 0), (1, 0), (0, 1), (1, 1)]
        level = rng.uniform(-0.5, levels - 0.5, ROWS).astype(np.float32)
        level[::2] = level[::2].round()
        self.places: Floats = np.column_stack([uv, level])

    def texels(self, function: str) -> Golden:
        sizes, count = np.array(self.field.sizes), len(self.field.sizes)
        mip = self.rng.integers(-1, count + 1, GOLDEN)
        size = sizes[mip.clip(0, count - 1)]
        at = self.rng.integers(-BEYOND, size + BEYOND)
        at[::2] %= size[::2]
        inside = at % size if self.field.wraps else at.clip(0, size - 1)
        uv = torch.from_numpy(inside + 0.5).float() / torch.from_numpy(size)
        found = self.field.channels(uv, torch.from_numpy(mip), "nearest").numpy()
        return _golden(function, np.column_stack([at, mip]).astype(np.float32), found)

    def stochastic(self, function: str) -> Golden:
        """Return rows whose random numbers choose the same texel however a shader rounds."""
        uv, level = self.places[:GOLDEN, :2], self.places[:GOLDEN, 2]
        u = self.rng.random((GOLDEN, 3), np.float32)
        mip = np.floor(level + u[:, 2]).clip(0, len(self.field.sizes) - 1).astype(np.int64)
        size = np.array(self.field.sizes, np.float32)[mip]
        place = (uv - np.floor(uv) if self.field.wraps else uv.clip(0, 1)) * size - np.float32(0.5)
        share = place - np.floor(place)
        near = (np.abs(u[:, :2] - share) < EDGE) | (share < EDGE) | (share > 1 - EDGE)
        u[:, :2] = np.where(near, np.where(share < 0.5, share + 0.25, share - 0.25), u[:, :2])
        found = self.field.channels(torch.from_numpy(uv), torch.from_numpy(mip), "stochastic",
                                    torch.from_numpy(u[:, :2].copy())).numpy()  # fmt: skip
        return _golden(function, np.column_stack([uv, level, u]).astype(np.float32), found)

    def mixed(self, filter: Filter) -> Floats:
        """Return channels of all places, those between levels mixed of both: float32 [ROWS, C]."""
        uv, last = torch.from_numpy(self.places[:, :2].copy()), len(self.field.sizes) - 1
        inside = torch.from_numpy(self.places[:, 2]).clamp(0, last)
        mip, between = inside.long(), (inside - inside.floor())[:, None]
        low, high = (self.field.channels(uv, m, filter) for m in (mip, (mip + 1).clamp(max=last)))
        found: Floats = (low * (1 - between) + high * between).numpy()
        return found


def _golden(function: str, inputs: Floats, channels: Floats) -> Golden:
    """Return rows whose results are structs of float4, the last filled up by 0."""
    count = 4 * fours(channels.shape[1])
    filled = np.pad(channels, ((0, 0), (0, count - channels.shape[1])))
    return Golden(function, inputs[:GOLDEN], filled[:GOLDEN], TOLERANCE, in_halves=IN_HALVES)


def _fair(normals: Floats) -> npt.NDArray[np.int64]:
    """Return the rows of normals whose z does not swing when x and y change by what is allowed."""
    square = np.square(normals[:, :2].astype(np.float64)).sum(1)
    up = np.sqrt(np.maximum(1 - square, 0))
    return np.flatnonzero((up > 1 / STEEP) | (square > 1 + 1e-4))
