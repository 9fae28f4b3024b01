"""View of a whole model on a page: its meshes, with textures of assets and with their originals."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from neuralshade.base.message_text import plural
from neuralshade.errors import AssetError
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Opened
from neuralshade.languages.software_textures import in_words
from neuralshade.measure.plane.lit_sphere import RADIANCE
from neuralshade.verbs.export.names import asset_name
from neuralshade.verbs.export.web.container import Container
from neuralshade.verbs.export.web.model_mesh import PageMesh, box_of, mesh_facts
from neuralshade.verbs.export.web.model_shading import (
    back_fragment,
    model_fragment,
    standard_fragment,
    standard_names,
)
from neuralshade.verbs.export.web.page_asset import PageAsset, Scripts, shader_facts

WRAPS = ("repeat", "clamp", "mirror")
ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")
STANDARD_OF = {"base": "base", "normal": "normal", "rough": "orm", "occlusion": "orm",
               "emissive": "emissive"}  # fmt: skip
NAMES = tuple(STANDARD_OF)
DOT = " \N{MIDDLE DOT} "


@dataclass(frozen=True)
class PageSlot:
    """A texture of a material: the original image, and the asset that has it, if any."""

    image: int  # of the model's
    asset: int | None
    rows: tuple[tuple[float, float, float], tuple[float, float, float]]  # (u, v, 1) to its own
    tex_coord: int = 0
    wraps: tuple[str, str] = ("repeat", "repeat")


@dataclass(frozen=True)
class PageMaterial:
    """Factors of a material, as glTF has them, and its textures by NAMES."""

    slots: Mapping[str, PageSlot]
    base: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    emissive: Sequence[float] = (0.0, 0.0, 0.0)
    roughness: float = 1.0
    metallic: float = 1.0
    normal_scale: float = 1.0
    occlusion: float = 1.0
    alpha_mode: str = "OPAQUE"
    cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False


@dataclass(frozen=True)
class PageModel:
    """A model for a page. ``images``: whole files and their media types."""

    title: str
    meshes: Sequence[PageMesh]
    materials: Sequence[PageMaterial]
    assets: Sequence[AssetLike]
    images: Sequence[tuple[bytes, str]]


def model_facts(model: PageModel, container: Container, scripts: Scripts) -> dict[str, Any]:
    """Return a model's facts, its numbers, images and assets added to the data.

    Raises: AssetError for an asset that holds no maps, or maps of latents that are textures.
    """
    with ExitStack() as stack:
        opened = [stack.enter_context(open_asset(asset)) for asset in model.assets]
        sets = [_set_facts(one, f"set{i}_{asset_name(model.title)}"[:40], container, scripts)
                for i, one in enumerate(opened)]  # fmt: skip
        lines = _size_lines(model, opened)
    box = box_of(list(model.meshes))
    shaders = {"lit": shader_facts(model_fragment(), container),
               "back": shader_facts(back_fragment(), container)}  # fmt: skip
    return {
        "view": "model", "name": asset_name(model.title), "title": model.title,
        **lines, "opens": 1,  # its original beside it
        "shaders": shaders, "sets": sets, "light": RADIANCE * math.pi,
        "meshes": [mesh_facts(one, box, container) for one in model.meshes],
        **_ball(model.meshes),
        "images": [{"segment": container.add_file(content), "type": kind}
                   for content, kind in model.images],
        "materials": [_material_facts(one) for one in model.materials],
    }  # fmt: skip


def _size_lines(model: PageModel, opened: Sequence[Opened]) -> dict[str, Any]:
    """Return lines on the sizes of a model's textures, trained and original."""
    size = sum(one.byte_count for one in opened)
    memory = [one.memory_bytes for one in opened]
    known = [one.header.quality.get("psnr_db") for one in opened]
    worst = min((one for one in known if one is not None), default=None)
    images = sum(len(content) for content, _ in model.images)
    held = "" if None in memory else f", {sum(filter(None, memory)):,} in a GPU"
    plain = sum(height * width * 4 * 4 // 3 for height, width in map(_size, model.images))
    triangles = sum(len(one.triangles) for one in model.meshes)
    about = "" if worst is None else f", {worst:.2f} dB{' and more' * (len(known) > 1)}"
    return {
        "summary": DOT.join([
            plural(triangles, "triangle"),
            f"{plural(len(opened), 'neural texture set')}: {size:,} bytes{held}",
            f"{plural(len(model.images), 'image')}: {images:,} bytes, {plain:,} in a GPU as RGBA",
        ]),
        "about": f"neuralshade, {size:,} bytes{about}",
        "original": {"title": "original images", "about": f"original images, {images:,} bytes"},
    }  # fmt: skip


def _size(image: tuple[bytes, str]) -> tuple[int, int]:
    """Return height and width of an image's file, from its header."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # it is not decoded
        with Image.open(io.BytesIO(image[0])) as opened:
            return opened.height, opened.width


def _ball(meshes: Sequence[PageMesh]) -> dict[str, Any]:
    """Return the middle of a model's box, and its farthest point's distance from there."""
    corners = [one.places.min(axis=0) for one in meshes], [one.places.max(axis=0) for one in meshes]
    middle = (np.min(corners[0], axis=0) + np.max(corners[1], axis=0)) / 2
    far = max(float(np.linalg.norm(one.places - middle, axis=1).max()) for one in meshes)
    return {"center": middle.tolist(), "radius": max(far, 1e-6)}


def _set_facts(
    opened: Opened, name: str, container: Container, scripts: Scripts
) -> dict[str, Any]:  # fmt: skip
    """Return the facts of a texture set: its sizes, and the shader that decodes it."""
    form = opened.shader(name)
    if form.meaning("texel") is None:
        raise AssetError(f"{opened.path}: got an asset without a decoder of texels, need one of "
                         "fit textures with plain latents, to show it on a model. Fit it "
                         "so.")  # fmt: skip
    page = PageAsset(opened, in_words(form), container, scripts)
    sizes: Sequence[tuple[int, int]] = opened.sizes  # type: ignore[attr-defined]
    return {"width": sizes[0][0], "height": sizes[0][1], "levels": len(sizes), "wraps": True,
            "names": standard_names(form), "decode": page.shader(standard_fragment(page.form)),
            "words": page.words()}  # fmt: skip


def _material_facts(one: PageMaterial) -> dict[str, Any]:
    slots = {name: {"image": slot.image, "set": slot.asset, "standard": STANDARD_OF[name],
                    "rows": [list(row) for row in slot.rows], "coordinates": slot.tex_coord,
                    "wraps": [WRAPS.index(wrap) for wrap in slot.wraps]}
             for name, slot in one.slots.items()}  # fmt: skip
    return {"slots": slots, "inputs": [
        *one.base, *one.emissive, float(one.unlit), one.roughness, one.metallic,
        one.normal_scale, one.occlusion, float(ALPHA_MODES.index(one.alpha_mode)), one.cutoff,
        float(one.double_sided), 0.0,
    ]}  # fmt: skip
