"""Selection of an EXR file's part or a TIFF file's page, and the EXR display window."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import plain_name
from neuralshade.errors import PictureError
from neuralshade.source.channels import MAIN_LAYERS, channels_kind, shortened_names

PARTED = {"openexr": "parts", "tiff": "pages"}  # the formats' names for several pictures
REDUCED, MASK = 1, 4  # bits of a page's NewSubfileType. Source: TIFF 6.0, section 8, tag 254.
# Renderers' names for parts that hold numbers instead of colors.
NUMBERS = ("normal", "depth", "position", "motion", "vector", "velocity", "crypto", "id", "uv",
           "st", "n", "p", "z", "mask", "matte")  # fmt: skip
LEFT_VIEWS = ("", "left", "main", "hero")


@dataclass(frozen=True)
class FilePart:
    """Header facts of one picture of a file."""

    index: int
    name: str
    view: str
    width: int
    height: int
    kind: int | None  # of its channels; None without a picture in them
    smaller: bool  # a page that is a reduced copy of another, or its mask


def chosen_part(path: Path, kind: str, specs: Sequence[Any]) -> tuple[int, list[str]]:
    """Return the index of the picture to read, by OpenImageIO's descriptions, and notes.

    The first page that is neither a reduced copy nor a mask; the first part with color, preferably
    with a renderer's name for the picture itself, and the left eye's.
    """
    parts = [_part(index, spec) for index, spec in enumerate(specs)]
    best = min(parts, key=_rank)
    others = [one for one in parts if one is not best and not one.smaller]
    if not others and best.index == 0:
        return 0, []
    left_out = shortened_names([_called(one, kind) for one in others])
    rest = f"left out {left_out}" if others else "the others are smaller copies or masks"
    return best.index, [
        f"{path}: got {len(parts)} {PARTED[kind]}; took {_called(best, kind)}; {rest}"
    ]


def in_display_window(
    path: Path, spec: Any, pixels: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], str | None]:
    """Return [H, W, C] of an EXR file's data cropped or padded to its display window, and a note.

    Padding is 0, transparent where there is an alpha. Raises: PictureError where the windows do
    not overlap.
    """
    top, left = spec.full_y - spec.y, spec.full_x - spec.x  # of the display, in the data's pixels
    height, width = spec.full_height, spec.full_width
    if (top, left, height, width) == (0, 0, *pixels.shape[:2]):
        return pixels, None
    rows = slice(max(top, 0), min(top + height, pixels.shape[0]))
    columns = slice(max(left, 0), min(left + width, pixels.shape[1]))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        raise PictureError(f"{path}: got a data window outside the display window, need one in it. "
                           "Export it again, cropped to what is to be seen.")  # fmt: skip
    inside = pixels[rows, columns]
    if inside.shape[:2] == (height, width):
        return inside, None
    made = np.zeros((height, width, pixels.shape[2]), pixels.dtype)
    at = rows.start - top, columns.start - left
    made[at[0] : at[0] + inside.shape[0], at[1] : at[1] + inside.shape[1]] = inside
    share = inside.shape[0] * inside.shape[1] / (height * width)
    empty = "clear" if pixels.shape[2] in (2, 4) else "black"
    return made, f"{path}: has data in {share:.0%} of its display window; the rest is {empty}"


def _part(index: int, spec: Any) -> FilePart:
    flat = not spec.deep and spec.depth <= 1
    smaller = bool(spec.get_int_attribute("tiff:subfiletype") & (REDUCED | MASK))
    name = spec.get_string_attribute("oiio:subimagename")
    return FilePart(index, name, spec.get_string_attribute("view"), spec.width, spec.height,
                channels_kind(spec.channelnames) if flat else None, smaller)  # fmt: skip


def _rank(part: FilePart) -> tuple[Any, ...]:
    words = part.name.lower().replace("_", ".").split(".")
    main, numbers = words[-1] in MAIN_LAYERS, any(word in NUMBERS for word in words)
    other_eye = part.view.lower() not in LEFT_VIEWS or "right" in words
    kind = 9 if part.kind is None else part.kind
    return part.smaller, kind, other_eye, not main, numbers, part.index


def _called(part: FilePart, kind: str) -> str:
    size = f"{part.width} x {part.height}"
    if part.name and kind == "openexr":
        return f"{plain_name(part.name)} ({size})"
    return f"{'part' if kind == 'openexr' else 'page'} {part.index + 1} ({size})"
