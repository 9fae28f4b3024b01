"""Shader of a picture on a page: any part of it, at any size."""

from __future__ import annotations

from typing import Any

from neuralshade.languages.numbers import number
from neuralshade.model.shader_form import Function, ShaderForm
from neuralshade.verbs.export.web.fragment import AT, MAIN, Fragment, fragment
from neuralshade.verbs.export.web.page_asset import PageAsset
from neuralshade.verbs.export.web.pictures_beside import PictureBeside, pictures_beside
from neuralshade.verbs.export.web.present import image_fragment

MOST_SAMPLES = 16  # of a pixel; the page passes how many
CHECK_PX = 8.0  # side of the squares behind what is transparent
CHECKS = ("0.32", "0.24")  # their colors, in the encoding of a screen
TO_RGBA = {  # by the type of a color
    "float": "float4(float3(color), 1.0)",
    "float2": "float4(float3(color.x), color.y)",
    "float3": "float4(color, 1.0)",
    "float4": "color",
}


def picture_view(page: PageAsset, beside: Any) -> dict[str, Any]:
    """Return the facts of the view of a picture: its shaders, and what stands beside it."""
    form, opened = page.form, page.opened
    color = form.meaning("color")
    assert color is not None
    width, height = opened.size
    linear = color.space == "linear"
    stops = opened.scene().stops if linear else 0.0
    pictures = [] if beside is None else pictures_beside(opened, beside, stops)
    shaders = {"picture": page.shader(picture_fragment(form, color))}
    if pictures:
        shaders["image"] = page.shader(image_fragment())
    return {"view": "picture", "width": width, "height": height, "linear": linear,
            "exposure": stops, "shaders": shaders, "words": page.words(), **page.evaluator(),
            "beside": [_beside(page, one) for one in pictures]}  # fmt: skip


def _beside(page: PageAsset, one: PictureBeside) -> dict[str, Any]:
    file = {"type": one.type, "segment": page.container.add_file(one.file)}
    return {"title": one.title, "about": one.about, "width": one.width, "height": one.height,
            "file": file}  # fmt: skip


def picture_fragment(form: ShaderForm, color: Function) -> Fragment:
    """Return the shader of a picture: the color at a pixel, alpha 0 beside the picture.

    Several samples are taken where a pixel covers more than one of those that were fitted.
    """
    space = color.space
    body = (
        "const float4 view = page_in(0);", "const float side = page_in(1).x;",
        "const float2 beyond = abs(view.xy + at * view.zw - 0.5);",
        "if (max(beyond.x, beyond.y) > 0.5) return float4(0.0);",
        "float4 total = float4(0.0);",
        f"for (int i = 0; i < min({MOST_SAMPLES}, int(side * side)); ++i)", "{",
        "const float row = floor((float(i) + 0.5) / side);",
        "const float2 offset = (float2(float(i) - row * side, row) + 0.5) / side - 0.5;",
        "const float2 uv = view.xy + (at + offset) * view.zw;",
        f"const {color.result} color = {color.name}(clamp(uv, float2(0.0), float2(1.0)));",
        f"total += {TO_RGBA[color.result]} * float(i < int(side * side));",
        "}",
        "const float4 mean = total * page_in(1).y;",
        *_over_checks(space, color.result in ("float2", "float4")),
    )  # fmt: skip
    return fragment(form, Function("float4", MAIN, (AT,), body))


def _over_checks(space: str, transparent: bool) -> list[str]:
    """Return lines that return ``mean`` over checks, in the picture's color space."""
    if not transparent:
        return ["return float4(mean.xyz, 1.0);"]
    ends = [f"{float(x) ** 2.2:.4f}" if space == "linear" else x for x in CHECKS]
    return [
        f"const float2 cell = floor(at / {number(CHECK_PX)});",
        "const float odd = cell.x + cell.y - 2.0 * floor((cell.x + cell.y) * 0.5);",
        f"const float behind = {ends[0]} + ({ends[1]} - {ends[0]}) * odd;",
        "const float alpha = clamp(mean.w, 0.0, 1.0);",
        # alpha of linear pictures is associated
        f"const float3 color = mean.xyz{'' if space == 'linear' else ' * alpha'};",
        "return float4(color + behind * (1.0 - alpha), 1.0);",
    ]
