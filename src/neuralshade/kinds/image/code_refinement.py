"""Code refinement after training: grid codes move where that lowers the picture's error."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.schema import SCALE
from neuralshade.asset.tensors import pack_nibbles, unpack_nibbles
from neuralshade.base.interrupt import Interruption
from neuralshade.engine.code_bands import Group, Level
from neuralshade.engine.code_refinement import descend_codes
from neuralshade.errors import DeviceError
from neuralshade.fitting.refinement_job import NOT_REFINED, CodeRefinement
from neuralshade.fitting.time_plan import NO_DEADLINE, Deadline
from neuralshade.kinds.image.field import Tensors, stored_field
from neuralshade.kinds.image.quality import Quality, stored_quality
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.axis_stencil import Axis
from neuralshade.model.composite import placed_members
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.quantize import LEVELS
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
    found = tensors | {level.name: level.packed() for level in levels}
    changed = any(not np.array_equal(tensors[level.name], found[level.name]) for level in levels)
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
    """The codes of one level of a dense grid, as a file has them."""

    name: str  # of its tensor
    texels: torch.nn.Parameter  # [features, rows, columns]
    bits: int

    def apply(self, rows: slice) -> None:
        """Write the codes of some rows into the field."""
        codes = self.codes[:, rows]
        self.texels[:, rows] = (codes + LEVELS[self.bits].offset) * self.step[:, None, None]

    def packed(self) -> npt.NDArray[Any]:
        """Return the codes in the file's form."""
        codes = self.codes.to(torch.int8).numpy()
        return pack_nibbles(codes) if self.bits == 4 else codes


def levels_of(field: Field, tensors: Tensors, size: tuple[int, int]) -> list[StoredLevel]:
    """Return the levels of all dense grids of a stored field, for ``size`` [H, W] pixels."""
    names = {id(p): name for name, p in field.named_parameters()}
    levels = []
    for grid, first, tables in placed_members(field.encoding):
        if not isinstance(grid, DenseGrid):
            continue
        for texels, table in zip(grid.texels, tables, strict=True):
            name = names[id(texels)]
            features, rows, columns = texels.shape
            stored = tensors[name]
            bits = 4 if stored.dtype == np.uint8 else 8
            codes = torch.from_numpy(unpack_nibbles(stored, columns) if bits == 4 else stored)
            axes = (Axis(columns, size[1], smooth=grid.smooth),
                    Axis(rows, size[0], smooth=grid.smooth))  # fmt: skip
            step = torch.from_numpy(tensors[name + SCALE])
            limits = LEVELS[bits].low, LEVELS[bits].high
            levels.append(StoredLevel(codes.float(), step, limits, first, [axes], table.first,
                                      table.stride, LEVELS[bits].offset, step, name, texels,
                                      bits))  # fmt: skip
            first += features
    return levels
