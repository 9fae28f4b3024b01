"""neuralshade scene: a scene of fitted materials as a picture."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neuralshade.base.atomic import check_writable
from neuralshade.base.interrupt import Interruption
from neuralshade.base.work import part, working
from neuralshade.errors import AssetError
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds import open_asset
from neuralshade.model.scattering import Scattering
from neuralshade.scene.document import MaterialEntry, MeshEntry, SceneDocument, read_scene
from neuralshade.scene.environment import Environment, environment_of, picture_environment, sky
from neuralshade.scene.path import PathTracer, Stage
from neuralshade.scene.plain import plain_scattering
from neuralshade.scene.shapes import BUILT_IN, Mesh
from neuralshade.source.image_output import check_suffix, save_picture

Floats = npt.NDArray[np.float32]


def render_scene(
    scene: str | os.PathLike[str] | SceneDocument,
    output: str | os.PathLike[str] | None = None,
    *,
    samples: int | None = None,
    size: tuple[int, int] | None = None,
    device: str = "auto",
) -> Floats:
    """Return a path-traced picture of a scene, and save it where ``output`` is given.

    An interruption ends it early: what the paths so far have seen is returned and saved.

    Args:
        scene: a TOML file, see docs/scene.md, or what was read of one.
        output: .png, .jpg, .ppm or .exr file.
        samples: paths through each pixel, in place of the scene's.
        size: width and height in pixels, in place of the scene's.
        device: cuda, vulkan, metal, d3d12 or auto: hardware, else software Vulkan.

    Returns:
        float32 [height, width, 3], linear, with the scene's exposure, not clamped.

    Raises: ConfigError for a scene that is none; AssetError, PictureError, OutputError,
        DeviceError, KernelError.
    """
    document = scene if isinstance(scene, SceneDocument) else read_scene(scene)
    if output is not None:
        check_suffix(output)
        check_writable(output)
    document = _asked(document, samples, size)
    with working("rendering"):
        pixels = _rendered(document, device)
    if output is not None:
        save_picture(output, pixels, "linear")
    return pixels


def _asked(
    document: SceneDocument, samples: int | None, size: tuple[int, int] | None
) -> SceneDocument:
    """Return a scene with what was asked in place of its own."""
    width, height = (document.width, document.height) if size is None else size
    count = document.samples if samples is None else samples
    return replace(document, samples=count, width=width, height=height)


def _rendered(document: SceneDocument, device: str) -> Floats:
    stage = stage_of(document)
    gpu = open_gpu(device)
    try:
        size = (document.width, document.height)
        tracer = PathTracer(gpu, stage, document.camera, size, bounces=document.bounces,
                            seed=document.seed)  # fmt: skip
        with Interruption() as interruption, part("paths", document.samples) as work:
            while tracer.count < document.samples and not (tracer.count and interruption.requested):
                tracer.trace()
                work.done += 1
        found = tracer.radiance() * np.float32(2.0**document.exposure)
    finally:
        gpu.close()
    if not np.isfinite(found).all():
        raise AssetError("scene: got light beyond float32, need finite light. Look for a light or "
                         "an asset with huge numbers.")  # fmt: skip
    return found


def stage_of(document: SceneDocument) -> Stage:
    """Return what stands where; files and assets are read. Raises as ``render_scene`` does."""
    entries = [_entry(document, mesh) for mesh in document.mesh]
    used = [each for i, each in enumerate(entries) if each not in entries[:i]]
    materials = [_scattering(document, each) for each in used]
    meshes = [(_mesh(document, m), used.index(each), m.tile)
              for m, each in zip(document.mesh, entries, strict=True)]  # fmt: skip
    return Stage(meshes, materials, _environment(document), document.light)


def _entry(document: SceneDocument, mesh: MeshEntry) -> MaterialEntry:
    """Return a mesh's material, with the values that the mesh gives its inputs."""
    found = document.materials[mesh.material]
    return replace(found, set={**found.set, **mesh.set})


def _scattering(document: SceneDocument, entry: MaterialEntry) -> Scattering:
    if entry.asset is None:
        return plain_scattering(entry.diffuse, entry.specular, entry.roughness)
    return open_asset(document.folder / entry.asset, entry.set).scattering()


def _mesh(document: SceneDocument, entry: MeshEntry) -> Mesh:
    if entry.shape is not None:
        mesh = BUILT_IN[entry.shape]()
    else:
        from neuralshade.scene.gltf import load_gltf

        mesh = load_gltf(document.folder / str(entry.file))
    return mesh.moved(entry.scale, entry.rotation, entry.position)


def _environment(document: SceneDocument) -> Environment:
    around = document.environment
    if around.picture is not None:
        return picture_environment(document.folder / around.picture, around.strength)
    if around.color is not None:
        return environment_of(np.full((1, 1, 3), around.color, np.float32))
    return sky(around.zenith, around.horizon, around.ground)
