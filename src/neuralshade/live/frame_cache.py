"""Frame cache: pictures drawn for any page, sent at once to pages that join later."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.client import Client
from neuralshade.live.frame_budget import GROWTH
from neuralshade.live.frame_choice import Frame
from neuralshade.live.frame_encoding import Floats, on_screen, png
from neuralshade.live.progressive_drawing import Band

MOST_PIXELS = 2**15  # of a cached picture that was drawn at once
MOST_OF_BANDS = 2**18  # of one that was refined in bands: encoding it takes tens of milliseconds
REUSED_SECONDS = 1.0  # of an encoded picture, however many pages come
MOST_KEPT = 16  # pictures; the oldest is dropped
Key = tuple[str, View]


@dataclass
class _Refinement:
    """A finer picture of a cached one, until all its rows are drawn."""

    by: int
    draft: bool
    values: Floats
    covered: npt.NDArray[np.bool_]  # of the rows as drawn

    @classmethod
    def of(cls, band: Band, drawn: Floats) -> _Refinement:
        """Return an empty one that takes bands such as ``drawn``."""
        cols = drawn.shape[1]
        by = max(1, math.ceil(math.sqrt(band.rows * cols / MOST_OF_BANDS)))
        shape = (-(-band.rows // by), -(-cols // by), drawn.shape[2])
        return cls(by * band.by, band.draft, np.zeros(shape, np.float32),
                   np.zeros(band.rows, bool))  # fmt: skip

    def paint(self, band: Band, drawn: Floats) -> None:
        """Take the rows of a band."""
        height, width = self.values.shape[:2]
        row = _centers(band.rows, height) - band.first
        hit = (row >= 0) & (row < drawn.shape[0])
        self.values[hit] = drawn[row[hit]][:, _centers(drawn.shape[1], width)]
        self.covered[band.first : band.first + band.count] = True

    def takes(self, band: Band, drawn: Floats) -> bool:
        """Return whether a band is one of its own."""
        other = _Refinement.of(band, drawn)
        return (self.by, self.draft, self.values.shape, len(self.covered)) == (
            other.by, other.draft, other.values.shape, len(other.covered))  # fmt: skip


@dataclass
class CachedFrame:
    """A whole picture of one pane, updated by later bands."""

    pane: str
    values: Floats
    whole: View  # view whose region it shows
    by: int  # divisor of each side of the view, about
    draft: bool
    step: int | None
    _finer: _Refinement | None = None
    _file: tuple[Floats, bytes, float] | None = None  # of values, encoded at time.perf_counter()

    @property
    def sharp(self) -> bool:
        """Return whether it has the requested size."""
        return self.by == 1 and not self.draft

    def begin(self, client: Client) -> None:
        """Record that a page gets it."""
        if client.drawing is not None:
            client.drawing.begun((self.pane,), self.by, self.draft)
        client.kept.pop(self.pane, None)  # of several pieces

    def file(self, linear: bool) -> bytes:
        """Return it as PNG, for all pages; one of its size may be REUSED_SECONDS old."""
        values, now, last = self.values, time.perf_counter(), self._file
        if last is not None and (last[0] is values or (
                last[0].shape == values.shape and now < last[2] + REUSED_SECONDS)):  # fmt: skip
            return last[1]
        self._file = values, png(on_screen(values, linear, self.whole.tone)), now
        return self._file[1]

    def is_recent(self, step: int | None) -> bool:
        """Return whether the fit, now at ``step``, has not moved on far since."""
        return step is None or self.step is None or step <= GROWTH * self.step

    def paint(self, band: Band, drawn: Floats, step: int | None) -> None:
        """Replace the rows of a band, at the present size; at a finer one once all are drawn."""
        height, width = self.values.shape[:2]
        row = (2 * np.arange(height) + 1) * band.rows // (2 * height) - band.first
        hit = (row >= 0) & (row < drawn.shape[0])
        values = self.values.copy()  # another thread may be encoding it
        values[hit] = drawn[row[hit]][:, _centers(drawn.shape[1], width)]
        self.values, self.step = values, step
        self._refine(band, drawn)

    def _refine(self, band: Band, drawn: Floats) -> None:
        """Collect the bands of a finer picture; replace this one by it once it is whole."""
        finer = self._finer
        if finer is None or not finer.takes(band, drawn):
            finer = _Refinement.of(band, drawn)
            if (finer.by, finer.draft) >= (self.by, self.draft):
                return
        finer.paint(band, drawn)
        self._finer = None if finer.covered.all() else finer
        if self._finer is None:
            self.values, self.by, self.draft, self.whole = (
                finer.values, finer.by, finer.draft, band.whole)  # fmt: skip


class FrameCache:
    """Cached frames of one scene; drawing and encoding threads may use it at once."""

    def __init__(self) -> None:
        self._kept: dict[Key, CachedFrame] = {}

    def note(
        self,
        scene: Scene,
        target: View,
        frame: Frame,
        panes: Mapping[str, Floats],
        step: int | None,
    ) -> None:
        """Cache what was drawn for a page's view ``target``."""
        for pane, values in panes.items():
            key = _key(scene, pane, target)
            if frame.band is None:
                self._kept.pop(key, None)
                self._kept[key] = _coarse(pane, values, frame, step)
            elif key in self._kept:
                self._kept[key].paint(frame.band, values, step)
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]

    def of(self, scene: Scene, target: View, panes: Iterable[str]) -> list[CachedFrame]:
        """Return the cached frames of ``panes`` for the same region, at any size.

        All have the region of the first.
        """
        keys = (_key(scene, pane, target) for pane in panes)
        found = [self._kept[key] for key in keys if key in self._kept]
        return [cached for cached in found if cached.whole.region == found[0].whole.region]


def _key(scene: Scene, pane: str, target: View) -> Key:
    """Return the cache key; for lit panes it includes the view's shape."""
    view = replace(scene.relevant_view(pane, target), id=0, panes=(), parts=False, draft=False)
    return pane, view if scene.is_lit(pane) else replace(view, width=1, height=1)


def _coarse(pane: str, values: Floats, frame: Frame, step: int | None) -> CachedFrame:
    height, width = values.shape[:2]
    by = math.ceil(math.sqrt(height * width / MOST_PIXELS))
    rows, cols = _centers(height, -(-height // by)), _centers(width, -(-width // by))
    kept = values[rows][:, cols] if by > 1 else values
    return CachedFrame(pane, kept, frame.whole, by * frame.by, frame.view.draft, step)


def _centers(size: int, count: int) -> npt.NDArray[np.int64]:
    """Return the indices of ``size`` samples nearest to the centers of ``count`` cells."""
    return (2 * np.arange(count) + 1) * size // (2 * count)
