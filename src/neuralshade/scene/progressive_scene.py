"""Progressive path tracing of a scene for live pages: sharper as long as a view stays."""

from __future__ import annotations

import logging
import math
import os
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neuralshade.base.closeable import Closeable
from neuralshade.base.progress_scope import working
from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import REFERENCE, RESULT, Light, Scene, View
from neuralshade.gpu.open import open_gpu
from neuralshade.scene.document import read_scene
from neuralshade.scene.entries import LightEntry, SceneDocument
from neuralshade.scene.orbit import light_angles, orbit_camera, orbit_light
from neuralshade.scene.path import PathTracer
from neuralshade.scene.render import check_code, finite_light, scene_contents
from neuralshade.source.crop import WHOLE, Crop

log = logging.getLogger("neuralshade")
Floats = npt.NDArray[np.float32]
FRAME_SECONDS = 0.15  # target time of a drawing; sets the resolution of a view's first one
LONGEST = 4.0  # times that, in which a pane catches up with the paths of its counterpart
COARSEST = 16  # largest divisor of each side
WARM_PX = 64  # sides of a picture that measures the time of a path
MOST_PIXELS = 2**21  # of a picture; larger views scale it up
KEPT = 6  # pictures of recent views


@dataclass(frozen=True)
class PictureKey:
    """Key of a picture: materials, size, region, camera and light."""

    reference: bool  # materials by their references, not by fitted assets
    size: tuple[int, int]
    region: Crop
    turn: tuple[float, float]
    light: tuple[float, float] | None


@dataclass
class PathSum:
    """Accumulated paths of a picture."""

    radiance: Floats  # [height, width, 3], sum of all paths
    paths: int  # 0: a preview with fewer pixels, not part of the sum


class ProgressiveScene(Closeable):
    """Draws a scene's panes for live pages; use it from one thread.

    A new view is drawn as a small picture with one path a pixel; drawn again it has all of its
    pixels and more paths, up to the scene's ``samples``. Two compared panes that are drawn equally
    often have the same pixels and the same paths.
    """

    def __init__(self, document: SceneDocument, device: str = "auto", *, reference: bool = False,
                 trust: bool = False):  # fmt: skip
        """``reference``: also show the material that has a ``reference`` by its reference.

        Raises: what ``render_scene`` does.
        """
        self.document, self.reference = document, reference
        self._tracers: dict[bool, PathTracer] = {}
        self._sums: OrderedDict[PictureKey, PathSum] = OrderedDict()
        self._pixel_seconds = 0.0  # of a path
        # report missing files before anything compiles, which takes half a minute
        stages = {each: scene_contents(document, each, trust)
                  for each in ((False, True) if reference else (False,))}  # fmt: skip
        self._gpu = open_gpu(device)
        try:
            for as_reference, contents in stages.items():
                self._tracers[as_reference] = PathTracer(
                    self._gpu, contents, document.camera, (MOST_PIXELS, 1),
                    bounces=document.bounces, seed=document.seed,
                )  # fmt: skip
                with working("compiling for the first path"):
                    for _ in range(2):  # the first one compiles; the second measures
                        self._traced(
                            PictureKey(as_reference, (WARM_PX, WARM_PX), WHOLE, (0, 0), None), 0
                        )
        except BaseException:
            self._gpu.close()
            raise

    def close(self) -> None:
        """Release the device."""
        self._gpu.close()

    def scene(self, name: str) -> Scene:
        """Return the scene for pages."""
        fitted = any(self.document.materials[mesh.material].asset for mesh in self.document.mesh)
        panes = {RESULT: "Fitted" if fitted else "Path traced"} | (
            {REFERENCE + RESULT: "Given"} if self.reference else {}
        )
        document, light = self.document, None
        if document.light:
            angles = light_angles(document.camera, document.light[0])
            light = Light(*angles, tuple(panes))
        return Scene("scene", name, document.width, document.height, 3, True, True, True, panes,
                     self.draw, (), light=light, rotatable=tuple(panes),
                     settled=self.settled, rough=self.rough)  # fmt: skip

    def draw(self, pane: str, view: View) -> Floats:
        """Return a pane, float32 [height, width, 3], linear, with the scene's exposure.

        In the traced size: fewer pixels than the view's where that is new.
        """
        key = self._key(pane, view)
        found = self._sums.get(key)
        if found is None:
            found = self._sums[key] = self._first_picture(key)
        elif found.paths < self.document.samples:
            found = self._sums[key] = self._more(key, found)
        self._sums.move_to_end(key)
        while len(self._sums) > KEPT:
            self._sums.popitem(last=False)
        return found.radiance * np.float32(2.0**self.document.exposure / max(found.paths, 1))

    def settled(self, pane: str, view: View) -> bool:
        """Return whether a pane of a view has all of its paths."""
        found = self._sums.get(self._key(pane, view))
        return found is not None and found.paths >= self.document.samples

    def rough(self, pane: str, view: View) -> bool:
        """Return whether a pane is a preview, or has far more noise than its counterpart."""
        key = self._key(pane, view)
        found, other = self._sums.get(key), self._counterpart(key)
        paths = 0 if found is None else found.paths
        return paths == 0 or (other is not None and 2 * paths < other.paths)

    def _counterpart(self, key: PictureKey) -> PathSum | None:
        """Return the accumulated paths of the same view in the other pane."""
        return self._sums.get(replace(key, reference=not key.reference))

    def _key(self, pane: str, view: View) -> PictureKey:
        by = max(1, math.ceil(math.sqrt(view.width * view.height / MOST_PIXELS)))
        size = max(1, view.width // by), max(1, view.height // by)
        light = view.light if self.document.light else None
        return PictureKey(
            pane.startswith(REFERENCE), size, view.region, view.turn or (0.0, 0.0), light
        )

    def _first_picture(self, key: PictureKey) -> PathSum:
        """Return the first picture of a view: complete if time allows, otherwise a preview.

        A preview is not part of the sum.
        """
        other = self._counterpart(key)
        if other is not None and other.paths == 0:
            size = other.radiance.shape[1], other.radiance.shape[0]
        else:
            (width, height), by = key.size, self._coarseness(key.size)
            size = max(1, width // by), max(1, height // by)
        found = self._traced(replace(key, size=size), 0)
        return found if size == key.size else PathSum(found.radiance, 0)

    def _coarseness(self, size: tuple[int, int]) -> int:
        """Return the divisor of each side at which one path a pixel is in time."""
        by = math.ceil(math.sqrt(size[0] * size[1] * self._pixel_seconds / FRAME_SECONDS))
        return min(max(by, 1), COARSEST)

    def _more(self, key: PictureKey, found: PathSum) -> PathSum:
        """Return a picture with more paths: one, and others while there is time.

        Up to the number of its counterpart, where that is ahead.
        """
        other = self._counterpart(key)
        if other is not None and other.paths > found.paths:
            most, seconds = other.paths - found.paths, LONGEST * FRAME_SECONDS
        else:
            most, seconds = self.document.samples - found.paths, FRAME_SECONDS
        new = self._traced(key, found.paths, most, seconds)
        before = found.radiance if found.paths else np.float32(0)
        return PathSum(before + new.radiance, found.paths + new.paths)

    def _traced(self, key: PictureKey, first: int, most: int = 1, seconds: float = 0.0) -> PathSum:
        """Trace paths from index ``first`` on: one, and up to ``most`` within ``seconds``."""
        document, tracer = self.document, self._tracers[key.reference]
        camera = orbit_camera(document.camera, *key.turn)
        begin = time.perf_counter()
        tracer.aim(camera, key.size, self._lights(key), region=key.region, first=first,
                   aspect=document.width / document.height)  # fmt: skip
        while tracer.count == 0 or (tracer.count < most
                                    and time.perf_counter() - begin < seconds):  # fmt: skip
            tracer.trace()
        found = finite_light(tracer.radiance() * np.float32(tracer.count))
        pixels = key.size[0] * key.size[1]
        self._pixel_seconds = (time.perf_counter() - begin) / (pixels * tracer.count)
        return PathSum(found, tracer.count)

    def _lights(self, key: PictureKey) -> tuple[LightEntry, ...]:
        """Return the scene's lights, the first one as moved by the page."""
        lights, camera = self.document.light, self.document.camera
        if key.light is None:
            return lights
        return (orbit_light(camera, lights[0], *key.light), *lights[1:])


def open_progressive_scene(
    path: str | os.PathLike[str], *, trust: bool = False
) -> ProgressiveScene:
    """Return a TOML file's scene for live pages, with its reference where it has one.

    ``trust``: run a reference that is a Slang module; otherwise it is omitted with a warning, as
    are references of several materials. Code of a MaterialX document is refused without it.

    Raises: what ``render_scene`` does.
    """
    document = read_scene(path)
    shown = {document.materials[mesh.material].reference for mesh in document.mesh} - {None}
    reference = len(shown) == 1
    if len(shown) > 1:
        log.warning("scene: got references of %d materials, need one with a reference. "
                    "All are shown as fitted.", len(shown))  # fmt: skip
    if reference and not trust:
        try:
            check_code(document)
        except ConfigError as error:
            log.warning("%s", error)
            reference = False
    return ProgressiveScene(document, reference=reference, trust=trust)
