"""Map files of a surface: from a folder, a manifest, a list of files, or paths by name."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from neuralshade.base.argument_checks import check_path
from neuralshade.base.message_text import read_failure, shown
from neuralshade.errors import ConfigError
from neuralshade.source.file_kind import PICTURE_SUFFIXES
from neuralshade.source.map_choice import (
    MapFiles,
    choose,
    listed,
    roughness_of_gloss,
    searched_maps,
)
from neuralshade.source.map_entry import (
    MATERIAL,
    MIPMAPS,
    Entry,
    MapFile,
    MapRules,
    map_entry,
    probably_meant,
    read_manifest,
)
from neuralshade.source.map_folder import from_folder, from_pictures
from neuralshade.source.map_names import is_role
from neuralshade.source.map_sets import ANY, files_with_prefix, pictures_in
from neuralshade.source.map_words import NAMES
from neuralshade.source.missing_maps import check_complete

PLACE = "texture set"
IN_MEMORY = "maps"  # name of a set without one

PathLike: TypeAlias = str | os.PathLike[str]
Source: TypeAlias = PathLike | Sequence[PathLike] | Mapping[str, Any]


def find_maps(
    source: PathLike | Mapping[str, Any] | None, entries: Mapping[str, Entry | None]
) -> MapFiles:
    """Return the location of the maps for mip levels; see ``find_files``."""
    return find_files(source, entries, MIPMAPS)


def find_material(source: Source | None, entries: Mapping[str, Entry | None]) -> MapFiles:
    """Return the location of all maps of a surface; see ``find_files``."""
    return find_files(source, entries, MATERIAL)


def find_files(
    source: Source | None, entries: Mapping[str, Entry | None], rules: MapRules
) -> MapFiles:
    """Return the location of each map in ``source`` and ``entries``.

    Args:
        source: a folder, whose files are recognized by their names; a JSON manifest; a dict with
            its contents, files and pixels in memory; or None. Where any name is a map, also one or
            several files; one that is not recognized has its own stem as name.
        entries: by the keys of a manifest, in place of those of ``source``; None is ignored.
        rules: which maps are searched.

    Returns: maps in the order of NAMES, then those of other names.
    Raises: ConfigError if the source is none of these, a key is no map's name, two files hold
        one map, or one that ``rules`` requires is missing.
    """
    paths = [] if isinstance(source, Mapping) else _paths(source, rules)
    candidates = [
        map_entry(PLACE, key, entry, Path(), rules)
        for key, entry in entries.items()
        if entry is not None
    ]
    files, notes = choose(PLACE, candidates, (*searched_maps(rules, candidates, {}), "gloss"))
    if not paths and not files and not source:
        them = "the files of maps" if rules.custom_names else "--albedo and --roughness"
        raise ConfigError(f"{PLACE}: got neither a source nor a map, need one of the two. Name a "
                          f"folder, a manifest or {them}.")  # fmt: skip
    if isinstance(source, Mapping):
        found = _from_values(PLACE, source, Path(), rules, files)
    else:
        found = _found(paths, rules, files)
    merged = {**found.files, **files}
    notes += _settle_gloss(merged, rules)
    check_complete(paths[0] if paths else Path(PLACE), merged, rules, named=source is None)
    ordered = {name: merged[name] for name in (*NAMES, *merged) if name in merged}
    name = found.name or _set_name([p for f in ordered.values() if (p := f.on_disk) is not None])
    return MapFiles(name, found.place, ordered, (*found.notes, *notes, *_doubted(ordered)))


def _paths(source: Source | None, rules: MapRules) -> list[Path]:
    if source is None:
        return []
    if not rules.custom_names:
        check_path(PLACE, source)
    alone = isinstance(source, (str, bytes, os.PathLike)) or not isinstance(source, Iterable)
    several: list[Any] = [source] if alone else list(source)  # type: ignore[arg-type]
    for path in several:
        text = os.fspath(path) if isinstance(path, os.PathLike) else path
        if not isinstance(text, str) or (not text and rules.custom_names) or "\0" in text:
            raise ConfigError(f"{PLACE}: got {shown(path)}, need the name of a folder or a file. "
                              "Give a string.")  # fmt: skip
    return list(dict.fromkeys(Path(path) for path in several))


def _settle_gloss(files: dict[str, MapFile], rules: MapRules) -> tuple[str, ...]:
    """Use a gloss map for missing roughness, in place; return a note."""
    gloss = files.get("gloss")
    if gloss is None or rules.keeps_gloss:
        return ()
    if "roughness" not in files:
        files["roughness"], note = roughness_of_gloss(files.pop("gloss"))
        return (note,)
    if "gloss" not in rules.maps:
        del files["gloss"]
        return (f"{gloss.path.name}: not used.",)
    return ()


def _found(paths: Sequence[Path], rules: MapRules, supplied: Mapping[str, MapFile]) -> MapFiles:
    """Return the maps in the paths, without those in ``supplied``."""
    if not paths:
        return MapFiles("", PLACE, {})
    if len(paths) == 1 and not (rules.custom_names and _is_picture(paths[0])):
        return _from_source(paths[0], rules, supplied)
    for path in paths:
        if _holds_maps(path):
            got = "a manifest" if path.suffix.lower() == ".json" else "a folder"
            raise ConfigError(f"{path}: got {got} beside other paths, need it alone, or files of "
                              "maps alone. Name them apart.")  # fmt: skip
    found = from_pictures("", PLACE, paths, rules, supplied, any_name=True)
    return replace(found, notes=(*found.notes, *_lone({**supplied, **found.files})))


def _holds_maps(path: Path) -> bool:
    return os.path.isdir(path) or path.suffix.lower() == ".json"  # Path's raises for long names


def _is_picture(path: Path) -> bool:
    return not _holds_maps(path) and path.suffix.lower() in PICTURE_SUFFIXES


def _from_source(path: Path, rules: MapRules, supplied: Mapping[str, MapFile]) -> MapFiles:
    """Return the maps of a folder or a manifest that ``rules`` name, without those in ``supplied``.

    In a folder with several sets FOLDER/wood selects files whose names start with "wood".

    Raises: ConfigError if it is neither, cannot be read, or has two files for one map.
    """
    try:
        if os.path.isdir(path):
            return from_folder(path.resolve().name, path, path, pictures_in(path), rules, supplied)
        if path.suffix.lower() == ".json" and os.path.exists(path):
            return _from_manifest(path, rules, supplied)
        if not os.path.exists(path) and (begun := files_with_prefix(path)):
            called = path.name.rstrip(ANY)
            return from_folder(called, path, path.parent, begun, rules, supplied)
        got = "a file that is neither" if os.path.exists(path) else _absent(path)
    except OSError as error:
        raise ConfigError(
            f"{path}: got {read_failure(error)}, need a folder of maps or a .json manifest. "
            "Check its permissions and its disk."
        ) from error
    raise ConfigError(
        f"{path}: got {got}, need a folder of maps or a .json manifest. "
        "Check the path, or give each map by itself."
    )


def _absent(path: Path) -> str:
    """Return whether nothing is there; OSError for a path that cannot exist, as a long name."""
    with suppress(FileNotFoundError, NotADirectoryError):
        os.stat(path)
    return "no such file or folder"


def _from_manifest(path: Path, rules: MapRules, supplied: Mapping[str, MapFile]) -> MapFiles:
    found = _from_values(str(path), read_manifest(path), path.parent, rules, supplied)
    return found if found.name else replace(found, name=path.stem)


def _from_values(
    place: str,
    values: Mapping[str, Any],
    folder: Path,
    rules: MapRules,
    supplied: Mapping[str, MapFile],
) -> MapFiles:
    """Return the maps of a manifest's or a dict's keys; the set's name is "" without one.

    Raises: ConfigError naming ``place`` for an invalid key or entry.
    """
    called = values.get("name", "")
    if "name" in values and (not isinstance(called, str) or not called):
        raise ConfigError(
            f"{place}: name: got {shown(called)}, need a string. Leave it out for the file's own "
            "name."
        )
    entries = {key: value for key, value in values.items() if key != "name"}
    unused = [key for key in entries if not rules.needs(key)]
    candidates = [map_entry(place, key, value, folder, rules)
            for key, value in entries.items() if key not in unused]  # fmt: skip
    searched = searched_maps(rules, candidates, supplied)
    files, notes = choose(place, candidates, searched)
    notes += (f"{listed(unused)}: not used.",) if unused else ()
    return MapFiles(called, place, files, notes)


def _lone(files: Mapping[str, MapFile]) -> tuple[str, ...]:
    """Return a note on a single picture whose name is no map's: a photograph, maybe."""
    name, *others = files or [""]
    if others or not name or name in NAMES:
        return ()
    return (f"{files[name].path.name}: a name that says no map, taken as a set of one, called "
            f"{name}. For a picture that is no surface there is fit image.",)  # fmt: skip


def _set_name(paths: Sequence[Path]) -> str:
    """Return a set's name by its files: the words at the start of all their names.

    The folder's name where there are none and a file is named by its map alone.
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
    """Return notes on names that nearly equal a known map's."""
    return tuple(
        f"{name}: no map that is known, taken as one of that name. Did you mean {meant}?"
        for name in names
        if (meant := probably_meant(name)) is not None
    )
