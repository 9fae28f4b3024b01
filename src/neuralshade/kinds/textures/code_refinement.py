"""Code refinement after training: latent codes move where that lowers the set's error."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.interrupt import Interruption
from neuralshade.engine.code_bands import Group, Level
from neuralshade.engine.code_refinement import descend_codes
from neuralshade.errors import DeviceError
from neuralshade.fitting.refinement_job import NOT_REFINED, CodeRefinement
from neuralshade.fitting.time_plan import NO_DEADLINE, Deadline
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import decode_texels, mip_errors, mip_positions
from neuralshade.kinds.textures.psnr import mean_psnr
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.texels import LEAST_TEXELS, PEAK, Decode, Texels
from neuralshade.model.axis_stencil import Axis
from neuralshade.model.composite import placed_members
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid

if TYPE_CHECKING:  # a fit on a CPU loads none
    from neuralshade.gpu.gpu import Gpu

Errors = npt.NDArray[np.float64]  # of each channel

COMPARED_TEXELS = 2**16  # of mip 0, at most, for the gain
# Default passes for sets of at most so many texels of mip 0; larger ones have none by default.
GPU_PASSES, CPU_PASSES = {2**22: 4, 2**24: 1}, {2**20: 1}


class Searcher(Protocol):
    """Moves codes, see ``searcher_of``."""

    def __call__(self, passes: int, stopped: Callable[[], bool] = ..., /) -> int: ...


def passes_of(recipe: TexturesRecipe, size: tuple[int, int], on_gpu: bool) -> int:
    """Return the number of passes over the codes; ``size``: of mip 0, in texels."""
    if recipe.polish >= 0:
        return recipe.polish
    if recipe.latents != "plain" or recipe.loss != "maps":  # the search lowers the maps' error
        return 0
    usual = GPU_PASSES if on_gpu else CPU_PASSES
    return next((passes for most, passes in usual.items() if math.prod(size) <= most), 0)


def refine_codes(
    field: Field,
    texels: Texels,
    codings: Sequence[MapCoding],
    weights: torch.Tensor,
    passes: int,
    gpu: Gpu | None = None,
    refit: Callable[[Field], None] = lambda field: None,
    decoder: Callable[[Field], Decode] = lambda field: partial(decode_texels, field),
    ended_early: Callable[[], None] = lambda: None,
    over: Deadline = NO_DEADLINE,
) -> CodeRefinement:
    """Search the codes of a stored field, see ``searcher_of``.

    ``refit`` trains the decoder for a pass's codes; its result is kept where it lowers the error.
    ``decoder`` decodes the numbers that a field has when it is called. Ctrl-C, or too little GPU
    memory, ends the search early and keeps what it has found, which is an improvement already.
    ``ended_early`` is called after Ctrl-C; ``over`` ends the search in time.
    """
    start, failed = time.perf_counter(), None
    every = math.ceil(math.prod(texels.sizes[0]) / COMPARED_TEXELS) | 1  # odd: covers all columns
    moved = list[int]()

    def measured() -> Errors:
        return mip_errors(decoder(field), texels, 0, every)

    before = measured()
    after: Errors | None = before  # None: the field has changed since
    with Interruption() as interruption:
        try:
            search_codes = searcher_of(field, texels, weights, gpu)
            for _ in range(passes):
                moved.append(search_codes(1, lambda: interruption.requested or over()))
                after = None if moved[-1] else after
                if interruption.requested or over() or not moved[-1]:
                    break
                after = _refitted(field, weights, measured, refit)
        except DeviceError as error:
            failed, after = NOT_REFINED.format(error=error), None
    timed_out = over()
    if interruption.requested:
        ended_early()
    after = measured() if after is None else after
    gain = mean_psnr(after, codings) - mean_psnr(before, codings)
    seconds = time.perf_counter() - start
    return CodeRefinement(sum(moved), seconds, gain, not interruption.requested, failed, timed_out)


def _refitted(
    field: Field, weights: torch.Tensor, measured: Callable[[], Errors],
    refit: Callable[[Field], None],
) -> Errors:  # fmt: skip
    """Train the decoder again, keep the result where it lowers the error; return the errors."""
    kept, shares = copy.deepcopy(field.network), weights.numpy()
    before = measured()
    refit(field)
    after = measured()
    if after @ shares > before @ shares:
        field.network, after = kept, before
    return after


def searcher_of(
    field: Field, texels: Texels, weights: torch.Tensor, gpu: Gpu | None = None
) -> Searcher:
    """Return a function that moves the codes of all plain grids to lower the stored error.

    Its arguments: the number of passes over all codes (fewer where none moves any more), and a
    function that is called between two bands of rows and returns True to end the search. It
    returns how many codes moved; the error never rises.

    Args:
        field: latents rounded, and the decoder as stored; its latents change in place. The
            decoder may differ from call to call.
        texels: the target; mips are weighted as they are drawn in training.
        weights: float32 [C], of channels in the loss.
        gpu: runs the search; None: the CPU.
    """
    groups = groups_of(field, texels, weights)
    if gpu is not None:
        from neuralshade.engine.kernels.refinement.refinement import GpuRefinement

        return GpuRefinement(gpu, field, groups).refine

    def searched(passes: int, stopped: Callable[[], bool] = lambda: False) -> int:
        return sum(descend_codes(field.network, group.levels, group.lattices, passes, stopped)
                   for group in groups)  # fmt: skip

    return searched


def groups_of(field: Field, texels: Texels, weights: torch.Tensor) -> list[Group]:
    """Return the levels of all plain grids, grouped by the mips that they serve."""
    grids = [(grid, first, tables[0].first) for grid, first, tables
             in placed_members(field.encoding) if isinstance(grid, LatentGrid)]  # fmt: skip
    groups, serves = list[Group](), grids[0][0].serves
    for index in range(len(grids[0][0].sizes)):  # no texel reads two levels
        mips = [mip for mip, serving in enumerate(serves) if serving == index]
        lattices = [MipTexels(field, texels, weights, mip) for mip in mips]
        levels = [LatentLevel.of(grid, index, first, lattices, number)
                  for grid, first, number in grids]  # fmt: skip
        groups.append(Group(levels, lattices))
    return groups


class MipTexels:
    """The texels of one mip, as a field decodes them: a ``Lattice``."""

    def __init__(self, field: Field, texels: Texels, weights: torch.Tensor, mip: int):
        width, height = texels.sizes[mip]
        self.encoding, self.texels, self.mip = field.encoding, texels, mip
        self.size = height, width
        self.beyond: tuple[float, ...] = (float(mip),)
        often = max(1.0, LEAST_TEXELS / (width * height))  # relative frequency in training
        self.weights: torch.Tensor | None = (weights * often).sqrt()
        self.alpha = texels.alpha

    def encoded(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the encoding of the texels of some rows: float32 [features, N]."""
        at = mip_positions(self.texels.sizes, self.mip, self._index(rows))
        return self.encoding(at).t().contiguous()

    def target(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the trained channels of some rows: float32 [C, rows, width] in [0, 1]."""
        place = self.texels.firsts[self.mip] + self._index(rows).numpy()
        words = self.texels.words[place].astype(np.float32) / np.float32(PEAK)
        found = torch.from_numpy(words).t().contiguous()
        return found.view(-1, len(rows), self.size[1])

    def targets(self) -> npt.NDArray[np.float32]:
        """Return the trained channels of all texels, row by row: float32 [texels, C]."""
        return self.texels.level_words(self.mip) * np.float32(1 / PEAK)

    def _index(self, rows: torch.Tensor) -> torch.Tensor:
        width = self.size[1]
        return (rows[:, None] * width + torch.arange(width)).flatten()


@lru_cache(maxsize=64)
def _axis(texels: int, pixels: int, wraps: bool) -> Axis:
    """Return an axis, which both sides of a square and several grids have alike."""
    return Axis(texels, pixels, wraps)


@dataclass
class LatentLevel(Level):
    """The codes of one stored level of a grid."""

    grid: LatentGrid
    index: int  # of the level

    @staticmethod
    def of(
        grid: LatentGrid, index: int, first: int, lattices: list[MipTexels], number: int
    ) -> LatentLevel:
        """Return a stored level of a grid.

        ``first``: index of its features in the encoding; ``number``: of the grid's first number.
        """
        width, height = grid.sizes[index]
        planes = grid.level(index).permute(2, 0, 1)
        codes = planes.clone(memory_format=torch.contiguous_format).mul_(grid.steps).round_()
        quantum = torch.full((grid.features,), 1 / grid.steps)
        sides = [((width, lattice.size[1]), (height, lattice.size[0])) for lattice in lattices]
        axes = [(_axis(*along, grid.wraps), _axis(*down, grid.wraps)) for along, down in sides]
        number += grid.firsts[index] * grid.stride
        # the encoding is 2 x - 1 of a latent
        return LatentLevel(codes, 2 * quantum, (0, grid.steps), first, axes, number, grid.stride,
                           0.0, quantum, grid, index)  # fmt: skip

    def apply(self, rows: slice) -> None:
        """Write the codes of some rows into the field."""
        part = self.codes[:, rows].permute(1, 2, 0)
        torch.div(part, self.grid.steps, out=self.grid.level(self.index)[rows])
