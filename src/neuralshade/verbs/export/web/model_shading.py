"""Shaders of a model on a page: standard textures of a set, and materials that read them.

Inputs, of page/model.js: 0 size of the target, offset of the sample; 1 share of the sample, its
number, whether normals are bent to the eye; 2 to 5 rows from a place to the screen; 6 direction
to the light, its brightness; 7 up, ambient light; 8 eye; 9 light of the sky in y; 10 base color;
11 light that it emits, whether it is unlit; 12 roughness, metallic, scale of normals, strength of
occlusion; 13 alpha mode, least alpha, whether backs are seen; from SLOTS_AT on three for each of
TEXTURES: rows from coordinates to the texture's, with its width and height; which coordinates,
borders along u and v, finest level there is.
"""

from __future__ import annotations

from dataclasses import replace

from neuralshade.languages.numbers import number
from neuralshade.model.shader_form import Function, Parameter, ShaderForm, Struct
from neuralshade.verbs.export.web.fragment import AT, MAIN, Fragment, fragment
from neuralshade.verbs.export.web.maps_shading import (
    BEFORE,
    LINEAR,
    MapReader,
    shown_lines,
    struct_of,
)
from neuralshade.verbs.export.web.maps_shapes import HIT, SURFACE, lit_functions
from neuralshade.verbs.export.web.present import ENCODED, bare_form, page_texture

INPUTS, SLOTS_AT = 32, 14
TEXTURES = ("base", "normal", "rough", "occlusion", "emissive")  # of a material, as it reads them
# Standard textures of a set, and the maps in their channels; those that a set lacks are 1.
STANDARD = {
    "base": ("albedo", "opacity"), "normal": ("normal",), "orm": ("ao", "roughness", "metallic"),
    "emissive": ("emissive",),
}  # fmt: skip
HIDDEN = "return float4(-1.0);"
STEPS = 0.7548776662, 0.569840291  # of a sequence that fills a square: Roberts 2018


def standard_names(form: ShaderForm) -> list[str]:
    """Return the standard textures that a set's maps make."""
    there = {one.meaning for one in form.maps}
    return [name for name, maps in STANDARD.items() if there & set(maps[:1] if name == "base"
                                                                   else maps)]  # fmt: skip


def standard_fragment(form: ShaderForm) -> Fragment:
    """Return the shader that draws a level of a set's standard textures, each into a target."""
    texel = form.meaning("texel")
    assert texel is not None
    struct = struct_of(form, texel)
    decoders = {one.meaning: decoder for one in form.maps
                if (decoder := form.decoder(one)) is not None}  # fmt: skip
    maps = tuple(one for one in form.maps if one.meaning in decoders)
    reader = MapReader(form, maps, (), tuple(f"{decoders[one.meaning].name}(channels)"
                                             for one in maps))  # fmt: skip
    shown = [Function("float3", f"page_{one.meaning}", (Parameter(struct.name, "channels"),),
                      tuple(shown_lines(reader, i))) for i, one in enumerate(maps)]  # fmt: skip
    names = standard_names(form)
    standard = Struct("page_standard", tuple(("float4", name) for name in names))
    lines = [f"const {struct.name} channels = {texel.name}(int(at.x), int(at.y), "
             "int(page_in(0).x));", f"{standard.name} found;"]  # fmt: skip
    for name in names:
        read = {one: f"page_{one}(channels)" for one in STANDARD[name] if one in decoders}
        lines.append(f"found.{name} = {_texel(name, read)};")
    main = Function(standard.name, MAIN, (AT,), (*lines, "return found;"))
    own = replace(form, structs=(*form.structs, standard))
    return fragment(own, main, [ENCODED, *shown])


def _texel(name: str, read: dict[str, str]) -> str:
    if name == "orm":
        lanes = [f"{read[one]}.x" if one in read else "1.0" for one in STANDARD[name]]
        return f"float4({', '.join(lanes)}, 1.0)"
    color = read[STANDARD[name][0]]
    alpha = f"{read['opacity']}.x" if "opacity" in read else "1.0"
    return f"float4({color}, {alpha})"


def back_fragment() -> Fragment:
    """Return the shader of nothing: what was drawn before, less this sample's share."""
    main = Function(
        "float4", MAIN, (AT,),
        ("const float share = page_in(1).x;",
         f"const float4 before = {BEFORE}_sampled(at / page_in(0).xy, 0.0);",
         "if (share >= 1.0) return float4(0.0);",
         "return float4(before.xyz, before.w * (1.0 - share));"),
    )  # fmt: skip
    return fragment(bare_form(page_texture(BEFORE)), main, inputs=INPUTS)


def model_fragment() -> Fragment:
    """Return the shader of all materials: linear light of a mesh's front."""
    textures = (BEFORE, *(f"page_{name}" for name in TEXTURES))
    form = replace(bare_form(*map(page_texture, textures)), structs=(HIT, SURFACE))
    main = Function(
        "float4", MAIN, (AT,),
        ("const float4 shape = page_at(1);", "const float4 mode = page_in(13);",
         f"if (shape.w < 0.0 && mode.z < 0.5) {HIDDEN}",
         *_reads("base"), "const float3 color = float3(page_linear(base.x), page_linear(base.y), "
         "page_linear(base.z));",
         "const float4 albedo = float4(color, base.w) * page_in(10) * page_at(3);",
         f"if (mode.x > 0.5 && mode.x < 1.5 && albedo.w < mode.y) {HIDDEN}",
         f"if (mode.x > 1.5 && albedo.w < page_chance(at)) {HIDDEN}",
         "const float4 before = page_before_sampled(at / page_in(0).xy, 0.0);",
         "const float3 now = page_lit(albedo.xyz, shape);",
         "const float share = page_in(1).x;",
         "if (share >= 1.0) return float4(now, 1.0);",
         "const float alpha = mix(before.w, 1.0, share);",
         "return float4(mix(before.xyz * before.w, now, share) / max(alpha, 0.001), alpha);"),
    )  # fmt: skip
    more = [LINEAR, _wrapped(), _coordinates(), _chance(), *lit_functions(), _hit(), _lit()]
    return fragment(form, main, more, inputs=INPUTS, mesh=True)


def _first(name: str) -> int:
    return SLOTS_AT + 3 * TEXTURES.index(name)


def _reads(name: str) -> list[str]:
    """Return lines that read a texture of the material as ``name``."""
    return [f"const float3 {name}_at = page_coordinates({_first(name)});",
            f"const float4 {name} = page_{name}_sampled({name}_at.xy, {name}_at.z);"]  # fmt: skip


def _wrapped() -> Function:
    """Return the function of a coordinate beyond [0, 1]; 0 repeat, 1 clamp, 2 mirror."""
    return Function(
        "float", "page_wrapped",
        (Parameter("float", "x"), Parameter("float", "mode"), Parameter("float", "size")),
        ("const float edge = 0.5 / size;", "if (mode < 0.5) return x - floor(x);",
         "if (mode < 1.5) return clamp(x, edge, 1.0 - edge);",
         "const float two = x - 2.0 * floor(0.5 * x);",
         "return clamp(1.0 - abs(1.0 - two), edge, 1.0 - edge);"),
    )  # fmt: skip


def _coordinates() -> Function:
    """Return the function of a slot's coordinates and level, the slot by its first input."""
    return Function(
        "float3", "page_coordinates", (Parameter("int", "first"),),
        ("const float4 across = page_in(first);", "const float4 down = page_in(first + 1);",
         "const float4 how = page_in(first + 2);",
         "const float4 all = page_at(2);", "const float4 all_x = page_at(6);",
         "const float4 all_y = page_at(7);",
         "const float3 uv = float3(mix(all.xy, all.zw, how.x), 1.0);",
         "const float2 ux = mix(all_x.xy, all_x.zw, how.x);",
         "const float2 uy = mix(all_y.xy, all_y.zw, how.x);",
         "const float2 size = float2(across.w, down.w);",
         "const float2 sx = size * float2(dot(across.xy, ux), dot(down.xy, ux));",
         "const float2 sy = size * float2(dot(across.xy, uy), dot(down.xy, uy));",
         "const float longer = max(max(length(sx), length(sy)), 0.000001);",
         "return float3(page_wrapped(dot(across.xyz, uv), how.y, size.x), "
         "page_wrapped(dot(down.xyz, uv), how.z, size.y), max(log2(longer), how.w));"),
    )  # fmt: skip


def _chance() -> Function:
    """Return the function of a pixel's threshold: of all samples, a share of alpha passes."""
    across, down = map(number, STEPS)
    return Function(
        "float", "page_chance", (AT,),
        ("const float2 cell = floor(at);",
         f"const float x = {across} * cell.x + {down} * cell.y + 0.61803399 * page_in(1).y + 0.5;",
         "return x - floor(x);"),
    )  # fmt: skip


def _hit() -> Function:
    """Return the frame of normal maps: tangents by how the texture's coordinates change."""
    first = _first("normal")
    return Function(
        HIT.name, "page_hit_of", (Parameter("float4", "shape"),),
        (f"const float4 across = page_in({first});", f"const float4 down = page_in({first + 1});",
         f"const float which = page_in({first + 2}).x;",
         "const float4 all_x = page_at(6);", "const float4 all_y = page_at(7);",
         "const float2 ux = mix(all_x.xy, all_x.zw, which);",
         "const float2 uy = mix(all_y.xy, all_y.zw, which);",
         "const float2 tx = float2(dot(across.xy, ux), dot(down.xy, ux));",
         "const float2 ty = float2(dot(across.xy, uy), dot(down.xy, uy));",
         "const float3 px = page_at(4).xyz;", "const float3 py = page_at(5).xyz;",
         "const float turns = 1.0 - 2.0 * float(tx.x * ty.y - ty.x * tx.y < 0.0);",
         f"{HIT.name} hit;", "hit.place = float4(0.0, 0.0, 0.0, 1.0);",
         "hit.up = normalize(shape.xyz) * shape.w;",
         "const float3 along = (px * ty.y - py * tx.y) * turns;",
         "const float3 rises = (px * ty.x - py * tx.x) * turns;",  # against v, which grows down
         "const float3 flat_along = along - hit.up * dot(hit.up, along);",
         "const float far = length(flat_along);",
         "const float3 other = float3(hit.up.z, 0.0, -hit.up.x) + float3(0.00001, 0.0, 0.0);",
         "hit.right = normalize(mix(other, flat_along, float(far > 0.0)));",
         "const float3 above = cross(hit.up, hit.right);",
         "hit.above = above * (1.0 - 2.0 * float(dot(above, rises) < 0.0));",
         "hit.eye = normalize(page_in(8).xyz - page_at(0).xyz);", "return hit;"),
    )  # fmt: skip


def _lit() -> Function:
    return Function(
        "float3", "page_lit", (Parameter("float3", "albedo"), Parameter("float4", "shape")),
        (*_reads("emissive"),
         "const float3 glow = float3(page_linear(emissive.x), page_linear(emissive.y), "
         "page_linear(emissive.z)) * page_in(11).xyz;",
         "if (page_in(11).w > 0.5) return albedo;",
         *_reads("normal"), *_reads("rough"), *_reads("occlusion"),
         "const float4 by = page_in(12);", f"{SURFACE.name} s;", "s.albedo = albedo;",
         "const float3 bump = normal.xyz * 2.0 - 1.0;",
         "s.normal = normalize(float3(bump.xy * by.z, max(bump.z, 0.001)));",
         "s.rest = float4(clamp(rough.y * by.x, 0.0, 1.0), clamp(rough.z * by.y, 0.0, 1.0), "
         "0.0, 0.0);",
         "s.occlusion = float3(1.0 + by.w * (occlusion.x - 1.0));",
         "return page_reflected(s, page_hit_of(shape)) + glow;"),
    )  # fmt: skip
