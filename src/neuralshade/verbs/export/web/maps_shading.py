"""Shaders of the maps of a set on a page: decoding, lit shapes, and single maps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from neuralshade.languages.numbers import number
from neuralshade.measure.levels_beside import Bytes
from neuralshade.measure.plane.lit_sphere import GREY, LIT, ROUGH
from neuralshade.model.shader_form import Function, Network, Parameter, ShaderForm, Struct
from neuralshade.verbs.export.web.fragment import AT, MAIN, Fragment, fragment
from neuralshade.verbs.export.web.maps_shapes import (
    HIT,
    SURFACE,
    lit_functions,
    shape_functions,
)
from neuralshade.verbs.export.web.present import ENCODED, bare_form, page_texture

PLACE = (Parameter("float2", "uv"), Parameter("float", "level"))
LINEAR = Function(
    "float", "page_linear", (Parameter("float", "x"),),
    ("if (x <= 0.04045) return x / 12.92;", "return exp(2.4 * log((x + 0.055) / 1.055));"),
)  # fmt: skip
BEFORE = "page_before"  # the mean of the samples so far


@dataclass(frozen=True)
class MapReader:
    """How the shaders of a page read the maps of a form.

    ``form`` has the functions that turn texels of the page's textures into maps; ``calls`` has
    the expression of each map at ``uv`` and ``level``, after ``lines``.
    """

    form: ShaderForm
    maps: tuple[Function, ...]
    lines: tuple[str, ...]
    calls: tuple[str, ...]

    @classmethod
    def of(cls, form: ShaderForm) -> MapReader:
        """Return the reader of channels that a page decodes, or of the form's own textures."""
        texel = form.meaning("texel")
        if texel is None:
            calls = (f"{one.name}(place.xy, place.z)" for one in form.maps)
            return cls(form, form.maps, ("const float3 place = page_place(uv, level);",),
                       tuple(calls))  # fmt: skip
        struct = struct_of(form, texel)
        textures = tuple(page_texture(name) for name in channel_names(struct))
        read = [f"found.{name} = {one.reader}(place.xy, place.z);"
                for (_, name), one in zip(struct.members, textures, strict=True)]  # fmt: skip
        channels = Function(
            struct.name, "page_channels", PLACE,
            ("const float3 place = page_place(uv, level);", f"{struct.name} found;", *read,
             "return found;"),
        )  # fmt: skip
        plain = tuple(one for one in form.functions if not _reads_numbers(one))
        decoders = [form.decoder(one) for one in form.maps]
        calls = (f"{one.name}(channels)" for one in decoders if one is not None)
        own = replace(bare_form(*textures), structs=form.structs,
                      functions=(*plain, _place(), channels))  # fmt: skip
        return cls(own, form.maps, (f"const {struct.name} channels = page_channels(uv, level);",),
                   tuple(calls))  # fmt: skip

    @property
    def helpers(self) -> tuple[Function, ...]:
        """Return what shaders need that the form has not."""
        known = {one.name for one in self.form.functions}
        return tuple(one for one in (_place(), LINEAR, ENCODED) if one.name not in known)


def _reads_numbers(function: Function) -> bool:
    """Return whether a function reads the form's words, or has a network."""
    return any(isinstance(line, Network) or "_word(" in line for line in function.body)


def _place() -> Function:
    """Return the function of the place of a sample in the textures, and its level."""
    return Function(
        "float3", "page_place", PLACE,
        ("const float4 size = page_in(8);", "const float2 inside = uv - floor(uv);",
         "const float2 texel = (floor(inside * size.xy) + 0.5) / size.xy;",
         "return float3(mix(inside, texel, size.w), max(level, size.z));"),
    )  # fmt: skip


def struct_of(form: ShaderForm, texel: Function) -> Struct:
    """Return the struct of the channels that a function returns."""
    return next(one for one in form.structs if one.name == texel.result)


def channel_names(struct: Struct) -> list[str]:
    """Return the names of the page's textures of channels."""
    return [f"page_{name}" for _, name in struct.members]


def decode_fragment(form: ShaderForm) -> Fragment:
    """Return the shader that draws a level of all channels, each four into a target."""
    texel = form.meaning("texel")
    assert texel is not None
    body = (f"return {texel.name}(int(at.x), int(at.y), int(page_in(0).x));",)
    return fragment(form, Function(texel.result, MAIN, (AT,), body))


def thirds(level: Bytes) -> list[Bytes]:
    """Return channels [H, W, C] as pictures of three, the last one filled with zeros."""
    count = -(-level.shape[2] // 3)
    padded = np.pad(level, ((0, 0), (0, 0), (0, 3 * count - level.shape[2])))
    return np.split(padded, count, axis=2)


def merge_fragment(form: ShaderForm, texel: Function, level: Bytes) -> Fragment:
    """Return the shader that draws a level of channels from the pictures of ``thirds``."""
    struct, count = struct_of(form, texel), level.shape[2]
    images = [page_texture(f"page_image{i}") for i in range(len(thirds(level)))]
    lanes = [f"i{i // 3}.{'xyz'[i % 3]}" if i < count else "0.0"
             for i in range(4 * len(struct.members))]  # fmt: skip
    body = (
        "const float2 uv = at / page_in(0).yz;",
        *(f"const float4 i{i} = {one.reader}(uv, 0.0);" for i, one in enumerate(images)),
        f"{struct.name} found;",
        *(f"found.{name} = float4({', '.join(lanes[4 * i : 4 * i + 4])});"
          for i, (_, name) in enumerate(struct.members)),
        "return found;",
    )  # fmt: skip
    bare = replace(bare_form(*images), structs=form.structs)
    return fragment(bare, Function(texel.result, MAIN, (AT,), body))


def lit_fragment(reader: MapReader, shape: str) -> Fragment:
    """Return the shader of a lit shape: linear light, alpha its coverage.

    One for each: software renderers evaluate all branches of a shader.
    """
    form = replace(reader.form, structs=(*reader.form.structs, HIT, SURFACE),
                   textures=(page_texture(BEFORE), *reader.form.textures))  # fmt: skip
    main = Function(
        "float4", MAIN, (AT,),
        (f"const {HIT.name} hit = page_shape(at + page_in(0).zw);",
         "float4 now = page_seen(hit);",
         "const float4 mode = page_in(1);",
         "const float3 behind = float3(page_in(9).z);",
         "const float4 opaque = float4(mix(behind, now.xyz, now.w), 1.0);",
         "now = mix(now, opaque, mode.y);",
         "if (mode.x >= 1.0) return now;",
         f"const float4 before = {BEFORE}_sampled(at / page_in(0).xy, 0.0);",
         "const float alpha = mix(before.w, now.w, mode.x);",
         "const float3 sum = mix(before.xyz * before.w, now.xyz * now.w, mode.x);",
         "return float4(sum / max(alpha, 0.001), alpha);"),
    )  # fmt: skip
    seen = Function(
        "float4", "page_seen", (Parameter(HIT.name, "hit"),),
        ("if (hit.place.w <= 0.0) return float4(0.0);",
         f"const {SURFACE.name} mapped = page_mapped(hit.place.xy, hit.place.z);",
         "return float4(page_reflected(mapped, hit), hit.place.w);"),
    )  # fmt: skip
    more = [*reader.helpers, *shape_functions(shape), *lit_functions(), _mapped(reader), seen]
    return fragment(form, main, more)


def _mapped(reader: MapReader) -> Function:
    """Return the function of a surface of the maps, with those that are missing."""
    calls = {one.meaning: (one, call) for one, call in zip(reader.maps, reader.calls, strict=True)}

    def read(name: str, otherwise: float) -> list[str]:
        if name not in calls:
            return [f"const float3 {name} = float3({number(otherwise)});"]
        function, call = calls[name]
        lines = [f"const {function.result} {name}_read = {call};"]
        value = {"float": f"float3({name}_read)", "float2": f"float3({name}_read, 0.0)",
                 "float3": f"{name}_read"}.get(function.result, f"{name}_read.xyz")  # fmt: skip
        if name == "albedo" and function.space == "srgb":
            lines.append(f"const float3 {name}_coded = {value};")
            lanes = ", ".join(f"page_linear({name}_coded.{lane})" for lane in "xyz")
            value = f"float3({lanes})"
        return [*lines, f"const float3 {name} = {value};"]

    otherwise = {"albedo": GREY, "roughness": ROUGH, "metallic": 0.0, "ao": 1.0}
    normal = read("normal", 0) if "normal" in calls else ["const float3 normal = "
                                                         "float3(0.0, 0.0, 1.0);"]  # fmt: skip
    return Function(
        SURFACE.name, "page_mapped", PLACE,
        (*reader.lines, *normal,
         *(line for name, value in otherwise.items() for line in read(name, value)),
         f"{SURFACE.name} s;", "s.albedo = albedo;", "s.normal = normal;",
         "s.rest = float4(roughness.x, metallic.x, 0.0, 0.0);", "s.occlusion = ao;", "return s;"),
    )  # fmt: skip


def flat_fragment(reader: MapReader) -> Fragment:
    """Return the shader of a single map, as its file would show it: alpha 0 beside it."""
    shown = [
        Function("float3", f"page_map{i}", PLACE, tuple(shown_lines(reader, i)))
        for i in range(len(reader.maps))
    ]
    chain = [f"if (page_in(13).x < {i}.5) return page_map{i}(uv, level);"
             for i in range(len(shown) - 1)]  # fmt: skip
    one = Function("float3", "page_map", PLACE,
                   (*chain, f"return page_map{len(shown) - 1}(uv, level);"))  # fmt: skip
    main = Function(
        "float4", MAIN, (AT,),
        ("const float4 view = page_in(12);", "const float2 uv = view.xy + at * view.zw;",
         "const float2 beyond = abs(uv - 0.5);",
         "if (max(beyond.x, beyond.y) > 0.5) return float4(0.0);",
         "const float2 step = view.zw * page_in(8).xy;",
         "const float level = log2(max(max(step.x, step.y), 1.0));",
         "return float4(clamp(page_map(uv, level), float3(0.0), float3(1.0)), 1.0);"),
    )  # fmt: skip
    return fragment(reader.form, main, [*reader.helpers, *shown, one])


def shown_lines(reader: MapReader, index: int) -> list[str]:
    """Return lines that return a map as it is displayed."""
    function, call = reader.maps[index], reader.calls[index]
    low, high = function.span
    lines = [*reader.lines, f"const {function.result} value = {call};"]
    count = 1 if function.result == "float" else int(function.result.removeprefix("float"))
    lanes = ["value"] if count == 1 else [f"value.{lane}" for lane in "xyz"[:count]]
    if function.space == "linear":
        lanes = [f"page_encoded({lane})" for lane in lanes]
    if (low, high) != (0.0, 1.0):
        lanes = [f"({lane} - {number(low)}) * {number(1 / (high - low))}" for lane in lanes]
    filled = lanes * 3 if count == 1 else [*lanes, "0.0"][:3]
    return [*lines, f"return float3({', '.join(filled)});"]


def lights(form: ShaderForm) -> bool:
    """Return whether a map of the form affects a lit surface."""
    names = {one.meaning for one in form.maps}
    return any(name in names for name in LIT[:3])
