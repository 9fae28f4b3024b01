"""Renderers of a task: interface, and the local one. The sandboxed one: sandbox/renderer.py."""

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
    """A trained task to be drawn: its module, its members' values by name, its recipe.

    ``values`` are numbers, text, arrays and Pictures, as ``build_task`` takes them; ``steps``: of
    its fit; ``channels``: of the picture, 0 for a task without render.
    """

    source: ShaderSource
    values: Mapping[str, Any]
    recipe: ShaderRecipe
    steps: int
    channels: int
    place: str  # the asset's

    def built(self) -> BuiltTask:
        """Return the task, compiled as far as reflecting its members needs.

        Raises: AssetError for a stranger's that does what no task needs; KernelError, ConfigError,
            PictureError as ``build_task`` does.
        """
        if self.source.foreign:
            from neuralshade.kinds.shader.screening import check_source

            check_source(self.source)
        return build_task(self.source, self.values, 0, trained=False)


class TaskRenderer(Protocol):
    """Draws one task, until it is closed."""

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[np.float32]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped."""

    def row(self) -> dict[str, Any]:
        """Return the row of ``loss_row``."""

    def program(self, name: str, unused: Sequence[str]) -> TaskProgram:
        """Return the program of ``task_program``."""

    def compiled(
        self, text: str, files: Mapping[str, str], target: str, entries: Sequence[str]
    ) -> bytes:
        """Return the code of ``compile_in_process``."""

    def close(self) -> None: ...


class LocalRenderer:
    """Draws in this process, on its own GPU device, opened by the calling thread."""

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
        """Return the row of ``loss_row``."""
        w = self.request
        return loss_row(self.task, w.recipe, self.gpu, w.steps, w.source.name, w.place)

    def program(self, name: str, unused: Sequence[str]) -> TaskProgram:
        """Return the program of ``task_program``."""
        from neuralshade.kinds.shader.program import task_program  # few export

        return task_program(self.task, name, unused)

    def compiled(
        self, text: str, files: Mapping[str, str], target: str, entries: Sequence[str]
    ) -> bytes:
        """Return the code of ``compile_in_process``."""
        from neuralshade.languages.program_calls import compile_in_process  # few export

        if self.request.source.foreign:
            from neuralshade.gpu.module_files import files_folder
            from neuralshade.kinds.shader.screening import check_kernel

            for entry in entries:
                check_kernel(text, entry, self.request.place, files_folder(files))
        return compile_in_process(text, files, target, entries)

    def close(self) -> None:
        """Close the GPU."""
        self.gpu.close()
