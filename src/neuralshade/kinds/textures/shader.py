"""A fitted set as functions of a shading language: texels, filtered or not, and its maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuralshade.kinds.textures.shader_golden import golden_rows
from neuralshade.kinds.textures.shader_latents import add_latents
from neuralshade.kinds.textures.shader_maps import (
    AT,
    about_of,
    map_functions,
    map_names,
    type_of,
)
from neuralshade.languages.columns import Columns
from neuralshade.languages.encodings import layers_of
from neuralshade.languages.forms import Header, level_function
from neuralshade.languages.numbers import fours, number
from neuralshade.model.composite import Composite
from neuralshade.model.shader_form import Function, Network, Parameter, ShaderForm, Struct

if TYPE_CHECKING:
    from neuralshade.kinds.textures.opened import OpenedTextures

LEVEL = Parameter("float", "level", "0 is the finest; between two levels both are mixed")
PLACE = (Parameter("float2", "uv"), Parameter("float", "level"))  # as bilinear has them
MIP = Parameter("int", "mip", "0 is the finest; beyond, the nearest")
# Behind the asset's name, of what is no map.
TAKEN = ("channels", "texel", "bilinear", "stochastic", "filtered", "level", "size", "decoded",
         "linear", "word", "words", "row", "asset")  # fmt: skip


def textures_shader(opened: OpenedTextures, name: str) -> ShaderForm:
    """Return the functions of a set; see ``Opened.shader``.

    ``NAME_texel(x, y, mip)``, ``NAME_bilinear(uv, level)`` and ``NAME_stochastic(uv, level, u)``
    return the channels of all maps, ``NAME_filtered(uv, level)`` those of latents that are BC1
    textures and filtered themselves; ``NAME_MAP(channels)`` is one map of them, and
    ``NAME_MAP_at(uv, level)`` that of bilinear ones. ``NAME_level(dx, dy)`` is the level of a
    footprint.
    """
    wraps, levels = opened.recipe.wrap == "repeat", len(opened.sizes)
    columns = Columns(name)
    encoding = opened.field.encoding
    assert isinstance(encoding, Composite)
    count = sum(key.startswith("latents.") for key in opened.tensors)
    latents = [opened.tensors[f"latents.{index}"] for index in range(count)]
    words, reading = add_latents(columns, encoding, latents, wraps)
    layers = layers_of(opened.field.network)
    layers[0] = columns.folded(layers[0])
    decoded = Network(tuple(columns.floats), tuple(layers), "decoded")
    parts = [f"c{four}" for four in range(fours(opened.channels))]
    struct = Struct(f"{name}_channels", tuple(("float4", part) for part in parts))
    names = map_names(opened.codings, _taken(reading, name))
    functions = [
        _size(name, opened.size_of_set), *reading, _decoded(name, columns, decoded, parts),
        _texel(name, wraps, levels), _bilinear(name, wraps, levels, parts),
        _stochastic(name, wraps, levels),
    ]  # fmt: skip
    if opened.recipe.latents == "bc1":
        functions.append(_filtered(name, wraps, levels, parts))
    functions.append(level_function(name, opened.sizes[0]))
    functions += map_functions(name, opened.codings, names)
    for coding, own in zip(opened.codings, names, strict=True):
        functions.append(Function(
            type_of(coding), f"{name}_{own}{AT}", PLACE,
            (f"return {name}_{own}({name}_bilinear(uv, level));",),
            f"Return {about_of(coding)}. Of several maps call {name}_bilinear once.", public=True,
        ))  # fmt: skip
    width, height = opened.size_of_set
    listed = [f"{own} {about_of(one)}" for own, one in zip(names, opened.codings, strict=True)]
    header = Header(opened, name, "Maps of a surface, all of them together.", {
        "size": f"{width} x {height} texels, {levels} levels",
        "beyond 0 to 1": "repeated" if wraps else "clamped",
        "maps": "; ".join(listed),
        "samples": f"{name}_texel and {name}_stochastic run the network once, {name}_bilinear "
                   "4 times, 8 between levels",
    })  # fmt: skip
    return header.form((struct,), functions, words, lambda: golden_rows(opened, name, names))


def _taken(reading: list[Function], name: str) -> set[str]:
    """Return what no map may be called."""
    return {*TAKEN, *(one.name.removeprefix(f"{name}_") for one in reading)}


def _uv(wraps: bool) -> Parameter:
    beyond = "repeated" if wraps else "clamped"
    return Parameter("float2", "uv", f"u to the right, v down, 0 to 1; beyond it is {beyond}")


def _decoded(name: str, columns: Columns, network: Network, parts: list[str]) -> Function:
    kind = f"{name}_channels"
    body: list[str | Network] = [*columns.lines, network, f"{kind} found;"]
    body += [f"found.{part} = clamp(decoded{four}, float4(0.0), float4(1.0));"
             for four, part in enumerate(parts)]  # fmt: skip
    parameters = (Parameter("float2", "uv"), Parameter("int", "mip"))
    return Function(kind, f"{name}_decoded", parameters, (*body, "return found;"),
                    "What the latents around uv, 0 to 1, are decoded to.")  # fmt: skip


def _size(name: str, size: tuple[int, int]) -> Function:
    width, height = (f"float(max(int({side}) >> uint(mip), 1))" for side in size)
    return Function("float2", f"{name}_size", (Parameter("int", "mip"),),
                    (f"return float2({width}, {height});",), "Texels across and down.")  # fmt: skip


def _texel(name: str, wraps: bool, levels: int) -> Function:
    inside = "at - size * floor(at / size)" if wraps else "clamp(at, float2(0.5), size - 0.5)"
    return Function(
        f"{name}_channels", f"{name}_texel",
        (Parameter("int", "x"), Parameter("int", "y"), MIP),
        (f"const int level = clamp(mip, 0, {levels - 1});",
         f"const float2 size = {name}_size(level);",
         "const float2 at = float2(float(x), float(y)) + 0.5;",
         f"return {name}_decoded(({inside}) / size, level);"),
        "Return the channels of all maps, each 0 to 1, in column x and row y from above; beyond "
        f"the border they are {'repeated' if wraps else 'clamped'}.", public=True,
    )  # fmt: skip


def _unit(wraps: bool) -> str:
    """Return ``uv`` brought from beyond the border."""
    return "(uv - floor(uv))" if wraps else "clamp(uv, float2(0.0), float2(1.0))"


def _place_lines(name: str, wraps: bool, mip: str) -> list[str]:
    """Return lines that declare the texel up and left of ``uv``, and how far it is from it."""
    return [f"const float2 place = {_unit(wraps)} * {name}_size({mip}) - 0.5;",
            "const float2 first = floor(place);",
            "const float2 share = place - first;"]  # fmt: skip


def _mixed_levels(levels: int, parts: list[str], kind: str) -> list[str]:
    """Return lines that find out between which levels ``level`` is, and declare their mean."""
    return [f"const float inside = clamp(level, 0.0, {number(levels - 1)});",
            "const int mip = int(inside);", "const float between = inside - float(mip);",
            f"{kind} mixed;", *(f"mixed.{part} = float4(0.0);" for part in parts)]  # fmt: skip


def _bilinear(name: str, wraps: bool, levels: int, parts: list[str]) -> Function:
    kind = f"{name}_channels"
    return Function(
        kind, f"{name}_bilinear", (_uv(wraps), LEVEL),
        (*_mixed_levels(levels, parts, kind),
         "for (int i = 0; i < min(8, 4 + 4 * int(between > 0.0)); ++i)", "{",
         "const int coarser = i >> 2u;", *_place_lines(name, wraps, "mip + coarser"),
         "const float2 step = float2(float(i & 1), float((i >> 1u) & 1));",
         "const float2 sides = abs(1.0 - step - share);",
         "const float weight = sides.x * sides.y * abs(1.0 - float(coarser) - between);",
         f"const {kind} one = {name}_texel(int(first.x + step.x), int(first.y + step.y), "
         "mip + coarser);",
         *(f"mixed.{part} += one.{part} * weight;" for part in parts),
         "}", "return mixed;"),
        "Return the channels of the four texels around uv, mixed as a texture's are.", public=True,
    )  # fmt: skip


def _stochastic(name: str, wraps: bool, levels: int) -> Function:
    about = "three random numbers, 0 to below 1"
    return Function(
        f"{name}_channels", f"{name}_stochastic",
        (*PLACE, Parameter("float3", "u", about)),
        (f"const int mip = int(clamp(floor(level + u.z), 0.0, {number(levels - 1)}));",
         *_place_lines(name, wraps, "mip"),
         f"return {name}_texel(int(first.x) + int(u.x < share.x), int(first.y) + int(u.y < "
         "share.y), mip);"),
        f"Return one of the texels that {name}_bilinear mixes, by their weights: its mean.",
        public=True,
    )  # fmt: skip


def _filtered(name: str, wraps: bool, levels: int, parts: list[str]) -> Function:
    kind = f"{name}_channels"
    return Function(
        kind, f"{name}_filtered", PLACE,
        (*_mixed_levels(levels, parts, kind),
         "for (int i = 0; i < min(2, 1 + int(between > 0.0)); ++i)", "{",
         "const float weight = abs(1.0 - float(i) - between);",
         f"const {kind} one = {name}_decoded({_unit(wraps)}, mip + i);",
         *(f"mixed.{part} += one.{part} * weight;" for part in parts),
         "}", "return mixed;"),
        "Return what latents mixed at uv are decoded to: one network for a level.", public=True,
    )  # fmt: skip
