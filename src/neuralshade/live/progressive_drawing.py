"""Progressive drawing while a fit runs: pictures are refined band by band."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.frame_budget import DRAFT, UNBOUNDED, divided_by

LEAST_PIXELS = 2**12  # of a band: spreads the fixed cost of drawing
MOST_COLLECTED_SECONDS = 3.0  # longest time for which bands of a sharper picture are collected
MOST_COLLECTED_PIXELS = 2**20  # largest picture whose bands are collected, per page
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Band:
    """Rows ``first`` to ``first + count`` of ``whole``, which has ``rows`` of them."""

    pane: str
    whole: View  # the complete picture, each side divided by ``by``
    by: int
    first: int
    count: int
    rows: int
    draft: bool = False  # noisy until a second pass
    collected: bool = False  # the page gets all bands of the picture at once

    @property
    def costs_as(self) -> str:
        """Return the key of its cost."""
        return _costs_as(self.pane, self.draft)

    def view(self, scene: Scene) -> View:
        """Return the view to draw."""
        u0, v0, u1, v1 = self.whole.region
        step = (v1 - v0) / self.rows
        region = u0, v0 + step * self.first, u1, v0 + step * (self.first + self.count)
        screen = self.whole.screen
        if scene.is_lit(self.pane) and screen is not None:
            return replace(self.whole, region=region, screen=(screen[0], self.count),
                           draft=self.draft)  # fmt: skip
        return replace(self.whole, region=region, height=self.count, draft=self.draft)


@dataclass
class _PaneProgress:
    """Progress of a pane: ``covered`` rows of the picture divided by ``by``."""

    by: int
    covered: npt.NDArray[np.bool_] | None = None  # None: all
    row: int = 0  # next one
    turn: int = 0  # when it was last drawn
    draft: bool = False
    collected: bool = False  # bands are collected until all are drawn
    kept: list[tuple[int, Floats]] = field(default_factory=list)  # first row, and values

    @property
    def is_whole(self) -> bool:
        return self.covered is None or bool(self.covered.all())


@dataclass
class ProgressiveDrawing:
    """Progress of the panes of one page's view.

    A pane starts coarse and is refined by halving its divisor until it is sharp. A pane that the
    fit changes is refined as far as can be drawn before the fit has moved on, then drawn again.
    A draft is sharp but noisy first. Changing panes are sent whole, since a mix of several steps
    has seams and no error map can be made of it; the last picture stays until then, unless it was
    coarse and the next one takes long.
    """

    view: View
    panes: dict[str, _PaneProgress] = field(default_factory=dict)
    _turn: int = 0
    starved: bool = False  # the view before this one had no computed picture yet

    @classmethod
    def following(
        cls, before: ProgressiveDrawing | None, scene: Scene, view: View
    ) -> ProgressiveDrawing:
        """Return the state of another view; panes that look the same in it keep their progress."""
        if before is None:
            return cls(view)
        same = {
            pane: state
            for pane, state in before.panes.items()
            if scene.relevant_view(pane, before.view) == scene.relevant_view(pane, view)
        }
        return cls(view, same, before._turn)

    def fresh(self, panes: list[str]) -> list[str]:
        """Return the panes without a picture."""
        return [pane for pane in panes if pane not in self.panes]

    def finest(self, panes: Iterable[str], by: int) -> int:
        """Return the smallest divisor of ``panes``, or ``by`` where that is less."""
        return min([by, *(self.panes[pane].by for pane in panes if pane in self.panes)])

    def begun(self, panes: tuple[str, ...], by: int, draft: bool = False) -> None:
        """Record that ``panes`` were drawn whole, each side divided by ``by``."""
        self._turn += 1
        self.panes.update((pane, _PaneProgress(by, turn=self._turn, draft=draft)) for pane in panes)

    def next(
        self,
        scene: Scene,
        panes: list[str],
        pixels: Callable[[str], float],
        affordable: Callable[[str, float], float] = lambda pane, band: UNBOUNDED,
        seconds: Callable[[str, int, float], float] = lambda pane, pixels, band: 0.0,
    ) -> Band | None:
        """Return the next band; None where all panes are done.

        ``pixels`` returns the preferred size of a pane's band; ``affordable`` the size of the whole
        picture, drawn in such bands, for its last band to show about the same fit as its first;
        ``seconds`` the time that a whole picture takes.
        """
        open_panes = [pane for pane in panes
                      if pane in scene.changes or not self._is_done(pane)]  # fmt: skip
        if not open_panes:
            return None
        pane = self._next_pane(scene, open_panes)
        state = self.panes[pane]
        by, first, draft = state.by, state.row, state.draft
        worth = max(pixels(_costs_as(pane, draft and by > 1)), LEAST_PIXELS)
        if state.is_whole:
            most = affordable(pane, worth) if pane in scene.changes else UNBOUNDED
            draft = draft and by > 1
            by, first = divided_by(pixels_of(scene, self.view), most, before=by), 0
        whole = scene.fitted(self.view, by)
        lit = scene.is_lit(pane) and whole.screen is not None
        width, rows = whole.screen if lit and whole.screen else (whole.width, whole.height)
        most = max(1, math.ceil(max(pixels(_costs_as(pane, draft)), LEAST_PIXELS) / width))
        # equal parts: a single last row would cost as much as a band
        bands = -(-(rows - first) // most)
        collected = (
            pane in scene.changes
            and width * rows <= MOST_COLLECTED_PIXELS
            and (by >= state.by or seconds(pane, width * rows, worth) <= MOST_COLLECTED_SECONDS)
        )
        return Band(pane, whole, by, first, -(-(rows - first) // bands), rows, draft, collected)

    def takes(self, scene: Scene, band: Band) -> bool:
        """Return whether a band that was chosen for another page also helps this one."""
        state = self.panes.get(band.pane)
        if state is None or band.whole != scene.fitted(self.view, band.by):
            return False
        changes = band.pane in scene.changes
        if (band.draft and not state.draft) or not (changes or not self._is_done(band.pane)):
            return False
        if band.by != state.by:
            return band.by < state.by
        # a changing pane that is complete can start anywhere
        return (changes and state.is_whole) or band.first == state.row

    def join(self, other: ProgressiveDrawing, band: Band) -> None:
        """Adopt the bands that another page has, so that both stay in step.

        ``band`` is the next one of both pages.
        """
        own, state = self.panes[band.pane], other.panes[band.pane]
        if state.collected and not state.is_whole and (own.is_whole or own.by != band.by):
            assert state.covered is not None
            self.panes[band.pane] = replace(state, covered=state.covered.copy(),
                                            kept=[*state.kept])  # fmt: skip

    def _next_pane(self, scene: Scene, panes: list[str]) -> str:
        """Return the pane to draw next: panes that can be completed get every other turn."""
        ends = [pane for pane in panes if pane not in scene.changes]
        others = [pane for pane in panes if pane in scene.changes]
        latest = max(panes, key=lambda name: self.panes[name].turn)
        group = others if latest in ends and others else ends or others
        return min(group, key=lambda name: self.panes[name].turn)

    def drawn(self, band: Band, values: Floats) -> None:
        """Record that a band was drawn."""
        self._turn += 1
        state = self.panes[band.pane]
        if state.by != band.by or state.is_whole:
            state.by, state.covered, state.draft = band.by, np.zeros(band.rows, bool), band.draft
            state.collected, state.kept = band.collected, []
        if state.collected:
            state.kept.append((band.first, values))
        assert state.covered is not None
        end = band.first + band.count
        state.covered[band.first : end] = True
        state.row, state.turn = end % band.rows, self._turn

    def kept(self, pane: str) -> list[tuple[int, Floats]] | None:
        """Return the collected bands of a pane; None where bands are sent one by one."""
        state = self.panes[pane]
        return state.kept if state.collected else None

    def forget(self, pane: str) -> None:
        """Drop the bands of a picture that was sent."""
        self.panes[pane].kept = []

    def is_whole(self, pane: str) -> bool:
        """Return whether all bands of a pane are drawn."""
        return self.panes[pane].is_whole

    def _is_done(self, pane: str) -> bool:
        state = self.panes[pane]
        return state.by == 1 and state.is_whole and not state.draft


def pixels_of(scene: Scene, view: View) -> int:
    """Return the number of pixels of a pane at full size."""
    whole = scene.fitted(view, 1)
    width, height = whole.screen or (whole.width, whole.height)
    return width * height


def _costs_as(pane: str, draft: bool) -> str:
    return DRAFT + pane if draft else pane
