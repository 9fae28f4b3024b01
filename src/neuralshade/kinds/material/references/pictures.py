"""Pictures of a reference, in one buffer. Device half: pictures.slang.

A buffer and not textures, so that one text runs on every GPU API, including CUDA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture

BORDERS = ("repeat", "clamp", "mirror")  # as in pictures.slang


@dataclass(frozen=True)
class Lookup:
    """One picture with its look-up settings; ``name`` is its variable in the text.

    Values are as in the file: integers as shares of the largest, without decoding.
    """

    name: str
    path: Path
    across: str = "repeat"  # one of BORDERS, of u
    down: str = "repeat"
    nearest: bool = False
    picture: Picture | None = None  # if it is in memory already; then ``path`` is any name
    colors: bool = False  # whether to apply the file's color tags: no document does


def picture_words(picture: Picture) -> npt.NDArray[np.uint32]:
    """Return the texels of a picture row by row: one word for 8-bit texels, else four.

    Grey is copied to red, green and blue; missing alpha is 1.
    """
    pixels = picture.pixels
    rgba: npt.NDArray[Any]
    if pixels.dtype == np.uint8:
        rgba = _four(pixels, 255)
        return np.ascontiguousarray(rgba).view("<u4").reshape(-1)
    values = pixels.astype(np.float32)
    if pixels.dtype == np.uint16:
        values /= np.float32(65535)
    rgba = _four(values, 1)
    return np.ascontiguousarray(rgba, np.float32).view(np.uint32).reshape(-1)


def picture_table(
    lookups: Sequence[Lookup],
) -> tuple[str, Mapping[str, npt.NDArray[np.uint32]]]:
    """Return constants of type Picture for a text, and their buffer.

    Each file is stored once. Raises: PictureError for a file that is no picture.
    """
    lines, parts, first, places = [], [], 0, dict[tuple[Path, bool], tuple[int, Picture]]()
    for lookup in lookups:
        once = lookup.path, lookup.colors
        if once not in places:
            picture = lookup.picture or load_picture(lookup.path, colors=lookup.colors)
            parts.append(picture_words(picture))
            places[once] = first, picture
            first += len(parts[-1])
        begin, picture = places[once]
        height, width = picture.pixels.shape[:2]
        wide, nearest = picture.pixels.dtype != np.uint8, lookup.nearest
        across, down = BORDERS.index(lookup.across), BORDERS.index(lookup.down)
        lines.append(f"static const Picture {lookup.name} = {{ {begin}u, {width}, {height}, "
                     f"{_slang(wide)}, {across}, {down}, {_slang(nearest)} }};\n")  # fmt: skip
    words = np.concatenate(parts) if parts else np.zeros(1, np.uint32)
    return "".join(lines), {"picture_words": words}


def _four(values: npt.NDArray[Any], whole: int) -> npt.NDArray[Any]:
    """Return [H, W, 4] of 1 to 4 channels."""
    channels = values.shape[2]
    color = values[..., :3] if channels > 2 else np.repeat(values[..., :1], 3, axis=2)
    alpha = values[..., -1:] if channels in (2, 4) else np.full_like(values[..., :1], whole)
    return np.concatenate([color, alpha], axis=2)


def _slang(value: bool) -> str:
    return "true" if value else "false"
