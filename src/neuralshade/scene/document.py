"""SCENE.toml read and checked: what stands where, of what material, in what light."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, plain, shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import read_toml

T = TypeVar("T")
Vector = tuple[float, float, float]
Values = Mapping[str, float]
MOST = 1e6  # of any length, radiance or angle
SHAPES = ("sphere", "quad", "box", "ball")
LIGHTS = ("directional", "point", "rectangle")
WHOLE = {"samples": (1, 2**20), "bounces": (1, 4), "seed": (0, 2**32 - 1)}


@dataclass(frozen=True)
class Camera:
    """An eye without a lens; y is up."""

    position: Vector
    look_at: Vector
    fov: float = 40.0  # degrees, from the lower to the upper border


@dataclass(frozen=True)
class Surroundings:
    """A constant radiance, a sky of two, or a picture."""

    color: Vector | None = None
    zenith: Vector = (0.3, 0.5, 0.9)
    horizon: Vector = (0.9, 0.95, 1.0)
    ground: Vector = (0.25, 0.23, 0.2)
    picture: str | None = None
    strength: float = 1.0


@dataclass(frozen=True)
class LightEntry:
    """One of LIGHTS. ``radiance``: of a point watt per steradian; of a directional one the light on
    a surface that faces it."""  # fmt: skip

    type: str
    radiance: Vector
    direction: Vector = (0.0, 1.0, 0.0)  # to a directional one
    position: Vector = (0.0, 0.0, 0.0)  # of a point, or of a rectangle's corner
    across: Vector = (1.0, 0.0, 0.0)  # a rectangle's sides; it shines along across x up
    up: Vector = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class MaterialEntry:
    """A fitted asset, or a surface that is the same everywhere."""

    asset: str | None = None
    reference: str | None = None  # what the asset was fitted to, to be shown in its place
    set: Values = field(default_factory=dict)  # of the asset's varied inputs
    diffuse: Vector = (0.5, 0.5, 0.5)  # albedo
    specular: Vector = (0.0, 0.0, 0.0)  # reflected head-on
    roughness: float = 0.5


@dataclass(frozen=True)
class MeshEntry:
    """A built-in shape or a file, first scaled, then rotated about x, y and z, then moved."""

    material: str
    shape: str | None = None
    file: str | None = None
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)  # degrees
    scale: float = 1.0
    tile: float = 1.0  # times the material repeats along u and v
    set: Values = field(default_factory=dict)  # as a material has it, for this mesh alone


@dataclass(frozen=True)
class SceneDocument:
    """A whole scene; paths in it are as seen from ``folder``."""

    camera: Camera
    mesh: tuple[MeshEntry, ...]
    materials: Mapping[str, MaterialEntry]
    environment: Surroundings = field(default_factory=Surroundings)
    light: tuple[LightEntry, ...] = ()
    width: int = 640
    height: int = 360
    samples: int = 64
    bounces: int = 3
    exposure: float = 0.0  # stops
    seed: int = 0
    folder: Path = Path()
    path: Path | None = None  # None of one in memory


def read_scene(path: str | os.PathLike[str]) -> SceneDocument:
    """Return the scene of a TOML file.

    Raises: ConfigError for what cannot be read, an unknown key, with the nearest one, a missing
        one, or a value that is none.
    """
    place = Path(path)
    values = read_toml(place, "a scene's TOML file", "[camera]")
    return replace(scene_of(values, place.parent), path=place)


def scene_of(values: Mapping[str, Any], folder: Path = Path()) -> SceneDocument:
    """Return the scene of a file's values; see ``read_scene``."""
    given = dict(values)
    size = given.pop("size", [640, 360])
    if not _is_size(size):
        raise ConfigError(f"scene.size: got {shown(size)}, need width and height in pixels, each 1 "
                          "to 16384. Write size = [640, 360].")  # fmt: skip
    known = _names(SceneDocument, ("width", "height", "folder", "path"))
    _check_names("scene", given, [*known, "size"])
    parts: dict[str, Any] = {"width": size[0], "height": size[1], "folder": folder}
    camera, around = _table("camera", given), _table("environment", given)
    parts["camera"] = _read(Camera, "camera", camera)
    parts["environment"] = _read(Surroundings, "environment", around)
    materials = _table("materials", given)
    parts["materials"] = {name: _read(MaterialEntry, f"materials.{named(name)}", each)
                          for name, each in materials.items()}  # fmt: skip
    for name, kind in (("mesh", MeshEntry), ("light", LightEntry)):
        rows = given.pop(name, [])
        if not isinstance(rows, list):
            raise ConfigError(f"scene.{name}: got {shown(rows)}, need tables. Write [[{name}]].")
        parts[name] = tuple(_read(kind, f"{name}[{i}]", row) for i, row in enumerate(rows))
    for name, value in given.items():
        parts[name] = _value(f"scene.{name}", name, value, "float" if name == "exposure" else "int")
    return _checked(SceneDocument(**parts))


def _table(name: str, given: dict[str, Any]) -> dict[str, Any]:
    found = given.pop(name, {})
    if not isinstance(found, dict):
        raise ConfigError(f"scene.{name}: got {shown(found)}, need a table. Write [{name}].")
    return found


def _is_size(size: Any) -> bool:
    return (isinstance(size, list) and len(size) == 2
            and all(type(n) is int and 0 < n <= 16384 for n in size))  # fmt: skip


def _names(kind: Any, hidden: tuple[str, ...] = ()) -> list[str]:
    return [f.name for f in fields(kind) if f.name not in hidden]


def _check_names(place: str, given: Mapping[str, Any], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise ConfigError(f"{place}.{named(name)}: unknown key, need one of "
                              f"{', '.join(known)}.{did_you_mean(name, known)}")  # fmt: skip


def _read(kind: type[T], place: str, given: Any) -> T:
    """Return a table as the dataclass it is to be."""
    if not isinstance(given, dict):
        raise ConfigError(f"{place}: got {shown(given)}, need a table. Write [{place}].")
    _check_names(place, given, _names(kind))
    types = {f.name: str(f.type) for f in fields(kind)}  # type: ignore[arg-type]
    for f in fields(kind):  # type: ignore[arg-type]
        if f.default is MISSING and f.default_factory is MISSING and f.name not in given:
            raise ConfigError(f"{place}.{f.name}: got none, need one. Write it.")
    return kind(**{name: _value(f"{place}.{name}", name, value, types[name])
                   for name, value in given.items()})  # fmt: skip


def _value(place: str, name: str, value: Any, kind: str) -> Any:
    """Return a value of the kind that a field has."""
    if kind.startswith("str"):
        good = isinstance(value, str) and plain(value) == value  # messages show it as it is
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


def _checked(scene: SceneDocument) -> SceneDocument:
    """Return a scene whose names and numbers fit together. Raises ConfigError."""
    if not scene.mesh:
        raise ConfigError("scene.mesh: got none, need one or more. Write [[mesh]].")
    if scene.camera.position == scene.camera.look_at or not 1 <= scene.camera.fov <= 170:
        raise ConfigError(f"camera: got fov {scene.camera.fov:g} from {scene.camera.position} to "
                          f"{scene.camera.look_at}, need 1 to 170 degrees and two places. Move "
                          "it.")  # fmt: skip
    for i, mesh in enumerate(scene.mesh):
        _check_choice(f"mesh[{i}].material", mesh.material, tuple(scene.materials))
        if (mesh.shape is None) == (mesh.file is None):
            raise ConfigError(f"mesh[{i}]: got {'no' if mesh.shape is None else 'both'} shape and "
                              "file, need one of them. Write shape or file.")  # fmt: skip
        if mesh.shape is not None:
            _check_choice(f"mesh[{i}].shape", mesh.shape, SHAPES)
        _check_set(f"mesh[{i}]", scene.materials[mesh.material], mesh.set)
        if mesh.scale <= 0:
            raise ConfigError(f"mesh[{i}].scale: got {mesh.scale:g}, need more than 0. Raise it.")
    for i, light in enumerate(scene.light):
        _check_choice(f"light[{i}].type", light.type, LIGHTS)
    for name, entry in scene.materials.items():
        _check_set(f"materials.{named(name)}", entry, entry.set)
        if entry.reference is not None and entry.asset is None:
            raise ConfigError(f"materials.{named(name)}.reference: got one without asset, need "
                              "what was fitted to it. Write asset =.")  # fmt: skip
        parts = (*entry.diffuse, *entry.specular, entry.roughness)
        if not all(0 <= part <= 1 for part in parts):
            raise ConfigError(f"materials.{named(name)}: got {parts}, need numbers from 0 to 1. "
                              "Lower them.")  # fmt: skip
    radiances = [*(r.radiance for r in scene.light), scene.environment.color or (0,)]
    sky = scene.environment
    if any(n < 0 for r in (*radiances, sky.zenith, sky.horizon, sky.ground) for n in r):
        raise ConfigError("scene: got light below 0, need 0 or more. Raise it.")
    return scene


def _check_set(place: str, entry: MaterialEntry, values: Values) -> None:
    """Refuse values for a surface that is no asset, and so has no inputs."""
    if values and entry.asset is None:
        raise ConfigError(f"{place}.set: got {next(iter(values))} for a plain surface, need an "
                          "asset of fit material --vary. Leave it out.")  # fmt: skip


def _check_choice(place: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ConfigError(f"{place}: got {shown(name)}, need one of {', '.join(known) or 'none'}."
                          f"{did_you_mean(name, known)}")  # fmt: skip
