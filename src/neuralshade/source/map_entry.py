"""Entries of maps in a manifest or a call, and the manifest's parser."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.base.regular_file import check_regular
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import ConfigError
from neuralshade.source.map_names import MapName, key_name, map_name
from neuralshade.source.map_words import COLORS, CONVENTIONS, EITHER, MAPS, NAMES, PACKED

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch
    from PIL import Image

    from neuralshade.source.picture import Picture

    # one map: a file, pixels in memory, or a dict of either with settings
    Entry: TypeAlias = (
        str | os.PathLike[str] | Picture | npt.NDArray[Any] | Image.Image | torch.Tensor
        | Mapping[str, Any]
    )  # fmt: skip
else:  # neither PIL nor PyTorch is imported for type hints at run time
    Entry = str | os.PathLike[str] | Mapping[str, Any] | Any

PACKED_KEYS = tuple(sorted(name for name in PACKED if len(name) == 3))
OWN_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
NEARLY_THE_SAME = 0.8  # difflib's ratio: one letter of six
CHANNELS = "rgba"
EXAMPLE = 'Write such as {"albedo": "a.png", "normal": "n.png", "roughness": "r.png"}.'


@dataclass(frozen=True)
class MapFile:
    """The location of one map: a file, or a picture in memory."""

    path: Path  # in memory: its key, for messages
    channel: int | None = None  # 0 red ... 3 alpha, of a packed picture; None: all channels
    convention: str | None = None  # of normals, from the file's name or the manifest
    color: bool | None = None  # whether it is a color, from the manifest
    picture: Picture | None = None  # in memory
    packed: bool = False  # with other maps, in the order of channels of its name
    inverted: bool = False  # 1 minus what is stored
    doubtful: bool = False  # identified by name alone, and optional: left out if it does not fit

    @property
    def on_disk(self) -> Path | None:
        """Return the file; None for a picture in memory."""
        return self.path if self.picture is None else None

    @property
    def read_once(self) -> tuple[Path, int]:
        """Return a key that maps of one picture share."""
        return self.path, id(self.picture)


@dataclass(frozen=True)
class MapRules:
    """Accepted keys of a loader, and the settings of their maps."""

    maps: tuple[str, ...]
    settings: tuple[str, ...]  # keys of an entry
    custom_names: bool = False  # any other name is a map, too, and files need no folder
    required: tuple[str, ...] = ()
    keeps_gloss: bool = False  # also where there is no roughness

    def maps_of_key(self, place: str, key: str) -> MapName:
        """Return the map of ``key``, or one per channel; ConfigError for an unknown key."""
        name = key_name(key)
        if name is not None and self.needs(key):
            return name
        if self.custom_names and OWN_NAME.fullmatch(key):
            return MapName((key,))
        if self.custom_names:
            raise ConfigError(f"{place}: {named(key)}: got no name of a map, need a lower-case "
                              "letter and up to 30 more, digits or _. Rename it."
                              f"{did_you_mean(key, self.maps)}")  # fmt: skip
        keys = (*self.maps, *PACKED_KEYS)
        raise ConfigError(f"{place}: {named(key)}: unknown map, need one of {', '.join(keys)}."
                          f"{did_you_mean(key, keys)}")  # fmt: skip

    def needs(self, key: str) -> bool:
        """Return False for the key of a known map that the loader does not use."""
        name = key_name(key)
        return name is None or self.custom_names or name.holds((*self.maps, "gloss"))


MIPMAPS = MapRules(
    (*MAPS, "opacity"), ("path", "convention", "channel"), required=("albedo", "roughness")
)
MATERIAL = MapRules(NAMES, (*MIPMAPS.settings, "color"), custom_names=True)


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the parsed object of a JSON manifest; its keys are only checked for duplicates.

    Raises: ConfigError if it is no JSON object; OSError if it cannot be read.
    """
    try:
        check_regular(path)
        values = strict_json(path.read_text(encoding="utf-8-sig"), file_names=True)
    except ValueError as error:
        reason = f"{path}: got {error}, need a JSON manifest of maps. {EXAMPLE}"
        raise ConfigError(reason) from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: got {shown(values)}, need a JSON object of maps. {EXAMPLE}")
    return values


def map_entry(
    place: str, key: str, value: Any, folder: Path, rules: MapRules = MIPMAPS
) -> tuple[MapName, MapFile]:
    """Return the maps of ``key`` and their location, relative to ``folder``.

    Raises: ConfigError naming ``place`` for anything that is no valid Entry.
    """
    key_maps = rules.maps_of_key(place, key)
    maps = key_maps.maps
    entry = value if isinstance(value, Mapping) else {"path": value}
    place = f"{place}: {key}"
    for inner in entry:
        if inner not in rules.settings:
            raise ConfigError(f"{place}.{named(inner)}: unknown key, need one of "
                              f"{', '.join(rules.settings)}."
                              f"{did_you_mean(inner, rules.settings)}")  # fmt: skip
    path, picture = entry.get("path"), None
    path = os.fspath(path) if isinstance(path, os.PathLike) else path
    if path is not None and not isinstance(path, str):
        from neuralshade.source.map_in_memory import map_from_memory  # few sets are

        picture = map_from_memory(place, maps, path, colored=entry.get("color") is True)
        path, folder = path if picture is None else key, Path()
    if not isinstance(path, str) or not path or "\0" in path:
        raise ConfigError(f"{place}.path: got {shown(path)}, need the name of a file. "
                          "Give a string.")  # fmt: skip
    by_name = map_name(Path(path).stem) if picture is None else None
    convention = key_maps.convention
    if convention is None and by_name and maps == ("normal",):
        convention = by_name.convention
    if "convention" in entry:
        convention = _convention(place, key, maps, entry["convention"])
    channel = _channel(place, key, maps, entry["channel"], rules) if "channel" in entry else None
    color = _color(place, key, maps, entry) if "color" in entry else None
    file = MapFile(folder / path, channel, convention, color, picture)
    return replace(key_maps, convention=convention), file


def probably_meant(key: str) -> str | None:
    """Return the known map that a custom name nearly equals, such as a misspelled one."""
    if key in NAMES:
        return None
    near = difflib.get_close_matches(key, NAMES, n=1, cutoff=NEARLY_THE_SAME)
    return near[0] if near else None


def check_convention(place: str, value: Any) -> str:
    """Return ``value``; ConfigError unless it is "opengl" or "directx"."""
    if value not in tuple(CONVENTIONS):
        raise ConfigError(f"{place}: got {shown(value)}, need one of {', '.join(CONVENTIONS)}."
                          f"{did_you_mean(str(value), CONVENTIONS)}")  # fmt: skip
    return str(value)


def _convention(place: str, key: str, maps: tuple[str | None, ...], value: Any) -> str:
    if maps != ("normal",):
        raise ConfigError(f"{place}.convention: got it for {key}, need it for normal alone. "
                          "Leave it out.")  # fmt: skip
    return check_convention(f"{place}.convention", value)


def _channel(
    place: str, key: str, maps: tuple[str | None, ...], value: Any, rules: MapRules
) -> int:
    if len(maps) > 1 or maps[0] in (*COLORS, "normal"):
        need = "a map of one number" if rules.custom_names else "roughness, metallic, ao or opacity"
        raise ConfigError(f"{place}.channel: got it for {key}, need it for {need}. "
                          "Leave it out.")  # fmt: skip
    if not isinstance(value, str) or len(value) != 1 or value not in CHANNELS:
        raise ConfigError(f"{place}.channel: got {shown(value)}, need one of "
                          f"{', '.join(CHANNELS)}. Name the one that holds this map.")  # fmt: skip
    return CHANNELS.index(value)


def _color(place: str, key: str, maps: tuple[str | None, ...], entry: Mapping[str, Any]) -> bool:
    if len(maps) > 1 or (maps[0] in NAMES and maps[0] not in EITHER):
        raise ConfigError(f"{place}.color: got it for {key}, need it for {', '.join(EITHER)} or "
                          "a name of your own. Leave it out.")  # fmt: skip
    value = entry["color"]
    if not isinstance(value, bool):
        raise ConfigError(f"{place}.color: got {shown(value)}, need true or false. "
                          "Say whether it is a color.")  # fmt: skip
    if value and "channel" in entry:
        raise ConfigError(f"{place}.color: got it beside channel, need one of the two: a channel "
                          "is numbers. Leave one out.")  # fmt: skip
    return value
