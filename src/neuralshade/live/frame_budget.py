"""Time budget of frames while a fit runs, and the frame size that it allows."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median

FRAME_SECONDS = 0.5  # between two useful frames: they get smaller to meet it
FIRST_PIXELS = 2**14  # of a scene's first frame, whose cost is unknown
GROWTH = 2.0  # of the step count, from the first to the last row of a picture
RATE_SECONDS = 1.0  # window over which steps per second are measured
LONGEST_INTERVAL = 2.0  # longest interval between a fit's callbacks that a frame may use
FIXED_SECONDS = 2.0  # the same for the first picture of a static pane
WHOLE = ""  # cost key of whole frames
STORED = "stored"  # cost key of frames that need no computation
DRAFT = "draft:"  # cost key prefix of drafts
LEAST_COST = 1e-12  # seconds a pixel; divisor
REDUCTIONS = (1, 2, 3, 4, 6, 8, 12, 16)
COARSER = 4  # times: a smaller change does not justify a coarser picture
COSTS_KEPT = 8  # frames that the cost estimate uses: a pane's first bands may be sky
LEAST_SPREAD = 0.2  # relative size difference that two samples of the fixed cost need
MOST_BELOW = 4.0  # ratio of mean to median cost of a pixel, at most: sky costs nothing
UNBOUNDED = math.inf  # pixels, where time is not limited


def divided_by(pixels: int, affordable: float, before: int | None = None) -> int:
    """Return the divisor of each side of a picture that is drawn while a fit runs.

    The smallest that the budget allows; a coarser picture is refined by halving the divisor.

    Args:
        pixels: of the picture, undivided.
        affordable: pixels that the budget allows in time.
        before: divisor of the last drawing, None for the first.
    """
    least = next((by for by in REDUCTIONS if pixels <= affordable * by**2), REDUCTIONS[-1])
    if before is None:
        return least
    if before < least < COARSER * before:
        return before
    return max(_finer(before), least)


def _finer(by: int) -> int:
    """Return the next divisor: below 3 a step of a quarter more pixels is not worth a pass."""
    return 1 if by <= 3 else by // 2


@dataclass
class DrawCost:
    """Estimated drawing cost: a fixed part and a part per pixel."""

    start: float = 0.0  # seconds
    pixel: float = 0.0  # seconds
    _samples: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=COSTS_KEPT))

    @property
    def is_measured(self) -> bool:
        """Return whether there is a measurement."""
        return bool(self._samples)

    def seconds(self, pixels: int) -> float:
        """Return the estimated seconds of that many pixels."""
        return self.start + self.pixel * pixels

    def note(self, pixels: int, seconds: float) -> None:
        """Add a measurement; both parts are medians of the last ones.

        Medians ignore single delays by other programs.
        """
        self._samples.append((pixels, seconds))
        y = [each for _, each in self._samples]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(self._samples, 2)
                  if abs(b[0] - a[0]) > LEAST_SPREAD * max(a[0], b[0])]  # fmt: skip
        start = self.start
        if slopes:
            slope = max(0.0, median(slopes))
            start = median(each - slope * many for many, each in self._samples)
        self.start = min(max(start, 0.0), *y)
        each = [(seconds - self.start) / many for many, seconds in self._samples]
        self.pixel = max(median(each), sum(each) / len(each) / MOST_BELOW)

    def after(self, pixels: int) -> DrawCost:
        """Return a new cost that starts from this estimate."""
        made = DrawCost(self.start)
        made.note(pixels, self.seconds(pixels))
        return made


@dataclass
class FrameBudget:
    """Time budget of frames: ``share`` of the elapsed time.

    ``saved``: largest credit in seconds; None: the cost of two frames.
    """

    share: float
    credit: float = 0.0
    saved: float | None = None
    # of whole frames, and by pane of bands; several budgets may share them
    costs: dict[str, DrawCost] = field(default_factory=dict)
    frame_seconds: float = FRAME_SECONDS  # between two frames
    earned_at: float = field(default_factory=time.perf_counter)
    _owed: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may_draw(self) -> bool:
        """Add the credit earned since the last call; return whether a frame is affordable."""
        now = time.perf_counter()
        with self._lock:
            self.credit, self._owed = self.credit - self._owed, 0.0
        most = 2 * self.share * self.frame_seconds if self.saved is None else self.saved
        self.credit = min(most, self.credit + self.share * (now - self.earned_at))
        self.earned_at = now
        return self.credit > 0

    def wait_seconds(self) -> float:
        """Return the seconds until more is affordable."""
        return 0.0 if self.may_draw() else -self.credit / self.share

    def spend(self, seconds: float, pixels: int, pane: str = WHOLE) -> None:
        """Charge a frame, or a band of a pane."""
        self.credit -= seconds
        own, known = self.costs.get(pane), self._cost_of(pane)
        if known is not None and known is not own:
            begun = known.after(pixels)
            begun.start = begun.start if own is None else own.start
            own = self.costs[pane] = begun
        (own or self.costs.setdefault(pane, DrawCost())).note(pixels, seconds)

    def _cost_of(self, pane: str) -> DrawCost | None:
        """Return the cost of a pane, or of whole frames; None where neither was measured."""
        found = (self.costs.get(name) for name in (pane, WHOLE))
        return next((cost for cost in found if cost is not None and cost.is_measured), None)

    def pixels(self, pane: str = WHOLE, seconds: float | None = None) -> float:
        """Return how many pixels of a pane the budget of ``seconds`` allows.

        None: the interval between two frames; FIRST_PIXELS where no cost is known. Where the fixed
        cost alone would take half of it, more pixels are allowed, and later frames wait.
        """
        cost = self._cost_of(pane)
        if seconds is None:
            seconds = self.frame_seconds if cost else FRAME_SECONDS
        if cost is None:
            return FIRST_PIXELS * seconds / FRAME_SECONDS
        paid = max(self.share * seconds - cost.start, cost.start)
        return paid / max(cost.pixel, LEAST_COST)

    def band_pixels(self, pane: str, seconds: float, band: float) -> float:
        """Return how many pixels ``seconds`` allow in bands of that size."""
        cost = self._cost_of(pane)
        if cost is None:
            return self.pixels(pane, seconds)
        each = cost.seconds(math.ceil(band)) / band if band < UNBOUNDED else cost.pixel
        return self.share * seconds / max(each, LEAST_COST)

    def charge(self, seconds: float) -> None:
        """Charge time that another thread spent."""
        with self._lock:
            self._owed += seconds


@dataclass
class StepRate:
    """Progress rate of a fit: the time until its step count has grown by GROWTH."""

    _samples: deque[tuple[float, int]] = field(default_factory=deque)  # time of each step

    def note(self, step: int) -> None:
        """Record the current step."""
        now = time.perf_counter()
        self._samples.append((now, step))
        while len(self._samples) > 2 and self._samples[1][0] <= now - RATE_SECONDS:
            self._samples.popleft()

    def growth_seconds(self) -> float:
        """Return the seconds until then, FRAME_SECONDS at least."""
        if len(self._samples) < 2:
            return FRAME_SECONDS
        (begin, first), (now, step) = self._samples[0], self._samples[-1]
        more = (GROWTH - 1) * step
        return max(FRAME_SECONDS, more * (now - begin) / max(1, step - first))

    def frame_seconds(self) -> float:
        """Return the interval between two frames: a fit's callbacks may be further apart."""
        if len(self._samples) < 2:
            return FRAME_SECONDS
        look = (self._samples[-1][0] - self._samples[0][0]) / (len(self._samples) - 1)
        return min(max(FRAME_SECONDS, look), LONGEST_INTERVAL)
