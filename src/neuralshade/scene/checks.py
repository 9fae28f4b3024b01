"""Consistency checks of a scene's names and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.errors import ConfigError
from neuralshade.scene.entries import (
    LIGHTS,
    SHAPES,
    LightEntry,
    MaterialEntry,
    SceneDocument,
    Values,
    Vector,
)

PLAIN = ("diffuse", "specular", "roughness")  # keys of a uniform surface
SKY = ("zenith", "horizon", "ground")
COLORS = ("color", *SKY)  # of the environment
# keys of each light type's position
PLACED = {"directional": ("direction",), "point": ("position",),
          "rectangle": ("position", "across", "up")}  # fmt: skip


def checked(scene: SceneDocument) -> SceneDocument:
    """Return the scene after its checks. Raises ConfigError."""
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
        for name, number in (("scale", mesh.scale), ("tile", mesh.tile)):
            if number <= 0:
                raise ConfigError(f"mesh[{i}].{name}: got {number:g}, need more than 0. Raise it.")
    for i, light in enumerate(scene.light):
        _check_light(f"light[{i}]", light)
    for name, entry in scene.materials.items():
        _check_set(f"materials.{named(name)}", entry, entry.set)
        if entry.reference is not None and entry.asset is None:
            raise ConfigError(f"materials.{named(name)}.reference: got one without asset, need "
                              "what was fitted to it. Write asset =.")  # fmt: skip
        parts = (*entry.diffuse, *entry.specular, entry.roughness)
        if not all(0 <= part <= 1 for part in parts):
            raise ConfigError(f"materials.{named(name)}: got {parts}, need numbers from 0 to 1. "
                              "Lower them.")  # fmt: skip
    for name in COLORS:
        _check_radiance(f"environment.{name}", getattr(scene.environment, name))
    return scene


def check_written(
    around: Mapping[str, Any], materials: Mapping[str, Any], lights: Iterable[Mapping[str, Any]]
) -> None:
    """Refuse keys of a file's tables that have no effect, whatever their values.

    The tables are those of a ``checked`` scene. Raises ConfigError.
    """
    _check_around(around)
    for name, table in materials.items():
        if "asset" in table and _any_of(PLAIN, table):
            raise ConfigError(f"materials.{named(name)}: got an asset and a surface that is the "
                              "same everywhere, need one of them. Leave out asset, or diffuse, "
                              "specular and roughness.")  # fmt: skip
    for i, table in enumerate(lights):
        for key in dict.fromkeys(key for keys in PLACED.values() for key in keys):
            if key in table and key not in PLACED[table["type"]]:
                able = " or ".join(kind for kind, keys in PLACED.items() if key in keys)
                raise ConfigError(f"light[{i}].{key}: got it for a {table['type']} light, need a "
                                  f"{able} one for that. Leave it out.")  # fmt: skip


def _check_around(table: Mapping[str, Any]) -> None:
    """Refuse an environment that is defined twice."""
    if "picture" in table and _any_of(COLORS, table):
        raise ConfigError("environment: got a picture and colors, need one of them. Leave out "
                          f"picture, or {', '.join(COLORS)}.")  # fmt: skip
    if "color" in table and _any_of(SKY, table):
        raise ConfigError("environment: got a color and those of a sky, need one of them. Leave "
                          f"out color, or {', '.join(SKY)}.")  # fmt: skip
    if "strength" in table and "picture" not in table:
        raise ConfigError("environment.strength: got it without a picture, need one that it "
                          "multiplies. Leave it out.")  # fmt: skip


def _any_of(names: Iterable[str], table: Mapping[str, Any]) -> bool:
    return any(name in table for name in names)


def _check_light(place: str, light: LightEntry) -> None:
    """Refuse a light without a valid direction or area."""
    _check_choice(f"{place}.type", light.type, LIGHTS)
    _check_radiance(f"{place}.radiance", light.radiance)
    if light.type == "directional" and not any(light.direction):
        raise ConfigError(f"{place}.direction: got none, need the way to a directional light. "
                          "Write for example direction = [1, 2, 1].")  # fmt: skip
    if light.type == "rectangle" and not np.cross(light.across, light.up).any():
        raise ConfigError(f"{place}: got across {light.across} along up {light.up}, need two sides "
                          "of a rectangle, which shines along across x up. Turn one.")  # fmt: skip


def _check_radiance(place: str, radiance: Vector | None) -> None:
    if min(radiance or (0.0,)) < 0:
        raise ConfigError(f"{place}: got {radiance}, need light of 0 or more. Raise it.")


def _check_set(place: str, entry: MaterialEntry, values: Values) -> None:
    """Refuse input values for a material without an asset."""
    if values and entry.asset is None:
        raise ConfigError(f"{place}.set: got {next(iter(values))} for a plain surface, need an "
                          "asset of fit material --vary. Leave it out.")  # fmt: skip


def _check_choice(place: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ConfigError(f"{place}: got {shown(name)}, need one of {', '.join(known) or 'none'}."
                          f"{did_you_mean(name, known)}")  # fmt: skip
