"""Path tracer on a device: one sample per pixel at a time.

Device half: path.cs.slang, one kernel for whole paths; wavefront.py is the other variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.gpu import Buffer, Commands, Gpu
from neuralshade.model.scattering import Scattering
from neuralshade.scene.bound_scene import (
    TILE,
    SceneContents,
    bind_materials,
    bind_scene,
    cropped,
    fast_math,
    imports_text,
    material_with_text,
    view_of,
)
from neuralshade.scene.decoded_materials import Decoding, decoded_materials
from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.lights import bind_lights, packed_lights
from neuralshade.scene.wavefront import WavefrontPaths
from neuralshade.source.crop import WHOLE, Crop


class PathKernels(Protocol):
    """Kernels that trace one more path through each pixel."""

    def record(self, commands: Commands, size: tuple[int, int]) -> None:
        """Record the kernels into ``commands``, for a picture of that width and height."""


class PathTracer:
    """A scene on a device; use it from one thread.

    Where a GPU evaluates fitted materials on its matrix units, paths advance in waves, whose points
    are sorted by material. Elsewhere one kernel traces all of a pixel's path, unsorted: materials
    of one type share their code and differ in the numbers that it reads, so that threads diverge
    only between types.
    """

    def __init__(
        self, gpu: Gpu, contents: SceneContents, camera: Camera, size: tuple[int, int], *,
        bounces: int, seed: int, decoding: Decoding = "matrices",
    ):  # fmt: skip
        """``decoding``: materials by which points are sorted, see ``decoded_materials``.

        Raises: DeviceError, KernelError.
        """
        self.gpu, self.size, self.count, self._first = gpu, size, 0, 0
        self._most, self._limits = size[0] * size[1], (bounces, seed)
        self._view = view_of(camera, size, *self._limits)
        self._views = gpu.buffer(self._view)
        self._sums = gpu.buffer(size=12 * self._most)
        lights = bind_lights(gpu, contents.lights)
        self._lights: Buffer = lights["all"]
        bound = {"views": self._views, "light_sums": self._sums, "lights": lights,
                 **bind_scene(gpu, contents)}  # fmt: skip
        decoded = decoded_materials(gpu, contents.materials, decoding)
        self.kernels: PathKernels
        if decoded is None:
            self.kernels = WholePaths(gpu, contents.materials, bound)
        else:
            self.kernels = WavefrontPaths(gpu, contents, decoded, bound, self._most, bounces)

    def aim(
        self, camera: Camera, size: tuple[int, int], lights: Sequence[LightEntry], *,
        aspect: float, region: Crop = WHOLE, first: int = 0,
    ) -> None:  # fmt: skip
        """Start another picture, with at most the first one's pixels and as many lights.

        Args:
            camera: new position.
            size: width and height in pixels.
            lights: instead of the scene's.
            aspect: width over height of the whole picture.
            region: the visible part of it.
            first: index of its first path; each index has its own random numbers.
        """
        assert size[0] * size[1] <= self._most, "the first picture has the most pixels"
        self.size, self.count, self._first = size, 0, first
        self._view = cropped(view_of(camera, size, *self._limits), aspect, region)
        commands = self.gpu.commands()
        commands.clear(self._sums)
        commands.upload(self._lights, 0, packed_lights(lights))
        commands.submit()

    def trace(self) -> None:
        """Trace one more path through each pixel."""
        self._view["sample"] = self._first + self.count
        commands = self.gpu.commands()
        commands.upload(self._views, 0, self._view)
        self.kernels.record(commands, self.size)
        commands.submit()
        self.gpu.wait()
        self.count += 1

    def radiance(self) -> npt.NDArray[np.float32]:
        """Return the mean of all paths so far, at least one: float32 [height, width, 3], linear."""
        width, height = self.size
        sums = self._sums.read().view(np.float32)[: 3 * width * height]
        return sums.reshape(height, width, 3) / np.float32(max(1, self.count))


class WholePaths:
    """One kernel that follows each pixel's path to its end."""

    def __init__(self, gpu: Gpu, materials: Sequence[Scattering], bound: Mapping[str, Any]):
        self.gpu = gpu
        types = sorted({(m.module, m.type) for m in materials})
        cases = [types.index((m.module, m.type)) for m in materials]
        inline = material_with_text(materials)
        variables = {
            **bound,
            **bind_materials(gpu, materials, cases, [0] * len(cases)),
            **{name: gpu.buffer(values) for name, values in inline.buffers.items()},
        }
        text = program_text(types, inline.text)
        self._kernel = gpu.kernel(text, "trace", variables, folder=inline.folder,
                                  fast_math=fast_math(inline))  # fmt: skip

    def record(self, commands: Commands, size: tuple[int, int]) -> None:
        """Record one more path through each pixel."""
        across, down = (-(-side // TILE) for side in size)
        commands.run(self.gpu.steps([(self._kernel, (across, down))]))


def program_text(types: Sequence[tuple[str, str]], inline: str = "") -> str:
    """Return the Slang text of a path tracer for these types of materials.

    ``inline``: source text that declares types without a module.
    """
    cases = "".join(f"    case {i}: scatter_from<{name}>(vertex, path); break;\n"
                    for i, (_, name) in enumerate(types))  # fmt: skip
    switch = ("\nvoid scatter(uint type, Vertex vertex, inout Path path)\n{\n    switch (type)\n"
              f"    {{\n{cases}    default: break;\n    }}\n}}\n")  # fmt: skip
    # last, since its macros must not affect other modules
    imports = imports_text(module for module, _ in types)
    return f'{imports}#include "neuralshade/scene/path.cs.slang"\n{inline}{switch}'
