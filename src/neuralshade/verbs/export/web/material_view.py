"""Shader of a material on a page: shapes under a light that is dragged, and a sky."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.languages.numbers import LANES
from neuralshade.languages.software_textures import in_words
from neuralshade.model.shader_form import Function, Parameter, ShaderForm, Struct
from neuralshade.verbs.export.web.fragment import AT, MAIN, Fragment, fragment
from neuralshade.verbs.export.web.page_asset import PageAsset
from neuralshade.verbs.export.web.present import page_texture
from neuralshade.verbs.export.web.surfaces import (
    POINT,
    POINT_STRUCT,
    SHAPES,
    surface_functions,
)

LOWEST = 0.001  # cosine below which nothing is lit, as where kinds draw materials
BEFORE = "page_before"  # texture with the mean of the samples so far
DRAWN = "page_direction"
DRAWN_STRUCT = Struct(DRAWN, (("float3", "wi"), ("float3", "radiance")))
WI, WO = Parameter("float3", "wi"), Parameter("float3", "wo")
SIGHT = Parameter(POINT, "point")


def material_view(page: PageAsset, beside: Any) -> dict[str, Any]:
    """Return the facts of the view of a material: its shaders, light and sliders."""
    if beside is not None:
        raise ConfigError(f"beside: got it for {page.opened.path}, a material, need a picture or a "
                          "texture set. Leave it out.")  # fmt: skip
    page = replace(page, form=in_words(page.form))  # browsers of phones have no BC7
    form = page.form
    scene = page.opened.scene()
    assert scene.light is not None
    return {
        "view": "material", "shapes": list(SHAPES), "linear": True,
        "light": [scene.light.azimuth_deg, scene.light.elevation_deg],
        "inputs": [{"label": one.name, "low": one.low, "high": one.high, "value": one.value}
                   for one in scene.inputs],
        "shaders": {"direct": page.shader(material_fragment(form, sky=False)),
                    "sky": page.shader(material_fragment(form, sky=True))},
        "words": page.words(),
    }  # fmt: skip


def material_fragment(form: ShaderForm, *, sky: bool) -> Fragment:
    """Return the shader of a material in linear light; inputs as page/material.js passes them.

    sky: with a sample of the sky by the material's own directions, and the mean with those before.
    """
    light, draw = form.meaning("light"), form.meaning("direction")
    level = form.meaning("level")
    assert light is not None and draw is not None and level is not None
    varied = "".join(f", page_in(4).{LANES[i]}" for i in range(len(light.parameters) - 4))
    functions = [
        *surface_functions(),
        _local(),
        _world(),
        Function("float3", "page_lit", (SIGHT, WI, WO), (
            f"if (min(wi.z, wo.z) <= {LOWEST}) return float3(0.0);",
            "const float2 place = float2(point.footprint, 0.0);",
            f"const float level = {level.name}(place, place.yx);",
            f"return {light.name}(point.uv, level, wi, wo{varied});",
        )),
    ]  # fmt: skip
    if sky:
        functions += _sky(draw, level, varied)
    form = _with_point(form, sky)
    return fragment(form, _main(sky), functions)


def _with_point(form: ShaderForm, sky: bool) -> ShaderForm:
    textures = (page_texture(BEFORE),) if sky else ()
    return replace(form, structs=(*form.structs, POINT_STRUCT, DRAWN_STRUCT), textures=textures)


def _local() -> Function:
    return Function("float3", "page_local", (SIGHT, Parameter("float3", "d")), (
        "return float3(dot(point.tangent, d), dot(point.bitangent, d), dot(point.normal, d));",
    ))  # fmt: skip


def _world() -> Function:
    return Function("float3", "page_world", (SIGHT, Parameter("float3", "d")), (
        "return point.tangent * d.x + point.bitangent * d.y + point.normal * d.z;",
    ))  # fmt: skip


def _sky(draw: Function, level: Function, varied: str) -> list[Function]:
    """Return a sky that is brighter above, and random numbers for its directions."""
    seed = Parameter("float3", "seed")
    drawn = f"{draw.name}(point.uv, level, wo, page_random(seed){varied})"
    return [
        Function("float3", "page_sky", (Parameter("float3", "d"),), (
            "const float bright = 0.25 + 0.75 * clamp(d.y * 0.5 + 0.5, 0.0, 1.0);",
            "return bright * float3(0.9, 0.95, 1.0);",
        )),
        # Hash of a pixel, and a lattice through the samples of each (Roberts 2018, R3).
        Function("float3", "page_random", (seed,), (
            "const float3 a = fract(seed.xyx * float3(0.1031, 0.103, 0.0973));",
            "const float3 b = a + dot(a, a.yzx + 33.33);",
            "const float3 c = fract((b.xxy + b.yzz) * b.zyx);",
            "return fract(c + seed.z * float3(0.81917251, 0.67104360, 0.54970047));",
        )),
        Function(DRAWN, "page_drawn", (SIGHT, WO, seed), (
            "const float2 place = float2(point.footprint, 0.0);",
            f"const float level = {level.name}(place, place.yx);",
            f"const {draw.result} drawn = {drawn};",
            f"{DRAWN} found;",
            "found.wi = drawn.wi;",
            "found.radiance = page_sky(page_world(point, drawn.wi)) * (float(drawn.pdf > 0.0) / "
            "max(drawn.pdf, 0.0000001));",
            "return found;",
        )),
    ]  # fmt: skip


def _main(sky: bool) -> Function:
    lamps = 3 if sky else 2
    return Function("float4", MAIN, (AT,), (
        "const float4 size = page_in(0);",
        *(("const float2 jitter = page_random(float3(7.0, 3.0, size.w)).xy - 0.5;",
           f"const {POINT} point = page_seen(at + jitter * min(size.w, 1.0));") if sky else
          (f"const {POINT} point = page_seen(at);",)),
        *(() if sky else ("if (point.inside <= 0.0) return float4(0.0);",)),
        "const float3 wo = page_local(point, float3(0.0, 0.0, 1.0));",
        "float3 total = float3(0.0);",
        f"for (int i = 0; i < {lamps}; ++i)", "{",
        "float3 wi = page_local(point, page_in(2).xyz);",
        "float3 radiance = float3(page_in(2).w);",
        "if (i == 1)", "{", "wi = wo;", "radiance = float3(page_in(5).x);", "}",
        *(("if (i == 2)", "{", "const float3 seed = float3(at, size.w);",
           f"const {DRAWN} drawn = page_drawn(point, wo, seed);",
           "wi = drawn.wi;", "radiance = drawn.radiance * page_in(5).y;", "}") if sky else ()),
        "if (radiance.x > 0.0 && point.inside > 0.0)", "{",
        "total += page_lit(point, wi, wo) * radiance;", "}",
        "}",
        *(("const float4 found = float4(total * point.inside, point.inside);",
           f"const float4 before = {BEFORE}_sampled(at / size.xy, 0.0);",
           "return mix(before, found, 1.0 / (size.w + 1.0));") if sky else
          ("return float4(total, 1.0);",)),
    ))  # fmt: skip
