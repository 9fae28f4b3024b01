"""What a scene is made of, as its file has it: camera, meshes, materials, lights, surroundings."""

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
    direction: Vector = (0.0, 0.0, 0.0)  # to a directional one, which must have it
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
