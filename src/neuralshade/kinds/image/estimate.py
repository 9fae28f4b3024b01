"""Estimate of fits of pictures."""

from typing import Any

from neuralshade.fitting.estimate import Estimate, Settings
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe


def _recipe(preset: str | None, settings: dict[str, Any]) -> ImageRecipe:
    return preset_recipe("grid" if preset is None else preset, settings)


def _bytes(recipe: ImageRecipe, flags: Settings, pixels: int | None) -> float | None:
    """Return the budget's bytes; None where an encoding has its own size."""
    return recipe.bpp * pixels / 8 if pixels and recipe.encoding == "auto" else None


ESTIMATE = Estimate(
    source="plateau_h100.json: 768 x 512 pixels, 14,200 steps/s, plateau after 17,500 steps",
    start_seconds=0.5,
    steps_per_second=14_200,
    recipe=_recipe,
    byte_count=_bytes,
    plateau_steps=17_500,
)
