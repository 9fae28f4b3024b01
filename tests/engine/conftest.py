"""What tests of kernels share: one dispatch of an entry point over NumPy arrays; a user's task."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from neuralshade.gpu.gpu import Gpu, Kernel
from neuralshade.recipes.shader import ShaderRecipe
from neuralshade.recipes.shader_build import build_shader_engine, build_task
from neuralshade.source.shader import ShaderSource

TASK = """import neuralshade.model.trainable;
{before}
struct Task : ITask
{{
    {members}

    [Differentiable]
    float loss(no_diff Thread thread)
    {{
        {body}
    }}
    {after}
}}
"""


class Dispatch:
    """Runs entry points of one text; what buffers hold afterwards is in ``read``."""

    def __init__(self, gpu: Gpu, text: str, arrays: Mapping[str, np.ndarray], others: Any):
        self.gpu, self.text, self.others = gpu, text, others
        self.buffers = {name: gpu.buffer(array) for name, array in arrays.items()}
        self.kernels: dict[str, Kernel] = {}

    def run(self, *entries: tuple[str, int], shared_bytes: int = 0) -> None:
        """Run each (entry point, groups) after the one before it."""
        dispatches = [(self._kernel(entry, shared_bytes), groups) for entry, groups in entries]
        commands = self.gpu.commands()
        commands.run(self.gpu.steps(dispatches))
        commands.submit()

    def _kernel(self, entry: str, shared_bytes: int) -> Kernel:
        if entry not in self.kernels:  # compiling one takes seconds
            variables = {**self.others, **self.buffers}
            self.kernels[entry] = self.gpu.kernel(
                self.text, entry, variables, shared_bytes=shared_bytes
            )
        return self.kernels[entry]

    def write(self, **arrays: np.ndarray) -> None:
        """Replace the contents of buffers."""
        commands = self.gpu.commands()
        for name, array in arrays.items():
            commands.upload(self.buffers[name], 0, array)
        commands.submit()

    def read(self, name: str, dtype: Any, count: int) -> np.ndarray:
        """Return the first ``count`` elements of a buffer."""
        raw = self.buffers[name].read()
        return raw[: count * np.dtype(dtype).itemsize].view(dtype)


@pytest.fixture(scope="session")
def dispatch(gpu):
    """Give a function that uploads ``arrays`` for a text; ``others`` are bound as they are."""

    def build(text: str, arrays: Mapping[str, np.ndarray], **others: Any) -> Dispatch:
        return Dispatch(gpu, text, arrays, others)

    return build


@pytest.fixture(scope="session")
def module():
    """Return what makes a user's module of members and the text of the loss."""

    def build(members, body, after="", before=""):
        text = TASK.format(members=members, body=body, after=after, before=before)
        return ShaderSource(text, "task.slang")

    return build


@pytest.fixture(scope="session")
def engine_of():
    """Return what makes the engine of a user's module."""

    def build(gpu, source, values=None, threads="8x8", **settings):
        recipe = ShaderRecipe(threads=threads, steps=1, **settings)
        return build_shader_engine(build_task(source, values or {}, recipe.seed), recipe, gpu)

    return build
