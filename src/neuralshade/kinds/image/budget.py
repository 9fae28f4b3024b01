"""Automatic sizes for a picture: model, batch, search passes; and the memory check."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import psutil
import torch

from neuralshade.asset.asset import CURVE_POINTS, Header, asset_size, picture_facts
from neuralshade.asset.tensors import packed_zeros
from neuralshade.engine.threads import MOST_BESIDE
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.registry import format_encoding, parameter_count, parse_encoding
from neuralshade.model.tile_grid import tile_counts
from neuralshade.source.picture import Picture

COARSE_FEATURES = 8
FINE_FEATURES = 2
TILE = 32  # pixels along a tile's side; 16 gained 0.1 dB more, in four times the table
TABLE_BYTES = 112  # of a file besides a byte a tile: what names the table, and its grid
TILE_TEXELS = 16  # a tile, on the mean, at least
TILE_DENSITY = 0.65  # texels a pixel, at most: so many are about 6 bits a pixel
COARSE_SHARE = 0.15  # of the grids' bytes; 0.06 to 0.4 were measured, 0.1 to 0.25 are alike
DENSE_PIXEL_NUMBERS = 2.0  # per pixel: above it the fine grid gets more features, not texels
NETWORK_SHARE = 0.08  # of the file, at most, for a network of automatic width
SLACK_BYTES = 64  # margin for numbers with more digits than in the model header
LARGEST_GRIDS = 2**24  # numbers; more cannot be trained in a few seconds
USUAL_BPP = ImageRecipe.bpp  # from here on quality counts more than keeping the budget
SMALLEST_GRIDS = 4096  # numbers, where even a file without grids would exceed the budget
LEAST_GRIDS = 256  # the same for a budget below USUAL_BPP, chosen to be small
SMALLEST_BATCH, LARGEST_BATCH = 8_192, 2**18
CURVE_SHARE, FEWEST_POINTS = 0.02, 6  # of the file for its training curve; its least points
USUAL_PASSES = 4  # of code refinement; the fifth gains about 0.03 dB
# Pixels up to which these are the passes, on a CPU and on a GPU; a larger picture gets fewer.
CPU_SEARCHED_PIXELS, GPU_SEARCHED_PIXELS = 2**21, 2**24
CPU_PIXEL_SECONDS, GPU_PIXEL_SECONDS = 2.3e-6, 1e-7  # of a pass, on one thread and on a GPU
LONGEST_ROW = [88_888_888, 888_888.888, 8.888e-08, 88.888]  # of a training curve
Part = tuple[str, dict[str, int]]  # of an encoding
COPIES = 6  # of every parameter: value, gradient, two moments, and two while they are rounded
BASE_BYTES = 400 * 2**20  # PyTorch itself
BYTES_PER_SAMPLE_NUMBER = 8  # kept for the backward pass, and its gradient


def resolve(recipe: ImageRecipe, picture: Picture) -> ImageRecipe:
    """Return the recipe with every 'auto' replaced by its value for this picture."""
    width = recipe.hidden_width or auto_width(recipe, picture)
    recipe = dataclasses.replace(recipe, hidden_width=width)
    encoding = recipe.encoding
    if encoding == "auto":
        encoding = auto_encoding(recipe, picture)
    return dataclasses.replace(
        recipe,
        encoding=format_encoding(parse_encoding(encoding)),
        **_coding(recipe, picture),
        batch=recipe.batch or auto_batch(picture),
    )


def _coding(recipe: ImageRecipe, picture: Picture) -> dict[str, Any]:
    """Return output_activation, loss and precision for this picture.

    After exp an output is the logarithm of a color: linear outputs kept 0.7 % of a sun of 1e5 and
    lost 96 % of the light. Half precision would be off by some percent.
    """
    last, loss, precision = recipe.output_activation, recipe.loss, recipe.precision
    if last == "auto":
        coded = loss in ("auto", "log_l2") and picture.hdr and _is_wide(picture)
        last = "exp" if coded else "none"
        precision = "float32" if coded and precision == "auto" else precision
    if loss == "auto":
        loss = "l2" if not picture.hdr else "log_l2" if last == "exp" else "relative_l2"
    return {"output_activation": last, "loss": loss, "precision": precision}


def _is_wide(picture: Picture) -> bool:
    from neuralshade.measure.light import is_wide  # HDR alone needs it

    return is_wide(picture)


def unresolved(recipe: ImageRecipe, picture: Picture) -> dict[str, Any]:
    """Return a resolved recipe's settings, 'auto' again where another picture needs its own.

    A resolved recipe does not record which values were 'auto'. Where its encoding equals the
    automatic one, equal values count as automatic, too; with a named encoding all are kept.
    """
    if recipe.encoding != auto_encoding(recipe, picture):
        return {}
    own: dict[str, Any] = {"encoding": "auto", "hidden_width": 0, "loss": "auto", "batch": 0}
    for name in ("hidden_width", "loss", "batch"):  # one by one: a named width sizes the grids
        again = resolve(dataclasses.replace(recipe, **{name: own[name]}), picture)
        if getattr(again, name) != getattr(recipe, name):
            del own[name]
    return own


def check_sized(recipe: ImageRecipe) -> None:
    """Raise ConfigError for a bpp in the settings where nothing is left for it to size."""
    if recipe.encoding != "auto" and recipe.hidden_width:
        raise ConfigError(f"ImageRecipe.bpp: got {recipe.bpp:g} with encoding={recipe.encoding!r} "
                          f"and hidden_width={recipe.hidden_width}, which have sizes of their own, "
                          "need encoding='auto' or hidden_width=0. Leave bpp out, or the preset "
                          "that names them.")  # fmt: skip


def auto_encoding(recipe: ImageRecipe, picture: Picture) -> str:
    """Return two grids that fill ``recipe.bpp`` bits per pixel together with the rest.

    A fine grid carries detail, a coarse one with more features its context: on
    one picture with 8-bit texels this was 0.8 dB better than five levels of two features.
    A budget smaller than a file without grids gets small grids all the same, and the file
    exceeds it: at 64 x 64 pixels 4096 numbers reached 33.1 dB in 5,420 bytes, 256 reached
    21.5 dB in 3,550.
    """
    left = budget_bytes(recipe, picture) - overhead_bytes(recipe, picture)
    smallest = LEAST_GRIDS if recipe.bpp < USUAL_BPP else SMALLEST_GRIDS
    numbers = left * 8 / recipe.grid_bits if left > 0 else smallest
    return encoding_of(min(numbers, LARGEST_GRIDS), picture, recipe.grid_bits)


def encoding_of(numbers: float, picture: Picture, bits: int = ImageRecipe.grid_bits) -> str:
    """Return a coarse dense grid and a fine grid with at most ``numbers`` numbers in all.

    The fine one has tiles, whose table counts too, or is dense where these have no use. ``bits``:
    of a number.
    """
    coarse, fine = numbers * COARSE_SHARE, numbers * (1 - COARSE_SHARE)
    part = _tiles(fine, picture, bits)
    if part is None:
        many = numbers > DENSE_PIXEL_NUMBERS * picture.width * picture.height
        part = _dense(2 * FINE_FEATURES if many else FINE_FEATURES, fine, picture)
    return format_encoding([_dense(COARSE_FEATURES, coarse, picture), part])


def _tiles(numbers: float, picture: Picture, bits: int) -> Part | None:
    """Return a grid with tiles; None where it does not pay: few tiles, few texels, or enough."""
    width, height = picture.width, picture.height
    count = math.prod(tile_counts(width, height, TILE))
    texels = int((numbers - (count + TABLE_BYTES) * 8 / bits) / FINE_FEATURES)
    several = min(width, height) >= 2 * TILE and not picture.hdr
    if not several or not TILE_TEXELS * count <= texels <= TILE_DENSITY * width * height:
        return None
    return "tile_grid", {"features": FINE_FEATURES, "width": width, "height": height,
                         "tile": TILE, "texels": texels}  # fmt: skip


def _dense(features: int, numbers: float, picture: Picture) -> Part:
    width, height = grid_size(numbers / features, picture)
    return "dense_grid", {"levels": 1, "features": features, "coarsest": 1,
                          "width": width, "height": height}  # fmt: skip


def grid_size(texels: float, picture: Picture) -> tuple[int, int]:
    """Return a grid of at most ``texels`` with the picture's aspect, at least 1 x 1.

    Its width is even where it can be: rows of 4-bit numbers fill whole bytes.
    """
    height = (texels * picture.height / picture.width) ** 0.5
    rows = max(1, int(min(height, picture.height, texels)))
    cols = max(1, int(min(texels / rows, picture.width)))
    return cols - cols % 2 if cols > 1 else 1, rows


def auto_width(recipe: ImageRecipe, picture: Picture) -> int:
    """Return 64 neurons a layer, or fewer where they would take too much of a small budget.

    On one picture at 4 bits per pixel 64 were 0.3 dB better than 32; on another at 1 bit 32
    were 0.3 dB better than 64, whose 5 kB the grids then lack.
    """
    for width in (64, 32):
        weights = width * (COARSE_FEATURES + 2 + picture.channels)
        weights += width * width * (recipe.hidden_layers - 1)
        budget = recipe.bpp * picture.width * picture.height
        if weights * recipe.network_bits <= NETWORK_SHARE * budget:
            return width
    return 16


def overhead_bytes(recipe: ImageRecipe, picture: Picture) -> int:
    """Return the file's bytes besides the grids' numbers, from a header with the fewest points.

    The final file keeps more points of its training curve where there is room.
    """
    tiny = dataclasses.replace(recipe, encoding=encoding_of(1, picture), loss="relative_l2",
                               batch=LARGEST_BATCH)  # fmt: skip
    with torch.device("meta"):  # shapes are enough
        tensors = packed_zeros(build_field(tiny, picture.channels, None))
    training = {"steps": LONGEST_ROW[0], "seconds": LONGEST_ROW[1],
                "curve": [LONGEST_ROW] * _reserved_points(recipe, picture)}  # fmt: skip
    facts = picture_facts(picture, digest="0" * 64)
    header = Header(to_dict(tiny), training, {"psnr_db": 88.888}, facts)
    return asset_size(KIND.name, header, tensors) + SLACK_BYTES


def budget_bytes(recipe: ImageRecipe, picture: Picture) -> float:
    """Return the budget of ``bpp`` in bytes."""
    return recipe.bpp * picture.width * picture.height / 8


def _reserved_points(recipe: ImageRecipe, picture: Picture) -> int:
    """Return the number of points of the training curve that fit into any file."""
    affordable = CURVE_SHARE * budget_bytes(recipe, picture) / len(str(LONGEST_ROW))
    return min(CURVE_POINTS, max(FEWEST_POINTS, int(affordable)))


def kept_points(recipe: ImageRecipe, picture: Picture, size: Callable[[int], int]) -> int:
    """Return how many points of its training curve fit into a file's budget.

    ``size``: the file's bytes by number of points.
    """
    fewest, points = _reserved_points(recipe, picture), CURVE_POINTS
    while points > fewest and size(points) > budget_bytes(recipe, picture):
        points = max(fewest, points - 4)
    return points


def passes_of(recipe: ImageRecipe, picture: Picture, on_gpu: bool) -> int:
    """Return the passes of code refinement; ConfigError for a search without effect."""
    why = _unfit(recipe, picture)
    if recipe.polish < 0:
        searched = GPU_SEARCHED_PIXELS if on_gpu else CPU_SEARCHED_PIXELS
        pixels = picture.width * picture.height
        return 0 if why else int(min(USUAL_PASSES, USUAL_PASSES * searched // pixels))
    if recipe.polish and why:
        raise ConfigError(f"ImageRecipe.polish: got {recipe.polish} beside {why}. Leave it out.")
    return recipe.polish


def search_seconds(passes: int, picture: Picture, gpu: object) -> float:
    """Return the approximate seconds of code refinement; ``gpu``: None for a CPU."""
    pixels = picture.width * picture.height
    if gpu is not None:
        return GPU_PIXEL_SECONDS * passes * pixels
    return CPU_PIXEL_SECONDS * passes * pixels / min(MOST_BESIDE, torch.get_num_threads())


def _unfit(recipe: ImageRecipe, picture: Picture) -> str:
    """Return why a search has no effect, as messages say it; empty where it has one."""
    if not any(kind in recipe.encoding for kind in ("dense_grid", "tile_grid")):
        return f"encoding={recipe.encoding!r}, need dense or tile grids: there are no codes"
    if recipe.grid_bits not in (4, 8):
        return f"grid_bits={recipe.grid_bits}, need 4 or 8: there are no codes"
    if recipe.loss != "l2":
        return f"loss={recipe.loss}, need l2, which is what it lowers"
    if recipe.sampling == "positions":
        return "sampling=positions, need lattice or pixels: it looks at their centres"
    if picture.hdr:
        return "an HDR picture, need one of 8 or 16 bits"
    return ""


def auto_batch(picture: Picture) -> int:
    """Return a 32nd of the pixels, clamped."""
    pixels = picture.width * picture.height
    return max(SMALLEST_BATCH, min(LARGEST_BATCH, pixels // 32))


def needed_bytes(recipe: ImageRecipe, picture: Picture) -> int:
    """Return the approximate peak memory of a fit in bytes.

    An estimate from sizes, checked against one measurement only: see docs/performance.md.
    """
    grids = parameter_count(recipe.encoding)
    sample_numbers = recipe.hidden_width * (recipe.hidden_layers + 1) * 2
    return (
        BASE_BYTES
        + 2 * picture.pixels.nbytes
        + COPIES * 4 * grids
        + BYTES_PER_SAMPLE_NUMBER * sample_numbers * recipe.batch
    )


def check_memory(recipe: ImageRecipe, picture: Picture) -> None:
    """Raise ConfigError where a fit needs more memory than is free."""
    needed, free = needed_bytes(recipe, picture), psutil.virtual_memory().available
    if needed > free:
        raise ConfigError(f"memory: got {free / 2**30:.1f} GB free, need about "
                          f"{needed / 2**30:.1f} GB for this recipe and picture. "
                          "Lower bpp, the grids or batch, or free memory.")  # fmt: skip
