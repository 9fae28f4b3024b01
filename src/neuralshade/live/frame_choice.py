"""Choice of the next frame of a page: all panes at once, or one part while a fit has priority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from neuralshade.fitting.scene import Scene, View
from neuralshade.live.client import Client
from neuralshade.live.frame_budget import (
    DRAFT,
    FIXED_SECONDS,
    STORED,
    UNBOUNDED,
    WHOLE,
    FrameBudget,
    StepRate,
    divided_by,
)
from neuralshade.live.progressive_drawing import Band, Floats, ProgressiveDrawing, pixels_of


@dataclass(frozen=True)
class Frame:
    """A picture to draw: view and panes."""

    view: View
    panes: tuple[str, ...]
    sharp: bool
    slow: bool  # for pages that do not keep up
    by: int = 1  # divisor of each side of the view
    band: Band | None = None  # set where it is one band of a picture
    stored: bool = False  # drawn without computation

    @property
    def costs_as(self) -> str:
        """Return the key of its cost."""
        if self.band is not None:
            return self.band.costs_as
        if self.stored:
            return STORED
        return DRAFT + self.panes[0] if self.view.draft else WHOLE

    @property
    def whole(self) -> View:
        """Return the view of the whole picture."""
        return self.view if self.band is None else self.band.whole

    def note(self, scene: Scene, client: Client, drawn: Mapping[str, Floats]) -> None:
        """Record that the frame was drawn for a page."""
        if client.drawing is not None and self.band is not None:
            client.drawing.drawn(self.band, drawn[self.band.pane])
            client.kept.pop(self.band.pane, None)  # of several pieces: resent when the fit pauses
            return
        if client.drawing is not None:
            client.drawing.begun(self.panes, self.by, self.view.draft)
        client.kept.update((pane, scene.relevant_view(pane, self.view)) for pane in self.panes)


PageView = tuple[Client, View]
Groups = dict[Frame, list[PageView]]  # frames, each with the pages that wait for it


@dataclass(frozen=True)
class FrameChoice:
    """Chooses frames by the time budgets of fast and slow pages, and by the fit's progress.

    ``opening``: before the first step; panes that never change are drawn completely.
    """

    scene: Scene
    budgets: dict[bool, FrameBudget]
    rate: StepRate
    opening: bool = False
    paid: Mapping[bool, bool] = field(default_factory=dict)  # whether a frame is in budget, by slow

    def next(
        self, client: Client, view: View, hurried: bool, fit_seconds: float | None
    ) -> Frame | None:
        """Return the next frame of a page for ``view``; None where it is complete."""
        if hurried and view.parts:
            return self._part(client, view)
        if fit_seconds is not None:
            return self._last(client, view, fit_seconds)
        scene, client.drawing = self.scene, None
        most = self.budgets[client.slow].pixels() if hurried else UNBOUNDED
        by = divided_by(view.width * view.height, most)
        drawn = bare(scene.fitted(view, by))  # this view decides whether a pane is lit
        lacking = [p for p in panes_of(scene, view)
                   if p in scene.changes or scene.is_refining(p, drawn)
                   or client.kept.get(p) != scene.relevant_view(p, drawn)]  # fmt: skip
        return Frame(drawn, tuple(lacking), by == 1, client.slow)

    def _last(self, client: Client, view: View, fit_seconds: float) -> Frame | None:
        """Return all panes that a fit changed, whole, as fine as a share of its time allows.

        None where nothing changes.
        """
        scene, budget, target = self.scene, self.budgets[client.slow], bare(view)
        panes = tuple(pane for pane in panes_of(scene, view) if pane in scene.changes)
        if not panes:
            return None
        pixels = view.width * view.height * len(panes)
        by = divided_by(pixels, min(budget.pixels(pane, fit_seconds) for pane in panes))
        client.drawing = ProgressiveDrawing.following(client.drawing, scene, target)
        by = client.drawing.finest(panes, by)
        return Frame(scene.fitted(target, by), panes, by == 1, client.slow, by)

    def _part(self, client: Client, view: View) -> Frame | None:
        """Return the next part of a page's progressive drawing; None where it is complete."""
        scene, target, slow = self.scene, bare(view), client.slow and not self.opening
        budget = self.budgets[slow]
        panes = panes_of(scene, view)
        if client.drawing is None or client.drawing.view != target:
            drawn = [pane for pane in panes if pane not in scene.stored]
            starved = client.drawing is not None and bool(client.drawing.fresh(drawn))
            client.drawing = ProgressiveDrawing.following(client.drawing, scene, target)
            client.drawing.starved = starved
        fresh = client.drawing.fresh(panes)
        stored = tuple(pane for pane in fresh if pane in scene.stored)
        lacking = [pane for pane in fresh if pane not in stored]
        # alternate: a page that pans for long gets both
        is_next = lacking and client.drawing.starved and self.paid.get(slow)
        if stored and not is_next:
            return Frame(scene.fitted(target, 1), stored, True, slow, stored=True)
        if lacking:
            return self._first(view, lacking, slow)
        if self.opening:
            panes = [pane for pane in panes if pane not in scene.changes]
        changing = sum(pane in scene.changes for pane in panes)  # one band of each in turn
        growth = self.rate.growth_seconds() / max(1, changing)

        def affordable(pane: str, band: float) -> float:
            return budget.band_pixels(pane, growth, band)

        def seconds(pane: str, pixels: int, band: float) -> float:
            return max(1, changing) * pixels / budget.band_pixels(pane, 1.0, band)

        def worth(name: str) -> float:
            once = self.opening or name.startswith(DRAFT)
            return budget.pixels(name, FIXED_SECONDS if once else None)

        band = client.drawing.next(scene, panes, worth, affordable, seconds)
        if band is None:
            return None
        sharp = band.by == 1 and not band.draft
        return Frame(band.view(scene), (band.pane,), sharp, slow, band.by, band)

    def _first(self, view: View, fresh: list[str], slow: bool) -> Frame:
        """Return whole pictures of panes without one: panes with drafts last, one at a time."""
        scene, budget = self.scene, self.budgets[slow]
        pixels = pixels_of(scene, view)
        plain = tuple(pane for pane in fresh if pane not in scene.drafts)
        if plain:
            by = divided_by(pixels, budget.pixels())
            return Frame(scene.fitted(bare(view), by), plain, by == 1, slow, by)
        by = divided_by(pixels, budget.pixels(DRAFT + fresh[0], FIXED_SECONDS))
        drawn = replace(scene.fitted(bare(view), by), draft=True)
        return Frame(drawn, (fresh[0],), False, slow, by)


def joining(scene: Scene, frame: Frame, groups: Groups) -> list[PageView]:
    """Move pages that can use the same band from the groups of other frames; return them."""
    joined: list[PageView] = []
    band, lead = frame.band, next((client.drawing for client, _ in groups[frame]), None)
    if band is None or lead is None:
        return joined
    for other in groups.keys() - {frame}:
        for client, view in list(groups[other]):
            drawing = client.drawing
            if drawing and band.pane in panes_of(scene, view) and drawing.takes(scene, band):
                drawing.join(lead, band)
                groups[other].remove((client, view))
                joined.append((client, view))
    return joined


def shares(
    frame: Frame, group: list[PageView], drawn: Mapping[str, Floats]
) -> Iterator[tuple[Mapping[str, Floats] | None, list[PageView]]]:
    """Yield the pictures of a frame and the pages that get them: ``drawn``, or the assembled bands;
    None while bands are missing.
    """
    band, by_bands = frame.band, dict[tuple[int, ...], list[PageView]]()
    for client, view in group:
        kept = client.drawing.kept(band.pane) if band and client.drawing else None
        key = () if kept is None else tuple(id(values) for _, values in kept)
        by_bands.setdefault(key, []).append((client, view))
    for key, members in by_bands.items():
        drawing = members[0][0].drawing
        if not key or band is None or drawing is None:
            yield drawn, members
        elif drawing.is_whole(band.pane):
            kept = sorted(drawing.kept(band.pane) or [], key=lambda one: one[0])
            for client, _ in members:
                if client.drawing is not None:
                    client.drawing.forget(band.pane)
            yield {band.pane: np.concatenate([values for _, values in kept])}, members
        else:
            yield None, members


def panes_of(scene: Scene, view: View) -> list[str]:
    """Return the existing panes of a view, or the main one."""
    return [pane for pane in view.panes if pane in scene.titles] or [scene.main]


def bare(view: View) -> View:
    """Return a view without the fields that do not affect the picture."""
    return replace(view, id=0, panes=())


def one_pixel(view: View) -> View:
    """Return the same view of one pixel."""
    return replace(view, width=1, height=1, screen=None if view.screen is None else (1, 1))
