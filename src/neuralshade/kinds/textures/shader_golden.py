"""Golden rows of a fitted set: Python results against which its shader functions are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.sample import TextureSetField, values_of
from neuralshade.kinds.textures.shader_maps import AT, full_scale
from neuralshade.languages.forms import GOLDEN, IN_HALVES, SEED, level_rows
from neuralshade.languages.numbers import fours
from neuralshade.model.shader_form import Golden

if TYPE_CHECKING:
    from neuralshade.kinds.textures.opened import OpenedTextures

Floats = npt.NDArray[np.float32]

TOLERANCE = 2e-6  # of full scale
ROWS = 2 * GOLDEN  # drawn: normals near the horizon are dropped
STEEP = 4.0  # dz by dx of a normal above which its row is dropped
EDGE = 4e-3  # least distance of a random number from the choice of another texel
LATENT_STEP = 2 * 2 / 255  # of latents from -1 to 1: BC1 decodes to 8 bits, and mixes in 8
DRAWS, SLACK = 8, 1.5  # directions of the latents' perturbation, and a margin for others
BEYOND = 2  # texels and levels beyond the border


def golden_rows(opened: OpenedTextures, name: str, names: Sequence[str]) -> list[Golden]:
    """Return the results of ``TextureSetField`` at positions, also beyond the borders.

    ``names``: of the maps' functions.
    """
    rng, field = np.random.default_rng(SEED), TextureSetField(opened)
    rows = _Rows(field, rng)
    units = rows.swing() if field.filtered else None
    found = [rows.texels(f"{name}_texel"), rows.stochastic(f"{name}_stochastic"),
             rows.area(f"{name}_area")]  # fmt: skip
    mixed = rows.bilinear(rows.places)
    found.append(_golden(f"{name}_bilinear", rows.places, mixed))
    if field.filtered:
        mixed = rows.filtered(rows.places)
        found.append(_golden(f"{name}_filtered", rows.places, mixed))
    for coding, own in zip(opened.codings, names, strict=True):
        values = values_of(coding, torch.from_numpy(mixed)).numpy()
        kept = _fair(values) if coding.meaning == "normal" else slice(None)
        full = full_scale(coding)
        swing = None if units is None else max(_swing_of(coding, mixed[kept], units), TOLERANCE)
        found.append(Golden(f"{name}_{own}{AT}", rows.places[kept][:GOLDEN], values[kept][:GOLDEN],
                            TOLERANCE * full, in_halves=IN_HALVES * full,
                            by_units=swing))  # fmt: skip
    ends = ("texel", "stochastic", "area", "bilinear", "filtered")
    of_channels = {f"{name}_{end}" for end in ends}
    found = [replace(one, by_units=units) if one.function in of_channels else one for one in found]
    return [*found, level_rows(name, opened.sizes[0])]


def _swing_of(coding: MapCoding, channels: Floats, swing: float) -> float:
    """Return how much a map changes if all channels change by ``swing``, up or down."""
    at = [torch.from_numpy(channels + move).clamp(0, 1) for move in (-swing, 0, swing)]
    low, values, high = (values_of(coding, one) for one in at)
    return SLACK * float(torch.stack([(low - values).abs(), (high - values).abs()]).max())


class _Rows:
    """Arguments of functions, and the field's results for them."""

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
        """Return rows whose random numbers choose the same texel under any rounding."""
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

    def area(self, function: str) -> Golden:
        """Return rows whose footprints have the same level under any rounding."""
        drawn = np.exp2(self.rng.uniform(-8, 0, (4 * GOLDEN, 1))) * self.rng.normal(
            size=(4 * GOLDEN, 4)
        )
        steps: Floats = drawn.astype(np.float32)
        texels = steps.astype(np.float64).reshape(-1, 2, 2) * self.field.sizes[0] / 2
        level = np.log2(np.maximum(np.linalg.norm(texels, axis=2).max(1), 1))
        kept = np.flatnonzero(np.abs(level % 1 - 0.5) > EDGE)[:GOLDEN]
        steps, level = steps[kept], level[kept]
        uv = self.rng.uniform(-1, 2, (len(kept), 2)).astype(np.float32)
        if not self.field.filtered:
            level = np.floor(level + 0.5)
        total = np.float32(0)
        for x, y in product((-0.25, 0.25), repeat=2):
            at = uv + steps[:, :2] * np.float32(x) + steps[:, 2:] * np.float32(y)
            places = np.column_stack([at, level]).astype(np.float32)
            total = total + (self.filtered if self.field.filtered else self.bilinear)(places)
        return _golden(function, np.column_stack([uv, steps]), total / np.float32(4))

    def bilinear(self, places: Floats) -> Floats:
        """Return channels at (u, v, level), interpolated between levels: float32 [N, C]."""
        uv, mip, above, between = self._levels(places)
        low, high = (self.field.channels(uv, each, "bilinear") for each in (mip, above))
        found: Floats = (low * (1 - between) + high * between).numpy()
        return found

    def filtered(self, places: Floats, moved: torch.Tensor | float = 0.0) -> Floats:
        """Return the decoder's results for latents mixed between texels and levels: [N, C].

        ``moved``: offset of the latents, which are from -1 to 1.
        """
        uv, mip, above, between = self._levels(places)
        inside = uv - uv.floor() if self.field.wraps else uv.clamp(0, 1)
        encoding, network = self.field.field.encoding, self.field.field.network
        with torch.no_grad():
            low, high = (encoding(torch.cat([inside, each[:, None]], 1)) for each in (mip, above))
            mixed = network(low * (1 - between) + high * between + moved)
        found: Floats = mixed.clamp(0, 1).numpy()
        return found

    def _levels(self, places: Floats) -> tuple[torch.Tensor, ...]:
        """Return positions, the two levels around each, and the distance from the first."""
        last = len(self.field.sizes) - 1
        inside = torch.from_numpy(places[:, 2]).clamp(0, last)
        mip = inside.long()
        return (torch.from_numpy(places[:, :2].copy()), mip, (mip + 1).clamp(max=last),
                (inside - inside.floor())[:, None])  # fmt: skip

    def swing(self) -> float:
        """Return the effect on channels of 8-bit latents and weights in texture units."""
        still, most = self.filtered(self.places), 0.0
        generator = torch.Generator().manual_seed(SEED)
        for _ in range(DRAWS):
            width = self.field.field.encoding.width
            signs = torch.randint(0, 2, (ROWS, width), generator=generator) * 2 - 1
            most = max(most, float(np.abs(self.filtered(self.places, signs * LATENT_STEP)
                                          - still).max()))  # fmt: skip
        return max(SLACK * most, TOLERANCE)


def _golden(function: str, inputs: Floats, channels: Floats) -> Golden:
    """Return rows whose results are structs of float4, the last padded by 0."""
    count = 4 * fours(channels.shape[1])
    filled = np.pad(channels, ((0, 0), (0, count - channels.shape[1])))
    return Golden(function, inputs[:GOLDEN], filled[:GOLDEN], TOLERANCE, in_halves=IN_HALVES)


def _fair(normals: Floats) -> npt.NDArray[np.int64]:
    """Return the rows of normals whose z is stable under the tolerance of x and y."""
    square = np.square(normals[:, :2].astype(np.float64)).sum(1)
    up = np.sqrt(np.maximum(1 - square, 0))
    return np.flatnonzero((up > 1 / STEEP) | (square > 1 + 1e-4))
