"""Entries of a scene file as dataclasses: camera, meshes, materials, lights, environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Vector = tuple[float, float, float]
Values = Mapping[str, float]
SHAPES = ("sphere", "quad", "box", "ball")
LIGHTS = ("directional", "point", "rectangle")


@dataclass(frozen=True)
class Camera:
    """A pinhole camera; y is up."""

    position: Vector
    look_at: Vector
    fov: float = 40.0  # degrees, vertical


@dataclass(frozen=True)
class Surroundings:
    """Environment: a constant radiance, a sky gradient, or a picture."""

    color: Vector | None = None
    zenith: Vector = (0.3, 0.5, 0.9)
    horizon: Vector = (0.9, 0.95, 1.0)
    ground: Vector = (0.25, 0.23, 0.2)
    picture: str | None = None
    strength: float = 1.0


@dataclass(frozen=True)
class LightEntry:
    """One of LIGHTS. ``radiance``: of a point light watt per steradian; of a directional light the
    irradiance of a surface that faces it.
    """

    type: str
    radiance: Vector
    direction: Vector = (0.0, 0.0, 0.0)  # towards a directional light, which requires it
    position: Vector = (0.0, 0.0, 0.0)  # of a point, or of a rectangle's corner
    across: Vector = (1.0, 0.0, 0.0)  # a rectangle's sides; it shines along across x up
    up: Vector = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class MaterialEntry:
    """A fitted asset, or a uniform surface."""

    asset: str | None = None
    reference: str | None = None  # the asset's source, shown in its place on request
    set: Values = field(default_factory=dict)  # of the asset's varied inputs
    diffuse: Vector = (0.5, 0.5, 0.5)  # albedo
    specular: Vector = (0.0, 0.0, 0.0)  # reflected head-on
    roughness: float = 0.5


@dataclass(frozen=True)
class MeshEntry:
    """A built-in shape or a file: scaled, then rotated about x, y and z, then moved."""

    material: str
    shape: str | None = None
    file: str | None = None
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)  # degrees
    scale: float = 1.0
    tile: float = 1.0  # times the material repeats along u and v
    set: Values = field(default_factory=dict)  # overrides of the material's, for this mesh


@dataclass(frozen=True)
class SceneDocument:
    """A complete scene; its paths are relative to ``folder``."""

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
    path: Path | None = None  # None in memory
