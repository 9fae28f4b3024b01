"""Hidden color under alpha 0, replaced by smooth color that costs no bytes and does not bleed."""

import dataclasses

import numpy as np
import numpy.typing as npt

from neuralshade.source.halving import halved_by_weight
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.float32]


def visible_picture(picture: Picture) -> Picture:
    """Return ``picture`` without hidden color; errors of color are then weighted by alpha.

    Color under alpha 0 is replaced by that of the nearest visible pixels. A picture without alpha,
    or with associated alpha, whose color is already multiplied by it, is returned unchanged.
    """
    if not picture.straight_alpha or picture.alpha_weighted:
        return picture
    alpha = picture.pixels[..., -1]
    pixels = picture.pixels
    if (alpha == 0).any() and (alpha > 0).any():
        values = picture.as_float()
        colors = filled(values[..., :-1], values[..., -1])
        if pixels.dtype.kind != "f":
            colors = np.rint(colors * np.iinfo(pixels.dtype).max)
        pixels = pixels.copy()
        pixels[..., :-1] = np.where((alpha == 0)[..., None], colors, pixels[..., :-1])
    return dataclasses.replace(picture, pixels=pixels, alpha_weighted=True)


def hidden_note(picture: Picture) -> str | None:
    """Return the note on color that ``visible_picture`` replaces; None where it is uniform."""
    if not picture.straight_alpha:
        return None
    hidden = picture.pixels[picture.pixels[..., -1] == 0][:, :-1]
    if len(hidden) == 0 or (hidden == hidden[0]).all():
        return None
    percent = 100 * len(hidden) / (picture.width * picture.height)
    return (f"{picture.name}: alpha is 0 in {percent:.3g} % of the pixels; their color is not "
            "fitted. keep_hidden_color (--keep-hidden-color) keeps it.")  # fmt: skip


def filled(colors: Floats, weights: Floats) -> Floats:
    """Return ``colors`` [H, W, C] with those of weight 0 interpolated from their neighbors.

    ``weights`` [H, W], >= 0. A pyramid of weighted means is built until each texel has weight; on
    the way up, texels without weight are taken from the coarser level, bilinear and clamped at the
    border. Without any weight, colors are unchanged.

    Source: Gortler et al. 1996, The Lumigraph, section 3.4 (pull, push).
    """
    hidden = weights == 0
    if not hidden.any() or hidden.all():
        return colors
    coarse = filled(*halved_by_weight(colors, weights))
    result: Floats = np.where(hidden[..., None], enlarged(coarse, *weights.shape), colors)
    return result


def enlarged(values: Floats, height: int, width: int) -> Floats:
    """Return [h, w, C] at [height, width, C]: bilinear between texel centers, clamped."""
    for axis, size in enumerate((height, width)):
        old = values.shape[axis]
        place = ((np.arange(size) + 0.5) * (old / size) - 0.5).clip(0, old - 1)
        first = place.astype(np.int64)
        share = (place - first).astype(np.float32).reshape([-1 if at == axis else 1
                                                            for at in range(3)])  # fmt: skip
        low, high = values.take(first, axis), values.take((first + 1).clip(max=old - 1), axis)
        values = low + (high - low) * share
    return values
