"""Size planner: the smallest layout that is expected to reach a target, by short fits."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.errors import ConfigError
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.textures.byte_budget import file_bytes, memory_bytes
from neuralshade.kinds.textures.layout import Shapes, layout_text, rate_of, shapes_of
from neuralshade.kinds.textures.probe import Prober, prober_of
from neuralshade.kinds.textures.rate_curve import RateCurve, bracket
from neuralshade.kinds.textures.recipe import GridShape, TexturesRecipe
from neuralshade.kinds.textures.spectrum import layouts_for
from neuralshade.kinds.textures.targets import Quality, Targets, mean_of
from neuralshade.source.material_set import MaterialSet

log = logging.getLogger("neuralshade")
LADDER = 1.01  # ratio of the rates of neighbouring candidates
REACH_DB = 1.0  # tolerated shortfall of the largest layout: the error of the estimate


@dataclass(frozen=True)
class Expected:
    """A layout and the expected result of a whole fit of it."""

    grids: str  # in a recipe's form
    rate: float  # nominal, bits per texel of mip 0
    bytes: int  # of the file
    memory_bytes: int  # of a GPU
    psnr_db: Quality  # of mip 0, by map

    @property
    def mean_psnr_db(self) -> float:
        """The mean over the maps."""
        return mean_of(self.psnr_db)


@dataclass(frozen=True)
class TargetReached:
    """The dB that were requested, expected and reached."""

    psnr_db: float | None  # requested of the mean over the maps
    maps: Quality  # requested of each, by name
    expected_psnr_db: float  # of the mean, before the fit
    expected_maps: Quality
    missed: str  # what is missed and by how much; empty where all was reached

    @classmethod
    def of(cls, targets: Targets, expected: Expected, reached: Quality) -> TargetReached:
        """Return the comparison for a fit that ended."""
        rounded = {name: round(value, 3) for name, value in expected.psnr_db.items()}
        return cls(targets.mean, dict(targets.maps), round(expected.mean_psnr_db, 3), rounded,
                   targets.missed(reached))  # fmt: skip


class Planner:
    """Estimates the quality of layouts, by short fits of some of them; each is made once.

    ``tried``: layouts for the set, of the fewest bits first.
    """

    def __init__(self, prober: Prober, tried: tuple[Shapes, ...]):
        self.prober, self.tried = prober, tried
        self._known: dict[int, Quality] = {}

    def result_of(self, index: int) -> Quality:
        """Return the expected result of a whole fit of a known layout, by map."""
        if index not in self._known:
            self._known[index] = self.prober.expected(self.tried[index])
        return self._known[index]

    def known_results(self) -> list[Expected]:
        """Return the expected results of all known layouts; more bits are never worse."""
        curve = self._curve(range(len(self.tried)))
        return [self._expected(shapes, curve) for shapes in self.tried]

    def smallest(self, targets: Targets) -> Expected:
        """Return the smallest layout that is expected to reach all targets.

        Within the range of bits of ``tried``.

        Raises: ConfigError where the largest misses one by more than REACH_DB; by less, it is
            returned.
        """
        known = self.tried
        near = bracket(lambda index: targets.spare(self.result_of(index)), len(known))
        curve = self._curve(near)
        for rate in _ladder(curve.rates):
            if targets.spare(curve.at(rate)) < 0:
                continue
            candidate = self._expected(shapes_of(rate, known), curve)
            if targets.spare(candidate.psnr_db) >= 0:
                return candidate
        largest = self._expected(known[near[-1]], curve)
        if targets.spare(largest.psnr_db) < -REACH_DB:
            missed = targets.missed(largest.psnr_db)
            raise ConfigError(f"target: got more than the largest latents are expected to reach in "
                              f"such a fit, {missed} in {largest.bytes:,} bytes; need less. Ask "
                              "for less, or give more --steps.")  # fmt: skip
        return largest

    def _curve(self, indices: Sequence[int]) -> RateCurve:
        return RateCurve([rate_of(self.tried[index]) for index in indices],
                         [self.result_of(index) for index in indices])  # fmt: skip

    def _expected(self, shapes: tuple[GridShape, ...], curve: RateCurve) -> Expected:
        prober, rate = self.prober, rate_of(shapes)
        sizes, channels = prober.texels.sizes, prober.texels.channels
        recipe: TexturesRecipe = prober.recipe
        return Expected(
            layout_text(shapes), rate, file_bytes(shapes, sizes, channels, len(prober.codings),
                                                  recipe),
            memory_bytes(shapes, sizes, channels, recipe), curve.at(rate),
        )  # fmt: skip


def _ladder(rates: Sequence[float]) -> list[float]:
    """Return rates from the first to the last, in steps of LADDER, and one step beyond."""
    count = math.ceil(math.log(rates[-1] / rates[0]) / math.log(LADDER)) + 1
    return sorted({*rates, *(rates[0] * LADDER**step for step in range(count + 1))})


def targets_of(
    mean: float | str | None, maps: str | Quality | None, settings: Mapping[str, Any],
    byte_count: int | None, resume: Any,
) -> Targets | None:  # fmt: skip
    """Return the target of a fit in dB, None for a fit with a size or without either.

    Raises: ConfigError for both, and for a target beside a checkpoint, whose fit has a size.
    """
    targets = Targets.of(mean, maps)
    if targets is None:
        return None
    name = "target" if mean is None else "target_psnr"
    check_no_size(name, settings, byte_count)
    if resume is not None:
        raise ConfigError(f"{resume}: got {name}, need the size that the fit was started with. "
                          f"Leave --{name.replace('_', '-')} out.")  # fmt: skip
    return targets


def check_no_size(name: str, settings: Mapping[str, Any], byte_count: int | None) -> None:
    """Raise ConfigError for a size beside ``name``, which finds one."""
    sizes = [size for size in ("bpp", "grids") if settings.get(size)]
    if byte_count is not None:
        sizes.append("bytes")
    if sizes:
        raise ConfigError(f"{name}: got it beside {sizes[0]}, which is a size already, need one "
                          "of the two. Leave one out.")  # fmt: skip
    if settings.get("latents") == "bc1":
        raise ConfigError(f"{name}: got it beside latents=bc1, of which no sizes are tried, need "
                          "plain latents. Give --bpp or --bytes.")  # fmt: skip


def planned_for(
    targets: Targets, textures: MaterialSet, recipe: TexturesRecipe, chosen: EngineChoice,
    options: FitOptions,
) -> tuple[Targets, Expected]:  # fmt: skip
    """Return the targets, and the smallest layout that is expected to reach them.

    Raises: ConfigError for a map that does not exist or does not vary, and where no layout reaches;
        FitInterrupted.
    """
    prober = prober_of(textures, recipe, chosen, options)
    targets.check_maps(coding.name for coding in prober.codings if coding.count)
    expected = Planner(prober, layouts_for(textures, prober.codings)).smallest(targets)
    log.info("the fit gets %.3g bits per texel, about %s bytes: %.2f dB expected",
             expected.rate, f"{expected.bytes:,}", expected.mean_psnr_db)  # fmt: skip
    return targets, expected
