"""Estimate of fits of texture sets."""

from neuralshade.fitting.estimate import Estimate, Settings, without_presets
from neuralshade.kinds.textures.recipe import TexturesRecipe

MIPS = 16 / 15  # deeper levels of latents beside the first: see the setting bpp
DECODER_BYTES = 10_000  # 7 to 19 kB


def _bytes(recipe: TexturesRecipe, flags: Settings, pixels: int | None) -> float | None:
    """Return the bytes of a rate or a budget; None for a target in dB, which chooses them."""
    if flags.get("bytes") is not None:
        digits = str(flags["bytes"]).replace("_", "").replace(",", "")
        return float(digits) if digits.isdecimal() else None
    if recipe.grids or flags.get("target_psnr") or flags.get("target") or not pixels:
        return None
    return recipe.bpp * pixels / 8 * MIPS + DECODER_BYTES


ESTIMATE = Estimate(
    source="fit_textures_h100.json, even_five: 1024 x 1024 texels, 10,000 and 50,000 steps",
    start_seconds=2.2,
    steps_per_second=16_000,
    recipe=without_presets(TexturesRecipe),
    byte_count=_bytes,
)
