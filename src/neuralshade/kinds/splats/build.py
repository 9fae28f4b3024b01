"""Engine assembly of a splat fit: counts, budgets, background."""

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
from neuralshade.kinds.splats.stream_scale import ORDER_BITS
from neuralshade.model.gaussian import Compositing
from neuralshade.source.picture import Picture

USUAL_BITS = 33.0  # of a Gaussian in the file, without its position
PLACES_PER_PX = 16.0  # about how many positions a center may have
HEADER_BYTES = 900  # of a file, about
SOFTWARE_TILES = 1024  # per step on software Vulkan
ROOM = 3.0  # capacity over the expected count, where a file size is set
MOST_COUNT = 1_000_000


def compositing_of(recipe: SplatsRecipe) -> Compositing:
    """Return the compositing of the recipe's Gaussians."""
    return Compositing(recipe.compositing, recipe.strongest, recipe.cutoff)


def budget_of(recipe: SplatsRecipe, picture: Picture) -> int | None:
    """Return the file's budget in bytes; None where the recipe sets the count."""
    if recipe.count:
        return None
    if recipe.bytes is not None:
        return recipe.bytes
    return round(recipe.bpp * picture.width * picture.height / 8)


def expected_count(recipe: SplatsRecipe, picture: Picture) -> int:
    """Return the count, or the approximate number of Gaussians that fit the budget.

    Raises: ConfigError where none fits.
    """
    budget = budget_of(recipe, picture)
    if budget is None:
        return recipe.count
    bits = 8 * (budget - HEADER_BYTES)
    places = math.log2(PLACES_PER_PX * picture.width * picture.height)
    count = bits / (USUAL_BITS + places)
    if count < 1:
        raise _too_small(recipe, picture, budget)
    for _ in range(8):  # positions take fewer bits the more there are
        order = max(0.0, math.log2(count) - ORDER_BITS) if recipe.compositing != "over" else 0.0
        count = bits / (USUAL_BITS + max(2.0, places - order))
    return max(1, min(MOST_COUNT, round(count)))


def _too_small(recipe: SplatsRecipe, picture: Picture, budget: int) -> ConfigError:
    """Return the error of a budget that no Gaussian fits into, with a budget that suffices."""
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
    """Return the color behind all Gaussians, float32 [C]; ConfigError for an invalid one."""
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
    """Return the engine with ``count`` initial Gaussians."""
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
    """Return the share of tiles per step on the CPU, for steps of a tenth of a second."""
    tiles = -(-picture.width // TILE_PX) * -(-picture.height // TILE_PX)
    return min(1.0, SOFTWARE_TILES / tiles)


def cloud_of(
    recipe: SplatsRecipe, values: npt.NDArray[np.float32], background: Any, width: int, height: int
) -> Cloud:
    """Return Gaussians of the recipe ready to be drawn."""
    color = torch.tensor(background, dtype=torch.float32)
    return Cloud(torch.from_numpy(values), color, compositing_of(recipe), width, height)
