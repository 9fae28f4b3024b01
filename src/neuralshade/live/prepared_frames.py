"""Pictures of the next scene, drawn before pages switch to it and drop the last one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.frame_choice import bare, one_pixel, panes_of
from neuralshade.live.progressive_drawing import Floats

MOST = 8  # pictures drawn in advance; other panes only get their setup


class PreparedFrames:
    """Pictures of the next scene in the views of the present one."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._drawn: dict[tuple[str, View], Floats] = {}

    def draw(self, scene: Scene, views: Iterable[View]) -> None:
        """Draw the panes of ``views``; of slow panes, one pixel."""
        self._scene, self._drawn = scene, {}
        panes = {(pane, bare(scene.fitted(view, 1))) for view in views
                  for pane in panes_of(scene, view)}  # fmt: skip
        for pane, view in sorted(panes, key=lambda one: one[0]):
            with suppress(Exception):  # the error is reported when a page requests the pane
                if pane in scene.drafts or len(self._drawn) >= MOST:
                    scene.draw(pane, one_pixel(view))
                else:
                    self._drawn[_key(scene, pane, view)] = scene.draw(pane, view)

    def take(self, scene: Scene, pane: str, view: View) -> Floats:
        """Return a pane, drawn in advance or now."""
        if scene is not self._scene:
            self._drawn = {}
        known = self._drawn.pop(_key(scene, pane, view), None) if self._drawn else None
        return scene.draw(pane, view) if known is None else known


def _key(scene: Scene, pane: str, view: View) -> tuple[str, View]:
    return pane, replace(scene.relevant_view(pane, view), scene=0)
