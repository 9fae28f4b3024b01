"""Maps in a folder or a list of files, recognized by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from neuralshade.errors import ConfigError
from neuralshade.source.map_choice import Candidate, MapFiles, choose, listed, searched_maps
from neuralshade.source.map_entry import MapFile, MapRules
from neuralshade.source.map_names import MapName, name_files
from neuralshade.source.map_sets import (
    ANY,
    is_set,
    sets_in,
    tiles_in,
    unread_in,
)

UNREAD = "not read, as no reader knows what ends so. Convert to PNG, or OpenEXR for floats."
LONGEST_NAME = 31
CORE = ("albedo", "normal", "roughness")  # maps that are never left out silently


def from_folder(
    called: str, place: Path, folder: Path, paths: Sequence[Path], rules: MapRules,
    supplied: Mapping[str, MapFile],
) -> MapFiles:  # fmt: skip
    """Return the maps among files of a folder; ``place``: what the user named.

    Two files for one map that is not in CORE are both left out, if all files are of one set.
    """
    try:
        found = from_pictures(called, str(place), paths, rules, supplied)
    except ConfigError as error:  # two files for one map
        sets = {prefix: files for prefix, files in sets_in(paths).items() if is_set(files)}
        if len(sets) > 1:
            raise ConfigError(
                f"{place}: got maps of {len(sets)} sets, {listed(sets)}, need those of one. Name "
                f"it by what its files begin with: {folder / next(iter(sets))}"
            ) from error
        if len(tiles := tiles_in(paths)) > 1:
            one = ".".join((*sets, tiles[0]))
            raise ConfigError(
                f"{place}: got maps of {len(tiles)} UDIM tiles, {listed(tiles)}, need those of "
                f"one. Name it by its number: {folder / one}"
            ) from error
        found = from_pictures(called, str(place), paths, rules, supplied, optional_left=True)
        if not found.files:
            raise
    begins = ("",) if place == folder else (place.name.rstrip(ANY), *sets_in(paths))
    unread = [path.name for path in unread_in(folder, begins)]
    notes = (f"{listed(unread)}: {UNREAD}",) if unread else ()
    return replace(found, notes=(*found.notes, *notes))


def from_pictures(
    called: str, place: str, paths: Sequence[Path], rules: MapRules,
    supplied: Mapping[str, MapFile], *, any_name: bool = False, optional_left: bool = False,
) -> MapFiles:  # fmt: skip
    """Return the maps of files by their names.

    Args:
        any_name: a file with another name is a map, too.
        optional_left: two files for one optional map are left out.

    Raises: ConfigError for two files for one map.
    """
    candidates: list[Candidate] = []
    unknown: list[Path] = []
    for path, by_name in name_files(paths, rules.maps).items():
        name = by_name
        if any_name and not (by_name and by_name.maps):
            name = MapName((custom_name(path.stem),))
        if name is None:
            unknown.append(path)
        else:
            candidates.append((name, MapFile(path, None, name.convention)))
    searched = searched_maps(rules, candidates, supplied)
    needed = needed_maps(rules, candidates, supplied) if optional_left else None
    files, notes = choose(place, candidates, searched, needed)
    if not any_name:
        files = {name: file if name in CORE else replace(file, doubtful=True)
                 for name, file in files.items()}  # fmt: skip
    # files whose map came from another one have a note already
    used = {file.path for file in supplied.values()}
    left_out = {
        *unknown,
        *(file.path for name, file in candidates if not name.holds(searched)),
    } - used
    unused = [path.name for path in paths if path in left_out]
    notes += (f"{listed(unused)}: not used.",) if unused else ()
    return MapFiles(called, place, files, notes)


def needed_maps(
    rules: MapRules, candidates: Sequence[Candidate], supplied: Mapping[str, MapFile]
) -> tuple[str, ...]:
    """Return the maps for which a set may be refused; gloss, too, if it replaces roughness."""
    rough = "roughness" in supplied or any("roughness" in name.all for name, _ in candidates)
    return (*CORE, *rules.required, *(() if rough else ("gloss",)))


def optional_maps(names: Iterable[str], files: Mapping[str, MapFile]) -> list[str]:
    """Return the maps that may be left out: no set needs them, and no user named them.

    Those not in ``files`` were found in another's alpha.
    """
    return [name for name in names
            if name not in CORE and (name not in files or files[name].doubtful)]  # fmt: skip


def custom_name(stem: str) -> str:
    """Return the map name of a file with an unknown name, simplified."""
    plain = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    if not re.match("[a-z]", plain):
        plain = f"map_{plain}"
    return plain[:LONGEST_NAME].strip("_")
