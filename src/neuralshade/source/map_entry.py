"""One map as a manifest, or a call, names it; and the manifest itself."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError
from neuralshade.source.map_names import CONVENTIONS, MAPS, PACKED, MapName, map_name

PACKED_KEYS = tuple(sorted(name for name in PACKED if len(name) == 3))
KEYS = (*MAPS, *PACKED_KEYS)
ENTRY_KEYS = ("path", "convention", "channel")
CHANNELS = "rgba"
EXAMPLE = 'Write such as {"albedo": "a.png", "normal": "n.png", "roughness": "r.png"}.'

Entry: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True)
class MapFile:
    """Where one map is stored."""

    path: Path
    channel: int | None = None  # 0 red ... 3 alpha, of a packed picture; None: the whole of it
    convention: str | None = None  # of normals, where the file's name or the manifest says it


def read_manifest(path: Path) -> dict[str, Any]:
    """Return what a JSON manifest says, its keys unchecked but for one that stands twice.

    Raises: ConfigError if it is no JSON object; OSError if it cannot be read.
    """
    try:
        check_regular(path)
        values = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        reason = f"{path}: got {error}, need a JSON manifest of maps. {EXAMPLE}"
        raise ConfigError(reason) from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: got {shown(values)}, need a JSON object of maps. {EXAMPLE}")
    return values


def map_entry(place: str, key: str, value: Any, folder: Path) -> tuple[MapName, MapFile]:
    """Return what ``key`` holds and where, a relative path taken from ``folder``.

    Raises: ConfigError naming ``place`` for anything that is not as an Entry must be.
    """
    if key not in KEYS:
        raise ConfigError(f"{place}: {named(key)}: unknown map, need one of {', '.join(KEYS)}."
                          f"{did_you_mean(key, KEYS)}")  # fmt: skip
    entry = value if isinstance(value, Mapping) else {"path": value}
    place = f"{place}: {key}"
    for inner in entry:
        if inner not in ENTRY_KEYS:
            raise ConfigError(f"{place}.{named(inner)}: unknown key, need one of "
                              f"{', '.join(ENTRY_KEYS)}."
                              f"{did_you_mean(inner, ENTRY_KEYS)}")  # fmt: skip
    path = entry.get("path")
    path = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(path, str) or not path or "\0" in path:
        raise ConfigError(f"{place}.path: got {shown(path)}, need the name of a file. "
                          "Give a string.")  # fmt: skip
    maps: tuple[str | None, ...] = (key,) if key in MAPS else PACKED[key]
    by_name = map_name(Path(path).stem)
    convention = by_name.convention if by_name and key == "normal" else None
    if "convention" in entry:
        convention = _convention(place, key, entry["convention"])
    channel = _channel(place, key, entry["channel"]) if "channel" in entry else None
    return MapName(maps, convention), MapFile(folder / path, channel, convention)


def check_convention(place: str, value: Any) -> str:
    """Return ``value``; ConfigError unless it is "opengl" or "directx"."""
    if value not in tuple(CONVENTIONS):
        raise ConfigError(f"{place}: got {shown(value)}, need one of {', '.join(CONVENTIONS)}."
                          f"{did_you_mean(str(value), CONVENTIONS)}")  # fmt: skip
    return str(value)


def _convention(place: str, key: str, value: Any) -> str:
    if key != "normal":
        raise ConfigError(f"{place}.convention: got it for {key}, need it for normal alone. "
                          "Leave it out.")  # fmt: skip
    return check_convention(f"{place}.convention", value)


def _channel(place: str, key: str, value: Any) -> int:
    if key not in ("roughness", "metallic", "ao"):
        raise ConfigError(f"{place}.channel: got it for {key}, need it for roughness, metallic "
                          "or ao. Leave it out.")  # fmt: skip
    if not isinstance(value, str) or len(value) != 1 or value not in CHANNELS:
        raise ConfigError(f"{place}.channel: got {shown(value)}, need one of "
                          f"{', '.join(CHANNELS)}. Name the one that holds this map.")  # fmt: skip
    return CHANNELS.index(value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as a dict; JSON's own reading would take the last of two silently."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"{named(key)} twice")
        values[key] = value
    return values
