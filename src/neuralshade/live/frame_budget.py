"""What may go into frames of a fit's time, and how large they are for it."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median

FRAME_SECONDS = 0.5  # between two frames that are worth having: they get smaller for it
FIRST_PIXELS = 2**14  # of the first frame of a scene, whose cost is not known yet
GROWTH = 2.0  # of a fit's steps, from the first to the last row of a picture that shows it
RATE_SECONDS = 1.0  # of a fit, by which its steps per second are told
LONGEST_LOOK = 2.0  # seconds between two looks of a fit that a frame is worth
FIXED_SECONDS = 2.0  # the same for a first picture of what is to be drawn but once
WHOLE = ""  # frames, not bands of a pane
AT_HAND = "at hand"  # frames of what is at hand and needs no drawing
DRAFT = "draft:"  # before a pane's name
LEAST_COST = 1e-12  # seconds a pixel, that are divided by
REDUCTIONS = (1, 2, 3, 4, 6, 8, 12, 16)
COARSER = 4  # times: what is less so is not worth that a picture becomes coarser again
COSTS_KEPT = 8  # frames whose cost tells that of others: the first bands of a pane may be sky
LEAST_SPREAD = (
    0.2  # of two sizes, of the larger: else they tell nothing of what a look costs at all
)
MOST_BELOW = 4.0  # times that the usual cost of a pixel may lie below the mean: one of sky is none
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
class Cost:
    """What drawing takes, by the last times: so much whatever is drawn, and so much a pixel."""

    start: float = 0.0  # seconds
    pixel: float = 0.0  # seconds
    _seen: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=COSTS_KEPT))

    @property
    def is_known(self) -> bool:
        """Return whether something was drawn yet."""
        return bool(self._seen)

    def seconds(self, pixels: int) -> float:
        """Return what so many pixels take."""
        return self.start + self.pixel * pixels

    def note(self, pixels: int, seconds: float) -> None:
        """Take note of what so many pixels took, and tell both by medians of the last times.

        One that met with another program tells nothing of the next.
        """
        self._seen.append((pixels, seconds))
        y = [each for _, each in self._seen]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(self._seen, 2)
                  if abs(b[0] - a[0]) > LEAST_SPREAD * max(a[0], b[0])]  # fmt: skip
        start = self.start
        if slopes:
            slope = max(0.0, median(slopes))
            start = median(each - slope * many for many, each in self._seen)
        self.start = min(max(start, 0.0), *y)
        each = [(seconds - self.start) / many for many, seconds in self._seen]
        self.pixel = max(median(each), sum(each) / len(each) / MOST_BELOW)

    def after(self, pixels: int) -> Cost:
        """Return a cost that begins as this one is."""
        made = Cost(self.start)
        made.note(pixels, self.seconds(pixels))
        return made


@dataclass
class Pace:
    """How many seconds may go into frames: ``share`` of those that passed.

    ``saved`` of them may be left over, None: what two frames are worth.
    """

    share: float
    credit: float = 0.0
    saved: float | None = None
    # of late: of whole frames, and by pane of those drawn in bands; several paces may share them
    costs: dict[str, Cost] = field(default_factory=dict)
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
        own, known = self.costs.get(pane), self._known(pane)
        if known is not None and known is not own:
            begun = known.after(pixels)
            begun.start = begun.start if own is None else own.start
            own = self.costs[pane] = begun
        (own or self.costs.setdefault(pane, Cost())).note(pixels, seconds)

    def _known(self, pane: str) -> Cost | None:
        """Return what a pane costs, or frames do; None where nothing is known."""
        found = (self.costs.get(name) for name in (pane, WHOLE))
        return next((cost for cost in found if cost is not None and cost.is_known), None)

    def pixels(self, pane: str = WHOLE, seconds: float | None = None) -> float:
        """Return how many pixels of a pane what may go into frames in ``seconds`` pays for.

        None: in what lies between two frames; FIRST_PIXELS where no cost is known. Where less
        would cost half as much at least, whatever it is, more is paid for, and waited for.
        """
        cost = self._known(pane)
        if seconds is None:
            seconds = self.frame_seconds if cost else FRAME_SECONDS
        if cost is None:
            return FIRST_PIXELS * seconds / FRAME_SECONDS
        paid = max(self.share * seconds - cost.start, cost.start)
        return paid / max(cost.pixel, LEAST_COST)

    def swept_pixels(self, pane: str, seconds: float, band: float) -> float:
        """Return how many pixels ``seconds`` pay for in bands of so many."""
        cost = self._known(pane)
        if cost is None:
            return self.pixels(pane, seconds)
        each = cost.seconds(math.ceil(band)) / band if band < UNBOUNDED else cost.pixel
        return self.share * seconds / max(each, LEAST_COST)

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
