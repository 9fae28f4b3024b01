"""Which files a texture set's maps come from: a folder, a manifest, or paths by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from neuralshade.base.given import check_path
from neuralshade.base.message_text import plain_name, shown, unread
from neuralshade.errors import ConfigError
from neuralshade.source.map_entry import (
    MIPMAPS,
    Entry,
    MapFile,
    Takes,
    map_entry,
    read_manifest,
)
from neuralshade.source.map_names import MapName, is_role, name_files
from neuralshade.source.map_sets import ANY, begun_by, is_set, pictures_in, sets_in
from neuralshade.source.map_words import CONVENTIONS, MAPS, WORDS

REQUIRED = ("albedo", "roughness")
NAMES_SHOWN = 8
PLACE = "texture set"
IN_MEMORY = "maps"  # what a set is called that nobody named

Held: TypeAlias = tuple[MapName, MapFile]


@dataclass(frozen=True)
class MapFiles:
    """The files of one set."""

    name: str
    place: str  # what messages call the source
    files: dict[str, MapFile]  # by map
    notes: tuple[str, ...] = ()


def find_maps(
    source: str | os.PathLike[str] | Mapping[str, Any] | None,
    entries: Mapping[str, Entry | None],
) -> MapFiles:
    """Return where each map is: in ``source``, a folder or a manifest, and by ``entries``.

    Args:
        source: a folder, whose files are told by their names; or a JSON manifest; or a dict of
            what one holds, with files and pixels in memory; or None.
        entries: by the keys of a manifest, each instead of what ``source`` has; None is none.

    Raises: ConfigError if the source is neither, a key is unknown, two files hold one map, or
        albedo or roughness is missing.
    """
    path = None if isinstance(source, Mapping) else source
    if path is not None:
        check_path(PLACE, path)
    place = PLACE if path is None else str(Path(path))
    if source is None and all(entry is None for entry in entries.values()):
        raise ConfigError(f"{place}: got neither a source nor a map, need one of the two. Name a "
                          "folder, a manifest or --albedo and --roughness.")  # fmt: skip
    given = [
        map_entry(PLACE, key, entry, Path()) for key, entry in entries.items() if entry is not None
    ]
    files, notes = choose(PLACE, given, MAPS)
    if isinstance(source, Mapping):
        found = from_values(place, source, Path(), MIPMAPS, files)
    elif path is None:
        found = MapFiles("", place, {})
    else:
        found = from_source(Path(path), MIPMAPS, files)
    files = {**found.files, **files}
    _check_complete(place, files, _names(path, files), named=source is None)
    albedo = files["albedo"].on_disk
    name = found.name or (IN_MEMORY if albedo is None else _set_name(albedo))
    return MapFiles(name, place, files, (*found.notes, *notes))


def from_source(path: Path, takes: Takes, given: Mapping[str, MapFile]) -> MapFiles:
    """Return what a folder or a manifest has of the maps that ``takes`` names but ``given`` not.

    Of a folder with several sets FOLDER/wood is the one whose files' names begin with "wood".

    Raises: ConfigError if it is neither, cannot be read, or has two files for one map.
    """
    try:
        if path.is_dir():
            return _from_folder(path, takes, given)
        if path.suffix.lower() == ".json" and path.exists():
            return _from_manifest(path, takes, given)
        if not path.exists() and (begun := begun_by(path)):
            return _from_pictures(path.name.rstrip(ANY), str(path), begun, takes, given)
        got = "a file that is neither" if path.exists() else "no such file or folder"
    except OSError as error:
        raise ConfigError(
            f"{path}: got {unread(error)}, need a folder of maps or a .json manifest. "
            "Check its permissions and its disk."
        ) from error
    raise ConfigError(
        f"{path}: got {got}, need a folder of maps or a .json manifest. "
        "Check the path, or give each map by itself."
    )


def _from_folder(folder: Path, takes: Takes, given: Mapping[str, MapFile]) -> MapFiles:
    paths = pictures_in(folder)
    try:
        return _from_pictures(folder.resolve().name, str(folder), paths, takes, given)
    except ConfigError as error:  # two files for one map
        sets = {prefix: held for prefix, held in sets_in(paths).items() if is_set(held)}
        if len(sets) < 2:
            raise
        raise ConfigError(
            f"{folder}: got maps of {len(sets)} sets, {listed(sets)}, need those of one. Name it "
            f"by what its files begin with: {folder / next(iter(sets))}"
        ) from error


def _from_pictures(
    called: str, place: str, paths: Sequence[Path], takes: Takes, given: Mapping[str, MapFile]
) -> MapFiles:
    names = name_files(paths, takes.maps)
    held = [(name, MapFile(path, None, name.convention)) for path, name in names.items() if name]
    wanted = [name for name in takes.maps if name not in given]
    files, notes = choose(place, held, wanted)
    # those that hold what another file was taken for are told already
    used = {file.path for file in given.values()}
    unused = [
        path.name
        for path, name in names.items()
        if path not in used and not (name and name.holds(wanted))
    ]
    notes += (f"{listed(unused)}: not used.",) if unused else ()
    return MapFiles(called, place, files, notes)


def _set_name(albedo: Path) -> str:
    """Return what a set is called by its albedo: the folder's name where a file's says no more."""
    return (is_role(albedo.stem) and albedo.parent.resolve().name) or albedo.stem


def _from_manifest(path: Path, takes: Takes, given: Mapping[str, MapFile]) -> MapFiles:
    found = from_values(str(path), read_manifest(path), path.parent, takes, given)
    return found if found.name else replace(found, name=path.stem)


def from_values(
    place: str, values: Mapping[str, Any], folder: Path, takes: Takes, given: Mapping[str, MapFile]
) -> MapFiles:
    """Return what the keys of a manifest, or of a dict, have; "" for a name that is not said.

    Raises: ConfigError naming ``place`` for what is no such key, or no entry of one.
    """
    called = values.get("name", "")
    if "name" in values and (not isinstance(called, str) or not called):
        raise ConfigError(
            f"{place}: name: got {shown(called)}, need a string. Leave it out for the file's own "
            "name."
        )
    entries = {key: value for key, value in values.items() if key != "name"}
    unused = [key for key in entries if not takes.needs(key)]
    held = [map_entry(place, key, value, folder, takes)
            for key, value in entries.items() if key not in unused]  # fmt: skip
    names = (*takes.maps, *own_names(held)) if takes.own_names else takes.maps
    files, notes = choose(place, held, [name for name in names if name not in given])
    notes += (f"{listed(unused)}: not used.",) if unused else ()
    return MapFiles(called, place, files, notes)


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


def _check_complete(
    place: str, files: Mapping[str, MapFile], found: list[str], *, named: bool
) -> None:
    """Raise ConfigError where a required map is missing; ``named``: there is no source."""
    missing = [name for name in REQUIRED if name not in files]
    if not missing:
        return
    got = " and ".join(f"no {name}" for name in missing)
    if named:
        flags = " and ".join(f"--{name} FILE" for name in missing)
        packed = " (or packed: --arm, --orm ...)" if "roughness" in missing else ""
        raise ConfigError(f"{place}: got {got} beside {listed(found)}, need "
                          f"{', '.join(REQUIRED)}. Give {flags}{packed}.")  # fmt: skip
    among = f" among {listed(found)}" if found else " and no pictures at all"
    words = "; ".join(f"{name} is called {', '.join(WORDS[name])}" for name in missing)
    packed = " (or packed: arm, orm, rma ...)" if "roughness" in missing else ""
    them = " and ".join(missing)
    raise ConfigError(
        f"{place}: got {got}{among}, need {', '.join(REQUIRED)}; {words}{packed}. "
        f"Rename the file, or give the path of {them} by itself."
    )


def _names(source: str | os.PathLike[str] | None, files: Mapping[str, MapFile]) -> list[str]:
    """Return the names of what was there to choose from."""
    if source is not None and Path(source).is_dir():
        return [path.name for path in pictures_in(Path(source))]
    return list(dict.fromkeys(file.path.name for file in files.values()))


def listed(names: Iterable[str]) -> str:
    """Return the names in one line, not too long."""
    names = [plain_name(name) for name in names]
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
