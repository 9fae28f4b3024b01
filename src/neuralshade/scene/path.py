"""Paths through a scene on a device, a pixel each at a time. Device half: path.cs.slang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu, run_once
from neuralshade.model.scattering import Scattering
from neuralshade.scene.bvh import build_bvh
from neuralshade.scene.document import Camera, LightEntry
from neuralshade.scene.environment import Environment
from neuralshade.scene.lights import bound_lights, packed_lights
from neuralshade.scene.shapes import Mesh
from neuralshade.source.crop import WHOLE, Crop

GROUP = 8  # pixels along a side, as in path.cs.slang
MODULES = ("neuralshade.gpu.random", "neuralshade.model.lobe_sampler",
           "neuralshade.model.ray_cone", "neuralshade.model.scattering", "neuralshade.scene.bvh",
           "neuralshade.scene.environment", "neuralshade.scene.lights")  # fmt: skip
VIEW = np.dtype([("eye", "3f4"), ("width", "u4"), ("right", "3f4"), ("height", "u4"),
                 ("up", "3f4"), ("bounces", "u4"), ("forward", "3f4"), ("seed", "u4"),
                 ("sample", "u4"), ("unused", "3u4")])  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """What stands where: meshes, the material of each as an index, and lights."""

    meshes: Sequence[tuple[Mesh, int, float]]  # mesh, material, times that it repeats
    materials: Sequence[Scattering]
    environment: Environment
    lights: Sequence[LightEntry] = ()


class PathTracer:
    """A scene on a device; use it from one thread.

    All paths of a pixel go through one kernel. Surfaces are not sorted by material: materials of
    one type are one piece of code and differ in the numbers that it reads, so that a group of
    threads parts only where it sees several types.
    """

    def __init__(
        self, gpu: Gpu, stage: Stage, camera: Camera, size: tuple[int, int], *,
        bounces: int, seed: int,
    ):  # fmt: skip
        """Raises: DeviceError, KernelError."""
        self.gpu, self.size, self.count, self._first = gpu, size, 0, 0
        self._most, self._ways = size[0] * size[1], (bounces, seed)
        self._view = _view(camera, size, *self._ways)
        self._views = gpu.buffer(self._view)
        self._sums = gpu.buffer(size=12 * self._most)
        lights = bound_lights(gpu, stage.lights)
        self._lights = lights["all"]
        types = sorted({(m.module, m.type) for m in stage.materials})
        variables = {"views": self._views, "light_sums": self._sums, **_meshes(gpu, stage),
                     **_materials(gpu, stage, types), "lights": lights,
                     "environment": _environment(gpu, stage.environment)}  # fmt: skip
        given = given_text(stage.materials)
        variables |= {name: gpu.buffer(values) for name, values in given.buffers.items()}
        text = program_text(types, given.text)
        self._kernel = gpu.kernel(text, "trace", variables, folder=given.folder)

    def aim(
        self, camera: Camera, size: tuple[int, int], lights: Sequence[LightEntry], *,
        aspect: float, region: Crop = WHOLE, first: int = 0,
    ) -> None:  # fmt: skip
        """Begin another picture: no more pixels than the first had, as many lights, elsewhere.

        Args:
            camera: where from.
            size: width and height in pixels.
            lights: instead of the stage's.
            aspect: width over height of the whole picture.
            region: the part of it that is seen.
            first: number of its first path; paths of other numbers are others.
        """
        assert size[0] * size[1] <= self._most, "the first picture has the most pixels"
        self.size, self.count, self._first = size, 0, first
        self._view = cropped(_view(camera, size, *self._ways), aspect, region)
        commands = self.gpu.commands()
        commands.clear(self._sums)
        commands.upload(self._lights, 0, packed_lights(lights))
        commands.submit()

    def trace(self) -> None:
        """Send one more path through each pixel."""
        self._view["sample"] = self._first + self.count
        commands = self.gpu.commands()
        commands.upload(self._views, 0, self._view)
        commands.submit()
        across, down = (-(-side // GROUP) for side in self.size)
        run_once(self.gpu, [(self._kernel, (across, down))])
        self.gpu.wait()
        self.count += 1

    def radiance(self) -> npt.NDArray[np.float32]:
        """Return the mean of all paths so far, one at least: float32 [height, width, 3], linear."""
        width, height = self.size
        sums = self._sums.read().view(np.float32)[: 3 * width * height]
        return sums.reshape(height, width, 3) / np.float32(max(1, self.count))


def given_text(materials: Sequence[Scattering]) -> Scattering:
    """Return a material that brings its text, or any. Raises ConfigError for two such texts."""
    found = {each.text: each for each in materials if each.text}
    if len(found) > 1:
        raise ConfigError(f"scene: got {len(found)} materials to be shown as they are given, need "
                          "one, since names of their texts may be equal. Leave the reference of "
                          "the others out.")  # fmt: skip
    return next(iter(found.values()), materials[0])


def program_text(types: Sequence[tuple[str, str]], given: str = "") -> str:
    """Return Slang text of a path tracer for these types of materials and no others.

    ``given``: text that declares those of no module.
    """
    modules = dict.fromkeys([*MODULES, *(module for module, _ in types)])
    imports = "".join(f"import {module};\n" for module in modules)
    cases = "".join(f"    case {i}: scatter_from<{name}>(vertex, path); break;\n"
                    for i, (_, name) in enumerate(types))  # fmt: skip
    switch = ("\nvoid scatter(uint type, Vertex vertex, inout Path path)\n{\n    switch (type)\n"
              f"    {{\n{cases}    default: break;\n    }}\n}}\n")  # fmt: skip
    # given last: its macros are nobody else's
    return f'{imports}#include "neuralshade/scene/path.cs.slang"\n{given}{switch}'


def _meshes(gpu: Gpu, stage: Stage) -> dict[str, Any]:
    vertices = np.concatenate([mesh.packed(tile) for mesh, _, tile in stage.meshes])
    firsts = np.cumsum([0, *(len(mesh.places) for mesh, _, _ in stage.meshes[:-1])])
    triangles = np.concatenate([
        np.pad(mesh.triangles + np.uint32(first), ((0, 0), (0, 1)), constant_values=material)
        for (mesh, material, _), first in zip(stage.meshes, firsts, strict=True)
    ]).astype(np.uint32)  # fmt: skip
    bvh = build_bvh(vertices[:, :3][triangles[:, :3]])
    return {"meshes": {"nodes": gpu.buffer(bvh.nodes), "vertices": gpu.buffer(vertices),
                       "triangles": gpu.buffer(triangles[bvh.order])}}  # fmt: skip


def _materials(gpu: Gpu, stage: Stage, types: Sequence[tuple[str, str]]) -> dict[str, Any]:
    table = np.zeros((len(stage.materials), 4), np.uint32)
    number = word = 0
    for row, material in zip(table, stage.materials, strict=True):
        row[:3] = types.index((material.module, material.type)), number, word
        number, word = number + len(material.numbers), word + len(material.words)
    return {"materials": gpu.buffer(table),
            "numbers": gpu.buffer(np.concatenate([m.numbers for m in stage.materials])),
            "words": gpu.buffer(np.concatenate([np.zeros(0, np.uint32),
                                                *(m.words for m in stage.materials)]))}  # fmt: skip


def _environment(gpu: Gpu, environment: Environment) -> dict[str, Any]:
    height, width = environment.radiance.shape[:2]
    return {"numbers": gpu.buffer(environment.numbers), "width": width, "height": height}


def _view(camera: Camera, size: tuple[int, int], bounces: int, seed: int) -> npt.NDArray[Any]:
    forward = np.subtract(camera.look_at, camera.position)
    forward = forward / np.linalg.norm(forward)
    pole = (0, 1, 0) if abs(forward[1]) < 0.9999 else (0, 0, -1)
    right = np.cross(forward, pole)
    right /= np.linalg.norm(right)
    half = np.tan(np.radians(camera.fov / 2))
    found = np.zeros(1, VIEW)
    found["eye"], found["forward"] = camera.position, forward
    found["right"], found["up"] = right * half, np.cross(right, forward) * half
    found["width"], found["height"], found["bounces"] = *size, bounces
    found["seed"] = seed
    return found


def cropped(view: npt.NDArray[Any], aspect: float, region: Crop) -> npt.NDArray[Any]:
    """Return a view of a part of the picture, whose width is ``aspect`` times its height.

    The eye stays: what the middle of the part shows is ahead.
    """
    found, (u0, v0, u1, v1) = view.copy(), region
    pixels = view["width"] / view["height"]
    found["forward"] += aspect * (u0 + u1 - 1) * view["right"] - (v0 + v1 - 1) * view["up"]
    found["right"] *= aspect * (u1 - u0) / pixels[:, None]
    found["up"] *= v1 - v0
    return found
