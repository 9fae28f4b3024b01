"""Refusals of a source without a required map, or without any."""

import os
from collections.abc import Mapping
from pathlib import Path

from neuralshade.errors import ConfigError
from neuralshade.source.map_choice import listed
from neuralshade.source.map_entry import MapFile, MapRules
from neuralshade.source.map_sets import pictures_in, unread_in
from neuralshade.source.map_words import WORDS

IS_A_SET = (
    "maps of one surface, recognized by name: albedo, normal, roughness, displacement and so on"
)
WORDS_SHOWN = 7  # of each map
ALONE = "Rename or list them in a .json manifest; fit image takes a single picture."


def check_complete(
    source: Path, files: Mapping[str, MapFile], rules: MapRules, *, named: bool
) -> None:
    """Raise ConfigError where a map that ``rules`` requires is missing, or there is none at all.

    ``named``: there is no source, only maps by name.
    """
    missing = [name for name in rules.required if name not in files]
    if missing:
        raise _incomplete(source, files, rules.required, missing, named=named)
    if not files:
        raise _nothing(source)


def _incomplete(
    source: Path, files: Mapping[str, MapFile], required: tuple[str, ...], missing: list[str],
    *, named: bool,
) -> ConfigError:  # fmt: skip
    found = list(dict.fromkeys(file.path.name for file in files.values()))
    unread = ""
    if os.path.isdir(source):
        found = [path.name for path in pictures_in(source)]
        unread = _unread(source)
    got = " and ".join(f"no {name}" for name in missing)
    need = ", ".join(required)
    if named:
        flags = " and ".join(f"--{name} FILE" for name in missing)
        packed = " (or packed: --arm, --orm ...)" if "roughness" in missing else ""
        return ConfigError(f"{source}: got {got} beside {listed(found)}, need {need}. "
                           f"Give {flags}{packed}.")  # fmt: skip
    if not found and not unread and not named and (within := _folders(source)):
        return _inside(source, within)
    among = f" among {listed(found)}" if found else " and no pictures at all"
    among += unread
    words = "; ".join(f"{name} is called {', '.join(WORDS[name][:WORDS_SHOWN])}"
                      for name in missing)  # fmt: skip
    packed = " (or packed: arm, orm, rma ...)" if "roughness" in missing else ""
    return ConfigError(
        f"{source}: got {got}{among}, need {need}; {words}{packed}. "
        f"Rename the file, or give the path of {' and '.join(missing)} by itself."
    )


def _nothing(source: Path) -> ConfigError:
    """Return the refusal of a source without any map."""
    if not os.path.isdir(source):
        return ConfigError(f'{source}: got no map at all, need one. Write such as {{"albedo": '
                           '"a.png"}.')  # fmt: skip
    names = [picture.name for picture in pictures_in(source)]
    unread = _unread(source)
    if not names and (within := _folders(source)):
        return _inside(source, within)
    if not names:
        return ConfigError(f"{source}: got no pictures at all{unread}, need {IS_A_SET}. Check the "
                           "path.")  # fmt: skip
    got = (
        "1 picture whose name says" if len(names) == 1 else f"{len(names)} pictures whose names say"
    )
    return ConfigError(
        f"{source}: got {got} no map: {listed(names)}{unread}; need {IS_A_SET}. {ALONE}"
    )


def _folders(source: Path) -> list[str]:
    """Return the names of folders in ``source`` that have pictures in them, sorted."""
    if not os.path.isdir(source):
        return []
    inside = (p for p in source.iterdir() if os.path.isdir(p) and not p.name.startswith("."))
    return sorted(path.name for path in inside if os.access(path, os.R_OK) and pictures_in(path))


def _inside(source: Path, within: list[str]) -> ConfigError:
    """Return the refusal of a folder whose folders have the pictures."""
    return ConfigError(f"{source}: got no pictures, but folders with pictures: {listed(within)}; "
                       f"need {IS_A_SET}. Name one of them: {source / within[0]}")  # fmt: skip


def _unread(folder: Path) -> str:
    """Return a remark on files that are maps by their names, in unsupported formats."""
    names = [path.name for path in unread_in(folder)]
    return f" (not read, as no reader knows what ends so: {listed(names)})" if names else ""
