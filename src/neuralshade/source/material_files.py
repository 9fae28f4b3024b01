"""Which files any maps of a surface come from: a folder, a manifest, or files told apart."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.source.file_kind import PICTURE_SUFFIXES
from neuralshade.source.map_entry import MATERIAL, Entry, MapFile, map_entry, probably_meant
from neuralshade.source.map_files import (
    IN_MEMORY,
    PLACE,
    Held,
    MapFiles,
    choose,
    from_source,
    from_values,
    listed,
    own_names,
)
from neuralshade.source.map_names import MapName, is_role, name_files
from neuralshade.source.map_sets import pictures_in
from neuralshade.source.map_words import NAMES

LONGEST_NAME = 31
IS_A_SET = (
    "maps of one surface, told by their names: albedo, normal, roughness, displacement and so on"
)
ALONE = "Rename or list them in a .json manifest; fit image takes a single picture."

PathLike: TypeAlias = str | os.PathLike[str]
Source: TypeAlias = PathLike | Sequence[PathLike] | Mapping[str, Any]


def find_material(source: Source | None, entries: Mapping[str, Entry | None]) -> MapFiles:
    """Return where each map is: in ``source``, and by ``entries``.

    Args:
        source: a folder, whose files are told by their names; or a JSON manifest; or the files
            of maps, one or several, whose own stem is the name of what is not told; or a dict of
            what a manifest holds, with files and pixels in memory; or None.
        entries: by the keys of a manifest, each instead of what ``source`` has; None is none.

    Returns: maps in the order of NAMES, then those of other names.
    Raises: ConfigError if the source is none of these, a key is no name of a map, two files hold
        one map, or there is no map at all.
    """
    paths = [] if isinstance(source, Mapping) else _paths(source)
    held = [
        map_entry(PLACE, key, entry, Path(), MATERIAL)
        for key, entry in entries.items()
        if entry is not None
    ]
    files, notes = choose(PLACE, held, (*NAMES, *own_names(held)))
    if not paths and not files and not source:
        raise ConfigError(f"{PLACE}: got neither a source nor a map, need one of the two. Name a "
                          "folder, a manifest or the files of maps.")  # fmt: skip
    if isinstance(source, Mapping):
        found = from_values(PLACE, source, Path(), MATERIAL, files)
    else:
        found = _found(paths, files)
    merged = {**found.files, **files}
    if not merged:
        raise _nothing(paths[0] if paths else Path(PLACE))
    ordered = {name: merged[name] for name in (*NAMES, *merged) if name in merged}
    name = found.name or _set_name([p for f in ordered.values() if (p := f.on_disk) is not None])
    return MapFiles(name, found.place, ordered, (*found.notes, *notes, *_doubted(ordered)))


def _paths(source: Source | None) -> list[Path]:
    if source is None:
        return []
    alone = isinstance(source, (str, bytes, os.PathLike)) or not isinstance(source, Iterable)
    several: list[Any] = [source] if alone else list(source)  # type: ignore[arg-type]
    for path in several:
        text = os.fspath(path) if isinstance(path, os.PathLike) else path
        if not isinstance(text, str) or not text or "\0" in text:
            raise ConfigError(f"{PLACE}: got {shown(path)}, need the name of a folder or a file. "
                              "Give a string.")  # fmt: skip
    return list(dict.fromkeys(Path(path) for path in several))


def _found(paths: Sequence[Path], given: Mapping[str, MapFile]) -> MapFiles:
    """Return what the paths have of what is not given elsewhere."""
    if not paths:
        return MapFiles("", PLACE, {})
    if len(paths) == 1 and (_holds_maps(paths[0]) or not _is_picture(paths[0])):
        return from_source(paths[0], MATERIAL, given)
    for path in paths:
        if _holds_maps(path):
            got = "a manifest" if path.suffix.lower() == ".json" else "a folder"
            raise ConfigError(f"{path}: got {got} beside other paths, need it alone, or files of "
                              "maps alone. Name them apart.")  # fmt: skip
    return _from_files(paths, given)


def _holds_maps(path: Path) -> bool:
    return os.path.isdir(path) or path.suffix.lower() == ".json"  # Path's raises for long names


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in PICTURE_SUFFIXES


def _from_files(paths: Sequence[Path], given: Mapping[str, MapFile]) -> MapFiles:
    held: list[Held] = []
    for path, told in name_files(paths, NAMES).items():
        name = told if told and told.maps else MapName((_own_name(path.stem),))
        held.append((name, MapFile(path, None, name.convention)))
    wanted = [name for name in (*NAMES, *own_names(held)) if name not in given]
    files, notes = choose(PLACE, held, wanted)
    used = {file.path for file in given.values()}
    unused = [
        file.path.name for name, file in held if file.path not in used and not name.holds(wanted)
    ]
    notes += (f"{listed(unused)}: not used.",) if unused else ()
    return MapFiles("", PLACE, files, (*notes, *_lone({**given, **files})))


def _lone(files: Mapping[str, MapFile]) -> tuple[str, ...]:
    """Return what to tell of a single picture that is no map by its name: a photograph, maybe."""
    name, *others = files or [""]
    if others or not name or name in NAMES:
        return ()
    return (f"{files[name].path.name}: a name that says no map, taken as a set of one, called "
            f"{name}. For a picture that is no surface there is fit image.",)  # fmt: skip


def _own_name(stem: str) -> str:
    """Return what a map is called whose file's name does not say it: that name, put simply."""
    plain = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    if not re.match("[a-z]", plain):
        plain = f"map_{plain}"
    return plain[:LONGEST_NAME].strip("_")


def _set_name(paths: Sequence[Path]) -> str:
    """Return what a set is called by its files: the words that all their names begin with.

    The folder's name where that is nothing and a file's says which map it is, and no more.
    """
    stems = list(dict.fromkeys(path.stem for path in paths))
    if not stems:
        return IN_MEMORY
    if len(stems) > 1:
        words = [re.findall(r"[^\W_]+|[\W_]+", stem) for stem in stems]
        alike = itertools.takewhile(lambda at: len(set(at)) == 1, zip(*words, strict=False))
        if common := "".join(at[0] for at in alike).rstrip(" _-."):
            return common
    return (is_role(stems[0], NAMES) and paths[0].parent.resolve().name) or stems[0]


def _doubted(names: Iterable[str]) -> tuple[str, ...]:
    """Return what to tell of names that are nearly a known map's."""
    return tuple(
        f"{name}: no map that is known, taken as one of that name. Did you mean {meant}?"
        for name in names
        if (meant := probably_meant(name)) is not None
    )


def _nothing(path: Path) -> ConfigError:
    """Return the refusal of a source without any map."""
    if not path.is_dir():
        return ConfigError(f'{path}: got no map at all, need one. Write such as {{"albedo": '
                           '"a.png"}.')  # fmt: skip
    names = [picture.name for picture in pictures_in(path)]
    if not names:
        return ConfigError(f"{path}: got no pictures at all, need {IS_A_SET}. Check the path.")
    got = (
        "1 picture whose name says" if len(names) == 1 else f"{len(names)} pictures whose names say"
    )
    return ConfigError(f"{path}: got {got} no map: {listed(names)}; need {IS_A_SET}. {ALONE}")
