"""Judges of a fit: of its spheres and its light, and of its levels.

What they need of the reference takes half of the time that they take. On a GPU that two threads
may use, it is evaluated while the fit trains.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from contextlib import closing
from typing import Any

import numpy.typing as npt
import torch

from neuralshade.base.ahead import in_thread
from neuralshade.errors import DeviceError, NeuralShadeError
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.material.judging.judge import Judge, Judged
from neuralshade.kinds.material.judging.lit_surfaces import Shade
from neuralshade.kinds.material.judging.mip_judge import LevelJudge, Tensors, with_levels
from neuralshade.kinds.material.map_rows import Rows
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels

MOST_BYTES = 2**28  # of a reference's textures, which are in the GPU's memory twice meanwhile


class Judges:
    """Judges of one fit and its ``reference``, which is evaluated once."""

    def __init__(self, reference: ReferenceKernels, recipe: MaterialRecipe):
        self.reference, self.recipe = reference, recipe
        self._spheres, self._levels = Judge(reference), LevelJudge(reference, recipe)
        self._ahead: Future[tuple[Judge, LevelJudge]] | None = None
        self._begun = False

    def quick_psnr(self, shade: Shade) -> float:
        """Return ``Judge.quick_psnr``; after the first time the kernels are compiled."""
        found = self._spheres.quick_psnr(shade)
        if not self._begun:
            self._begun = True
            self._begin()
        return found

    def wait(self) -> None:
        """Wait until nothing evaluates the reference beside this thread.

        To be called before PyTorch records a CUDA graph: meanwhile no other thread may allocate.
        """
        if self._ahead is not None:
            wait([self._ahead])

    def judge(self, shade: Shade) -> Judged:
        """Return ``Judge.judge``."""
        self._take()
        return self._spheres.judge(shade)

    def with_levels(
        self, tensors: Tensors, trained: Sequence[Rows] | None
    ) -> tuple[dict[str, npt.NDArray[Any]], list[dict[str, Any]]]:
        """Return ``with_levels`` of these."""
        self._take()
        return with_levels(self._levels, tensors, trained)

    def _begin(self) -> None:
        """Begin to evaluate the reference in a thread, where the GPU and its memory allow that."""
        variables = self.reference.bsdf.variables.values()
        if sum(values.nbytes for values in variables) > MOST_BYTES:
            return
        try:
            gpu = self.reference.gpu.beside()
        except DeviceError:  # it is evaluated afterwards
            return
        if gpu is not None:
            count = torch.get_num_threads()
            self._ahead = in_thread(lambda: self._prepared(gpu, count))

    def _prepared(self, gpu: Gpu, count: int) -> tuple[Judge, LevelJudge]:
        """Return judges that have evaluated the reference on ``gpu``, which is closed.

        ``count``: of PyTorch's threads, which a new thread would take from another's that has
        fewer for a while.
        """
        torch.set_num_threads(count)
        with closing(gpu):
            reference = ReferenceKernels(gpu, self.reference.bsdf)
            spheres, levels = Judge(reference), LevelJudge(reference, self.recipe)
            spheres.prepare()
            _ = levels.queries
        return spheres, levels

    def _take(self) -> None:
        """Wait for what was begun, and use it; its errors are raised by evaluating again."""
        ahead, self._ahead, self._begun = self._ahead, None, True
        if ahead is None:
            return
        try:
            spheres, levels = ahead.result()
        except NeuralShadeError:
            return
        self._spheres.take(spheres)
        self._levels.take(levels)
