"""View of the maps of a surface on a page: lit shapes, and single maps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from neuralshade.languages.software_textures import in_words
from neuralshade.measure.baselines import picture_file
from neuralshade.measure.levels_beside import CHANNELS, Bytes, LevelsBeside
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
    merge_fragment,
    struct_of,
    thirds,
)
from neuralshade.verbs.export.web.maps_shapes import SHAPES
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
        shaders |= {name: page.shader(lit_fragment(reader, name)) for name in SHAPES}
    facts: dict[str, Any] = {
        "view": "maps", "width": width, "height": height, "levels": len(sizes), "wraps": wraps,
        "shapes": list(SHAPES) if lights(form) else [],
        "maps": [one.meaning for one in form.maps], "shaders": shaders,
        "sphere": {"radius": RADIUS, "light": (np.array(LIGHT) / np.linalg.norm(LIGHT)).tolist(),
                   "radiance": RADIANCE * math.pi,
                   "ambient": AMBIENT, "background": BACKGROUND},
        "plane": _plane(width),
    }  # fmt: skip
    others: list[LevelsBeside] = opened.levels_beside(beside)  # type: ignore[attr-defined]
    texel = form.meaning("texel")
    named: list[list[Any]]
    if texel is None:
        own = [_images(page, one, list(_texels(one))) for one in form.textures]
        named = [[_images(page, one, [_rgb(level[one.title]) for level in each.levels], own[i])
                  for i, one in enumerate(form.textures)] for each in others]  # fmt: skip
        facts |= {"trained": True, "images": own}
    else:
        whole = replace(page, form=in_words(form))
        shaders["decode"] = whole.shader(decode_fragment(whole.form))
        struct = struct_of(form, texel)
        facts |= {"words": whole.words(), "channels": channel_names(struct)}
        if others:
            shaders["merge"] = page.shader(
                merge_fragment(form, texel, others[0].levels[0][CHANNELS])
            )
        named = [[page.container.add_file(_file(part)) for level in each.levels
                  for part in thirds(level[CHANNELS])] for each in others]  # fmt: skip
    return facts | {"beside": [{"title": each.title, "about": each.about, "images": images,
                                "first": len(sizes) - len(each.levels)}
                               for each, images in zip(others, named, strict=True)]}  # fmt: skip


def _plane(width: int) -> dict[str, Any]:
    """Return the camera and the light of a lit plane."""
    view = PlaneView(tiles=PlaneView.width * TEXELS_PER_PIXEL / width)
    return {"tiles": view.tiles, "pitch": math.radians(view.pitch_deg),
            "field": math.radians(view.field_deg), "light": view.to_light().tolist(),
            "radiance": math.pi, "ambient": view.sky, "background": view.sky}  # fmt: skip


def _images(
    page: PageAsset, texture: Texture, levels: Sequence[Bytes], own: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return levels of a texture as files of pictures; the finest is that of ``own``, if any."""
    kept = [] if own is None else own["levels"][:1]
    kept += [page.container.add_file(_file(texels)) for texels in levels[len(kept) :]]
    kind = "srgb" if texture.format.endswith("_srgb") else "bytes"
    return {"name": texture.name, "format": kind, "levels": kept}


def _texels(texture: Texture) -> Iterator[Bytes]:
    """Yield the texels of each level, uint8 [H, W, 3]."""
    for (width, height), content in zip(texture.sizes, texture.levels, strict=True):
        yield _rgb(np.frombuffer(content, np.uint8).reshape(height, width, -1))


def _rgb(texels: Bytes) -> Bytes:
    """Return three channels of 1, 3 or 4."""
    return np.broadcast_to(texels[..., :3], (*texels.shape[:2], 3))


def _file(texels: Bytes) -> bytes:
    """Return uint8 [H, W, 3] as a file without loss."""
    return picture_file(Image.fromarray(np.ascontiguousarray(texels)), "WEBP", lossless=True,
                        method=6)  # fmt: skip
