"""Pictures that a task is given besides what its asset holds: where they are, what they take."""

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
    path: str | None  # None: it was given in memory
    bytes: int | None  # of its file
    memory_bytes: int  # of a GPU, as plain texels

    def __str__(self) -> str:
        if self.path is None:
            return f"{self.member} (in memory)"
        return f"{self.member} ({plain(self.path)}, {self.bytes:,} bytes)"


def input_of(member: str, picture: Any, path: Path | None) -> Input:
    """Return what is told of the picture that a member has."""
    from neuralshade.measure.baselines import plain_bytes  # codecs, which only tables need

    pixels = load_picture(picture).pixels
    height, width, channels = pixels.shape
    memory = plain_bytes(height, width, channels, pixels.itemsize)
    if path is None:
        return Input(member, None, None, memory)
    return Input(member, str(path), path.stat().st_size, memory)


def with_inputs(table: Table, inputs: Sequence[Input], numbers: int | None) -> Table:
    """Return the table of a task's picture with what its asset's bytes do not count.

    Args:
        table: as ``rows_for`` makes it, the asset first; its rows get ``inputs``, of others none.
        inputs: pictures that it is drawn from.
        numbers: how many are trained; None where a texture was given another size.
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
    table.lines = [*table.lines, *_told(ours, inputs)]
    return table


def _told(ours: Row, inputs: Sequence[Input]) -> Iterator[str]:
    """Yield what people are told of the columns of bytes."""
    if inputs:
        yield (f"{ours['name']} is not drawn from its {ours['bytes']:,} bytes alone: its task also "
               f"reads {listed_inputs(inputs)}, which the asset does not hold. Every other row is "
               "the whole picture.")  # fmt: skip
    yield f"Random access of {ours['name']}: its task renders any pixel by itself."
    if ours["memory_bytes"] is None:
        yield f"GPU bytes of {ours['name']}: not told, since a texture was given another size."
        return
    texels = ", and plain texels of what it reads" if inputs else ""
    yield (f"GPU bytes of {ours['name']}: {NUMBER_BYTES} for each trained number{texels}; its "
           "shader's code is not counted.")  # fmt: skip


def listed_inputs(inputs: Sequence[Input]) -> str:
    """Return them in a line for people."""
    return " and ".join(map(str, inputs))


def size_of_pictures(source: ShaderSource, pictures: Mapping[str, Picture]) -> str | None:
    """Return the one size, WxH, of the pictures that render reads, or else of all that there are.

    None where there are none, or several sizes: then none of them is the task's own.
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
    name: str, facts: Mapping[str, Any], given: Any, place: str
) -> tuple[Any, Path | None]:
    """Return what a member is given: a picture, and its file where it has one.

    That which is ``given`` now, as it is where it is in memory, else the one that it was trained
    with. Where the path in ``facts`` leads to none or to another one, it is looked for from the
    asset's folder on, and in that folder.

    Raises: AssetError where it is not found; PictureError for one that is given.
    """
    if isinstance(given, (str, os.PathLike)):
        return load_as_fitted(given, facts["digest"]), Path(given)
    if given is not None:
        return given, None
    if facts["path"] is None:
        raise _no_picture(name, place, "no picture")
    trained, beside = Path(facts["path"]), Path(place).parent
    what, reason = "another picture", None
    for path in dict.fromkeys((trained, beside / trained, beside / trained.name)):
        try:
            picture = load_as_fitted(path, facts["digest"])
        except PictureError as error:  # there may be one at the next place
            if path == trained:
                what, reason = "no picture", error
            continue
        if picture.digest == facts["digest"]:
            return picture, path
    raise _no_picture(name, place, f"{what} at {plain(str(trained))}") from reason


def _no_picture(name: str, place: str, got: str) -> AssetError:
    return AssetError(f"{place}: got {got} for Task.{name}, need the one it was trained with, or "
                      f"one that is named. Write --set {name}=PICTURE.")  # fmt: skip
