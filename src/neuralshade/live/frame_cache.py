"""Frame cache: coarse pictures drawn for any page, sent at once to pages that join later."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.client import Client
from neuralshade.live.frame_choice import Frame
from neuralshade.live.frame_encoding import Floats, on_screen, png

MOST_PIXELS = 2**15  # of each cached picture
MOST_KEPT = 16  # pictures; the oldest is dropped
Key = tuple[str, View]


@dataclass
class CachedFrame:
    """A whole picture of one pane, updated by later bands."""

    pane: str
    values: Floats
    whole: View  # view whose region it shows
    by: int  # divisor of each side of the view, about
    draft: bool
    step: int | None
    _file: tuple[Floats, bytes] | None = None

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
        """Return it as PNG; encoded once for all pages."""
        values = self.values
        if self._file is None or self._file[0] is not values:
            self._file = values, png(on_screen(values, linear, self.whole.tone))
        return self._file[1]

    def paint(self, band: Floats, first: int, rows: int, step: int | None) -> None:
        """Replace rows by a band whose first row is ``first`` of ``rows``."""
        height, width = self.values.shape[:2]
        row = (2 * np.arange(height) + 1) * rows // (2 * height) - first
        hit = (row >= 0) & (row < band.shape[0])
        values = self.values.copy()  # another thread may be encoding it
        values[hit] = band[row[hit]][:, _centers(band.shape[1], width)]
        self.values, self.step = values, step


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
                self._kept[key].paint(values, frame.band.first, frame.band.rows, step)
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
