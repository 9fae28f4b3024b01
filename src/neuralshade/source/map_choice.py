"""One file for each map of a set, of all files that may hold it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from neuralshade.base.message_text import plain_name
from neuralshade.errors import ConfigError
from neuralshade.source.map_entry import MapFile
from neuralshade.source.map_names import MapName
from neuralshade.source.map_words import CONVENTIONS, WORDS

NAMES_SHOWN = 8

Held: TypeAlias = tuple[MapName, MapFile]


@dataclass(frozen=True)
class MapFiles:
    """The files of one set."""

    name: str
    place: str  # what messages call the source
    files: dict[str, MapFile]  # by map
    notes: tuple[str, ...] = ()


def own_names(held: Sequence[Held]) -> tuple[str, ...]:
    """Return the maps that files' names never say, in order."""
    names = [name for what, _ in held for name in what.maps if name and name not in WORDS]
    return tuple(dict.fromkeys(names))


def choose(
    place: str, held: Sequence[Held], wanted: Sequence[str]
) -> tuple[dict[str, MapFile], tuple[str, ...]]:
    """Return one file for each wanted map that has any, and what to tell of the choice.

    Raises: ConfigError, naming ``place``, for two files that hold one map.
    """
    files: dict[str, MapFile] = {}
    notes: list[str] = []
    for name in wanted:
        alone = [file for what, file in held if what.maps == (name,)]
        packed = [
            replace(file, channel=what.maps.index(name))
            for what, file in held
            if len(what.maps) > 1 and name in what.maps
        ]
        if name == "normal":
            alone = _opengl_of(alone, notes)
        for same in (alone, packed):
            _check_one(place, name, same)
        if alone and packed:
            alone_name, packed_name = alone[0].path.name, packed[0].path.name
            notes.append(f"{name}: taken from {alone_name}, not from the packed {packed_name}.")
        if alone or packed:
            files[name] = (alone or packed)[0]
    return files, tuple(notes)


def _opengl_of(files: list[MapFile], notes: list[str]) -> list[MapFile]:
    """Return the OpenGL map of one OpenGL and one DirectX map, else ``files`` as they are."""
    gl, dx = ([file for file in files if file.convention == kind] for kind in CONVENTIONS)
    if len(gl) != 1 or len(dx) != 1 or len(files) != 2:
        return files
    names = gl[0].path.name, dx[0].path.name
    notes.append(f"normal: taken from {names[0]} (OpenGL), not from {names[1]} (DirectX).")
    return gl


def _check_one(place: str, name: str, files: list[MapFile]) -> None:
    if len(files) > 1:
        names = listed([file.path.name for file in files])
        raise ConfigError(
            f"{place}: got {len(files)} files for {name}: {names}; need one. "
            "Move the others away, or give the path of one by itself."
        )


def listed(names: Iterable[str]) -> str:
    """Return the names in one line, not too long."""
    names = [plain_name(name) for name in names]
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
