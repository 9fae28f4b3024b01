"""What draws a task and finds its mean loss: here, or in a process apart for one of a stranger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.shader.build import BuiltTask, build_shader_engine, build_task
from neuralshade.kinds.shader.engine import ShaderEngine
from neuralshade.kinds.shader.evaluate import loss_row
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.source.crop import Crop

if TYPE_CHECKING:
    from neuralshade.kinds.shader.program import TaskProgram


@dataclass(frozen=True)
class RenderRequest:
    """A trained task that is to be drawn: its module, values of its members by name, its recipe.

    ``values`` are numbers, text, arrays and Pictures, as ``build_task`` takes them; ``steps``: of
    its fit; ``channels``: of what it renders, 0 where that is nothing.
    """

    source: ShaderSource
    values: Mapping[str, Any]
    recipe: ShaderRecipe
    steps: int
    channels: int
    place: str  # the asset's

    def built(self) -> BuiltTask:
        """Return the task, compiled as far as its members go.

        Raises: AssetError where a stranger's does what no task needs; KernelError, ConfigError,
            PictureError as ``build_task`` does.
        """
        if self.source.foreign:
            from neuralshade.kinds.shader.screening import check_source

            check_source(self.source)
        return build_task(self.source, self.values, 0, trained=False)


class TaskRenderer(Protocol):
    """What draws one task; closed, it draws no more."""

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[np.float32]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped."""

    def row(self) -> dict[str, Any]:
        """Return what ``loss_row`` finds."""

    def program(self, name: str, unused: Sequence[str]) -> TaskProgram:
        """Return what ``task_program`` does."""

    def compiled(
        self, text: str, files: Mapping[str, str], target: str, entries: Sequence[str]
    ) -> bytes:
        """Return what ``compiled_here`` does."""

    def close(self) -> None: ...


class LocalRenderer:
    """Draws in this process, on a GPU of its own, which the thread that draws opens."""

    def __init__(self, request: RenderRequest):
        self.request, self.task = request, request.built()
        self.gpu: Gpu = open_gpu("auto")

    @cached_property
    def _engine(self) -> ShaderEngine:
        return build_shader_engine(self.task, self.request.recipe, self.gpu)

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[np.float32]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped."""
        return self._engine.draw(width, height, crop)

    def row(self) -> dict[str, Any]:
        """Return what ``loss_row`` finds."""
        w = self.request
        return loss_row(self.task, w.recipe, self.gpu, w.steps, w.source.name, w.place)

    def program(self, name: str, unused: Sequence[str]) -> TaskProgram:
        """Return what ``task_program`` does."""
        from neuralshade.kinds.shader.program import task_program  # few export

        return task_program(self.task, name, unused)

    def compiled(
        self, text: str, files: Mapping[str, str], target: str, entries: Sequence[str]
    ) -> bytes:
        """Return what ``compiled_here`` does."""
        from neuralshade.languages.translated import compiled_here  # few export

        if self.request.source.foreign:
            from neuralshade.gpu.module_files import files_folder
            from neuralshade.kinds.shader.screening import check_kernel

            for entry in entries:
                check_kernel(text, entry, self.request.place, files_folder(files))
        return compiled_here(text, files, target, entries)

    def close(self) -> None:
        """Give the GPU back."""
        self.gpu.close()
