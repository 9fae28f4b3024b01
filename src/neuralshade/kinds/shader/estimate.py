"""Estimate of fits of a user's shader."""

from neuralshade.fitting.estimate import Estimate, Settings, without_presets
from neuralshade.kinds.shader.recipe import ShaderRecipe


def _bytes(recipe: ShaderRecipe, flags: Settings, pixels: int | None) -> float | None:
    """Return None: only the task's text says what it trains."""
    return None


ESTIMATE = Estimate(
    source="fit_shader_h200.json: learned mip, 256 x 256; start assumed as of a picture",
    start_seconds=0.5,
    steps_per_second=96_000,
    recipe=without_presets(ShaderRecipe),
    byte_count=_bytes,
)
