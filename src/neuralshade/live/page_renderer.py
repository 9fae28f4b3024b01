"""Renderer of all pages: draws, encodes and sends frames within a share of the time."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.channel import Channel
from neuralshade.live.client import Client, Json
from neuralshade.live.frame_budget import WHOLE, DrawCost, FrameBudget, StepRate
from neuralshade.live.frame_cache import CachedFrame, FrameCache
from neuralshade.live.frame_choice import (
    Frame,
    FrameChoice,
    Groups,
    PageView,
    joining,
    one_pixel,
    shares,
)
from neuralshade.live.frame_encoding import Floats, on_screen, png
from neuralshade.live.messages import Overlay, Pick
from neuralshade.live.page_requests import send_overlay, send_values
from neuralshade.live.prepared_frames import PreparedFrames

# Largest share of a running fit's time for frames of pages that keep up; the threads that encode
# and send them take the rest of a tenth.
SHARE = 0.08
SLOW_SHARE = 0.01  # the same for slow pages
ANSWER_SHARES = {"report": 0.0025, "asset": 0.005}  # the same for reports, and for other files
ANSWER_SAVED_SECONDS = 0.5  # of that which may accumulate: the first answers come at once
QUIET_SECONDS = 0.4  # without a frame: all pages are up to date
STORED_SECONDS = 1.0  # between two computation-free frames that ignore the debts of others
MOST_ENCODING = 2  # frames in the encoder's queue; no others are drawn meanwhile

log = logging.getLogger("neuralshade.live")


def _budgets() -> dict[bool, FrameBudget]:
    """Return the frame budgets of slow pages and of others."""
    costs: dict[str, DrawCost] = {}
    return {False: FrameBudget(SHARE, costs=costs), True: FrameBudget(SLOW_SHARE, costs=costs)}


class PageRenderer:
    """Renders one scene at a time for every connected page."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.scene: Scene | None = None
        self.number = 0
        self._drawn_at: float | None = None  # time.perf_counter() of the scene's last frame
        self._ready: set[str] = set()  # panes that were drawn before
        self._opens, self._lent_at = False, -STORED_SECONDS
        self.budgets, self.rate, self.cache = _budgets(), StepRate(), FrameCache()
        saved = ANSWER_SAVED_SECONDS
        files, reports = (FrameBudget(ANSWER_SHARES[name], saved, saved)
                          for name in ("asset", "report"))  # fmt: skip
        # separate: one report costs as much as many other files
        self.answers = {"asset": files, "snapshot": files, "load": files, "report": reports}
        self.prepared = PreparedFrames()
        self._encoder = ThreadPoolExecutor(1, "neuralshade frames")
        self._encoding: list[Future[None]] = []

    def close(self) -> None:
        """Stop encoding."""
        self._encoder.shutdown(cancel_futures=True)

    def prepare(self, scene: Scene) -> None:
        """Draw ``scene`` in the pages' current views, before it replaces the present one."""
        with self.channel.lock:
            views = [client.view for client in self.channel.clients if client.view is not None]
        self.prepared.draw(scene, views)

    def show(self, scene: Scene | None) -> None:
        """Switch to ``scene``, or to nothing."""
        self.scene, self.budgets, self.rate = scene, _budgets(), StepRate()
        self.cache = FrameCache()
        self.number, self._drawn_at, self._ready = self.number + 1, None, set()
        self.channel.publish("scene", None if scene is None else scene.facts(self.number))

    @property
    def is_quiet(self) -> bool:
        """Return whether pages have looked at the scene and been up to date for a while."""
        if self._drawn_at is None or not all(job.done() for job in self._encoding):
            return False
        return time.perf_counter() - self._drawn_at >= QUIET_SECONDS

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Context in which first pictures are drawn outside the fit's budget."""
        self._opens = True
        try:
            yield
        finally:
            self._opens = False
            for budget in self.budgets.values():
                budget.credit = 0.0

    def draw(self, step: int | None, *, hurried: bool, fit_seconds: float | None = None) -> float:
        """Draw the pages' views; reduced or not at all while a fit has priority.

        ``fit_seconds``: duration of a fit that has just ended; its share sets the resolution.

        Returns:
            seconds of one-time setup, which are not charged to the fit.
        """
        if self.scene is None:
            return 0.0
        set_up = 0.0
        if step is not None and hurried:
            self._note(step)
        self._encoding = [job for job in self._encoding if not job.done()]
        allowed = {slow: not hurried or self._opens or budget.may_draw()
                   for slow, budget in self.budgets.items()}  # fmt: skip
        groups = self._groups(step, hurried, fit_seconds, allowed)
        if hurried and not self._opens:
            self._send_cached(groups, allowed, step)
        waiting = [frame for frame, group in groups.items() if group]
        for frame in sorted(waiting, key=lambda f: min(c.sent_at for c, _ in groups[f])):
            if len(self._encoding) >= MOST_ENCODING:
                break
            payer = self._payer(frame, groups[frame], allowed)
            if payer is None:
                continue
            set_up += self._set_up(frame) if hurried else 0.0
            group = groups[frame] + joining(self.scene, frame, groups)
            self._draw(frame, group, step, hurried, self.budgets[payer])
            allowed[payer] = not hurried
        return set_up

    def _payer(self, frame: Frame, group: list[PageView], allowed: dict[bool, bool]) -> bool | None:
        """Return the budget (slow or not) that pays for a frame now; None where it has to wait.

        A page's first frame may use either: after a costly frame, the slow pages' budget may be
        in debt for minutes.
        """
        is_first = any(client.is_new for client, _ in group)
        payers = (frame.slow, not frame.slow) if is_first else (frame.slow,) if group else ()
        payer = next((slow for slow in payers if allowed[slow]), None)
        now = time.perf_counter()
        if (payer is None and frame.stored and False in payers
                and now - self._lent_at >= STORED_SECONDS):  # fmt: skip
            self._lent_at, payer = now, False  # regardless of other frames' cost; those wait longer
        return payer

    def _send_cached(self, groups: Groups, allowed: dict[bool, bool], step: int | None) -> None:
        """Send cached pictures to pages whose own first frame has to wait, or would be coarser."""
        scene = self.scene
        assert scene is not None
        for frame, group in groups.items():
            waits = frame.slow or not allowed[False]
            for client, view in list(group if frame.band is None and not frame.stored else ()):
                cached = self.cache.of(scene, view, frame.panes) if client.drawing else []
                finer = all(one.by < frame.by and one.is_recent(step) for one in cached)
                if not cached or not (waits or finer) or len(self._encoding) >= MOST_ENCODING:
                    continue
                group.remove((client, view))
                number = self.channel.reserve([(client, view)], None)
                client.is_new = False
                for one in cached:
                    one.begin(client)
                header = {"id": number, "step": cached[0].step, "draft": cached[0].draft,
                          "sharp": all(one.sharp for one in cached)}  # fmt: skip
                panes = {one.pane: one for one in cached}
                self.submit(header, panes, cached[0].whole, [(client, view)], self.budgets[True])

    def _note(self, step: int) -> None:
        self.rate.note(step)
        for budget in self.budgets.values():
            budget.frame_seconds = self.rate.frame_seconds()

    def _set_up(self, frame: Frame) -> float:
        """Draw one pixel of each new pane; return the seconds of that.

        A pane's first drawing makes tables or compiles kernels, which later frames do not repeat.
        The second drawing measures the fixed cost.
        """
        scene, begin = self.scene, time.perf_counter()
        assert scene is not None
        fresh = [pane for pane in frame.panes if pane not in self._ready]
        self._ready.update(fresh)
        pixel = one_pixel(frame.view)
        with suppress(Exception):  # the error is reported when the frame itself fails
            for pane in fresh:
                scene.draw(pane, pixel)
                second = time.perf_counter()
                scene.draw(pane, pixel)
                start = time.perf_counter() - second
                for name in (pane, WHOLE) if not frame.stored else ():
                    self.budgets[False].costs.setdefault(name, DrawCost()).start += start
        return time.perf_counter() - begin

    def _groups(self, step: int | None, hurried: bool, fit_seconds: float | None,
                allowed: dict[bool, bool]) -> Groups:  # fmt: skip
        """Return frames, each with the pages that wait for it."""
        assert self.scene is not None
        choice = FrameChoice(self.scene, self.budgets, self.rate, self._opens, allowed)
        groups: Groups = defaultdict(list)
        # before the first step no page needs a second frame
        for client, view in self.channel.ready_views(object() if self._opens else (step, hurried)):
            frame = choice.next(client, view, hurried, fit_seconds)
            if frame is not None:
                groups[frame].append((client, view))
        return groups

    def _draw(self, frame: Frame, group: list[PageView], step: int | None, hurried: bool,
              budget: FrameBudget) -> None:  # fmt: skip
        scene, view = self.scene, frame.view
        assert scene is not None
        begin = time.perf_counter()
        try:
            panes = {pane: self.prepared.take(scene, pane, view) for pane in frame.panes}
        except Exception as error:  # drawing errors must never end a fit
            self._refuse(group, "a view could not be drawn", error)
            return
        # of the largest: a lit pane may be larger than the texels of a coarse mip beside it
        pixels = [shown.shape[0] * shown.shape[1] for shown in panes.values()]
        self._drawn_at = time.perf_counter()
        seconds = self._drawn_at - begin
        most = max(pixels, default=view.width * view.height)
        budget.spend(seconds, most, frame.costs_as)
        if view.draft:
            pane = frame.panes[0]
            if not budget.costs.setdefault(pane, DrawCost()).is_measured:
                budget.costs[pane].note(most, scene.drafts[pane] * seconds)
        on = any(scene.is_refining(pane, view) for pane in panes)  # these need another frame
        mark = None if on else (step, hurried)
        for member, _ in group:
            frame.note(scene, member, panes)
            member.is_new = member.is_new and frame.stored
        self.cache.note(scene, group[0][1], frame, panes, step)
        rough = any(scene.is_rough(pane, view) for pane in panes)
        header: Json = {"step": step, "sharp": frame.sharp and not rough,
                        "draft": view.draft or rough}  # fmt: skip
        for sent, members in shares(frame, group, panes):
            if sent is None:
                self.channel.hold(members, mark)
                continue
            own = {**header, "id": self.channel.reserve(members, mark)}
            if frame.band is not None and sent is panes:
                own["rows"] = [frame.band.first, frame.band.count, frame.band.rows]
            self.submit(own, sent, frame.whole, members, budget)

    def submit(self, header: Json, panes: Mapping[str, Floats | CachedFrame], whole: View,
                group: list[PageView], budget: FrameBudget) -> None:  # fmt: skip
        """Queue a frame for encoding and sending."""
        scene = self.scene
        assert scene is not None
        header = {"type": "frame", "scene": self.number, "region": list(whole.region),
                  "width": whole.width, "height": whole.height, **header}  # fmt: skip
        job = self._encoder.submit(self._send, header, panes, scene.linear, whole, group, budget)
        self._encoding.append(job)

    def _send(
        self, header: Json, panes: Mapping[str, Floats | CachedFrame], linear: bool, view: View,
        group: list[PageView], budget: FrameBudget,
    ) -> None:  # fmt: skip
        """Encode and send a frame; runs in the encoder's thread."""
        begin = time.thread_time()
        try:
            files = [values.file(linear) if isinstance(values, CachedFrame)
                     else png(on_screen(values, linear, view.tone))
                     for values in panes.values()]  # fmt: skip
        except Exception as error:  # otherwise these pages would wait forever
            self._refuse(group, "a frame could not be encoded", error)
            return
        images = [
            {"pane": pane, "bytes": len(file), "type": "image/png"}
            for pane, file in zip(panes, files, strict=True)
        ]
        budget.charge(time.thread_time() - begin)
        for client, page_view in group:
            self.channel.send_picture(
                client, {**header, "view": page_view.id, "images": images}, files
            )

    def _refuse(self, group: list[PageView], what: str, error: Exception) -> None:
        """Log an error that is being handled, and report it to the pages."""
        log.exception("live: %s; the fit goes on.", what)
        self.channel.refuse_views(group, f"view: got {type(error).__name__}: {error}.")

    def may_draw(self, client: Client) -> bool:
        """Return whether a page's budget allows more while a fit has priority."""
        return self.budgets[client.slow].may_draw()

    def draw_requested(self, client: Client, request: Pick | Overlay) -> None:
        """Send values or an overlay, charged like frames. Raises ConfigError."""
        begin = time.perf_counter()
        if isinstance(request, Overlay):
            send_overlay(self.channel, self.scene, self.number, client, request.name)
        elif self.scene is not None:
            send_values(self.channel, self.scene, client, request)
        self.budgets[client.slow].charge(time.perf_counter() - begin)
