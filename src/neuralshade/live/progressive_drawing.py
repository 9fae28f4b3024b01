"""Bands of a picture that grows sharp while a fit goes on: which is the next one for a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.frame_budget import DRAFT, UNBOUNDED, divided_by

LEAST_PIXELS = 2**12  # of a band: what a look at a scene costs at all is spread over as many
MOST_HELD_SECONDS = 3.0  # for which bands that are sharper than the last picture are kept
MOST_HELD_PIXELS = 2**20  # of a picture whose bands are kept, for each of the pages
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Band:
    """Rows ``first`` and on of ``whole``, which has ``rows`` of them; ``count`` is how many."""

    pane: str
    whole: View  # what all bands make, each side of what was asked for divided by ``by``
    by: int
    first: int
    count: int
    rows: int
    draft: bool = False  # it has noise, until it is gone through once more
    held: bool = False  # a page that begins with it gets all of them together

    @property
    def costs_as(self) -> str:
        """Return by what name its cost is known."""
        return _costs_as(self.pane, self.draft)

    def view(self, scene: Scene) -> View:
        """Return what is drawn of it."""
        u0, v0, u1, v1 = self.whole.region
        step = (v1 - v0) / self.rows
        region = u0, v0 + step * self.first, u1, v0 + step * (self.first + self.count)
        screen = self.whole.screen
        if scene.is_lit(self.pane) and screen is not None:
            return replace(self.whole, region=region, screen=(screen[0], self.count),
                           draft=self.draft)  # fmt: skip
        return replace(self.whole, region=region, height=self.count, draft=self.draft)


@dataclass
class _Swept:
    """How far a pane has come: it has ``covered`` rows of the picture divided by ``by``."""

    by: int
    covered: npt.NDArray[np.bool_] | None = None  # None: all of them
    row: int = 0  # the next one
    turn: int = 0  # when it was drawn last
    draft: bool = False
    held: bool = False  # bands are kept until all of them are there
    kept: list[tuple[int, Floats]] = field(default_factory=list)  # first row, and values

    @property
    def is_whole(self) -> bool:
        return self.covered is None or bool(self.covered.all())


@dataclass
class Sweep:
    """The panes of one page's view, each with how far it has come.

    A pane goes from its first, coarse picture by halves to a sharp one, or to one as sharp as can
    be drawn before the fit has become another, where it changes: that goes around and around.
    One that begins as a draft is a sharp one with noise first. What changes is sent whole: a
    picture of several steps has seams, and no error is made of it before its last band. Until
    then the last one stays, unless that was coarse and the next one takes long.
    """

    view: View
    panes: dict[str, _Swept] = field(default_factory=dict)
    _turn: int = 0
    hungry: bool = False  # the view before this one had nothing yet of what has to be drawn

    @classmethod
    def following(cls, before: Sweep | None, scene: Scene, view: View) -> Sweep:
        """Return the sweep of another view: panes to which it is the same one are as they were."""
        if before is None:
            return cls(view)
        same = {pane: state for pane, state in before.panes.items()
                if scene.seen_in(pane, before.view) == scene.seen_in(pane, view)}  # fmt: skip
        return cls(view, same, before._turn)

    def fresh(self, panes: list[str]) -> list[str]:
        """Return those of ``panes`` that have no picture yet."""
        return [pane for pane in panes if pane not in self.panes]

    def finest(self, panes: Iterable[str], by: int) -> int:
        """Return the least number that ``panes`` were divided by, or ``by`` where that is less."""
        return min([by, *(self.panes[pane].by for pane in panes if pane in self.panes)])

    def begun(self, panes: tuple[str, ...], by: int, draft: bool = False) -> None:
        """Take note that ``panes`` were drawn whole, each side divided by ``by``."""
        self._turn += 1
        self.panes.update((pane, _Swept(by, turn=self._turn, draft=draft)) for pane in panes)

    def next(
        self,
        scene: Scene,
        panes: list[str],
        pixels: Callable[[str], float],
        affordable: Callable[[str, float], float] = lambda pane, band: UNBOUNDED,
        seconds: Callable[[str, int, float], float] = lambda pane, pixels, band: 0.0,
    ) -> Band | None:
        """Return the next band; None where all panes are done.

        ``pixels`` returns of about how many a pane's bands are, ``affordable`` of how many all of
        them may be, of so many each, that the last one may show about the same fit as the first.
        ``seconds`` returns for how long they are paid.
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
        # even parts of what is left: a last row by itself would cost as much as a band
        bands = -(-(rows - first) // most)
        held = (
            pane in scene.changes
            and width * rows <= MOST_HELD_PIXELS
            and (by >= state.by or seconds(pane, width * rows, worth) <= MOST_HELD_SECONDS)
        )
        return Band(pane, whole, by, first, -(-(rows - first) // bands), rows, draft, held)

    def takes(self, scene: Scene, band: Band) -> bool:
        """Return whether a band that was chosen for another page brings this one on."""
        state = self.panes.get(band.pane)
        if state is None or band.whole != scene.fitted(self.view, band.by):
            return False
        changes = band.pane in scene.changes
        if (band.draft and not state.draft) or not (changes or not self._is_done(band.pane)):
            return False
        if band.by != state.by:
            return band.by < state.by
        # wherever the other one is, where a whole one is to be drawn anew
        return (changes and state.is_whole) or band.first == state.row

    def join(self, other: Sweep, band: Band) -> None:
        """Go on from the bands that another page has, or the two would be sent apart for good.

        ``band`` is the next one of that page, and this one takes it.
        """
        own, state = self.panes[band.pane], other.panes[band.pane]
        if state.held and not state.is_whole and (own.is_whole or own.by != band.by):
            assert state.covered is not None
            self.panes[band.pane] = replace(state, covered=state.covered.copy(),
                                            kept=[*state.kept])  # fmt: skip

    def _next_pane(self, scene: Scene, panes: list[str]) -> str:
        """Return whose turn it is: those to be done with have every other one, however many."""
        ends = [pane for pane in panes if pane not in scene.changes]
        others = [pane for pane in panes if pane in scene.changes]
        latest = max(panes, key=lambda name: self.panes[name].turn)
        group = others if latest in ends and others else ends or others
        return min(group, key=lambda name: self.panes[name].turn)

    def drawn(self, band: Band, values: Floats) -> None:
        """Take note that a band was drawn."""
        self._turn += 1
        state = self.panes[band.pane]
        if state.by != band.by or state.is_whole:
            state.by, state.covered, state.draft = band.by, np.zeros(band.rows, bool), band.draft
            state.held, state.kept = band.held, []
        if state.held:
            state.kept.append((band.first, values))
        assert state.covered is not None
        end = band.first + band.count
        state.covered[band.first : end] = True
        state.row, state.turn = end % band.rows, self._turn

    def kept(self, pane: str) -> list[tuple[int, Floats]] | None:
        """Return the bands that are kept of a pane; None where each is sent by itself."""
        state = self.panes[pane]
        return state.kept if state.held else None

    def forget(self, pane: str) -> None:
        """Keep no more bands of a picture that is sent."""
        self.panes[pane].kept = []

    def is_whole(self, pane: str) -> bool:
        """Return whether all bands of a pane are there."""
        return self.panes[pane].is_whole

    def _is_done(self, pane: str) -> bool:
        state = self.panes[pane]
        return state.by == 1 and state.is_whole and not state.draft


def pixels_of(scene: Scene, view: View) -> int:
    """Return how many pixels of a pane there are to be drawn, at most."""
    whole = scene.fitted(view, 1)
    width, height = whole.screen or (whole.width, whole.height)
    return width * height


def _costs_as(pane: str, draft: bool) -> str:
    return DRAFT + pane if draft else pane
