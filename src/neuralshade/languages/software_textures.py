"""Software textures: texels as words, and functions that sample them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neuralshade.languages.mip_tables import by_mip
from neuralshade.languages.numbers import number
from neuralshade.model.shader_form import Function, Parameter, ShaderForm, Texture

Words = npt.NDArray[np.uint32]
FIRST = Parameter("int", "first")  # word of a texture
LEVEL = Parameter("int3", "level")  # its first texel or block, texels across and down
TEXEL = (FIRST, LEVEL, Parameter("int", "x"), Parameter("int", "y"))
AT, TEXEL_OF_BLOCK = Parameter("int", "at"), Parameter("int", "texel")  # word, index
BLOCK_SIDE = 4  # texels
# Of a step's two bits in BC1, 0 and 1 are the ends, 2 and 3 lie between: thirds of the way, by them
THIRDS = 0 | 3 << 2 | 1 << 4 | 2 << 6


def in_words(form: ShaderForm) -> ShaderForm:
    """Return a form whose functions read texels from its words: exact, and without textures.

    Each texture's texels begin at a whole word, after the form's words.
    """
    if not form.textures:
        return form
    functions = dict[str, Function]()
    words, first = [form.words], len(form.words)
    for texture in form.textures:
        content = b"".join(texture.levels)
        content += bytes(-len(content) % 4)
        for function in _functions(form.name, form.textures, texture, first):
            functions.setdefault(function.name, function)
        words.append(np.frombuffer(content, "<u4").astype(np.uint32))
        first += len(words[-1])
    return replace(form, words=np.concatenate(words), textures=(),
                   functions=(*functions.values(), *form.functions),
                   make_golden=lambda: form.golden, make_compact=None)  # fmt: skip


def names_taken(name: str, textures: Sequence[Texture]) -> set[str]:
    """Return all names for reading textures, in words or by texture units."""
    return {f"{name}_sampler", *(one.name for one in textures),
            *(function.name for one in textures
              for function in _functions(name, textures, one, 0))}  # fmt: skip


def _table(name: str, textures: Sequence[Texture], texture: Texture) -> str:
    """Return the name of the table of a texture's levels; equal tables share it."""
    alike = [(one.sizes, one.in_blocks) for one in textures]
    first = alike.index((texture.sizes, texture.in_blocks))
    return f"{name}_levels{len(dict.fromkeys(alike[:first]))}"


def _functions(
    name: str, textures: Sequence[Texture], texture: Texture, first: int
) -> list[Function]:
    """Return the functions that read one of ``textures``, each after those that it calls."""
    form, table = texture.format, _table(name, textures, texture)
    side = BLOCK_SIDE if texture.in_blocks else 1
    counts = [-(-width // side) * -(-height // side) for width, height in texture.sizes]
    starts = [sum(counts[:level]) for level in range(len(counts))]
    places = [f"int3({start}, {w}, {h})"
              for start, (w, h) in zip(starts, texture.sizes, strict=True)]  # fmt: skip
    unit = "block" if side > 1 else "texel"
    return [
        *TEXELS[form](name), _around(name, texture.wraps), _mixed(name, form, texture.wraps),
        by_mip("int3", table, places, f"Levels: the first {unit} of each, texels across and down."),
        _sampled(name, texture, table, first),
    ]  # fmt: skip


def _sampled(name: str, texture: Texture, table: str, first: int) -> Function:
    def level(mip: str) -> str:
        return f"{name}_mixed_{texture.format}({first}, {table}({mip}), uv)"

    body = [f"return {level('0')};"]
    if len(texture.sizes) > 1:
        body = [f"const float inside = clamp(level, 0.0, {number(len(texture.sizes) - 1)});",
                "const int mip = int(inside);", f"const float4 fine = {level('mip')};",
                "if (inside == float(mip)) return fine;",
                f"return mix(fine, {level('mip + 1')}, inside - float(mip));"]  # fmt: skip
    return Function("float4", texture.reader, (Parameter("float2", "uv"),
                    Parameter("float", "level")), tuple(body))  # fmt: skip


def _around(name: str, wraps: bool) -> Function:
    body = "return int2(max(before, 0), min(before + 1, size - 1));"
    if wraps:
        body = "return int2(before + size * int(before < 0), (before + 1) % size);"
    return Function("int2", f"{name}_around_texel",
                    (Parameter("int", "before"), Parameter("int", "size")), (body,),
                    "The texels before and after a position along one side.")  # fmt: skip


def _mixed(name: str, form: str, wraps: bool) -> Function:
    inside = "(uv - floor(uv))" if wraps else "clamp(uv, float2(0.0), float2(1.0))"
    corner = [f"{name}_{form}(first, level, x.{x}, y.{y})" for y in "xy" for x in "xy"]
    return Function(
        "float4", f"{name}_mixed_{form}", (FIRST, LEVEL, Parameter("float2", "uv")),
        (f"const float2 place = {inside} * float2(float(level.y), float(level.z)) - 0.5;",
         "const float2 share = place - floor(place);",
         f"const int2 x = {name}_around_texel(int(floor(place.x)), level.y);",
         f"const int2 y = {name}_around_texel(int(floor(place.y)), level.z);",
         f"const float4 above = mix({corner[0]}, {corner[1]}, share.x);",
         f"const float4 below = mix({corner[2]}, {corner[3]}, share.x);",
         "return mix(above, below, share.y);"),
    )  # fmt: skip


def _r8(name: str) -> list[Function]:
    return [Function(
        "float4", f"{name}_r8", TEXEL,
        ("const int at = level.x + y * level.y + x;",
         f"const uint w = {name}_word(first + (at >> 2u)) >> uint(8 * (at & 3));",
         "return float4(float(w & 255u) / 255.0, 0.0, 0.0, 1.0);"),
        "A texel of one byte; level: its first texel, texels across and down.",
    )]  # fmt: skip


def _rgba8(name: str) -> list[Function]:
    lanes = ", ".join(f"float({value} & 255u)" for value in
                      ("w", "(w >> 8u)", "(w >> 16u)", "(w >> 24u)"))  # fmt: skip
    return [Function(
        "float4", f"{name}_rgba8", TEXEL,
        (f"const uint w = {name}_word(first + level.x + y * level.y + x);",
         f"return float4({lanes}) / 255.0;"),
        "A texel of four bytes; level: its first texel, texels across and down.",
    )]  # fmt: skip


def _rgba8_srgb(name: str) -> list[Function]:
    lanes = ", ".join(f"{name}_light(c.{lane})" for lane in "xyz")
    return [*_rgba8(name), Function(
        "float", f"{name}_light", (Parameter("float", "x"),),
        ("if (x <= 0.04045) return x / 12.92;", "return exp(2.4 * log((x + 0.055) / 1.055));"),
        "Linear light of a number that is sRGB-encoded.",
    ), Function(
        "float4", f"{name}_rgba8_srgb", TEXEL,
        (f"const float4 c = {name}_rgba8(first, level, x, y);", f"return float4({lanes}, c.w);"),
    )]  # fmt: skip


def _bc1(name: str) -> list[Function]:
    end = Function(
        "float3", f"{name}_end", (Parameter("uint", "bits"),),
        ("const uint red = bits >> 11u;", "const uint green = (bits >> 5u) & 63u;",
         "const uint blue = bits & 31u;",
         "return float3(float((red << 3u) | (red >> 2u)), float((green << 2u) | (green >> 4u)), "
         "float((blue << 3u) | (blue >> 2u))) / 255.0;"),
        "A color of 5, 6 and 5 bits, 0 to 1.",
    )  # fmt: skip
    return [end, Function(
        "float4", f"{name}_bc1", TEXEL,
        ("const int at = first + 2 * (level.x + (y >> 2u) * ((level.y + 3) >> 2u) + (x >> 2u));",
         f"const uint ends = {name}_word(at);",
         f"const uint steps = {name}_word(at + 1) >> uint(8 * (y & 3) + 2 * (x & 3));",
         f"const float share = float(({THIRDS}u >> (2u * (steps & 3u))) & 3u) / 3.0;",
         f"return float4(mix({name}_end(ends & 65535u), {name}_end(ends >> 16u), share), 1.0);"),
        "A texel of BC1; level: its first block, texels across and down.",
    )]  # fmt: skip


def _bc7(name: str) -> list[Function]:
    """Return the functions of BC7 blocks of modes 4 and 6."""
    return [_bits(name), _bc7_line(name), _bc7_end(name), _bc7_split(name), Function(
        "float4", f"{name}_bc7", TEXEL,
        ("const int at = first + 4 * (level.x + (y >> 2u) * ((level.y + 3) >> 2u) + (x >> 2u));",
         "const int texel = 4 * (y & 3) + (x & 3);",
         f"if ({name}_bits(at, 0, 7) == 64u) return {name}_bc7_line(at, texel);",
         f"return {name}_bc7_split(at, texel);"),
        "A texel of BC7, of mode 4 or 6; level: its first block, texels across and down.",
    )]  # fmt: skip


def _bits(name: str) -> Function:
    return Function(
        "uint", f"{name}_bits", (AT, Parameter("int", "bit"), Parameter("int", "count")),
        ("const int word = bit >> 5u;", "const int low = bit & 31;",
         f"const uint here = {name}_word(at + word) >> uint(low);",
         f"const uint next = ({name}_word(at + min(word + 1, 3)) << 1u) << uint(31 - low);",
         "return (here | next) & ((1u << uint(count)) - 1u);"),
        "Some bits of a block of four words.",
    )  # fmt: skip


def _bc7_line(name: str) -> Function:
    """Return the function of mode 6: end points begin at bit 7, parities at 63, steps at 65."""
    ends = []
    for end, parity in enumerate((63, 64)):
        upper = [f"float({name}_bits(at, {7 * (1 + 2 * channel + end)}, 7))"
                 for channel in range(4)]  # fmt: skip
        ends.append(f"2.0 * float4({', '.join(upper)}) + float({name}_bits(at, {parity}, 1))")
    return Function(
        "float4", f"{name}_bc7_line", (AT, TEXEL_OF_BLOCK),
        ("const int begin = int(texel == 0);",  # the first step's highest bit, a 0, is not stored
         f"const uint step = {name}_bits(at, 64 + 4 * texel + begin, 4 - begin);",
         f"const float share = {_share('step', 15)};",
         f"const float4 zero = {ends[0]};", f"const float4 one = {ends[1]};",
         "return floor(zero + (one - zero) * share + 0.5) / 255.0;"),
        "A texel of mode 6: on the line between two end points.",
    )  # fmt: skip


def _bc7_end(name: str) -> Function:
    return Function(
        "float", f"{name}_bc7_end", (AT, Parameter("int", "bit"), Parameter("int", "count")),
        (f"const uint upper = {name}_bits(at, bit, count);",
         "return float((upper << uint(8 - count)) | (upper >> uint(2 * count - 8)));"),
        "An end point of few bits as one of eight.",
    )  # fmt: skip


def _bc7_split(name: str) -> Function:
    """Return the function of mode 4: end points begin at bit 8, steps at 50 and 81."""
    ends = []
    for end in range(2):
        codes = [f"{name}_bc7_end(at, {8 + 10 * channel + 5 * end}, 5)" for channel in range(3)]
        ends.append(f"float4({', '.join(codes)}, {name}_bc7_end(at, {38 + 6 * end}, 6))")
    return Function(
        "float4", f"{name}_bc7_split", (AT, TEXEL_OF_BLOCK),
        ("const int begin = int(texel == 0);",  # of both first steps the highest bit is not stored
         f"const uint coarse = {name}_bits(at, 49 + 2 * texel + begin, 2 - begin);",
         f"const uint fine = {name}_bits(at, 80 + 3 * texel + begin, 3 - begin);",
         f"const float near = {_share('coarse', 3)};", f"const float close = {_share('fine', 7)};",
         f"const float other = float({name}_bits(at, 7, 1));",
         "const float line = mix(near, close, other);",
         "const float4 share = float4(line, line, line, mix(close, near, other));",
         f"const float4 zero = {ends[0]};", f"const float4 one = {ends[1]};",
         "const float4 c = floor(zero + (one - zero) * share + 0.5) / 255.0;",
         f"const uint swapped = {name}_bits(at, 5, 2);",
         "if (swapped == 1u) return float4(c.w, c.y, c.z, c.x);",
         "if (swapped == 2u) return float4(c.x, c.w, c.z, c.y);",
         "if (swapped == 3u) return float4(c.x, c.y, c.w, c.z);", "return c;"),
        "A texel of mode 4: three channels on a line, and one on its own.",
    )  # fmt: skip


def _share(step: str, most: int) -> str:
    """Return the text of a step's part of the way, in 64ths."""
    return f"floor(float({step}) * 64.0 / {most}.0 + 0.5) / 64.0"


TEXELS: dict[str, Callable[[str], list[Function]]] = {
    "r8": _r8, "rgba8": _rgba8, "rgba8_srgb": _rgba8_srgb, "bc1": _bc1,
    "bc7": _bc7,
}  # fmt: skip
