"""After training: codes of dense grids move to where the picture is nearer.

Numbers are rounded one by one, but a pixel sees four texels of each grid: codes that are next to
each other in value are often better together. The decoder is replaced by its derivatives at each
pixel, as Gauss and Newton do; in that linear picture every code takes the whole number that leaves
the least squared error, texel after texel (coordinate descent). That costs a few products per code
where asking the decoder costs thousands. Then the decoder is asked: rows of a picture whose error
has not fallen get their codes back, so the error never rises.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.tensors import SCALE, pack_nibbles, unpack_nibbles
from neuralshade.base.interrupt import Interruption
from neuralshade.base.work import part, working
from neuralshade.engine.threads import side_by_side
from neuralshade.fitting.picture_result import CodeSearch
from neuralshade.kinds.image.field import Tensors, stored_field, stored_quality
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.composite import members_of
from neuralshade.model.dense_grid import Axis, DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.quantize import LEVELS
from neuralshade.source.picture import Picture

BAND_PIXELS = 2**16  # that one thread searches: outputs x features float32 of each are kept
BLOCK_PIXELS = 2**13  # whose activations are in a core's cache together
DAMPING = 0.1  # added to a code's curvature, as a share of it: the decoder is not linear
REACH = {4: 1, 8: 8}  # codes, that one moves by in a pass at most: how far it is about linear


def polish(
    recipe: ImageRecipe,
    tensors: Tensors,
    picture: Picture,
    passes: int,
    device: torch.device | None = None,
) -> tuple[Tensors, CodeSearch]:
    """Return stored tensors whose codes were searched, and what came of it; see ``search_codes``.

    Ctrl-C ends the search early: what it has found by then is nearer to the picture already.
    """
    start = time.perf_counter()
    before = stored_quality(recipe, tensors, picture)["psnr_db"]
    field = stored_field(recipe, tensors, picture.channels, "asset").to(device)
    wanted = torch.from_numpy(np.ascontiguousarray(np.moveaxis(picture.as_float(), 2, 0)))
    with Interruption() as interruption, torch.no_grad():
        levels = levels_of(field, tensors, wanted.shape[1:])
        moved = search_codes(field, levels, wanted.to(device), passes,
                             lambda: interruption.requested)  # fmt: skip
    found = tensors | {level.name: level.packed() for level in levels}
    gain = stored_quality(recipe, found, picture)["psnr_db"] - before
    seconds = time.perf_counter() - start
    return found, CodeSearch(moved, seconds, gain, not interruption.requested)


@dataclass
class Level:
    """The codes of one level of a dense grid, and where its features are among all."""

    name: str  # of its tensor
    texels: torch.nn.Parameter  # [features, rows, columns]
    codes: torch.Tensor  # float32, whole numbers
    step: torch.Tensor  # [features, 1, 1]
    bits: int
    first: int  # of its features, in the encoding
    along: Axis
    down: Axis

    def show(self, rows: slice) -> None:
        """Let the field have the codes of some rows."""
        codes = self.codes[:, rows]
        self.texels[:, rows] = (codes + LEVELS[self.bits].offset) * self.step

    def packed(self) -> npt.NDArray[Any]:
        """Return the codes as a file has them."""
        codes = self.codes.to(torch.int8).cpu().numpy()
        return pack_nibbles(codes) if self.bits == 4 else codes


def levels_of(field: Field, tensors: Tensors, size: torch.Size) -> list[Level]:
    """Return the levels of all dense grids of a stored field, asked at ``size`` [H, W] pixels."""
    names = {id(p): name for name, p in field.named_parameters()}
    levels = []
    for grid, first in members_of(field.encoding):
        if not isinstance(grid, DenseGrid):
            continue
        for texels in grid.texels:
            name, features = names[id(texels)], texels.shape[0]
            stored = tensors[name]
            bits = 4 if stored.dtype == np.uint8 else 8
            codes = unpack_nibbles(stored, texels.shape[2]) if bits == 4 else stored
            step = torch.from_numpy(tensors[name + SCALE]).to(texels.device)[:, None, None]
            axes = (Axis(texels.shape[2 - axis], size[1 - axis], texels.device) for axis in (0, 1))
            levels.append(Level(name, texels, torch.from_numpy(codes).to(texels.device).float(),
                                step, bits, first, *axes))  # fmt: skip
            first += features
    return levels


def search_codes(
    field: Field,
    levels: list[Level],
    wanted: torch.Tensor,
    passes: int,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Move codes of ``levels`` to where ``field`` is nearer to a picture at its pixel centres.

    Args:
        field: as stored; its texels change in place, and the codes with them.
        wanted: float32 [C, H, W], sRGB in [0, 1], as the field's outputs once clamped.
        passes: how often all codes are tried; less often where none moves any more.
        stopped: asked before each band of rows; True ends the search with what it has found.

    Returns:
        how many codes moved. The squared error has not risen.
    """
    height, width = wanted.shape[1:]
    count = max(1, min(height, round(height * width / BAND_PIXELS)))
    edges = [index / count for index in range(count + 1)]
    bands = [_Band(field, levels, wanted, *pair) for pair in pairwise(edges)] if levels else []
    total = 0
    with working("searching codes"), part("searching codes", passes * len(bands)) as work:
        for _ in range(passes):
            moved = 0
            for some in _apart(bands, wanted.device):
                for found in side_by_side(lambda band: 0 if stopped() else band.improve(), some):
                    moved += found
                    work.done += 1
            total += moved
            if not moved:
                break
    return total


def _apart(bands: list[_Band], device: torch.device) -> list[list[_Band]]:
    """Return bands in groups of which no two see a pixel together: each may be another thread's.

    What is found does not depend on how many threads there are.
    """
    groups = [bands[0::2], bands[1::2]]
    pairs = [pair for group in groups for pair in pairwise(group)]
    if device.type == "cpu" and all(a.rows.stop <= b.rows.start for a, b in pairs):
        return groups
    return [[band] for band in bands]


class _Band:
    """Texels whose centres lie in some rows of a picture, and all pixels that see one of them."""

    def __init__(self, field: Field, levels: list[Level], wanted: torch.Tensor,
                 low: float, high: float):  # fmt: skip
        self.field, self.levels = field, levels
        self.own = [_centered(level.codes.shape[1], low, high) for level in levels]
        seen = torch.stack([level.down.seen[own].any(0)
                            for level, own in zip(levels, self.own, strict=True)])  # fmt: skip
        rows = seen.any(0).nonzero()
        self.rows = slice(int(rows[0]), int(rows[-1]) + 1) if len(rows) else slice(0, 0)
        self.wanted = wanted[:, self.rows]

    @torch.no_grad()  # which each thread says for itself
    def improve(self) -> int:
        """Move the band's codes once; return how many moved."""
        if not self.wanted.numel():
            return 0
        kept = [(level, own, level.codes[:, own].clone())
                for level, own in zip(self.levels, self.own, strict=True)]  # fmt: skip
        drawn, slopes = self._linear()
        outside = (drawn < 0) | (drawn > 1)
        before = self._error(drawn)
        residual = drawn.clamp(0, 1) - self.wanted
        # of a colour that is clamped only the way back is of use
        slopes.mul_(~outside | (residual != 0))
        for level, own in zip(reversed(self.levels), reversed(self.own), strict=True):
            for feature in range(len(level.codes)):
                self._descend(level, own, feature, slopes[level.first + feature], residual)
            level.show(own)
        if self._error(self._drawn()) < before:
            return sum(int((level.codes[:, own] != old).sum()) for level, own, old in kept)
        for level, own, old in kept:
            level.codes[:, own] = old
            level.show(own)
        return 0

    def _descend(self, level: Level, own: slice, feature: int, slope: torch.Tensor,
                 residual: torch.Tensor) -> None:  # fmt: skip
        """Move a feature's codes, texels of one colour together: no pixel sees two of them."""
        step, bits = float(level.step[feature]), LEVELS[level.bits]
        rows = torch.arange(own.start, own.stop, device=slope.device)
        cols = torch.arange(level.codes.shape[2], device=slope.device)
        first, before = self.rows.start, level.codes[feature].clone()
        power = slope.square().sum(0)
        for col_color in (0, 1):
            chosen = cols[col_color::2]
            bent_along = level.along.gather(power, chosen, 0, 2)
            for row_color in (0, 1):
                some = rows[(own.start + row_color) % 2 :: 2]
                if not len(some) or not len(chosen):
                    continue
                pull = level.along.gather((slope * residual).sum(0), chosen, 0, 1)
                pull = level.down.gather(pull.t(), some, first, 1).t()
                bent = level.down.gather(bent_along.t(), some, first, 2).t()
                wish = pull / (bent * (1 + DAMPING)).clamp_min_(1e-12) / -step
                place = some[:, None], chosen[None]
                old = level.codes[feature][place]
                reach = REACH[level.bits]
                low = (before[place] - reach).clamp_min_(bits.low)
                high = (before[place] + reach).clamp_max_(bits.high)
                new = torch.minimum(torch.maximum(torch.round(old + wish), low), high)
                level.codes[feature][place] = new
                change = torch.zeros_like(before)
                change[place] = (new - old) * step
                seen = level.down.spread(change.t(), self.rows).t()
                residual.addcmul_(slope, level.along.spread(seen, slice(None)))

    def _linear(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what is drawn [C, H, W], and its slopes by the encoding [F, C, H, W]."""
        encoded = self._encoded()
        parts = [self.field.network.jacobian(x) for x in encoded.split(BLOCK_PIXELS, dim=1)]
        shape = self.wanted.shape
        drawn = torch.cat([part[0] for part in parts], dim=1).view(shape)
        return drawn, torch.cat([part[1] for part in parts], dim=2).view(-1, *shape)

    def _drawn(self) -> torch.Tensor:
        blocks = self._encoded().split(BLOCK_PIXELS, dim=1)
        found = [self.field.network.on_columns(x, torch.float32) for x in blocks]
        return torch.cat(found, dim=1).view(self.wanted.shape)

    def _encoded(self) -> torch.Tensor:
        """Return the encoding of the band's pixels: [F, N]."""
        height = len(self.levels[0].down.way)
        width, device = self.wanted.shape[2], self.wanted.device
        u = (torch.arange(width, device=device) + 0.5) / width
        v = (torch.arange(self.rows.start, self.rows.stop, device=device) + 0.5) / height
        encoding = self.field.encoding
        return encoding.combine(encoding.along(0, u), encoding.along(1, v)).flatten(1)

    def _error(self, drawn: torch.Tensor) -> float:
        return float((drawn.clamp(0, 1) - self.wanted).square().sum(dtype=torch.float64))


def _centered(count: int, low: float, high: float) -> slice:
    """Return which of ``count`` texels have their centres in [low, high)."""
    return slice(math.ceil(low * count - 0.5), math.ceil(high * count - 0.5))
