"""Late pages: they connect while a fit finishes, and get its last result and the reference."""

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

POLL_SECONDS = 0.1  # between two checks for new pages
KEPT = "kept"  # mark of cached frames, so that the next drawing is a whole one

log = logging.getLogger("neuralshade.live")


class LatePages:
    """Serves new pages from its own thread, until ``stop``.

    Meanwhile the fit's thread refines codes, measures or writes a report, and draws in between
    only. Nothing is computed here: pages get stored pictures, and the last result that was drawn.
    """

    def __init__(self, renderer: PageRenderer):
        self.renderer = renderer
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="neuralshade late pages", daemon=True).start()

    def stop(self) -> None:
        """Stop serving."""
        self._stopped.set()

    def _run(self) -> None:
        number = self.renderer.number
        while not self._stopped.wait(POLL_SECONDS) and self.renderer.number == number:
            try:
                send_kept(self.renderer)
            except Exception:  # drawing errors must never end a fit
                log.exception("live: a page could not be shown the last result; the fit goes on.")
                return


def keep(renderer: PageRenderer, step: int) -> None:
    """Cache the main picture at ``step``, unless a page has it, for pages that connect later."""
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
    """Send pages without a frame the cached result and stored pictures."""
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
