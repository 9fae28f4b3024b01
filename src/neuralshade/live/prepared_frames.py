"""First pictures of a scene, drawn before pages are told of it: they drop those of the last one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.frame_choice import bare, one_pixel, panes_of
from neuralshade.live.progressive_drawing import Floats

MOST = 8  # pictures that are drawn beforehand; of other panes, what they need but once


class Prepared:
    """Pictures of a scene that is to be shown as pages look at the present one."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._drawn: dict[tuple[str, View], Floats] = {}

    def draw(self, scene: Scene, views: Iterable[View]) -> None:
        """Draw what ``views`` show of ``scene``: of panes that take long, a pixel."""
        self._scene, self._drawn = scene, {}
        wanted = {(pane, bare(scene.fitted(view, 1))) for view in views
                  for pane in panes_of(scene, view)}  # fmt: skip
        for pane, view in sorted(wanted, key=lambda one: one[0]):
            with suppress(Exception):  # who asks for it is told
                if pane in scene.drafts or len(self._drawn) >= MOST:
                    scene.draw(pane, one_pixel(view))
                else:
                    self._drawn[_key(scene, pane, view)] = scene.draw(pane, view)

    def take(self, scene: Scene, pane: str, view: View) -> Floats:
        """Return a pane, drawn beforehand or now."""
        if scene is not self._scene:
            self._drawn = {}
        known = self._drawn.pop(_key(scene, pane, view), None) if self._drawn else None
        return scene.draw(pane, view) if known is None else known


def _key(scene: Scene, pane: str, view: View) -> tuple[str, View]:
    return pane, replace(scene.seen_in(pane, view), scene=0)
