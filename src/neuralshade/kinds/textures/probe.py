"""Short fits of a set, from which the result of whole ones is extrapolated."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.errors import FitInterrupted
from neuralshade.fitting.loop import Loop
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.textures.build import engine_on
from neuralshade.kinds.textures.channels import MapCoding, alpha_channel, codings_of, trained_levels
from neuralshade.kinds.textures.engine import TexturesEngine, rounded_field
from neuralshade.kinds.textures.layout import layout_text, rate_of
from neuralshade.kinds.textures.psnr import sampled_psnr
from neuralshade.kinds.textures.rate_curve import SHARES, extrapolated
from neuralshade.kinds.textures.recipe import GridShape, TexturesRecipe
from neuralshade.kinds.textures.targets import Quality, mean_of
from neuralshade.kinds.textures.texels import Texels
from neuralshade.source.material_mips import mip_sizes
from neuralshade.source.material_set import MaterialSet

log = logging.getLogger("neuralshade")
LEAST_STEPS = 2  # of a short fit: one with noise, one with rounded latents
Build = Callable[[TexturesRecipe], TexturesEngine]


@dataclass
class Prober:
    """Tries layouts of one set with the recipe of its whole fit, and stores nothing.

    ``build`` returns the engine of a recipe. ``seconds``: total of short fits so far, without
    building engines and measuring.
    """

    texels: Texels
    codings: tuple[MapCoding, ...]
    recipe: TexturesRecipe
    build: Build
    seconds: float = 0.0

    def expected(self, shapes: tuple[GridShape, ...]) -> Quality:
        """Return the expected PSNR of mip 0 by map, in dB, of a whole fit of a layout.

        Raises: FitInterrupted on an interrupt.
        """
        (early, first), (late, second) = (self._reached(shapes, share) for share in SHARES)
        steps = (first, max(second, first + 1), max(second / SHARES[1], second + 1))
        quality = extrapolated(early, late, steps)
        log.info("tried %.3g bits per texel: %.2f dB after %.0f %% of the steps, about %.2f dB "
                 "after all", rate_of(shapes), mean_of(late), 100 * SHARES[1],
                 mean_of(quality))  # fmt: skip
        return quality

    def _reached(self, shapes: tuple[GridShape, ...], share: float) -> tuple[Quality, int]:
        recipe = shortened(replace(self.recipe, grids=layout_text(shapes)), share)
        engine = self.build(recipe)
        loop = Loop(engine, recipe, None, due=self._due(engine))
        if not loop.run():
            raise FitInterrupted("interrupted while layouts were tried: nothing is kept, "
                                 "begin again.")  # fmt: skip
        self.seconds += loop.progress.seconds
        quality = sampled_psnr(rounded_field(engine.trained()), self.texels, self.codings)
        return quality, loop.progress.step

    def _due(self, engine: TexturesEngine) -> Callable[[float], float]:
        until = self.recipe.noise_until

        def due(share: float) -> float:
            if share < until:
                return until
            if not engine.frozen:
                engine.freeze()
            return 1.0

        return due


def shortened(recipe: TexturesRecipe, share: float) -> TexturesRecipe:
    """Return a recipe that ends after ``share`` of its steps and seconds."""
    steps = None if recipe.steps is None else max(LEAST_STEPS, math.ceil(share * recipe.steps))
    seconds = None if recipe.seconds is None else max(0.01, share * recipe.seconds)
    return replace(recipe, steps=steps, seconds=seconds, warmup=round(share * recipe.warmup))


def prober_of(
    textures: MaterialSet, recipe: TexturesRecipe, chosen: EngineChoice, options: FitOptions
) -> Prober:
    """Return the prober of layouts of a set, on its fit's device."""
    codings = codings_of(textures)
    sizes = mip_sizes(textures.width, textures.height, recipe.mips or None)
    texels = Texels(trained_levels(textures, codings, len(sizes)),
                    alpha_channel(textures, codings))  # fmt: skip
    return Prober(texels, codings, recipe,
                  lambda tried: engine_on(chosen, options, tried, texels, codings))  # fmt: skip
