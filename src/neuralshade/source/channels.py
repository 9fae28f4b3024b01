"""Picture channels of a file: selection, alpha association, orientation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import plain_name
from neuralshade.errors import PictureError
from neuralshade.source.picture import BLOCK_ROWS

NAMES_SHOWN = 8
LAYER_LETTERS = 3  # least length of a layer name that is matched with the file's name
# Renderers' names for the layer, or the part, of the picture itself.
MAIN_LAYERS = ("combined", "rgba", "rgb", "beauty", "color", "colour", "main", "composite", "c")
TRIPLE = ("X", "Y", "Z")  # directions or positions
PAIRS = (("R", "G"), ("X", "Y"), ("U", "V"))  # two numbers, such as a normal without blue
COLOR, VECTOR, SINGLE = range(3)  # kinds of channels, the best first


@dataclass(frozen=True)
class Channels:
    """Indices of a picture's channels among a file's, alpha last."""

    picks: list[int]
    kind: int  # COLOR, VECTOR or SINGLE
    missing_blue: bool = False  # two numbers, padded by 0


def color_channels(path: Path, names: Sequence[str]) -> Channels:
    """Return which of a file's channel ``names`` are the picture.

    That is R, G, B or Y, then A if present. Without these X, Y, Z; two of R, G or X, Y or U, V; or
    a single channel of any name. A name may have a layer ("beauty.R"). Color without a layer is
    preferred, then the only layer with color, the one with a renderer's name for the picture, and
    the one whose name is in the file's.

    Raises: PictureError naming the channels if no layer or several qualify.
    """
    layers = _layers(names)
    found = {layer: one for layer, at in layers.items() if (one := _channels_of(at))}
    for kind in (COLOR, VECTOR):
        some = {layer: one for layer, one in found.items() if one.kind == kind}
        if some:
            return some[_layer(path, list(some))]
    others = [(layer, name) for layer, at in layers.items() for name in at if name != "A"]
    if len(others) == 1:
        at = layers[others[0][0]]
        alpha = [at["A"]] if "A" in at else []
        return Channels([at[others[0][1]], *alpha], SINGLE)
    if any({"Y", "RY", "BY"} <= at.keys() for at in layers.values()):
        raise chroma_refused(path)
    raise PictureError(
        f"{path}: got channels {shortened_names(names)}, need R, G, B or Y, each with or without "
        "A. Rename the channels, or export the color."
    )


def chroma_refused(path: Path) -> PictureError:
    """Return the refusal of an EXR file in luminance and chroma, unsupported by OpenImageIO."""
    return PictureError(f"{path}: got luminance and chroma (Y, RY, BY), which are not read, need "
                        "R, G, B. Export it as RGB.")  # fmt: skip


def two_channels(path: Path) -> str:
    """Return the note for a picture of red and green alone."""
    return f"{path}: got two channels; took them for red and green, with a blue of 0"


def channels_kind(names: Sequence[str]) -> int | None:
    """Return the best kind among channels of these names, or None if no picture is among them."""
    layers = _layers(names)
    kinds = [one.kind for at in layers.values() if (one := _channels_of(at))]
    single = sum(name != "A" for at in layers.values() for name in at) == 1
    return min(kinds) if kinds else SINGLE if single else None


def _layers(names: Sequence[str]) -> dict[str, dict[str, int]]:
    layers: dict[str, dict[str, int]] = {}
    for index, name in enumerate(names):
        layer, _, channel = name.rpartition(".")
        layers.setdefault(layer, {}).setdefault(channel.upper(), index)
    return layers


def _layer(path: Path, layers: Sequence[str]) -> str:
    """Return the selected layer among those that have color, or vectors."""
    if "" in layers:
        return ""
    ends = {layer: layer.rpartition(".")[2].lower() for layer in layers}
    main = [layer for layer, end in ends.items() if end in MAIN_LAYERS]
    stem = path.stem.lower()
    named = [layer for layer, end in ends.items() if len(end) >= LAYER_LETTERS and end in stem]
    for some in (list(layers), main, named):
        if len(some) == 1:
            return some[0]
    raise PictureError(
        f"{path}: got color in layers {shortened_names(sorted(layers))}, need it in one. "
        "Export one layer alone."
    )


def _channels_of(at: Mapping[str, int]) -> Channels | None:
    """Return the channels of a layer by their names; None for neither color nor vectors."""
    alpha = [at["A"]] if "A" in at else []
    if {"R", "G", "B"} <= at.keys():
        return Channels([at["R"], at["G"], at["B"], *alpha], COLOR)
    if "Y" in at and not {"RY", "BY", "X"} & at.keys():  # Y beside RY, BY is luminance-chroma
        return Channels([at["Y"], *alpha], COLOR)
    if set(TRIPLE) <= at.keys():
        return Channels([at[name] for name in TRIPLE], VECTOR)
    for names in PAIRS:
        if set(names) <= at.keys():
            return Channels([at[name] for name in names], VECTOR, missing_blue=True)
    return None


def shortened_names(names: Sequence[str]) -> str:
    """Return the first names, and "..." where there are more."""
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(map(plain_name, names[:NAMES_SHOWN])) + more


def divide_by_alpha(pixels: npt.NDArray[Any]) -> None:
    """Turn integer [H, W, C] with associated alpha into unassociated, in place.

    color = round(color * peak / alpha), at most peak; unchanged where alpha is 0.
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
    """Return [H, W, C] ``pixels`` in upright orientation; a view where possible.

    ``orientation`` is the TIFF/EXIF number 1..8; any other counts as 1, as in other readers.
    Source: TIFF 6.0, section 8, tag 274.
    """
    swapped = orientation in (5, 6, 7, 8)
    view = pixels.transpose(1, 0, 2) if swapped else pixels
    if orientation in (3, 4, 7, 8):
        view = view[::-1]
    if orientation in (2, 3, 6, 7):
        view = view[:, ::-1]
    return view
