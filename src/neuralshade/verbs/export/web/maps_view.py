"""View of the maps of a surface on a page: lit shapes, and single maps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from neuralshade.languages.software_textures import in_words
from neuralshade.measure.baselines import picture_file
from neuralshade.measure.plane.lit_sphere import AMBIENT, BACKGROUND, LIGHT, RADIANCE, RADIUS
from neuralshade.measure.plane.plane_view import PlaneView
from neuralshade.model.shader_form import Texture
from neuralshade.verbs.export.web.maps_shading import (
    MapReader,
    channel_names,
    decode_fragment,
    flat_fragment,
    lights,
    lit_fragment,
    struct_of,
)
from neuralshade.verbs.export.web.page_asset import PageAsset

TEXELS_PER_PIXEL = 3.0  # along the lower edge of the plane, of PlaneView.showing


def maps_view(page: PageAsset, beside: Any) -> dict[str, Any]:
    """Return the facts of the view of maps: their numbers, shaders and shapes."""
    form, opened = page.form, page.opened
    reader = MapReader.of(form)
    sizes: Sequence[tuple[int, int]] = opened.sizes  # type: ignore[attr-defined]
    (width, height), wraps = sizes[0], opened.recipe.wrap == "repeat"
    shaders = {"flat": page.shader(flat_fragment(reader))}
    if lights(form):
        shaders["lit"] = page.shader(lit_fragment(reader))
    facts: dict[str, Any] = {
        "view": "maps", "width": width, "height": height, "levels": len(sizes), "wraps": wraps,
        "maps": [one.meaning for one in form.maps], "shaders": shaders,
        "sphere": {"radius": RADIUS, "light": (np.array(LIGHT) / np.linalg.norm(LIGHT)).tolist(),
                   "radiance": RADIANCE * math.pi,
                   "ambient": AMBIENT, "background": BACKGROUND},
        "plane": _plane(width), "beside": [],
    }  # fmt: skip
    texel = form.meaning("texel")
    if texel is None:
        return facts | {"trained": True, "images": [_images(page, one) for one in form.textures]}
    whole = replace(page, form=in_words(form))
    shaders["decode"] = whole.shader(decode_fragment(whole.form))
    return facts | {"words": whole.words(), "channels": channel_names(struct_of(form, texel))}


def _plane(width: int) -> dict[str, Any]:
    """Return the camera and the light of a lit plane."""
    view = PlaneView(tiles=PlaneView.width * TEXELS_PER_PIXEL / width)
    return {"tiles": view.tiles, "pitch": math.radians(view.pitch_deg),
            "field": math.radians(view.field_deg), "light": view.to_light().tolist(),
            "radiance": math.pi, "ambient": view.sky, "background": view.sky}  # fmt: skip


def _images(page: PageAsset, texture: Texture) -> dict[str, Any]:
    """Return the levels of a texture as files of pictures without loss."""
    levels = [page.container.add(_file(texels)) for texels in _texels(texture)]
    kind = "srgb" if texture.format.endswith("_srgb") else "bytes"
    return {"name": texture.name, "format": kind, "levels": levels}


def _texels(texture: Texture) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield the texels of each level, uint8 [H, W, 3]."""
    for (width, height), content in zip(texture.sizes, texture.levels, strict=True):
        texels = np.frombuffer(content, np.uint8).reshape(height, width, -1)
        yield np.broadcast_to(texels[..., :3], (height, width, 3))


def _file(texels: npt.NDArray[np.uint8]) -> bytes:
    return picture_file(Image.fromarray(np.ascontiguousarray(texels)), "WEBP", lossless=True,
                        method=6)  # fmt: skip
