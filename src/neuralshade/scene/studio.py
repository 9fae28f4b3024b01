"""Studio scene of one material: a shape on a floor, under a window light and a sky."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from neuralshade.asset.file import is_asset_file
from neuralshade.base.argument_checks import check_path, check_values
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.scene.checks import checked
from neuralshade.scene.document import read_scene
from neuralshade.scene.entries import (
    SHAPES,
    Camera,
    LightEntry,
    MaterialEntry,
    MeshEntry,
    SceneDocument,
    Surroundings,
    Vector,
)

NAME = "material"  # name in messages
# Placement of each shape: scale, rotation in degrees, position.
STANDS: dict[str, tuple[float, Vector, Vector]] = {
    "ball": (1.0, (0, 12, 0), (-0.15, 0, 0)),
    "sphere": (1.0, (0, 12, 0), (0, 1, 0)),
    "box": (0.75, (0, 32, 0), (0, 0.75, 0)),
    "quad": (1.1, (62, 0, 0), (0, 0.98, 0)),
}
CAMERA = Camera(position=(0.35, 2.1, 5.2), look_at=(0.22, 0.98, 0), fov=29)
WINDOW = LightEntry("rectangle", radiance=(9, 8.4, 7.5), position=(-4, 2, 3.5),
                    across=(0, 2.4, 0), up=(1.6, 0, 1.8))  # fmt: skip
SKY = Surroundings(zenith=(0.35, 0.45, 0.6), horizon=(0.8, 0.8, 0.78), ground=(0.26, 0.26, 0.27))
FLOOR = MaterialEntry(diffuse=(0.3, 0.3, 0.3), specular=(0.04, 0.04, 0.04), roughness=0.45)


def requested_scene(
    scene: str | os.PathLike[str] | SceneDocument,
    *,
    shape: str | None = None,
    reference: str | os.PathLike[str] | None = None,
    values: Mapping[str, Any] | None = None,
    environment: str | os.PathLike[str] | None = None,
) -> SceneDocument:
    """Return a file's scene or an asset's studio, with another environment where requested.

    Raises: ConfigError for options of assets only, and what ``read_scene`` raises.
    """
    by_itself = False
    if isinstance(scene, SceneDocument):
        found = scene
    else:
        check_path("scene", scene)
        by_itself = is_asset(scene)
        found = studio(scene, shape, reference, values) if by_itself else read_scene(scene)
    if not by_itself:
        _check_left_out("[[mesh]]", shape=shape)
        _check_left_out("[materials.NAME]", reference=reference, set=values)
    if environment is None:
        return found
    check_path("environment", environment)
    around = Surroundings(picture=os.path.abspath(environment))
    return replace(found, environment=around, light=() if by_itself else found.light)


def _check_left_out(table: str, **values: Any) -> None:
    """Refuse options that a scene sets itself, in ``table`` of its file."""
    for name, value in values.items():
        if value:
            raise ConfigError(f"{name}: got one for a scene, need it in the scene's file. "
                              f"Write it under {table}.")  # fmt: skip


def is_asset(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is an asset; by its suffix where the file is missing."""
    try:
        return is_asset_file(path)
    except OSError:
        return Path(path).suffix.lower() == ".nsh"


def studio(
    asset: str | os.PathLike[str],
    shape: str | None = None,
    reference: str | os.PathLike[str] | None = None,
    values: Mapping[str, Any] | None = None,
) -> SceneDocument:
    """Return the scene of one asset.

    Args:
        asset: output of ``fit material``.
        shape: one of SHAPES; None is the ball.
        reference: source of the asset, shown in its place on request.
        values: of its varied inputs, by name.

    Raises: ConfigError for an unknown shape, or a reference that is no path.
    """
    check_values(values)
    shape = "ball" if shape is None else shape
    if shape not in SHAPES:
        raise ConfigError(f"shape: got {shown(shape)}, need one of {', '.join(SHAPES)}."
                          f"{did_you_mean(str(shape), SHAPES)}")  # fmt: skip
    if reference is not None:
        check_path("reference", reference)
    scale, rotation, position = STANDS[shape]
    source = None if reference is None else os.fspath(reference)
    fitted = MaterialEntry(asset=os.fspath(asset), reference=source, set=dict(values or {}))
    meshes = (
        MeshEntry("floor", shape="quad", scale=60),
        MeshEntry(NAME, shape=shape, scale=scale, rotation=rotation, position=position),
    )
    materials = {NAME: fitted, "floor": FLOOR}
    return checked(SceneDocument(CAMERA, meshes, materials, SKY, (WINDOW,), 640, 480))
