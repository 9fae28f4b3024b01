"""Code refinement after training: grid codes move where that lowers the picture's error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.schema import SCALE
from neuralshade.asset.tensors import pack_nibbles, unpack_nibbles
from neuralshade.base.interrupt import Interruption
from neuralshade.engine.code_bands import Group, Level, Tiles
from neuralshade.engine.code_refinement import descend_codes
from neuralshade.errors import DeviceError
from neuralshade.fitting.refinement_job import NOT_REFINED, CodeRefinement
from neuralshade.fitting.time_plan import NO_DEADLINE, Deadline
from neuralshade.kinds.image.field import Tensors, stored_field
from neuralshade.kinds.image.quality import Quality, stored_quality
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.axis_stencil import Axis, TileAxis
from neuralshade.model.composite import placed_members
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.parameters import Table
from neuralshade.model.quantize import LEVELS
from neuralshade.model.tile_grid import TileGrid
from neuralshade.source.picture import Picture

if TYPE_CHECKING:  # a fit on a CPU loads none
    from neuralshade.gpu.gpu import Gpu

LONGEST = 2**14  # of a side: above it, products along a side cost more than look-ups per pixel


class RefinedTensors(NamedTuple):
    """Stored tensors after a search."""

    tensors: Tensors
    quality: Quality
    search: CodeRefinement


def refine_codes(
    recipe: ImageRecipe,
    tensors: Tensors,
    picture: Picture,
    passes: int,
    gpu: Gpu | None = None,
    ended_early: Callable[[], None] = lambda: None,
    over: Deadline = NO_DEADLINE,
) -> RefinedTensors:
    """Search the codes of stored tensors.

    ``gpu``: runs the search, and evaluates the result; None: the CPU. Ctrl-C, or too little GPU
    memory, ends the search early and keeps what it has found, which is an improvement already.
    ``ended_early`` is called after Ctrl-C; ``over`` ends the search in time.
    """
    start, failed, moved = time.perf_counter(), None, 0
    before = stored_quality(recipe, tensors, picture, gpu)
    field = stored_field(recipe, tensors, picture.channels, "asset")
    pixels = PicturePixels(field, picture)
    levels = levels_of(field, tensors, pixels.size)
    with Interruption() as interruption, torch.no_grad():
        try:
            moved = _searched(field, levels, pixels, passes,
                              lambda: interruption.requested or over(), gpu)  # fmt: skip
        except DeviceError as error:
            failed = NOT_REFINED.format(error=error)
    timed_out = over()
    if interruption.requested:
        ended_early()
    packed = packed_levels(levels)
    found = tensors | packed
    changed = any(not np.array_equal(tensors[name], codes) for name, codes in packed.items())
    quality = stored_quality(recipe, found, picture, gpu) if changed else before
    gain, seconds = quality["psnr_db"] - before["psnr_db"], time.perf_counter() - start
    search = CodeRefinement(moved, seconds, gain, not interruption.requested, failed, timed_out)
    return RefinedTensors(found, quality, search)


def _searched(
    field: Field, levels: list[StoredLevel], pixels: PicturePixels, passes: int,
    stopped: Callable[[], bool], gpu: Gpu | None,
) -> int:  # fmt: skip
    """Search a field's codes; return how many moved."""
    if gpu is None or not levels:
        return descend_codes(field.network, levels, [pixels], passes, stopped)
    from neuralshade.engine.kernels.refinement.refinement import GpuRefinement

    return GpuRefinement(gpu, field, [Group(levels, [pixels])]).refine(passes, stopped)


class PicturePixels:
    """The pixel centres of a picture as a ``Lattice``."""

    def __init__(self, field: Field, picture: Picture):
        self.weights: torch.Tensor | None = None
        self.alpha = picture.channels - 1 if picture.alpha_weighted else None
        whole = np.ascontiguousarray(np.moveaxis(picture.as_float(), 2, 0))
        self.encoding, self.whole = field.encoding, torch.from_numpy(whole)
        self.size, self.beyond = (picture.height, picture.width), tuple[float, ...]()

    def encoded(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the encoding of the pixels of some rows: float32 [features, N]."""
        height, width = self.size
        u, v = (torch.arange(width) + 0.5) / width, (rows + 0.5) / height
        encoding = self.encoding
        if max(self.size) > LONGEST:
            at = torch.stack([u.repeat(len(rows)), v.repeat_interleave(width)], dim=1)
            return encoding(at).t().contiguous()
        return encoding.combine(encoding.along(0, u), encoding.along(1, v)).flatten(1)

    def target(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the pixels of some rows: float32 [C, rows, width], sRGB in [0, 1]."""
        return self.whole[:, rows]

    def targets(self) -> npt.NDArray[np.float32]:
        """Return all pixels, row by row: float32 [height * width, C]."""
        pixels: npt.NDArray[np.float32] = self.whole.flatten(1).t().contiguous().numpy()
        return pixels


@dataclass
class StoredLevel(Level):
    """The codes of one level of a dense grid, or of all tiles of one side, as a file has them."""

    name: str  # of its tensor
    texels: torch.Tensor  # [features, rows, columns]: the field's own
    bits: int
    # All codes of a tensor that has those of several levels: ``codes`` is a view of some.
    whole: torch.Tensor | None = field(default=None, kw_only=True)  # float32 [features, entries]

    def apply(self, rows: slice) -> None:
        """Write the codes of some rows into the field."""
        codes = self.codes[:, rows]
        self.texels[:, rows] = (codes + LEVELS[self.bits].offset) * self.step[:, None, None]

    def packed(self) -> npt.NDArray[Any]:
        """Return its tensor in the file's form, with the codes of all of the tensor's levels."""
        every = self.codes if self.whole is None else self.whole
        codes = every.to(torch.int8).numpy()
        return pack_nibbles(codes) if self.bits == 4 else codes


def packed_levels(levels: Sequence[StoredLevel]) -> Tensors:
    """Return the tensors of some levels in the file's form, by name."""
    return {name: level.packed() for name, level in {one.name: one for one in levels}.items()}


def levels_of(field: Field, tensors: Tensors, size: tuple[int, int]) -> list[StoredLevel]:
    """Return the levels of all grids of texels of a stored field, for ``size`` [H, W] pixels."""
    names = {id(p): name for name, p in field.named_parameters()}
    levels = list[StoredLevel]()
    for grid, first, tables in placed_members(field.encoding):
        if isinstance(grid, DenseGrid):
            for texels, table in zip(grid.texels, tables, strict=True):
                codes = _StoredCodes.of(names[id(texels)], texels, tensors)
                levels.append(_dense_level(grid, codes, first, table, size))
                first += len(texels)
        elif isinstance(grid, TileGrid) and grid.size == size[::-1]:  # else no two tiles are alike
            codes = _StoredCodes.of(names[id(grid.texels)], grid.texels, tensors)
            levels += _tile_levels(grid, codes, first, tables[0])
    return levels


class _StoredCodes(NamedTuple):
    """The codes of a tensor and what they stand for."""

    name: str
    texels: torch.Tensor  # [features, ...]: the field's own
    codes: torch.Tensor  # float32, of the same shape
    step: torch.Tensor  # float32 [features]
    bits: int

    @staticmethod
    def of(name: str, texels: torch.Tensor, tensors: Tensors) -> _StoredCodes:
        stored = tensors[name]
        bits = 4 if stored.dtype == np.uint8 else 8
        numbers = unpack_nibbles(stored, texels.shape[-1]) if bits == 4 else stored
        step = torch.from_numpy(tensors[name + SCALE])
        return _StoredCodes(name, texels.detach(), torch.from_numpy(numbers).float(), step, bits)


def _dense_level(
    grid: DenseGrid, stored: _StoredCodes, first: int, table: Table, size: tuple[int, int]
) -> StoredLevel:
    name, texels, codes, step, bits = stored
    (rows, columns), limits = codes.shape[1:], (LEVELS[bits].low, LEVELS[bits].high)
    axes = (Axis(columns, size[1], smooth=grid.smooth),
            Axis(rows, size[0], smooth=grid.smooth))  # fmt: skip
    return StoredLevel(codes, step, limits, first, [axes], table.first, table.stride,
                       LEVELS[bits].offset, step, name, texels, bits)  # fmt: skip


def _tile_levels(
    grid: TileGrid, stored: _StoredCodes, first: int, table: Table
) -> Iterator[StoredLevel]:
    """Yield a level for each side that tiles have, all of their tiles stacked along its rows."""
    name, texels, codes, step, bits = stored
    sides, firsts, size = grid.get_buffer("sides").long(), grid.firsts(), grid.size[::-1]
    limits = LEVELS[bits].low, LEVELS[bits].high
    for side in map(int, sides.unique()):
        where = (sides == side).nonzero()  # (row, column) of each, row by row
        begin = int(firsts[sides == side][0])
        entries = slice(begin, begin + len(where) * side**2)
        own, shown = (x[:, entries].view(len(x), -1, side) for x in (codes, texels))
        axis = TileAxis(side, grid.tile)
        yield StoredLevel(
            own, step, limits, first, [(axis, axis)], table.first + begin * table.stride,
            table.stride, LEVELS[bits].offset, step, name, shown, bits, whole=codes,
            tiles=Tiles(side, grid.tile, where.flip(1) * grid.tile, size),
        )  # fmt: skip
