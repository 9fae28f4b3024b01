"""Panes of an asset's live scene, drawn for files: one pane, with light, turn and mip level."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.argument_checks import is_whole
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import REFERENCE, TARGET, Scene, View
from neuralshade.kinds.kind import Opened
from neuralshade.measure.display import error_picture
from neuralshade.source.color import linear_to_srgb
from neuralshade.source.crop import WHOLE, Crop

Floats = npt.NDArray[np.float32]
DIFFERENCE = "difference"  # from the first pane; of another pane: difference:PANE
DIFFERENCE_SCALE = 4  # times, around grey
HIGHEST_DEG = 90.0  # of a light: at the eye, or over a plane


@dataclass(frozen=True)
class PaneRequest:
    """Request for a pane instead of an asset's own picture."""

    show: str | None = None  # a pane of its scene, or a difference; None is the first
    reference: Any = None  # source of the asset
    light: tuple[float, ...] | None = None  # azimuth and elevation in degrees, or a direction
    turn: tuple[float, float] | None = None  # around and over, degrees
    level: int = 0  # of the mips


class PaneDrawing:
    """A pane of an asset's scene that is drawn as an asset is: any size, any part."""

    def __init__(self, opened: Opened, request: PaneRequest):
        """Raises: ConfigError for unsupported requests; errors of ``Opened.scene``."""
        if not isinstance(request.show, str | None):
            raise ConfigError(f"show: got {shown(request.show)}, need the name of a pane as text. "
                              "Leave it out for the first one.")  # fmt: skip
        if not is_whole(request.level):
            raise ConfigError(f"level: got {shown(request.level)}, need a whole number. Leave it "
                              "out for the finest.")  # fmt: skip
        if request.reference is not None:
            opened.check_reference(request.reference)
        scene = opened.scene(request.reference)
        self.scene, self.pane, self.other = scene, *_chosen(scene, request)
        self.opened, self.path, self.byte_count = opened, opened.path, opened.byte_count
        self.draws_view = opened.draws_view
        count = len(scene.levels)
        if not 0 <= request.level < max(1, count):
            need = f"one of 0 to {count - 1}."
            if count < 2:
                need = "a picture of which mip levels are shown one by one. Leave it out."
            raise ConfigError(f"level: got {request.level}, need {need}")
        light = None if request.light is None else _angles(scene, self.pane, request.light)
        if request.turn is not None and self.pane not in scene.rotatable:
            raise ConfigError(f"turn: got it for {self.pane}, need a pane that turns"
                              f"{_listed(scene.rotatable)}. Leave it out.")  # fmt: skip
        self._as_light = False
        self._view = View(0, 0, light=light, turn=request.turn, level=request.level)

    @property
    def size(self) -> tuple[int, int]:
        """Return the default width and height."""
        return self.scene.size_of(self._view.level)

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return the used part of the facts in ``Opened.picture``."""
        return {"channels": self.scene.channels}

    @property
    def color_space(self) -> str:
        """Return linear or srgb; a difference is always sRGB."""
        linear = self.scene.linear and self.other is None
        return "linear" if linear or self._as_light else "srgb"

    def as_light(self) -> None:
        """Switch a lit pane that is not compared to linear light."""
        scene = self.scene
        lit = scene.is_lit(self.pane) and self.other is None
        self._as_light = lit and scene.radiance is not None

    def __enter__(self) -> PaneDrawing:
        return self

    def __exit__(self, *exception: object) -> None:
        self.opened.close()

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> Floats:
        """Return float32 [height, width, C]; a difference is around grey."""
        view = replace(self._view, region=crop, width=width, height=height, screen=(width, height))
        if self._as_light and self.scene.radiance is not None:
            return self.scene.radiance(self.pane, view)
        drawn = self.scene.draw(self.pane, view)
        if self.other is None:
            return drawn
        target, result = self._on_screen(self.scene.draw(self.other, view)), self._on_screen(drawn)
        return error_picture(target, result, DIFFERENCE_SCALE)

    def _on_screen(self, picture: Floats) -> Floats:
        clipped: Floats = picture.clip(0, 1)
        return linear_to_srgb(clipped) if self.scene.linear else clipped


def _chosen(scene: Scene, request: PaneRequest) -> tuple[str, str | None]:
    """Return the pane, and for a difference its reference pane."""
    show = scene.main if request.show is None else request.show
    pane = show.removeprefix(f"{DIFFERENCE}:") if show != DIFFERENCE else scene.main
    if pane not in scene.titles:
        known = [*scene.titles, DIFFERENCE]
        more = _without_reference(request, pane)
        raise ConfigError(f"show: got {shown(show)}, need one of {known}."
                          f"{more or did_you_mean(show, known)}")  # fmt: skip
    if pane == show:
        return pane, None
    beside = scene.beside(pane)
    if beside is None:
        raise ConfigError(f"show: got {shown(show)}, need a pane that has something beside it."
                          f"{_without_reference(request, REFERENCE)}")  # fmt: skip
    return pane, beside


def _without_reference(request: PaneRequest, pane: str) -> str:
    if request.reference is not None or not pane.startswith((REFERENCE, TARGET)):
        return ""
    return " Name what it was fitted to with --reference."


def _angles(scene: Scene, pane: str, light: tuple[float, ...]) -> tuple[float, float]:
    """Return azimuth and elevation in degrees, in the scene's convention."""
    if scene.light is None or not scene.is_lit(pane):
        panes = () if scene.light is None else scene.light.panes
        raise ConfigError(f"light: got one for {pane}, need a pane that is lit"
                          f"{_listed(panes)}. Leave it out.")  # fmt: skip
    azimuth, elevation = light if len(light) == 2 else _angles_to(*light)
    if not 0 <= elevation <= HIGHEST_DEG:  # panes would clamp it
        raise ConfigError(f"light: got {','.join(f'{n:g}' for n in light)}, whose elevation is "
                          f"{elevation:.4g} degrees, need one from 0 to {HIGHEST_DEG:g}: a light "
                          "on the side that is seen. Turn it.")  # fmt: skip
    return azimuth, elevation


def _angles_to(x: float, y: float, z: float) -> tuple[float, float]:
    """Return azimuth and elevation in degrees of a direction of any length."""
    length = math.hypot(x, y, z)
    if not (math.isfinite(length) and length > 0):
        raise ConfigError(f"light: got {x:g},{y:g},{z:g}, need a direction.")
    return math.degrees(math.atan2(x, y)), math.degrees(math.asin(z / length))


def _listed(panes: tuple[str, ...]) -> str:
    return f", one of {list(panes)}" if panes else ", which this asset has not"
