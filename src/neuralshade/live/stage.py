"""Drawing for the pages that look on, in no more than a share of the time."""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import Scene, View
from neuralshade.live.channel import Channel
from neuralshade.live.client import Client
from neuralshade.live.frames import on_screen, png
from neuralshade.live.messages import Overlay, Pick

SHARE = 0.1  # of a running fit's time that goes into frames for pages that keep up, at most
SLOW_SHARE = 0.01  # the same for pages that do not
ANSWER_SHARES = {"report": 0.0025, "asset": 0.005}  # the same for reports, and for other files
ANSWER_SAVED_SECONDS = 0.5  # of that which may be saved up: the first ones come at once
FRAME_SECONDS = 0.5  # between two frames that are worth having: they get smaller for it
FIRST_PIXELS = 2**14  # of the first frame of a scene, whose cost is not known yet
REDUCTIONS = (1, 2, 3, 4, 6, 8, 12, 16)
MOST_ENCODING = 2  # frames that wait to be encoded; no others are drawn meanwhile

Wanting = tuple[Client, View]
log = logging.getLogger("neuralshade.live")


@dataclass
class Pace:
    """How many seconds may go into frames: ``share`` of those that passed.

    ``saved`` of them may be left over, None: what two frames are worth.
    """

    share: float
    credit: float = 0.0
    saved: float | None = None
    per_pixel: float | None = None  # seconds, of late
    earned_at: float = field(default_factory=time.perf_counter)
    _owed: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may_draw(self) -> bool:
        """Earn what is due since the last time; return whether a frame can be paid for."""
        now = time.perf_counter()
        with self._lock:
            self.credit, self._owed = self.credit - self._owed, 0.0
        most = 2 * self.share * FRAME_SECONDS if self.saved is None else self.saved
        self.credit = min(most, self.credit + self.share * (now - self.earned_at))
        self.earned_at = now
        return self.credit > 0

    def wait_seconds(self) -> float:
        """Return after how long more can be paid for."""
        return 0.0 if self.may_draw() else -self.credit / self.share

    def spend(self, seconds: float, pixels: int) -> None:
        """Pay for a frame that was drawn."""
        self.credit -= seconds
        cost = seconds / pixels
        self.per_pixel = cost if self.per_pixel is None else (self.per_pixel + cost) / 2

    def owe(self, seconds: float) -> None:
        """Pay for what another thread did."""
        with self._lock:
            self._owed += seconds

    def reduction(self, pixels: int) -> int:
        """Return by how much each side of a frame is divided."""
        worth = self.share * FRAME_SECONDS
        for by in REDUCTIONS:
            left = pixels / by**2
            if left <= FIRST_PIXELS if self.per_pixel is None else left * self.per_pixel <= worth:
                return by
        return REDUCTIONS[-1]


@dataclass(frozen=True)
class _Frame:
    """A picture to be drawn: what it shows, and of which panes."""

    view: View
    panes: tuple[str, ...]
    sharp: bool
    slow: bool  # for pages that do not keep up


def _paces() -> dict[bool, Pace]:
    """Return what may go into frames for pages that are slow, and for those that are not."""
    return {False: Pace(SHARE), True: Pace(SLOW_SHARE)}


class Stage:
    """Shows one scene at a time to every page that is connected."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.scene: Scene | None = None
        self.number = 0
        self.paces = _paces()
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
        self.scene, self.paces = scene, _paces()
        self.number += 1
        self.channel.publish("scene", None if scene is None else scene.facts(self.number))

    def draw(self, step: int | None, *, hurried: bool) -> None:
        """Draw what pages want to see; where a fit is not to be held up, small or not at all."""
        if self.scene is None:
            return
        self._encoding = [job for job in self._encoding if not job.done()]
        allowed = {slow: not hurried or pace.may_draw() for slow, pace in self.paces.items()}
        for frame, group in self._groups(step, hurried).items():
            if len(self._encoding) >= MOST_ENCODING:
                return
            if allowed[frame.slow]:
                self._draw(frame, group, step, hurried)
                allowed[frame.slow] = not hurried

    def _groups(self, step: int | None, hurried: bool) -> dict[_Frame, list[Wanting]]:
        """Return frames, each with the pages that want it."""
        scene = self.scene
        assert scene is not None
        groups: dict[_Frame, list[Wanting]] = defaultdict(list)
        for client, view in self.channel.wanted((step, hurried)):
            pixels = view.width * view.height
            by = self.paces[client.slow].reduction(pixels) if hurried else 1
            drawn = replace(scene.fitted(view, by), id=0, panes=())
            panes = [pane for pane in view.panes if pane in scene.titles] or [scene.main]
            lacking = [p for p in panes if p in scene.changes
                       or client.kept.get(p) != scene.seen_in(p, drawn)]  # fmt: skip
            groups[_Frame(drawn, tuple(lacking), by == 1, client.slow)].append((client, view))
        return groups

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
        pace.spend(time.perf_counter() - begin, max(pixels, default=view.width * view.height))
        number = self.channel.reserve(group, (step, hurried))
        for member, _ in group:
            member.kept.update((pane, scene.seen_in(pane, view)) for pane in frame.panes)
        header = {
            "type": "frame", "id": number, "scene": self.number, "step": step,
            "region": list(view.region), "width": view.width, "height": view.height,
            "sharp": frame.sharp,
        }  # fmt: skip
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
