"""Whether the names and numbers of a scene fit together."""

from __future__ import annotations

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
    Surroundings,
    Values,
    Vector,
)

PLAIN = (MaterialEntry.diffuse, MaterialEntry.specular, MaterialEntry.roughness)  # what is not said
COLORS = ("color", "zenith", "horizon", "ground")  # of surroundings


def checked(scene: SceneDocument) -> SceneDocument:
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
        plain = (entry.diffuse, entry.specular, entry.roughness)
        if entry.asset is not None and plain != PLAIN:
            raise ConfigError(f"materials.{named(name)}: got an asset and a surface that is the "
                              "same everywhere, need one of them. Leave out asset, or diffuse, "
                              "specular and roughness.")  # fmt: skip
        parts = (*entry.diffuse, *entry.specular, entry.roughness)
        if not all(0 <= part <= 1 for part in parts):
            raise ConfigError(f"materials.{named(name)}: got {parts}, need numbers from 0 to 1. "
                              "Lower them.")  # fmt: skip
    around = scene.environment
    if around.picture is not None and around != Surroundings(
        picture=around.picture, strength=around.strength
    ):
        raise ConfigError("environment: got a picture and colors, need one of them. Leave out "
                          f"picture, or {', '.join(COLORS)}.")  # fmt: skip
    for name in COLORS:
        _check_radiance(f"environment.{name}", getattr(scene.environment, name))
    return scene


def _check_light(place: str, light: LightEntry) -> None:
    """Refuse a light that shines nowhere."""
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
    """Refuse values for a surface that is no asset, and so has no inputs."""
    if values and entry.asset is None:
        raise ConfigError(f"{place}.set: got {next(iter(values))} for a plain surface, need an "
                          "asset of fit material --vary. Leave it out.")  # fmt: skip


def _check_choice(place: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ConfigError(f"{place}: got {shown(name)}, need one of {', '.join(known) or 'none'}."
                          f"{did_you_mean(name, known)}")  # fmt: skip
