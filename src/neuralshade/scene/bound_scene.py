"""Contents of a scene and their GPU bindings: meshes, materials, environment, camera.

Device half: path.view.slang, path.samples.slang.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.model.scattering import Scattering
from neuralshade.scene.bvh import build_bvh
from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.environment import Environment
from neuralshade.scene.shapes import Mesh
from neuralshade.source.crop import Crop

TILE = 8  # pixels along a side, as in path.view.slang
MODULES = ("neuralshade.gpu.random", "neuralshade.model.lobe_sampler",
           "neuralshade.model.ray_cone", "neuralshade.model.scattering", "neuralshade.scene.bvh",
           "neuralshade.scene.environment", "neuralshade.scene.lights")  # fmt: skip
VIEW = np.dtype([("eye", "3f4"), ("width", "u4"), ("right", "3f4"), ("height", "u4"),
                 ("up", "3f4"), ("bounces", "u4"), ("forward", "3f4"), ("seed", "u4"),
                 ("sample", "u4"), ("unused", "3u4")])  # fmt: skip


@dataclass(frozen=True)
class SceneContents:
    """Meshes with their materials, an environment and lights."""

    meshes: Sequence[tuple[Mesh, int, float]]  # mesh, index of its material, repeats of the texture
    materials: Sequence[Scattering]
    environment: Environment
    lights: Sequence[LightEntry] = ()


def material_with_text(materials: Sequence[Scattering]) -> Scattering:
    """Return the material with its own source text, or any. Raises ConfigError for two texts."""
    found = {each.text: each for each in materials if each.text}
    if len(found) > 1:
        raise ConfigError(f"scene: got {len(found)} materials to be shown by their references, "
                          "need one, since names of their texts may be equal. Leave the reference "
                          "of the others out.")  # fmt: skip
    return next(iter(found.values()), materials[0])


def fast_math(material: Scattering) -> bool:
    """Return whether CUDA may use approximate divisions and sines, which halves tracing time.

    Not with a material's own source text, whose noise may depend on the rounding of a sine.
    """
    return not material.text


def imports_text(modules: Iterable[str]) -> str:
    """Return the Slang imports of path.samples.slang and of these modules."""
    return "".join(f"import {module};\n" for module in dict.fromkeys([*MODULES, *modules]))


def bind_scene(gpu: Gpu, contents: SceneContents) -> dict[str, Any]:
    """Return the bindings of meshes and environment."""
    height, width = contents.environment.radiance.shape[:2]
    sky = {"numbers": gpu.buffer(contents.environment.numbers), "width": width, "height": height}
    return {"meshes": _meshes(gpu, contents), "environment": sky}


def _meshes(gpu: Gpu, contents: SceneContents) -> dict[str, Any]:
    vertices = np.concatenate([mesh.packed(tile) for mesh, _, tile in contents.meshes])
    firsts = np.cumsum([0, *(len(mesh.places) for mesh, _, _ in contents.meshes[:-1])])
    triangles = np.concatenate([
        np.pad(mesh.triangles + np.uint32(first), ((0, 0), (0, 1)), constant_values=material)
        for (mesh, material, _), first in zip(contents.meshes, firsts, strict=True)
    ]).astype(np.uint32)  # fmt: skip
    bvh = build_bvh(vertices[:, :3][triangles[:, :3]])
    return {"nodes": gpu.buffer(bvh.nodes), "edges": gpu.buffer(bvh.edges),
            "vertices": gpu.buffer(vertices),
            "triangles": gpu.buffer(triangles[bvh.order])}  # fmt: skip


def bind_materials(
    gpu: Gpu, materials: Sequence[Scattering], cases: Sequence[int], places: Sequence[int]
) -> dict[str, Any]:
    """Return the bindings of materials.

    ``cases``: the switch case of each; ``places``: its place in DecodedMaterials.
    """
    table = np.zeros((len(materials), 4), np.uint32)
    table[:, 0], table[:, 3] = cases, places
    number = word = 0
    for row, material in zip(table, materials, strict=True):
        row[1:3] = number, word
        number, word = number + len(material.numbers), word + len(material.words)
    return {"materials": gpu.buffer(table),
            "numbers": gpu.buffer(np.concatenate([m.numbers for m in materials])),
            "words": gpu.buffer(np.concatenate([np.zeros(0, np.uint32),
                                                *(m.words for m in materials)]))}  # fmt: skip


def view_of(camera: Camera, size: tuple[int, int], bounces: int, seed: int) -> npt.NDArray[Any]:
    """Return the device half's View of a camera, for a picture of that size in pixels."""
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
    """Return the view of a part of the picture, whose width is ``aspect`` times its height.

    The eye stays; the view direction points at the middle of the part.
    """
    found, (u0, v0, u1, v1) = view.copy(), region
    pixels = view["width"] / view["height"]
    found["forward"] += aspect * (u0 + u1 - 1) * view["right"] - (v0 + v1 - 1) * view["up"]
    found["right"] *= aspect * (u1 - u0) / pixels[:, None]
    found["up"] *= v1 - v0
    return found
