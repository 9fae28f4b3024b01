"""Input pictures of a task, which its asset does not hold: their files, sizes and bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import plain
from neuralshade.errors import AssetError, PictureError
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.measure.table import Row, Table
from neuralshade.source.image_file import load_as_fitted, load_picture
from neuralshade.source.picture import Picture

NUMBER_BYTES = 4  # of a trained number: float32


@dataclass(frozen=True)
class Input:
    """A picture that a task's render reads, which its asset does not hold."""

    member: str
    path: str | None  # None: in memory
    bytes: int | None  # of its file
    memory_bytes: int  # on a GPU, as plain texels

    def __str__(self) -> str:
        if self.path is None:
            return f"{self.member} (in memory)"
        return f"{self.member} ({plain(self.path)}, {self.bytes:,} bytes)"


def input_of(member: str, picture: Any, path: Path | None) -> Input:
    """Return the facts of a member's picture."""
    from neuralshade.measure.baselines import plain_bytes  # loads codecs, for tables alone

    pixels = load_picture(picture).pixels
    height, width, channels = pixels.shape
    memory = plain_bytes(height, width, channels, pixels.itemsize)
    if path is None:
        return Input(member, None, None, memory)
    return Input(member, str(path), path.stat().st_size, memory)


def with_inputs(table: Table, inputs: Sequence[Input], numbers: int | None) -> Table:
    """Return the table of a task's picture, with the bytes of its inputs added.

    Args:
        table: from ``rows_for``, the asset first; its row gets ``inputs``, the others empty ones.
        inputs: the pictures that its render reads.
        numbers: how many are trained; None where a texture's size was replaced.
    """
    for row in table:
        row["inputs"] = []
    ours = table[0]
    ours["inputs"] = [asdict(each) for each in inputs]
    if numbers is not None:
        held = sum(each.memory_bytes for each in inputs)
        ours["memory_bytes"] = NUMBER_BYTES * numbers + held
    if inputs:
        ours["setting"] = f"reads {listed_inputs(inputs)} too"
    table.lines = [*table.lines, *_notes(ours, inputs)]
    return table


def _notes(ours: Row, inputs: Sequence[Input]) -> Iterator[str]:
    """Yield notes for users on the columns of bytes."""
    if inputs:
        yield (f"{ours['name']} is not drawn from its {ours['bytes']:,} bytes alone: its task also "
               f"reads {listed_inputs(inputs)}, which the asset does not hold. Every other row is "
               "the whole picture.")  # fmt: skip
    yield f"Random access of {ours['name']}: its task renders any pixel by itself."
    if ours["memory_bytes"] is None:
        yield f"GPU bytes of {ours['name']}: unknown, since a texture's size was replaced."
        return
    texels = ", and plain texels of what it reads" if inputs else ""
    yield (f"GPU bytes of {ours['name']}: {NUMBER_BYTES} for each trained number{texels}; its "
           "shader's code is not counted.")  # fmt: skip


def listed_inputs(inputs: Sequence[Input]) -> str:
    """Return the inputs in one line for users."""
    return " and ".join(map(str, inputs))


def size_of_pictures(source: ShaderSource, pictures: Mapping[str, Picture]) -> str | None:
    """Return the common size, WxH, of the pictures that render reads, or else of all pictures.

    None without pictures, or where sizes differ.
    """
    from neuralshade.kinds.shader.unused_pictures import unused_pictures  # few have any

    unused = unused_pictures(source) if pictures else {}
    read = [picture for name, picture in pictures.items() if name not in unused]
    for some in (read, pictures.values()):
        sizes = {f"{picture.width}x{picture.height}" for picture in some}
        if len(sizes) == 1:
            return sizes.pop()
    return None


def picture_of(
    name: str, facts: Mapping[str, Any], value: Any, place: str
) -> tuple[Any, Path | None]:
    """Return a member's picture, and its file where it has one.

    ``value`` where it is not None: a file, or a picture in memory. Else the picture of the fit: by
    the path in ``facts``, then by that path from the asset's folder, then by its name in that
    folder.

    Raises: AssetError where it is not found; PictureError for an unreadable ``value``.
    """
    if isinstance(value, (str, os.PathLike)):
        return load_as_fitted(value, facts["digest"]), Path(value)
    if value is not None:
        return value, None
    if facts["path"] is None:
        raise _no_picture(name, place, "no picture")
    trained, beside = Path(facts["path"]), Path(place).parent
    what, reason = "another picture", None
    for path in dict.fromkeys((trained, beside / trained, beside / trained.name)):
        try:
            picture = load_as_fitted(path, facts["digest"])
        except PictureError as error:  # tried at the next place
            if path == trained:
                what, reason = "no picture", error
            continue
        if picture.digest == facts["digest"]:
            return picture, path
    raise _no_picture(name, place, f"{what} at {plain(str(trained))}") from reason


def _no_picture(name: str, place: str, got: str) -> AssetError:
    return AssetError(f"{place}: got {got} for Task.{name}, need the one it was trained with, or "
                      f"one that is named. Write --set {name}=PICTURE.")  # fmt: skip
