"""Schedule of a splat fit: growth where the error is large, then rounding of the attributes.

Attributes are rounded one after the other and fixed from then on, so that the others compensate;
colors, which do that best, come last. Rounding all at once and training on costs 0.5 to 1 dB
more (docs/performance.md).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.schema import ListOf, Misfit, Number, ObjectOf
from neuralshade.base.strict_json import strict_json
from neuralshade.kinds.splats.engine import SplatEngine
from neuralshade.kinds.splats.growth import added_cloud
from neuralshade.kinds.splats.kernels import RANGE
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.splats.stream_scale import StreamScale
from neuralshade.measure.picture_psnr import weighted_squares
from neuralshade.model.gaussian import COLOR, SMALLEST_PX, Compositing

GROWTHS = 16  # times that Gaussians are added, where a step trains all tiles
LEAST_PIXELS = 0.5  # a Gaussian's least sum of weights; below it is moved
MOVED_SHARE = 0.05  # of all Gaussians, moved at once at most
LARGEST_SHEAR = 8.0
LARGEST_LOGIT = 12.0
BRIGHT_PERCENT = 99.0  # percentile that counts as bright
LEAST_RMSE = 1e-3  # relative to bright values: the error of a good fit
FREE = 1e6  # no limit
MOST_LEVELS = 1 << 16  # of an attribute other than the centers
# Share of the rounding phase, from its beginning to the end of the fit, at which the attributes up
# to this row are fixed.
ROUNDINGS = ((0.0, 2), (0.29, 4), (0.57, COLOR), (0.79, 99))

SCHEDULE = ObjectOf({
    "next": Number(0, 64, whole=True), "count": Number(1, 2**24, whole=True),
    "steps": ListOf(Number(1e-30, 1e30), 0, 16), "rng": ObjectOf({}),
}, {"weighed": ListOf(Number(0, 1e30), 0, 2)})  # fmt: skip

Floats = npt.NDArray[np.float32]
Ranges = npt.NDArray[Any]


def growths_of(share: float) -> int:
    """Return how often Gaussians are added where a step trains ``share`` of the tiles.

    Each needs the error of all tiles, which takes more steps the fewer a step trains.
    """
    return round(GROWTHS * share)


def free_ranges(
    recipe: SplatsRecipe, width: int, height: int, channels: int, bright: float = 1.0
) -> Ranges:
    """Return the attributes' limits and step sizes before they are rounded: RANGE [A].

    ``bright``: typical large values of the picture; 1 but for HDR.
    """
    sizes = (np.log(SMALLEST_PX), np.log(2.0 * max(width, height)), 0, recipe.shape_rate)
    rows = [
        (0, width, 0, recipe.center_rate),
        (0, height, 0, recipe.center_rate),
        sizes,
        sizes,
        (-LARGEST_SHEAR, LARGEST_SHEAR, 0, recipe.shape_rate),
        *[(-FREE * bright, FREE * bright, 0, recipe.color_rate * bright)] * channels,
        *[(-LARGEST_LOGIT, LARGEST_LOGIT, 0, recipe.opacity_rate)] * (recipe.compositing == "over"),
    ]
    return np.array(rows, RANGE)


def bright_of(target: Floats, hdr: bool) -> float:
    """Return the typical large values of the picture: 1, or a percentile for HDR.

    Single brighter pixels, such as a sun, are ignored.
    """
    if not hdr:
        return 1.0
    return max(float(np.percentile(np.abs(target), BRIGHT_PERCENT)), 1e-6)


def stored_steps(
    recipe: SplatsRecipe, rmse: float, channels: int, bright: float = 1.0
) -> list[float]:
    """Return the attributes' rounding steps, in order.

    Colors may be as coarse as the error ``rmse``; steps of positions and shapes follow its root,
    which measurements support.
    """
    coarse = math.sqrt(rmse / bright)
    shape = [recipe.center_step * coarse] * 2 + [recipe.size_step * coarse] * 2
    colors = [recipe.color_step * rmse] * channels
    opacity = [recipe.opacity_step * coarse] * (recipe.compositing == "over")
    return [*shape, recipe.shear_step * coarse, *colors, *opacity]


def stored_range(free: Any, values: Floats, step: float, *, center: bool) -> Any:
    """Return the range that an attribute's ``values`` [N] are rounded in: RANGE.

    It holds all values, or MOST_LEVELS around the median where there would be more.
    Unused levels cost next to nothing.
    """
    step = float(np.float32(step))
    low, high = (0.0, float(free["high"])) if center else (float(values.min()), float(values.max()))
    first, last = math.floor(low / step), math.ceil(high / step)
    if not center and last - first >= MOST_LEVELS:
        first = max(first, min(round(float(np.median(values)) / step) - MOST_LEVELS // 2,
                               last - MOST_LEVELS + 1))  # fmt: skip
        last = first + MOST_LEVELS - 1
    return np.array((first * step, last * step, last - first + 1, free["rate"]), RANGE)


class SplatFit:
    """A fit in progress: the engine that trains the cloud, and the schedule that changes it.

    ``budget``: the file's bytes, None where the recipe sets the count; ``weigh`` returns the bytes
    of the stream for levels [A, N], and of the rest of the file.
    """

    resized = SplatEngine.resized

    def __init__(
        self,
        engine: SplatEngine,
        recipe: SplatsRecipe,
        target: Floats,
        compositing: Compositing,
        count: int,
        budget: int | None,
        weigh: Callable[[npt.NDArray[np.int32], Ranges], tuple[int, int]],
        *, hdr: bool = False, alpha_weighted: bool = False,
    ):  # fmt: skip
        self.engine, self.recipe, self.target = engine, recipe, target
        self.compositing, self.count, self.alpha_weighted = compositing, count, alpha_weighted
        self.budget, self.weigh = budget, weigh
        self.scale = StreamScale(weigh, ordered=compositing.kind == "over")
        self.rng = np.random.default_rng(recipe.seed)
        self.bright = bright_of(target, hdr)
        self.free = free_ranges(recipe, engine.width, engine.height, engine.channels, self.bright)
        self.steps: list[float] = []
        engine.set_ranges(self.free)
        begin = max(recipe.round_from, recipe.grow_until)
        self.growths = growths_of(engine.trained_tiles / engine.layout.tiles)
        self.stages: list[tuple[float, Callable[[], None]]] = [
            *(
                (recipe.grow_until * (i + 1) / self.growths, self._grow)
                for i in range(self.growths)
            ),
            ((recipe.grow_until + begin) / 2, self._fit_budget),
            (begin, self._begin_rounding),
            *((begin + (1 - begin) * part, self._round) for part, _ in ROUNDINGS),
        ]
        self.next = 0  # of the stages

    def warm_up(self) -> None:
        """Run the operations between steps once, to compile their kernels; nothing changes."""
        self.engine.weights()
        self.engine.levels(self._stored(self._steps_now()))  # draws too

    def due(self, share: float) -> float:
        """Run all stages that are due at ``share`` of the fit; return the next one's share."""
        while self.next < len(self.stages) and share >= self.stages[self.next][0]:
            self.next += 1
            act = self.stages[self.next - 1][1]
            if act != self._grow or not self._grows_next(share):
                act()
        return self.stages[self.next][0] if self.next < len(self.stages) else 1.0

    def _grows_next(self, share: float) -> bool:
        """Return whether the next stage is due too, and adds Gaussians: then one run is enough."""
        at, act = self.stages[self.next]
        return share >= at and act == self._grow

    def settle(self) -> None:
        """Round what an early end left unrounded, and keep to the budget."""
        self.next = len(self.stages)
        self.engine.set_ranges(self._rounded())
        while self.budget is not None and self.engine.count > 1:
            stream, other = self.weigh(self.engine.levels(), self.engine.ranges)
            if stream + other <= self.budget:
                return
            share = max(0.0, (self.budget - other) / stream)
            self._keep_strongest(min(self.engine.count - 1, int(self.engine.count * share)))

    def stored_picture(self) -> Floats:
        """Return the picture as stored if the fit ended now: float32 [H, W, C]."""
        now = self.engine.ranges
        if (now["levels"] > 0).all():
            return self.engine.draw()
        self.engine.set_ranges(self._rounded())
        picture = self.engine.draw()
        self.engine.set_ranges(now)
        return picture

    def _rounded(self) -> Ranges:
        """Return the ranges in use, and the future ones of what is not rounded yet."""
        ranges = self.engine.ranges.copy()
        free = ranges["levels"] == 0
        if free.any():
            ranges[free] = self._stored(self.steps or self._steps_now())[free]
        return ranges

    def rmse(self) -> float:
        """Return the root mean squared error of the picture as stored."""
        error = (self.engine.draw() - self.target).astype(np.float64)
        squares, counted = weighted_squares(error, self.target, self.alpha_weighted)
        return max(math.sqrt(squares / counted), LEAST_RMSE * self.bright)

    def _grow(self) -> None:
        done, begun = self.next / self.growths, self.recipe.begin
        self._resize(round(self.count * (begun + (1 - begun) * done)))

    def _resize(self, count: int) -> None:
        """Resize to ``count`` Gaussians; those with the least weight are moved."""
        engine = self.engine
        count = max(1, min(count, engine.capacity))
        if count < engine.count:
            self._keep_strongest(count)
            return
        weights = engine.weights()
        weak = np.argsort(weights, kind="stable")[: int(MOVED_SHARE * engine.count)]
        weak = weak[weights[weak] < LEAST_PIXELS]
        kept = np.delete(np.arange(engine.count), weak)
        if len(kept) < count:
            spacing = (engine.width * engine.height / count) ** 0.5
            added = added_cloud(self.target, engine.draw(), count - len(kept), spacing,
                                self.compositing, self.rng,
                                alpha_weighted=self.alpha_weighted)  # fmt: skip
            engine.replace(kept, added, first=self.compositing.kind == "over")

    def _keep_strongest(self, count: int) -> None:
        weights = self.engine.weights()
        kept = np.sort(np.argsort(-weights, kind="stable")[: max(1, count)])
        self.engine.replace(kept, np.zeros((self.engine.form.attributes, 0), np.float32))

    def _fit_budget(self) -> None:
        """Choose the count by the bytes of the Gaussians if they were rounded now."""
        if self.budget is None:
            return
        ranges = self._stored(self._steps_now())
        stream, other = self.scale(self.engine.levels(ranges), ranges)
        self.count = max(1, int(self.engine.count * (self.budget - other) / stream))
        self._resize(self.count)

    def _steps_now(self) -> list[float]:
        return stored_steps(self.recipe, self.rmse(), self.engine.channels, self.bright)

    def _stored(self, steps: list[float]) -> Ranges:
        values = self.engine.values()
        rows = [
            stored_range(self.free[row], values[row], step, center=row < 2)
            for row, step in enumerate(steps)
        ]
        return np.stack(rows).reshape(-1)

    def _begin_rounding(self) -> None:
        self._fit_budget()
        self.steps = self._steps_now()

    def _round(self) -> None:
        """Fix the next attributes; colors train on, rounded in every step."""
        last = ROUNDINGS[self.next - (len(self.stages) - len(ROUNDINGS)) - 1][1]
        ranges = self.engine.ranges.copy()
        ranges[:last] = self._rounded()[:last]
        ranges["rate"][: min(last, COLOR)] = 0
        self.engine.set_ranges(ranges)

    def advance(self, rate_factors: Any) -> float:
        """Run steps; see ``SplatEngine.advance``."""
        return self.engine.advance(rate_factors)

    @property
    def skipped(self) -> int:
        return self.engine.skipped

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        mine = {"next": self.next, "count": self.count, "steps": self.steps,
                "rng": self.rng.bit_generator.state, "weighed": self.scale.state()}  # fmt: skip
        packed = np.frombuffer(json.dumps(mine).encode(), np.uint8)
        return {**self.engine.state(), "schedule": torch.from_numpy(packed.copy())}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load what ``state`` returned."""
        mine = strict_json(state["schedule"].numpy().tobytes())
        try:
            SCHEDULE.check(mine, "schedule")
        except Misfit as fault:
            raise ValueError(*fault.args) from fault
        self.next, self.count, self.steps = mine["next"], mine["count"], mine["steps"]
        self.rng.bit_generator.state = mine["rng"]
        self.scale.load_state(mine.get("weighed", []))
        self.engine.load_state({name: state[name] for name in state if name != "schedule"})
