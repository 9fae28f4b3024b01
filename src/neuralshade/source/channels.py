"""From a file's channels to a picture's: which ones, how alpha is stored, which way is up."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import plain_name
from neuralshade.errors import PictureError
from neuralshade.source.picture import BLOCK_ROWS

NAMES_SHOWN = 8


def color_channels(path: Path, names: tuple[str, ...]) -> list[int]:
    """Return where R, G, B or Y, then A if present, stand among a file's channel ``names``.

    A name may carry a layer ("beauty.R"). Color without a layer is taken first; else that
    of the one layer that has any.

    Raises: PictureError naming the channels if none or several layers have color.
    """
    layers: dict[str, dict[str, int]] = {}
    for index, name in enumerate(names):
        layer, _, channel = name.rpartition(".")
        layers.setdefault(layer, {}).setdefault(channel.upper(), index)
    found = {layer: picks for layer, at in layers.items() if (picks := _color_of(at))}
    if "" in found:
        return found[""]
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise PictureError(
            f"{path}: got color in layers {shown_names(sorted(found))}, need it in one. "
            "Export one layer alone."
        )
    raise PictureError(
        f"{path}: got channels {shown_names(names)}, need R, G, B or Y, each with or without A. "
        "Rename the channels, or export the color."
    )


def _color_of(at: dict[str, int]) -> list[int]:
    if {"R", "G", "B"} <= at.keys():
        picks = [at["R"], at["G"], at["B"]]
    elif "Y" in at and not {"RY", "BY"} & at.keys():  # Y beside RY, BY is luminance-chroma
        picks = [at["Y"]]
    else:
        return []
    return [*picks, at["A"]] if "A" in at else picks


def shown_names(names: list[str] | tuple[str, ...]) -> str:
    """Return the first names, and "..." where there are more."""
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(plain_name, names[:NAMES_SHOWN])) + more


def divide_by_alpha(pixels: npt.NDArray[Any]) -> None:
    """Turn integer [H, W, C] with associated alpha into unassociated, in place.

    color = round(color * peak / alpha), at most peak; where alpha is 0 it stays as it is.
    """
    peak = np.iinfo(pixels.dtype).max
    for top in range(0, pixels.shape[0], BLOCK_ROWS):
        block = pixels[top : top + BLOCK_ROWS]
        alpha = np.where(block[..., -1:] == 0, peak, block[..., -1:])
        block[..., :-1] = np.minimum(np.rint(block[..., :-1] * (peak / alpha)), peak)


def multiply_by_alpha(pixels: npt.NDArray[Any]) -> None:
    """Turn float [H, W, C] with unassociated alpha into associated, in place."""
    pixels[..., :-1] *= pixels[..., -1:]


def upright(pixels: npt.NDArray[Any], orientation: int) -> npt.NDArray[Any]:
    """Return [H, W, C] ``pixels`` as they are meant to be seen; a view where that suffices.

    ``orientation`` is the TIFF/EXIF number 1..8; any other counts as 1, as readers do.
    Source: TIFF 6.0, section 8, tag 274.
    """
    swapped = orientation in (5, 6, 7, 8)
    view = pixels.transpose(1, 0, 2) if swapped else pixels
    if orientation in (3, 4, 7, 8):
        view = view[::-1]
    if orientation in (2, 3, 6, 7):
        view = view[:, ::-1]
    return view
