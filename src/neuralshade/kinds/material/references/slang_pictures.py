"""Pictures of a user's Slang material: ``uniform Picture<float3> albedo = "a.png";``.

They are read like those of a task: model/trainable.texels.slang.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.model.input_pictures import load_input_picture, packed_pictures

PICTURE = re.compile(
    r"^[ \t]*(?:uniform\s+)?(?P<type>Picture\s*<\s*float(?P<channels>[234]?)\s*>)\s*"
    r'(?P<name>\w+)\s*(?:=\s*"(?P<path>[^"\n]*)"\s*)?;', re.MULTILINE,
)  # fmt: skip
IMPORT = "import neuralshade.model.trainable;"


def is_global(code: str, at: int) -> bool:
    """Return whether a position in a text without comments is outside of all braces."""
    return code.count("{", 0, at) == code.count("}", 0, at)


def with_pictures(
    place: Path, text: str, code: str
) -> tuple[str, Mapping[str, npt.NDArray[Any]]]:  # fmt: skip
    """Return a module's text with its pictures as constants, and the buffer of their pixels.

    ``code``: the text with comments blanked. Line numbers do not change.

    Raises: ConfigError for a picture without a file, a file outside the module's folder, or other
        channels; PictureError for a file that is no picture.
    """
    found = [one for one in PICTURE.finditer(code) if is_global(code, one.start())]
    if not found:
        return text, {}
    pictures = {one["name"]: _pixels(place, one) for one in found}
    places, packed = packed_pictures(pictures)
    for one in reversed(found):
        first, width, height = places[one["name"]]
        constant = (f"static const {one['type']} {one['name']} = "
                    f"{{ {first}u, uint2({width}u, {height}u) }};")  # fmt: skip
        lines = "\n" * one[0].count("\n")
        text = f"{text[: one.start()]}{constant}{lines}{text[one.end() :]}"
    return f"{text}\n{IMPORT}\n", {"input_numbers": packed}


def _pixels(place: Path, one: re.Match[str]) -> Any:
    """Return the pixels of a picture: float32 [H, W, channels]."""
    where = f"{place}: {one['name']}"
    path = one["path"]
    if path is None:
        raise ConfigError(f"{where}: got no file, need that of the picture. Write uniform "
                          f'{one["type"]} {one["name"]} = "{one["name"]}.png";')  # fmt: skip
    named = Path(path)
    if not path or named.is_absolute() or ".." in named.parts or "\\" in path:
        raise ConfigError(f"{where}: got {shown(path)}, need a picture in the module's folder or "
                          "below. Copy it there, and write / between folders.")  # fmt: skip
    return load_input_picture(place.parent / named, int(one["channels"] or 1), where).as_float()
