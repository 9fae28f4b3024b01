"""What a fit will take, estimated before it runs: seconds on a GPU, and bytes of the asset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.fitting.recipe import make_recipe

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Estimate:
    """Cost of one kind's fits on a GPU with its kernels compiled, as measured.

    ``source``: files of benchmarks/results that the numbers are from, or what was assumed.
    """

    source: str
    start_seconds: float  # besides training: reading, opening the device, measuring, writing
    steps_per_second: float
    recipe: Callable[[str | None, dict[str, Any]], Any]  # of preset and settings, as the fit's
    byte_count: Callable[[Any, Settings, int | None], float | None]  # recipe, flags, pixels
    plateau_steps: int | None = None  # where a fit without other ends stops

    def seconds(self, recipe: Any) -> float:
        """Return the seconds of a fit: as its first end comes."""
        steps = recipe.steps
        if steps is None and getattr(recipe, "until", "end") != "end":
            steps = self.plateau_steps
        ends = [recipe.seconds] if recipe.seconds is not None else []
        if steps is not None:
            ends.append(steps / self.steps_per_second)
        return self.start_seconds + (min(ends) if ends else 0.0)


def without_presets(recipe: type) -> Callable[[str | None, dict[str, Any]], Any]:
    """Return a function from no preset and settings to a recipe."""
    return lambda preset, settings: make_recipe(recipe, settings)
