"""Control of a running fit by pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neuralshade.base.interrupt import interruptible
from neuralshade.errors import ConfigError
from neuralshade.fitting.facts import CurvePoints, progress_facts, state_facts
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Restart
from neuralshade.fitting.progress import Progress
from neuralshade.kinds import open_asset
from neuralshade.live.channel import Channel
from neuralshade.live.late_pages import LatePages, keep
from neuralshade.live.messages import Control
from neuralshade.live.page_renderer import PageRenderer
from neuralshade.live.request_handlers import answer

ANY_STEPS = 2**30  # between two callbacks: a loop calls back ten times a second anyway
# time limit of first pictures before the first step; one-time setup comes on top
OPENING_SECONDS = 1.0
REQUEST_SECONDS = 0.25  # in which a page requests its first frame, and the next one
OPENING_POLL_SECONDS = 0.01
PAUSE_SECONDS = 0.1  # between two checks for Ctrl-C


@dataclass
class FitController:
    """Control of one fit's loop, and what pages save and change.

    ``again`` raises ConfigError or PictureError for settings with which no other fit can start;
    None where pages cannot start any.
    """

    channel: Channel
    renderer: PageRenderer
    job: Job[Any]
    facts: dict[str, Any]
    again: Callable[[dict[str, Any]], object] | None
    rate_scale: float = 1.0
    paused: bool = False
    ended: bool = False
    _left: int | None = field(default=None, init=False)  # steps until it pauses by itself
    _is_drawing: bool = field(default=False, init=False)  # the last step's result is being drawn
    _is_open: bool = field(default=False, init=False)  # pages have their first pictures
    _late_pages: LatePages | None = field(default=None, init=False)
    _points: CurvePoints = field(default_factory=CurvePoints, init=False)

    def __post_init__(self) -> None:
        self.renderer.show(self.job.scene())
        p = self.job.loop.progress
        self.channel.new_curve(self._points.fresh(p))
        self._publish(p)
        self.state("running", "")

    @property
    def name(self) -> str:
        """Return the file name for downloads."""
        return self.job.output.name

    @property
    def most_steps(self) -> int:
        """Return the number of steps until pages are served again."""
        return 1 if self._left is not None else ANY_STEPS

    @property
    def _has_transform(self) -> bool:
        return self.facts.get("transform") is not None

    def state(self, state: str, text: str) -> None:
        """Publish the fit's state."""
        can = ["pause", "step", "rate", "stop"]
        if self.again is not None:
            can += ["reset", "start"]
            can += ["transform"] if self._has_transform else []
        facts = {
            **self.facts, "state": state, "text": text, "rate_scale": self.rate_scale,
            "can": can if state in ("running", "paused") else [], **state_facts(self.job),
        }  # fmt: skip
        self.channel.publish("fit", facts)
        self.job.callbacks.update(facts)

    def attend(self, progress: Progress, interrupted: Callable[[], bool]) -> float:
        """Publish progress, answer requests, draw; return the seconds of pause."""
        self._publish(progress)
        opened = self._open(progress, interrupted)
        answer(self.channel, self.renderer, self, hurried=not self.paused)
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left = None
                self._pause(True)
        if not self.paused:
            return opened + self.renderer.draw(progress.step, hurried=True)
        begin = time.perf_counter()
        while self.paused and not (self.ended or interrupted()):
            self.renderer.draw(progress.step, hurried=False)
            self.channel.wait(PAUSE_SECONDS)
            answer(self.channel, self.renderer, self)
        if self._left is not None:
            self._left -= 1  # the step runs now, followed by a pause
        return opened + time.perf_counter() - begin

    def _open(self, progress: Progress, interrupted: Callable[[], bool]) -> float:
        """Draw first pictures before the first step, which may compile for seconds.

        Return the seconds of that, which do not count as the fit's.
        """
        if self._is_open:
            return 0.0
        self._is_open = True
        begin = end = now = requested_at = time.perf_counter()
        with self.renderer.opening():
            while (now < end + OPENING_SECONDS and now < requested_at + REQUEST_SECONDS
                   and self.channel.is_visible and not interrupted()):  # fmt: skip
                before = self.channel.frame_count
                end += self.renderer.draw(progress.step, hurried=True)
                time.sleep(OPENING_POLL_SECONDS)
                now = time.perf_counter()
                # a frame that was acknowledged is no longer awaited
                if self.channel.is_awaited or self.channel.frame_count > before:
                    requested_at = now
        return time.perf_counter() - begin

    def finishing(self, what: str) -> None:
        """Publish the work after the last step, and draw the final state."""
        self.state("finishing", what)
        if self._is_drawing:  # drawing reports progress as well
            return
        self._is_drawing = True
        p = self.job.loop.progress
        self.renderer.draw(p.step, hurried=False, fit_seconds=p.seconds)
        keep(self.renderer, p.step)
        self._is_drawing = False
        if self._late_pages is None:
            self._late_pages = LatePages(self.renderer)

    def settle(self, progress: Progress) -> None:
        """Publish the numbers of the written file."""
        if self._late_pages is not None:
            self._late_pages.stop()
        self._publish(progress, ended=True)

    def control(self, message: Control) -> None:
        """Execute a page's action. Raises ConfigError, Restart."""
        action = message.action
        if action in ("pause", "resume"):
            self._left = None
            self._pause(action == "pause")
        elif action == "step":
            self.paused, self._left = False, 1
            self.state("paused", "")
        elif action == "stop":
            self.ended = True
            self.state("running", "ending")
        elif action == "rate":
            self.rate_scale = float(message.settings["rate_scale"])
            self.state("paused" if self.paused else "running", "")
        elif self.again is None:
            raise ConfigError(f"{action}: got a fit that was started by a program, which alone "
                              "can start another.")  # fmt: skip
        elif action == "transform" and not self._has_transform:
            verb = self.facts["verb"]
            raise ConfigError(f"transform: got a fit of {verb}, need one of an image.")
        else:
            settings = {"action": action, **message.settings}
            self.again(settings)  # checked before this fit is stopped
            raise Restart(settings)

    def save(self, path: Path) -> None:
        """Write the asset in its present state."""
        self.job.save(path)

    def report(self, path: Path) -> None:
        """Write the report of the asset in its present state."""
        asset = path.with_name(self.name)
        self.job.save(asset)
        with interruptible():  # a report may take longer than a signal is allowed to wait
            self.job.write_report(asset, path, ())

    def load(self, path: Path, into_fit: bool) -> str:
        """Continue from an asset's numbers, or stop the fit to show the asset."""
        if into_fit:
            self.job.take_over(path)
            return f"The fit goes on from {path.name}."
        if self.again is None:
            raise ConfigError("load: got a fit that was started by a program, need it to end "
                              "first. Load it into the fit, or use neuralshade view.")  # fmt: skip
        open_asset(path).scene()  # checked before this fit is stopped
        raise Restart({"action": "show", "path": path})

    def _pause(self, paused: bool) -> None:
        self.paused = paused
        self.state("paused" if paused else "running", "")

    def _publish(self, p: Progress, ended: bool = False) -> None:
        self.channel.publish("progress", progress_facts(p))
        points = self._points.fresh(p, ended)
        if points:
            self.channel.add_curve(points)
