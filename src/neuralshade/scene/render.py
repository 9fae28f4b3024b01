"""neuralshade scene: path-traced pictures of scenes with fitted materials."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.atomic import check_writable
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.interrupt import Interrupted, Interruption, interruptible
from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import named, shown
from neuralshade.base.progress_scope import part, working
from neuralshade.errors import AssetError, ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds import open_asset
from neuralshade.measure.display import error_picture
from neuralshade.model.scattering import Scattering
from neuralshade.scene.bound_scene import SceneContents
from neuralshade.scene.document import requested_number, requested_size
from neuralshade.scene.entries import MaterialEntry, MeshEntry, SceneDocument
from neuralshade.scene.environment import Environment, environment_of, picture_environment, sky
from neuralshade.scene.path import PathTracer
from neuralshade.scene.plain_surface import plain_scattering
from neuralshade.scene.shapes import BUILT_IN, Mesh
from neuralshade.scene.studio import requested_scene
from neuralshade.source.color import linear_to_srgb
from neuralshade.source.image_output import check_suffix, save_picture

Floats = npt.NDArray[np.float32]

SHOWS = ("fitted", "given", "difference", "panes")
NOTHING_YET = "interrupted before a first picture: nothing is written."
DIFFERENCE_SCALE = 4  # times, in sRGB, around grey


def render_scene(
    scene: str | os.PathLike[str] | SceneDocument,
    output: str | os.PathLike[str] | None = None,
    *,
    samples: int | None = None,
    size: tuple[int, int] | None = None,
    device: str = "auto",
    show: str | None = None,
    trust: bool = False,
    shape: str | None = None,
    reference: str | os.PathLike[str] | None = None,
    values: Mapping[str, Any] | None = None,
    environment: str | os.PathLike[str] | None = None,
) -> Floats:
    """Return a path-traced picture of a scene or of a single material, and save it.

    It is saved where there is an ``output``.

    An interruption ends it early: the paths so far are returned and saved. Before the first path
    through each pixel is complete, it raises KeyboardInterrupt.

    Args:
        scene: a TOML file, see docs/scene.md, or a scene read from one; or a material's asset,
            which is then shown on a floor under a window and a sky.
        output: .png, .jpg, .ppm or .exr file.
        samples: paths through each pixel, instead of the scene's.
        size: width and height in pixels, instead of the scene's.
        device: cuda, vulkan, metal, d3d12 or auto: hardware, else software Vulkan.
        show: fitted; given, with the ``reference`` in place of its asset; difference, four times
            the difference of the two, around grey; panes, all three. None is panes with a
            ``reference``, fitted otherwise.
        trust: run a reference that is a Slang module, and code of a MaterialX document.
        shape: of an asset: sphere, quad, box or, for None, a shader ball.
        reference: of an asset: its source.
        values: of an asset: its varied inputs, by name.
        environment: a latitude-longitude picture instead of the scene's environment; for an asset,
            then the only light.

    Returns:
        float32 [height, width, 3], linear, with the scene's exposure, not clamped; in sRGB,
        clamped to [0, 1], for difference and panes, whose width is three times the scene's.

    Raises: ConfigError for an invalid scene, and for a reference to show where there is none;
        AssetError, PictureError, OutputError, DeviceError, KernelError.
    """
    document = requested_scene(scene, shape=shape, reference=reference, values=values,
                           environment=environment)  # fmt: skip
    document = _overridden(document, samples, size)
    show = ("fitted" if reference is None else "panes") if show is None else show
    if output is not None:
        check_suffix(output)
        check_writable(output)
    _check_show(document, show)
    if show != "fitted" and not trust:
        check_code(document)
    with working("rendering"):
        if show in ("fitted", "given"):
            pixels, space = _rendered(document, device, show == "given", trust), "linear"
        else:
            pixels, space = _compared(document, device, show == "panes", trust), "srgb"
    if output is not None:
        save_picture(output, pixels, space)
    return pixels


def _check_show(document: SceneDocument, show: str) -> None:
    if show not in SHOWS:
        raise ConfigError(f"show: got {shown(show)}, need one of {', '.join(SHOWS)}."
                          f"{did_you_mean(show, SHOWS)}")  # fmt: skip
    if show != "fitted" and not any(entry.reference for entry in document.materials.values()):
        raise ConfigError(f"show: got {show} for a scene without references, need what an asset "
                          "was fitted to. Write reference = beside asset =.")  # fmt: skip


def check_code(document: SceneDocument) -> None:
    """Refuse code that the scene names without being trusted.

    Code of a MaterialX document is refused when it is read; TOML has none.
    """
    for name, entry in document.materials.items():
        if entry.reference is not None and entry.reference.lower().endswith(".slang"):
            raise ConfigError(f"{document.path or 'scene'}: materials.{named(name)}.reference: got "
                              "a Slang module, need one that you trust, since it runs here. Read "
                              "it, then add --trust, or trust=True in Python.")  # fmt: skip


def _compared(document: SceneDocument, device: str, panes: bool, trust: bool) -> Floats:
    """Return the difference of both, in sRGB; with ``panes``, reference and fitted left of it.

    Both use the same random numbers, and their paths coincide as long as possible.
    """
    both = (_rendered(document, device, as_reference, trust) for as_reference in (True, False))
    reference, fitted = (linear_to_srgb(np.clip(linear, 0, 1)) for linear in both)
    found = error_picture(reference, fitted, DIFFERENCE_SCALE)
    return np.concatenate([reference, fitted, found], axis=1) if panes else found


def _overridden(
    document: SceneDocument, samples: int | None, size: tuple[int, int] | None
) -> SceneDocument:
    """Return a scene with overrides of its samples and size."""
    width, height = (document.width, document.height) if size is None else requested_size(size)
    count = document.samples if samples is None else requested_number("samples", samples)
    return replace(document, samples=count, width=width, height=height)


def _rendered(document: SceneDocument, device: str, as_reference: bool, trust: bool) -> Floats:
    contents = scene_contents(document, as_reference, trust)
    gpu = open_gpu(device)
    try:
        with Interruption() as interruption:
            tracer = _first_path(document, gpu, contents)
            with part("paths", document.samples) as work:
                work.done = 1
                while tracer.count < document.samples and not interruption.requested:
                    tracer.trace()
                    work.done += 1
        found = tracer.radiance() * np.float32(2.0**document.exposure)
    finally:
        gpu.close()
    return finite_light(found)


def _first_path(document: SceneDocument, gpu: Gpu, contents: SceneContents) -> PathTracer:
    """Return a tracer after its first path through each pixel.

    An interruption takes effect at once: compiling may take longer than the timeout of a busy
    device, which would be taken for an endless kernel.

    Raises: KeyboardInterrupt, as there is no picture yet.
    """
    size = (document.width, document.height)
    try:
        with interruptible():
            tracer = PathTracer(gpu, contents, document.camera, size, bounces=document.bounces,
                                seed=document.seed)  # fmt: skip
            with part("compiling for the first path"):  # drivers compile at the first run
                tracer.trace()
    except Interrupted as error:
        raise KeyboardInterrupt(NOTHING_YET) from error
    return tracer


def finite_light(found: Floats) -> Floats:
    """Return the traced light. Raises AssetError where it is not finite."""
    if not np.isfinite(found).all():
        raise AssetError("scene: got light beyond float32, need finite light. Look for a light or "
                         "an asset with huge numbers.")  # fmt: skip
    return found


def scene_contents(
    document: SceneDocument, as_reference: bool = False, trust: bool = False
) -> SceneContents:
    """Return the contents of a scene; reads files and assets. Raises as ``render_scene``.

    ``as_reference``: references in place of their fitted assets; ``trust``: code of MaterialX
    documents among them may run.
    """
    _check_assets(document)
    entries = [_entry(document, mesh) for mesh in document.mesh]
    used = [each for i, each in enumerate(entries) if each not in entries[:i]]
    materials = [_scattering(document, each, as_reference, trust) for each in used]
    meshes = [(_mesh(document, m), used.index(each), m.tile)
              for m, each in zip(document.mesh, entries, strict=True)]  # fmt: skip
    return SceneContents(meshes, materials, _environment(document), document.light)


def _check_assets(document: SceneDocument) -> None:
    """Refuse a scene with a missing asset, and name the command that makes it."""
    for name in dict.fromkeys(mesh.material for mesh in document.mesh):
        entry = document.materials[name]
        if entry.asset is None or os.path.exists(asset := document.folder / entry.asset):
            continue
        source = os.path.normpath(document.folder / (entry.reference or ""))
        words = ["fit", "material", source if entry.reference else "MATERIAL", "-o", str(asset)]
        raise AssetError(f"{document.path or 'scene'}: materials.{named(name)}.asset: got no file "
                         f"{asset}, need what fit material made. Make it: "
                         f"{shlex.join(['neuralshade', *words])}")  # fmt: skip


def _entry(document: SceneDocument, mesh: MeshEntry) -> MaterialEntry:
    """Return a mesh's material, with the mesh's overrides of its inputs."""
    found = document.materials[mesh.material]
    return replace(found, set={**found.set, **mesh.set})


def _scattering(
    document: SceneDocument, entry: MaterialEntry, as_reference: bool, trust: bool
) -> Scattering:
    if entry.asset is None:
        return plain_scattering(entry.diffuse, entry.specular, entry.roughness)
    shown = as_reference and entry.reference is not None
    reference = document.folder / str(entry.reference) if shown else None
    opened = open_asset(document.folder / entry.asset, entry.set, trust=trust)
    if opened.kind.traced is None:
        raise AssetError(f"{opened.path}: got kind {opened.kind.name!r}, need a material. Fit one.")
    found: Scattering = import_object(opened.kind.traced)(opened, reference)
    return found


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
