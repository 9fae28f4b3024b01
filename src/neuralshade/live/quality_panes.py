"""Quality of a shown asset: FLIP panes, metrics, and rivals at equal bytes."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil

from neuralshade.fitting.scene import FLIP, TARGET, Scene, Tone, View
from neuralshade.live.frame_encoding import on_screen
from neuralshade.measure.pair import peak_of
from neuralshade.measure.quality import flip_colors, measure_quality, missing_flip, psnr_db
from neuralshade.measure.quality_rows import all_baselines
from neuralshade.source.color import srgb_to_linear

Floats = npt.NDArray[np.float32]
MOST_PIXELS = 2**24  # of a picture that is measured while pages are open
MOST_COMPARED = 2**22  # of one that rivals compress: seconds of one core at most
COPIES = 40  # float32 copies of a picture that SSIM and FLIP hold, roughly
MOST_PANES = 16  # measured panes
log = logging.getLogger("neuralshade.live")


def with_flip(scene: Scene) -> Scene:
    """Return ``scene`` with a FLIP pane for each pane that has a reference.

    Unchanged where FLIP is not installed.
    """
    compared = [pane for pane in scene.titles if scene.beside(pane) is not None]
    if not compared or missing_flip() is not None:
        return scene

    def draw(pane: str, view: View) -> Floats:
        if not pane.startswith(FLIP):
            return scene.draw(pane, view)
        own = pane.removeprefix(FLIP)
        beside = scene.beside(own)
        assert beside is not None
        pair = [on_screen(scene.draw(name, view), scene.linear, view.tone)[..., :3]
                for name in (beside, own)]  # fmt: skip
        colors = flip_colors(*pair)
        return _untoned(colors, view.tone) if scene.linear else colors

    titles = {FLIP + pane: f"FLIP of {scene.titles[pane]}" for pane in compared}
    light = scene.light
    if light is not None:
        lit = [FLIP + pane for pane in light.panes if pane in compared]
        light = dataclasses.replace(light, panes=(*light.panes, *lit))
    turned = (*scene.rotatable, *(FLIP + pane for pane in scene.rotatable if pane in compared))
    return dataclasses.replace(scene, titles={**scene.titles, **titles}, draw=draw, light=light,
                               rotatable=turned)  # fmt: skip


def _untoned(shown: Floats, tone: Tone) -> Floats:
    """Return linear light that the tone mapping turns back into ``shown``."""
    light = srgb_to_linear(shown) if tone.gamma is None else shown**tone.gamma
    return (light / np.float32(2.0**tone.exposure)).astype(np.float32)


@dataclass(frozen=True)
class _Pair:
    """A pane, its reference, and how the two are compared."""

    pane: str
    beside: str
    rate: Callable[[Floats, Floats], float] | None
    byte_count: int | None  # budget of the rivals; None: no comparison with them
    alpha_weighted: bool = False  # color errors are weighted by alpha


class QualityMeasurement:
    """Measures panes of an asset in its own thread and publishes the results.

    ``tell`` is called with "quality" (results by pane) and "measuring" (panes still to do). Panes
    are measured one at a time, so that frames can be drawn in between.
    """

    def __init__(self, publish: Callable[[str, Any], None]):
        self._publish = publish
        self._thread = ThreadPoolExecutor(1, "neuralshade quality")
        self._number = 0  # of the scene that is shown
        self._found: dict[str, Any] = {}  # by pane
        self._scene: Scene | None = None
        self._left: list[_Pair] = []
        self._job: Future[None] | None = None  # of the pair being measured

    def close(self) -> None:
        """Stop measuring."""
        self._number += 1
        self._thread.shutdown(wait=False, cancel_futures=True)

    def forget(self) -> None:
        """Drop all results and publish that none are known."""
        self._number += 1
        self._found, self._scene, self._left, self._job = {}, None, [], None
        self._publish("quality", None)
        self._publish("measuring", [])

    def begin(self, scene: Scene) -> None:
        """Queue all compared panes, where memory has room for the measurement."""
        pairs = {pane: scene.beside(pane) for pane in scene.titles
                 if not scene.is_lit(pane) and not pane.startswith(FLIP)}  # fmt: skip
        pixels = scene.width * scene.height
        known = [(pane, beside) for pane, beside in pairs.items() if beside][:MOST_PANES]
        room = psutil.virtual_memory().available / (4 * COPIES * scene.channels)
        if not known or pixels > min(MOST_PIXELS, room):
            return
        rated = scene.bits_per_pixel is not None and pixels <= MOST_COMPARED
        self._scene, self._left = scene, [
            _Pair(pane, beside, None if scene.psnr is None else partial(scene.psnr, pane),
                  scene.byte_count if rated and beside == TARGET else None,
                  scene.alpha_weighted)
            for pane, beside in known]  # fmt: skip
        self._publish("measuring", [pair.pane for pair in self._left])

    def measure_next(self) -> None:
        """Draw the next pair here and measure it in the thread, unless one is in progress."""
        scene = self._scene
        if scene is None or not self._left or (self._job is not None and not self._job.done()):
            return
        pair = self._left.pop(0)
        view = View(0, 0, width=scene.width, height=scene.height)
        try:
            drawn = [scene.draw(name, view) for name in (pair.beside, pair.pane)]
        except Exception:  # a page that looks at this pane gets the error as well
            log.exception("live: %s could not be drawn to be measured.", pair.pane)
            self._publish("measuring", [one.pane for one in self._left])
            return
        left = [one.pane for one in self._left]
        space = "linear" if scene.linear else "srgb"
        self._job = self._thread.submit(self._whole, self._number, pair, drawn, space, left)

    def _whole(self, number: int, pair: _Pair, drawn: list[Floats], space: str,
               left: list[str]) -> None:  # fmt: skip
        self._measure(number, pair, drawn, space)
        if pair.byte_count:
            self._compare(number, pair, drawn[0], space, pair.byte_count)
        if number == self._number:
            self._publish("measuring", left)

    def _measure(self, number: int, pair: _Pair, drawn: list[Floats], space: str) -> None:
        pane, rate = pair.pane, pair.rate
        if number != self._number:
            return  # another scene is shown, or a fit runs and has priority
        try:
            target, result = drawn if space == "linear" else [p.clip(0, 1) for p in drawn]
            found = dataclasses.asdict(measure_quality(
                target, result, space, alpha_weighted=pair.alpha_weighted))  # fmt: skip
            if rate is not None:
                found["psnr_db"] = rate(target, result)
        except Exception:  # the page works without numbers
            log.exception("live: %s could not be measured.", pane)
            return
        if number == self._number:
            self._found = {**self._found, pane: found}
            self._publish("quality", self._found)

    def _compare(self, number: int, pair: _Pair, target: Floats, space: str, size: int) -> None:
        """Publish the rivals' quality at the asset's bytes or at their fixed rates, one by one."""
        pane, weighted = pair.pane, pair.alpha_weighted
        rows: list[dict[str, Any]] = []
        target = target if space == "linear" else target.clip(0, 1)
        peak = peak_of(target, space)
        try:
            for rival in all_baselines(target, space, size, alpha_weighted=weighted):
                if number != self._number or pane not in self._found:
                    return
                if rival.result is None:
                    continue
                rows.append({"name": rival.name, "bytes": rival.byte_count,
                             "memory_bytes": rival.memory_bytes,
                             "psnr_db": psnr_db(target, rival.result, peak,
                                                alpha_weighted=weighted),
                             "random_access": rival.random_access})  # fmt: skip
                self._found = {**self._found, pane: {**self._found[pane], "beside": [*rows]}}
                self._publish("quality", self._found)
        except Exception:  # the page works without rivals
            log.exception("live: %s could not be compared.", pane)
