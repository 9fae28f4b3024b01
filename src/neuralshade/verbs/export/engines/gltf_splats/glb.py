"""Binary glTF with KHR_gaussian_splatting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.glb import ALIGNMENT, glb_bytes
from neuralshade.source.color import srgb_to_linear
from neuralshade.verbs.export.engines.gltf_splats.geometry import DISTANCE, FlatSplats

EXTENSION = "KHR_gaussian_splatting"
SPACES = {"srgb": "srgb_rec709_display", "linear": "lin_rec709_display"}
FLOAT, BYTE, VERTICES, POINTS = 5126, 5121, 34962, 0
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
SH_0 = 0.5 / math.sqrt(math.pi)  # the constant spherical harmonic
THIN = 1e-5  # standard deviation across the plane, in units
Array = npt.NDArray[Any]


def glb(splats: FlatSplats, colors: Array, space: str, name: str) -> bytes:
    """Return a file of splats; ``colors`` [N, 3]; ``space``: srgb or linear."""
    content = bytearray()
    views, accessors = list[dict[str, Any]](), list[dict[str, Any]]()
    attributes = _attributes(splats, colors, space)
    for semantic, values in attributes.items():
        views.append({"buffer": 0, "byteOffset": len(content), "byteLength": values.nbytes,
                      "target": VERTICES})  # fmt: skip
        accessors.append(_accessor(len(accessors), values, semantic == "POSITION"))
        content += values.tobytes() + bytes(-values.nbytes % ALIGNMENT)
    primitive = {
        "attributes": {semantic: index for index, semantic in enumerate(attributes)},
        "mode": POINTS,
        "extensions": {EXTENSION: {
            "kernel": "ellipse", "colorSpace": SPACES[space], "projection": "perspective",
            "sortingMethod": "cameraDistance",
        }},
    }  # fmt: skip
    tree = {
        "asset": {"version": "2.0", "generator": "neuralshade export"},
        "extensionsUsed": [EXTENSION],
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": name, "mesh": 0},
                  {"name": "camera", "camera": 0, "translation": [0, 0, DISTANCE]}],
        "cameras": [{"type": "perspective", "perspective": _perspective(splats)}],
        "meshes": [{"name": name, "primitives": [primitive]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(content)}],
    }  # fmt: skip
    return glb_bytes(tree, content)


def _attributes(splats: FlatSplats, colors: Array, space: str) -> dict[str, Array]:
    """Return the arrays of vertices by their semantics."""
    scales, angles = splats.axes
    count = len(angles)
    still = np.zeros(count)
    shown = colors.clip(0, 1)
    light = srgb_to_linear(shown) if space == "srgb" else shown
    points = np.concatenate([light, splats.opacities[:, None]], axis=1)
    floats = {
        "POSITION": splats.positions,
        f"{EXTENSION}:ROTATION": np.stack([still, still, np.sin(angles / 2),
                                           np.cos(angles / 2)], axis=1),
        f"{EXTENSION}:SCALE": np.concatenate([scales, np.full((count, 1), THIN)], axis=1),
        f"{EXTENSION}:OPACITY": splats.opacities,
        f"{EXTENSION}:SH_DEGREE_0_COEF_0": (colors - 0.5) / SH_0,
    }  # fmt: skip
    return {**{name: one.astype("<f4") for name, one in floats.items()},
            "COLOR_0": np.rint(points * 255).astype(np.uint8)}  # fmt: skip


def _accessor(index: int, values: Array, bounded: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "bufferView": index, "count": len(values),
        "componentType": FLOAT if values.dtype.kind == "f" else BYTE,
        "type": SHAPES[1 if values.ndim == 1 else values.shape[1]],
    }  # fmt: skip
    if values.dtype.kind == "u":
        found["normalized"] = True
    if bounded:
        found |= {"min": values.min(0).tolist(), "max": values.max(0).tolist()}
    return found


def _perspective(splats: FlatSplats) -> dict[str, float]:
    """Return a camera that sees the picture and nothing beside it."""
    half = splats.height / splats.unit_px / 2
    return {"yfov": 2 * math.atan(half / DISTANCE), "aspectRatio": splats.width / splats.height,
            "znear": DISTANCE / 10, "zfar": DISTANCE * 10}  # fmt: skip
