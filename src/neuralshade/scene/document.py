"""Scene files (SCENE.toml): reading and type checks."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from neuralshade.base.argument_checks import check_path, is_whole
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, plain, shown
from neuralshade.base.toml_file import read_toml
from neuralshade.errors import ConfigError
from neuralshade.scene.checks import check_written, checked
from neuralshade.scene.entries import (
    Camera,
    LightEntry,
    MaterialEntry,
    MeshEntry,
    SceneDocument,
    Surroundings,
)

T = TypeVar("T")
MOST = 1e6  # largest length, radiance or angle
MOST_SIDE = 16384  # of a picture, in pixels
SOURCES = (".mtlx", ".slang")  # material sources by suffix; layer stacks are TOML as scenes are
WHOLE = {"samples": (1, 2**20), "bounces": (1, 4), "seed": (0, 2**32 - 1)}


def read_scene(path: str | os.PathLike[str]) -> SceneDocument:
    """Return the scene of a TOML file.

    Raises: ConfigError for an unreadable file, an unknown key, with the nearest one, a missing
        key, or an invalid value.
    """
    check_path("scene", path)
    place = Path(path)
    if place.suffix.lower() in SOURCES:
        raise _of_source(place)
    values = read_toml(place, "a scene's TOML file", "[camera]")
    if "layer" in values and "camera" not in values:
        raise _of_source(place)
    try:
        return replace(scene_of(values, place.parent), path=place)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from error


def _of_source(place: Path) -> ConfigError:
    command = shlex.join(["neuralshade", "fit", "material", str(place)])
    return ConfigError(plain(f"{place}: got a material's source, need a scene's TOML file, or its "
                             f"asset to view it. Make that: {command}"))  # fmt: skip


def scene_of(values: Mapping[str, Any], folder: Path = Path()) -> SceneDocument:
    """Return the scene of a file's values; see ``read_scene``."""
    rest = dict(values)
    size = rest.pop("size", [640, 360])
    if not _is_size(size):
        raise ConfigError(f"scene.size: got {shown(size)}, need width and height in pixels, each 1 "
                          f"to {MOST_SIDE}. Write size = [640, 360].")  # fmt: skip
    known = _names(SceneDocument, ("width", "height", "folder", "path"))
    _check_names("scene", rest, [*known, "size"])
    parts: dict[str, Any] = {"width": size[0], "height": size[1], "folder": folder}
    camera, around = _table("camera", rest), _table("environment", rest)
    parts["camera"] = _read(Camera, "camera", camera)
    parts["environment"] = _read(Surroundings, "environment", around)
    materials = _table("materials", rest)
    parts["materials"] = {name: _read(MaterialEntry, f"materials.{named(name)}", each)
                          for name, each in materials.items()}  # fmt: skip
    meshes, lights = _rows("mesh", rest), _rows("light", rest)
    parts["mesh"] = tuple(_read(MeshEntry, f"mesh[{i}]", row) for i, row in enumerate(meshes))
    parts["light"] = tuple(_read(LightEntry, f"light[{i}]", row) for i, row in enumerate(lights))
    for name, value in rest.items():
        parts[name] = _value(f"scene.{name}", name, value, "float" if name == "exposure" else "int")
    found = checked(SceneDocument(**parts))
    check_written(around, materials, lights)
    return found


def _table(name: str, rest: dict[str, Any]) -> dict[str, Any]:
    found = rest.pop(name, {})
    if not isinstance(found, dict):
        raise ConfigError(f"scene.{name}: got {shown(found)}, need a table. Write [{name}].")
    return found


def _rows(name: str, rest: dict[str, Any]) -> list[Any]:
    found = rest.pop(name, [])
    if not isinstance(found, list):
        raise ConfigError(f"scene.{name}: got {shown(found)}, need tables. Write [[{name}]].")
    return found


def requested_number(name: str, value: Any) -> int:
    """Return a checked override of one of a scene's WHOLE numbers. Raises ConfigError."""
    low, high = WHOLE[name]
    if not is_whole(value) or not low <= value <= high:
        raise ConfigError(f"{name}: got {shown(value)}, need a number from {low} to {high}. Leave "
                          "it out for the scene's.")  # fmt: skip
    return int(value)


def requested_size(size: Any) -> tuple[int, int]:
    """Return a checked override of a scene's width and height. Raises ConfigError."""
    if not isinstance(size, (list, tuple)) or len(size) != 2 or not all(map(is_whole, size)):
        raise ConfigError(f"size: got {shown(size)}, need width and height in pixels. Write for "
                          "example (640, 360).")  # fmt: skip
    width, height = map(int, size)
    if not _is_size([width, height]):
        raise ConfigError(f"size: got {width}x{height}, need 1 to {MOST_SIDE} pixels a side. Write "
                          "for example 640x360.")  # fmt: skip
    return width, height


def _is_size(size: Any) -> bool:
    return (isinstance(size, list) and len(size) == 2
            and all(type(n) is int and 0 < n <= MOST_SIDE for n in size))  # fmt: skip


def _names(kind: Any, hidden: tuple[str, ...] = ()) -> list[str]:
    return [f.name for f in fields(kind) if f.name not in hidden]


def _check_names(place: str, rest: Mapping[str, Any], known: list[str]) -> None:
    for name in rest:
        if name not in known:
            raise ConfigError(f"{place}.{named(name)}: unknown key, need one of "
                              f"{', '.join(known)}.{did_you_mean(name, known)}")  # fmt: skip


def _read(kind: type[T], place: str, rest: Any) -> T:
    """Return a table as a dataclass."""
    if not isinstance(rest, dict):
        raise ConfigError(f"{place}: got {shown(rest)}, need a table. Write [{place}].")
    _check_names(place, rest, _names(kind))
    types = {f.name: str(f.type) for f in fields(kind)}  # type: ignore[arg-type]
    for f in fields(kind):  # type: ignore[arg-type]
        if f.default is MISSING and f.default_factory is MISSING and f.name not in rest:
            raise ConfigError(f"{place}.{f.name}: got none, need one. Write it.")
    return kind(**{name: _value(f"{place}.{name}", name, value, types[name])
                   for name, value in rest.items()})  # fmt: skip


def _value(place: str, name: str, value: Any, kind: str) -> Any:
    """Return a value of a field's type. Raises ConfigError."""
    if kind.startswith("str"):
        good = isinstance(value, str) and plain(value) == value  # messages print it unchanged
        need = "text in quotes, of what can be printed"
    elif kind.startswith("Vector"):
        good = isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))
        need, value = "three numbers, such as [0, 1, 0]", tuple(value) if good else value
    elif kind == "Values":
        good = isinstance(value, dict) and all(map(_is_number, value.values()))
        need = "numbers by name, such as { wetness = 0.5 }"
    elif kind == "int":
        low, high = WHOLE[name]
        good, need = type(value) is int and low <= value <= high, f"a number from {low} to {high}"
    else:
        good, need = _is_number(value), "a number"
    if not good:
        raise ConfigError(f"{place}: got {shown(value)}, need {need}. Correct it.")
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MOST  # false for NaN
