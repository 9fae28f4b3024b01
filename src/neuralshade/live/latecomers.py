"""Pages that connect while a fit finishes: they get its last result, and the reference."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.frame_cache import MOST_PIXELS, CachedFrame
from neuralshade.live.frame_choice import Frame, bare, panes_of
from neuralshade.live.frame_encoding import Floats

if TYPE_CHECKING:
    from neuralshade.live.client import Client
    from neuralshade.live.page_renderer import PageRenderer

LOOK_SECONDS = 0.1  # between two looks at who has connected
KEPT = "kept"  # mark of their frames: whoever draws next draws a whole one

log = logging.getLogger("neuralshade.live")


class Latecomers:
    """Serves pages from a thread of its own, until ``stop``.

    The fit's thread refines codes then, measures or writes a report, and draws between these alone.
    Nothing is drawn here but stored pictures; the result is the one that was drawn last.
    """

    def __init__(self, renderer: PageRenderer):
        self.renderer = renderer
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="neuralshade latecomers", daemon=True).start()

    def stop(self) -> None:
        """Serve no more pages."""
        self._stopped.set()

    def _run(self) -> None:
        number = self.renderer.number
        while not self._stopped.wait(LOOK_SECONDS) and self.renderer.number == number:
            try:
                send_kept(self.renderer)
            except Exception:  # drawing errors must never end a fit
                log.exception("live: a page could not be shown the last result; the fit goes on.")
                return


def keep(renderer: PageRenderer, step: int) -> None:
    """Cache the main picture at ``step``, where no page has it: for those that connect later."""
    scene = renderer.scene
    if scene is None or scene.main not in scene.changes or scene.is_lit(scene.main):
        return
    size = max(1, round(MOST_PIXELS**0.5))
    view = View(0, renderer.number, width=size, height=size, panes=(scene.main,))
    kept = renderer.cache.of(scene, view, (scene.main,))
    if kept and kept[0].step == step:
        return
    drawn = scene.fitted(bare(view), 1)
    frame = Frame(drawn, (scene.main,), sharp=False, slow=True)
    renderer.cache.note(scene, view, frame, {scene.main: scene.draw(scene.main, drawn)}, step)


def send_kept(renderer: PageRenderer) -> None:
    """Send pages that have no frame yet what is cached of the result, and stored pictures."""
    scene = renderer.scene
    if scene is None:
        return
    for client, view in renderer.channel.ready_views(KEPT):
        if client.is_new:
            _send(renderer, scene, client, view)


def _send(renderer: PageRenderer, scene: Scene, client: Client, view: View) -> None:
    panes = panes_of(scene, view)
    cached = renderer.cache.of(scene, view, [pane for pane in panes if pane in scene.changes])
    whole = scene.fitted(bare(view), 1)
    shown: dict[str, Floats | CachedFrame] = {one.pane: one for one in cached}
    shown |= {pane: scene.draw(pane, whole) for pane in panes if pane in scene.stored}
    if not shown:
        return
    header: dict[str, Any] = {"id": renderer.channel.reserve([(client, view)], KEPT),
                              "step": cached[0].step if cached else None, "draft": False,
                              "sharp": False}  # fmt: skip
    client.is_new = False
    for one in cached:
        one.begin(client)
    renderer.submit(header, shown, whole, [(client, view)], renderer.budgets[True])
