"""Estimate of fits of materials."""

from typing import Any

from neuralshade.fitting.estimate import Estimate, Settings
from neuralshade.fitting.recipe import make_recipe
from neuralshade.kinds.material.recipe import MaterialRecipe, with_preset

MIPS = 4 / 3
DECODER_BYTES = 9_500  # 708,760 bytes at 256 x 256, eight numbers of a byte


def _recipe(preset: str | None, settings: dict[str, Any]) -> MaterialRecipe:
    return make_recipe(MaterialRecipe, with_preset(preset, settings))


def _bytes(recipe: MaterialRecipe, flags: Settings, pixels: int | None) -> float | None:
    share = 1 if recipe.latents == "plain" else 1 / 4
    return recipe.size**2 * recipe.features * share * MIPS + DECODER_BYTES


ESTIMATE = Estimate(
    source="material_commands_h200.json: antique_copper.mtlx, 1024 x 1024, whole commands",
    start_seconds=8.5,
    steps_per_second=1_300,
    recipe=_recipe,
    byte_count=_bytes,
)
