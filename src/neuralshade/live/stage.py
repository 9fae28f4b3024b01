"""Drawing for the pages that look on, in no more than a share of the time."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import Scene, View
from neuralshade.live.channel import Channel
from neuralshade.live.client import Client
from neuralshade.live.frames import on_screen, png
from neuralshade.live.messages import Overlay, Pick
from neuralshade.live.pace import UNBOUNDED, WHOLE, Pace, StepRate, divided_by
from neuralshade.live.sweep import Band, Sweep

SHARE = 0.1  # of a running fit's time that goes into frames for pages that keep up, at most
SLOW_SHARE = 0.01  # the same for pages that do not
ANSWER_SHARES = {"report": 0.0025, "asset": 0.005}  # the same for reports, and for other files
ANSWER_SAVED_SECONDS = 0.5  # of that which may be saved up: the first ones come at once
MOST_ENCODING = 2  # frames that wait to be encoded; no others are drawn meanwhile

Wanting = tuple[Client, View]
log = logging.getLogger("neuralshade.live")


@dataclass(frozen=True)
class _Frame:
    """A picture to be drawn: what it shows, and of which panes."""

    view: View
    panes: tuple[str, ...]
    sharp: bool
    slow: bool  # for pages that do not keep up
    by: int = 1  # what each side of the view was divided by
    band: Band | None = None  # where it is but a part of a picture


def _paces() -> dict[bool, Pace]:
    """Return what may go into frames for pages that are slow, and for those that are not."""
    costs: dict[str, float] = {}
    return {False: Pace(SHARE, costs=costs), True: Pace(SLOW_SHARE, costs=costs)}


class Stage:
    """Shows one scene at a time to every page that is connected."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.scene: Scene | None = None
        self.number, self.is_seen = 0, False  # whether a frame of it was drawn for anybody
        self.paces, self.rate = _paces(), StepRate()
        files, reports = (Pace(ANSWER_SHARES[name], ANSWER_SAVED_SECONDS, ANSWER_SAVED_SECONDS)
                          for name in ("asset", "report"))  # fmt: skip
        # a report costs as much as many of the others, which need not wait for it
        self.answers = {"asset": files, "snapshot": files, "load": files, "report": reports}
        self._encoder = ThreadPoolExecutor(1, "neuralshade frames")
        self._encoding: list[Future[None]] = []

    def close(self) -> None:
        """Encode no more."""
        self._encoder.shutdown(cancel_futures=True)

    def show(self, scene: Scene | None) -> None:
        """Put ``scene`` on, or nothing."""
        self.scene, self.paces, self.rate = scene, _paces(), StepRate()
        self.number, self.is_seen = self.number + 1, False
        self.channel.publish("scene", None if scene is None else scene.facts(self.number))

    def draw(self, step: int | None, *, hurried: bool, fit_seconds: float | None = None) -> None:
        """Draw what pages want to see; where a fit is not to be held up, small or not at all.

        ``fit_seconds`` is how long one took whose last step this is: as fine as a share of it pays.
        """
        if self.scene is None:
            return
        if step is not None and hurried:
            self.rate.note(step)
        self._encoding = [job for job in self._encoding if not job.done()]
        allowed = {slow: not hurried or pace.may_draw() for slow, pace in self.paces.items()}
        groups = self._groups(step, hurried, fit_seconds)
        for frame in sorted(groups, key=lambda f: min(c.sent_at for c, _ in groups[f])):
            if len(self._encoding) >= MOST_ENCODING:
                return
            if allowed[frame.slow]:
                self._draw(frame, groups[frame], step, hurried)
                allowed[frame.slow] = not hurried

    def _groups(
        self, step: int | None, hurried: bool, fit_seconds: float | None
    ) -> dict[_Frame, list[Wanting]]:
        """Return frames, each with the pages that want it."""
        scene = self.scene
        assert scene is not None
        groups: dict[_Frame, list[Wanting]] = defaultdict(list)
        for client, view in self.channel.wanted((step, hurried)):
            if hurried and view.parts:
                frame = self._part(scene, client, view)
                if frame is not None:
                    groups[frame].append((client, view))
                continue
            if fit_seconds is not None:
                frame = self._last(scene, client, view, fit_seconds)
                if frame is not None:
                    groups[frame].append((client, view))
                continue
            client.sweep = None
            most = self.paces[client.slow].pixels() if hurried else UNBOUNDED
            by = divided_by(view.width * view.height, most)
            drawn = replace(scene.fitted(view, by), id=0, panes=())
            panes = _panes(scene, view)
            lacking = [p for p in panes if p in scene.changes or scene.goes_on(p, drawn)
                       or client.kept.get(p) != scene.seen_in(p, drawn)]  # fmt: skip
            groups[_Frame(drawn, tuple(lacking), by == 1, client.slow)].append((client, view))
        return groups

    def _last(self, scene: Scene, client: Client, view: View, fit_seconds: float) -> _Frame | None:
        """Return all that a fit changed, whole, as fine as a share of its time pays, or as it was.

        None where nothing changes.
        """
        pace, bare = self.paces[client.slow], replace(view, id=0, panes=())
        panes = tuple(pane for pane in _panes(scene, view) if pane in scene.changes)
        if not panes:
            return None
        pixels = view.width * view.height * len(panes)
        by = divided_by(pixels, min(pace.pixels(pane, fit_seconds) for pane in panes))
        client.sweep = Sweep.following(client.sweep, scene, bare)
        by = client.sweep.finest(panes, by)
        return _Frame(scene.fitted(bare, by), panes, by == 1, client.slow, by)

    def _part(self, scene: Scene, client: Client, view: View) -> _Frame | None:
        """Return what comes next where a page's pictures grow sharp; None where they are."""
        pace, bare = self.paces[client.slow], replace(view, id=0, panes=())
        if client.sweep is None or client.sweep.view != bare:
            client.sweep = Sweep.following(client.sweep, scene, bare)
        panes = _panes(scene, view)
        fresh = client.sweep.fresh(panes)
        if fresh:
            by = divided_by(view.width * view.height, pace.pixels())
            return _Frame(scene.fitted(bare, by), tuple(fresh), by == 1, client.slow, by)
        changing = sum(pane in scene.changes for pane in panes)  # one band each in turn
        seconds = self.rate.growth_seconds() / max(1, changing)
        affordable = partial(pace.pixels, seconds=seconds)
        band = client.sweep.next(scene, panes, pace.pixels, affordable)
        if band is None:
            return None
        drawn = band.view(scene)
        return _Frame(drawn, (band.pane,), band.by == 1, client.slow, band.by, band)

    def _draw(self, frame: _Frame, group: list[Wanting], step: int | None, hurried: bool) -> None:
        scene, view = self.scene, frame.view
        assert scene is not None
        begin = time.perf_counter()
        try:
            panes = {pane: scene.draw(pane, view) for pane in frame.panes}
        except Exception as error:  # a fit survives whatever a page wants to see
            self._refuse(group, "a view could not be drawn", error)
            return
        pace = self.paces[frame.slow]
        # of the largest: what is lit may be larger than the texels of a coarse mip beside it
        pixels = [shown.shape[0] * shown.shape[1] for shown in panes.values()]
        self.is_seen, seconds = True, time.perf_counter() - begin
        most = max(pixels, default=view.width * view.height)
        pace.spend(seconds, most, WHOLE if frame.band is None else frame.band.pane)
        on = any(scene.goes_on(pane, view) for pane in panes)  # they will want the next one, too
        number = self.channel.reserve(group, None if on else (step, hurried))
        for member, _ in group:
            _note(scene, member, frame)
        whole = view if frame.band is None else frame.band.whole
        header = {
            "type": "frame", "id": number, "scene": self.number, "step": step,
            "region": list(whole.region), "width": whole.width, "height": whole.height,
            "sharp": frame.sharp,
        }  # fmt: skip
        if frame.band is not None:
            header["rows"] = [frame.band.first, frame.band.count, frame.band.rows]
        job = self._encoder.submit(self._send, header, panes, scene.linear, view, group, pace)
        self._encoding.append(job)

    def _send(self, header: dict[str, Any], panes: dict[str, npt.NDArray[np.float32]],
              linear: bool, view: View, group: list[Wanting], pace: Pace) -> None:  # fmt: skip
        """Encode a frame and send it; in a thread of its own."""
        begin = time.thread_time()
        try:
            files = [png(on_screen(values, linear, view.tone)) for values in panes.values()]
        except Exception as error:  # or these pages would wait for it for good
            self._refuse(group, "a frame could not be encoded", error)
            return
        images = [
            {"pane": pane, "bytes": len(file), "type": "image/png"}
            for pane, file in zip(panes, files, strict=True)
        ]
        pace.owe(time.thread_time() - begin)
        for client, asked in group:
            self.channel.send_picture(client, {**header, "view": asked.id, "images": images}, files)

    def _refuse(self, group: list[Wanting], what: str, error: Exception) -> None:
        """Tell the log and the pages what went wrong, while ``error`` is handled."""
        log.exception("live: %s; the fit goes on.", what)
        self.channel.refuse_views(group, f"view: got {type(error).__name__}: {error}.")

    def may_draw(self, client: Client) -> bool:
        """Return whether more may be drawn for a page while a fit runs that goes first."""
        return self.paces[client.slow].may_draw()

    def draw_asked(self, client: Client, wanted: Pick | Overlay) -> None:
        """Send values or an overlay, paid for like frames. Raises ConfigError."""
        begin = time.perf_counter()
        if isinstance(wanted, Overlay):
            self.overlay(client, wanted)
        elif self.scene is not None:
            values = self.scene.values(wanted.u, wanted.v, wanted.level)
            self.channel.send(client, {"type": "values", "id": wanted.id, "u": wanted.u,
                                       "v": wanted.v, "values": values})  # fmt: skip
        self.paces[client.slow].owe(time.perf_counter() - begin)

    def overlay(self, client: Client, wanted: Overlay) -> None:
        """Draw and send an overlay. Raises ConfigError for one that there is not."""
        scene = self.scene
        header = {"type": "overlay", "scene": self.number, "name": wanted.name}
        if scene is not None and wanted.name in scene.pages:
            caption, picture = scene.pages[wanted.name]()
            file = png(on_screen(picture, False, View(0, 0).tone))
            size = {"width": picture.shape[1], "height": picture.shape[0], "bytes": len(file)}
            self.channel.send_picture(
                client, {**header, "kind": "picture", "caption": caption, **size}, [file]
            )
        elif scene is not None and wanted.name in scene.points:
            points = scene.points[wanted.name]().astype("<f4", order="C")
            self.channel.send_picture(
                client, {**header, "kind": "points", "count": len(points)}, [points.tobytes()]
            )
        else:
            raise ConfigError(f"overlay: got {wanted.name[:80]!r}, need one that the scene has.")


def _panes(scene: Scene, view: View) -> list[str]:
    """Return the panes of a view that there are, or the main one."""
    return [pane for pane in view.panes if pane in scene.titles] or [scene.main]


def _note(scene: Scene, client: Client, frame: _Frame) -> None:
    """Take note of what a page gets."""
    if client.sweep is not None and frame.band is not None:
        client.sweep.drawn(frame.band)
        client.kept.pop(frame.band.pane, None)  # of several pieces: sent anew where a fit pauses
        return
    if client.sweep is not None:
        client.sweep.begun(frame.panes, frame.by)
    client.kept.update((pane, scene.seen_in(pane, frame.view)) for pane in frame.panes)
