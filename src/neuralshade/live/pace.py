"""What may go into frames of a fit's time, and how large they are for it."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass, field

FRAME_SECONDS = 0.5  # between two frames that are worth having: they get smaller for it
FIRST_PIXELS = 2**14  # of the first frame of a scene, whose cost is not known yet
GROWTH = 2.0  # of a fit's steps, from the first to the last row of a picture that shows it
RATE_SECONDS = 1.0  # of a fit, by which its steps per second are told
LONGEST_LOOK = 2.0  # seconds between two looks of a fit that a frame is worth
FIXED_SECONDS = 2.0  # the same for a first picture of what is to be drawn but once
WHOLE = ""  # frames, not bands of a pane
DRAFT = "draft:"  # before a pane's name
LEAST_COST = 1e-12  # seconds a pixel, that are divided by
REDUCTIONS = (1, 2, 3, 4, 6, 8, 12, 16)
COARSER = 2  # times: what is less so is not worth that a picture becomes coarser again
UNBOUNDED = math.inf  # pixels, where no time is short


def divided_by(pixels: int, affordable: float, before: int | None = None) -> int:
    """Return by what each side of a picture is divided: the rule of whatever is drawn in a fit.

    As little as leaves no more pixels than can be paid for, and from a coarser picture by halves.

    Args:
        pixels: of the picture, undivided.
        affordable: how many can be paid for until it must be there.
        before: by what it was divided when it was drawn last, None where it was not.
    """
    least = next((by for by in REDUCTIONS if pixels <= affordable * by**2), REDUCTIONS[-1])
    if before is None:
        return least
    if before < least < COARSER * before:
        return before
    return max(_finer(before), least)


def _finer(by: int) -> int:
    """Return by what a picture is divided next: a quarter of the pixels more are worth no sweep."""
    return 1 if by <= 3 else by // 2


@dataclass
class Pace:
    """How many seconds may go into frames: ``share`` of those that passed.

    ``saved`` of them may be left over, None: what two frames are worth.
    """

    share: float
    credit: float = 0.0
    saved: float | None = None
    # seconds a pixel, of late: of whole frames, and by pane of those drawn in bands; several paces
    # may share them
    costs: dict[str, float] = field(default_factory=dict)
    frame_seconds: float = FRAME_SECONDS  # between two frames
    earned_at: float = field(default_factory=time.perf_counter)
    _owed: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may_draw(self) -> bool:
        """Earn what is due since the last time; return whether a frame can be paid for."""
        now = time.perf_counter()
        with self._lock:
            self.credit, self._owed = self.credit - self._owed, 0.0
        most = 2 * self.share * self.frame_seconds if self.saved is None else self.saved
        self.credit = min(most, self.credit + self.share * (now - self.earned_at))
        self.earned_at = now
        return self.credit > 0

    def wait_seconds(self) -> float:
        """Return after how long more can be paid for."""
        return 0.0 if self.may_draw() else -self.credit / self.share

    def spend(self, seconds: float, pixels: int, pane: str = WHOLE) -> None:
        """Pay for a frame that was drawn, or for a band of a pane."""
        self.credit -= seconds
        cost = seconds / pixels
        # the first bands of a pane may be sky, which costs nothing
        before = self.costs.get(pane, self.costs.get(WHOLE, cost))
        self.costs[pane] = (before + cost) / 2

    def pixels(self, pane: str = WHOLE, seconds: float | None = None) -> float:
        """Return how many pixels of a pane what may go into frames in ``seconds`` pays for.

        None: in what lies between two frames; FIRST_PIXELS where no cost is known.
        """
        known = pane in self.costs or WHOLE in self.costs
        if seconds is None:
            seconds = self.frame_seconds if known else FRAME_SECONDS
        unknown = self.share * FRAME_SECONDS / FIRST_PIXELS
        cost = self.costs.get(pane, self.costs.get(WHOLE, unknown))
        return self.share * seconds / max(cost, LEAST_COST)

    def owe(self, seconds: float) -> None:
        """Pay for what another thread did."""
        with self._lock:
            self._owed += seconds


@dataclass
class StepRate:
    """How long a fit stays about what it is: until its steps are GROWTH times as many."""

    _seen: deque[tuple[float, int]] = field(default_factory=deque)  # when each step was there

    def note(self, step: int) -> None:
        """Take note of how far the fit is now."""
        now = time.perf_counter()
        self._seen.append((now, step))
        while len(self._seen) > 2 and self._seen[1][0] <= now - RATE_SECONDS:
            self._seen.popleft()

    def growth_seconds(self) -> float:
        """Return how long that takes from now on, FRAME_SECONDS at least."""
        if len(self._seen) < 2:
            return FRAME_SECONDS
        (begin, first), (now, step) = self._seen[0], self._seen[-1]
        more = (GROWTH - 1) * step
        return max(FRAME_SECONDS, more * (now - begin) / max(1, step - first))

    def frame_seconds(self) -> float:
        """Return how long it is between two frames: looks may lie further apart than these."""
        if len(self._seen) < 2:
            return FRAME_SECONDS
        look = (self._seen[-1][0] - self._seen[0][0]) / (len(self._seen) - 1)
        return min(max(FRAME_SECONDS, look), LONGEST_LOOK)
