"""Estimate of fits of Gaussians."""

from neuralshade.fitting.estimate import Estimate, Settings, without_presets
from neuralshade.kinds.splats.recipe import SplatsRecipe

BYTES = 6.5  # a Gaussian: 127,192 bytes for 19,456


def _bytes(recipe: SplatsRecipe, flags: Settings, pixels: int | None) -> float | None:
    if recipe.count:
        return BYTES * recipe.count
    if recipe.bytes is not None:
        return recipe.bytes
    return recipe.bpp * pixels / 8 if pixels else None


ESTIMATE = Estimate(
    source="fit_splats_cuda.json (H200): 10,000 Gaussians; start assumed as of a picture",
    start_seconds=0.5,
    steps_per_second=10_000,
    recipe=without_presets(SplatsRecipe),
    byte_count=_bytes,
)
