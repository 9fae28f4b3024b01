"""A picture into 2D Gaussians: how its recipe is assembled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.splats.asset import LARGEST_COLOR
from neuralshade.kinds.splats.draw import Cloud
from neuralshade.kinds.splats.engine import SplatEngine, SplatTraining
from neuralshade.kinds.splats.growth import first_cloud
from neuralshade.kinds.splats.kernels import TILE_PX, SplatForm
from neuralshade.kinds.splats.recipe import MOST_BPP, SplatsRecipe
from neuralshade.kinds.splats.schedule import growths_of
from neuralshade.model.gaussian import Compositing
from neuralshade.source.picture import Picture

USUAL_BITS = 33.0  # of a Gaussian in the file, without its place
ORDER_BITS = 1.44  # log2(e): what the order of a set would take is log2(N) less this
PLACES_PER_PX = 16.0  # that a center may have, about
HEADER_BYTES = 900  # of a file, about
SOFTWARE_TILES = 1024  # that software Vulkan trains in a step
ROOM = 3.0  # for more Gaussians than are expected to fit, where the size is given
MOST_COUNT = 1_000_000


def compositing_of(recipe: SplatsRecipe) -> Compositing:
    """Return how the recipe's Gaussians come together."""
    return Compositing(recipe.compositing, recipe.strongest, recipe.cutoff)


def budget_of(recipe: SplatsRecipe, picture: Picture) -> int | None:
    """Return the size in bytes that the file may have; None where the count is given."""
    if recipe.count:
        return None
    if recipe.bytes is not None:
        return recipe.bytes
    return round(recipe.bpp * picture.width * picture.height / 8)


def expected_count(recipe: SplatsRecipe, picture: Picture) -> int:
    """Return the count, or about how many Gaussians fit into the budget.

    Raises: ConfigError where not one does.
    """
    budget = budget_of(recipe, picture)
    if budget is None:
        return recipe.count
    bits = 8 * (budget - HEADER_BYTES)
    places = math.log2(PLACES_PER_PX * picture.width * picture.height)
    count = bits / (USUAL_BITS + places)
    if count < 1:
        raise _too_small(recipe, picture, budget)
    for _ in range(8):  # the more there are, the less a place takes
        order = max(0.0, math.log2(count) - ORDER_BITS) if recipe.compositing != "over" else 0.0
        count = bits / (USUAL_BITS + max(2.0, places - order))
    return max(1, min(MOST_COUNT, round(count)))


def _too_small(recipe: SplatsRecipe, picture: Picture, budget: int) -> ConfigError:
    """Return what refuses a file that no Gaussian fits into, and says what would do."""
    least, pixels = HEADER_BYTES + 8, picture.width * picture.height
    need = f"need about {least} for one Gaussian"
    if recipe.bytes is not None:
        return ConfigError(f"SplatsRecipe.bytes: got {budget} bytes for the file, {need}. Allow "
                           "more bytes.")  # fmt: skip
    bpp = 8 * least / pixels
    remedy = "Give --count 1 or more: of so few pixels a header is most of the file."
    if bpp <= MOST_BPP:
        remedy = f"Give a --bpp of about {bpp:.2g} or more, or --count 1 or more."
    return ConfigError(f"SplatsRecipe.bpp: got {recipe.bpp:g} for {picture.width} x "
                       f"{picture.height} pixels, a file of {budget} bytes, {need}. "
                       f"{remedy}")  # fmt: skip


def background_of(recipe: SplatsRecipe, picture: Picture) -> npt.NDArray[np.float32]:
    """Return the color behind all Gaussians, float32 [C]; ConfigError where it is none."""
    if recipe.background == "mean":
        values = picture.as_float().reshape(-1, picture.channels).astype(np.float64)
        mean = values.mean(axis=0)
        if picture.alpha_weighted and mean[-1] > 0:
            mean[:-1] = (values[:, :-1] * values[:, -1:]).mean(axis=0) / mean[-1]
        return mean.astype(np.float32)
    try:
        numbers = [float(number) for number in recipe.background.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != picture.channels or not all(abs(n) <= LARGEST_COLOR for n in numbers):
        raise ConfigError(f"SplatsRecipe.background: got {recipe.background!r}, need mean or "
                          f"{picture.channels} numbers joined by commas, as the picture has "
                          "channels. Write for example "
                          f"{','.join(['0.5'] * picture.channels)}.")  # fmt: skip
    return np.array(numbers, np.float32)


def build_splat_engine(
    recipe: SplatsRecipe, picture: Picture, gpu: Gpu, count: int, *, naive: bool = False
) -> SplatEngine:
    """Return the engine with the first Gaussians of ``count``."""
    compositing, background = compositing_of(recipe), background_of(recipe, picture)
    rng = np.random.default_rng([recipe.seed, 1])
    share = recipe.tiles or (software_share(picture) if gpu.adapter.software else 1.0)
    begin = recipe.begin if growths_of(share) else 1.0
    first = max(1, round(begin * count))
    values = first_cloud(picture.as_float(), first, compositing, rng, background,
                         alpha_weighted=picture.alpha_weighted)  # fmt: skip
    form = SplatForm(
        picture.channels, recipe.compositing, recipe.strongest, recipe.cutoff, recipe.loss,
        recipe.ssim, naive, picture.alpha_weighted,
    )  # fmt: skip
    training = SplatTraining((recipe.beta1, recipe.beta2), recipe.epsilon, share)
    capacity = count if recipe.count else max(first, math.ceil(ROOM * count))
    return SplatEngine(gpu, form, training, picture.pixels, values, capacity, background)


def software_share(picture: Picture) -> float:
    """Return the share of tiles that a step trains on the CPU, for steps of a tenth of a second."""
    tiles = -(-picture.width // TILE_PX) * -(-picture.height // TILE_PX)
    return min(1.0, SOFTWARE_TILES / tiles)


def cloud_of(
    recipe: SplatsRecipe, values: npt.NDArray[np.float32], background: Any, width: int, height: int
) -> Cloud:
    """Return Gaussians of the recipe ready to be drawn."""
    color = torch.tensor(background, dtype=torch.float32)
    return Cloud(torch.from_numpy(values), color, compositing_of(recipe), width, height)
