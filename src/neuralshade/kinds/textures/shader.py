"""Shader form of a fitted set: functions of texels, filtered texels, and maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neuralshade.kinds.textures.shader_golden import golden_rows
from neuralshade.kinds.textures.shader_latents import add_latents
from neuralshade.kinds.textures.shader_maps import (
    about_of,
    map_functions,
    map_names,
)
from neuralshade.languages.activations import ACTIVATIONS
from neuralshade.languages.columns import Columns
from neuralshade.languages.encodings import layers_of
from neuralshade.languages.forms import Header, level_function
from neuralshade.languages.numbers import fours, number
from neuralshade.languages.software_textures import names_taken
from neuralshade.model.composite import Composite
from neuralshade.model.shader_form import (
    Function,
    Network,
    Parameter,
    ShaderForm,
    Struct,
    Texture,
)

if TYPE_CHECKING:
    from neuralshade.kinds.textures.opened import OpenedTextures

LEVEL = Parameter("float", "level", "0 is the finest; between two levels both are mixed")
PLACE = (Parameter("float2", "uv"), Parameter("float", "level"))  # of bilinear
MIP = Parameter("int", "mip", "0 is the finest; beyond, the nearest")
# Suffixes of functions other than maps.
TAKEN = ("channels", "area", "texel", "bilinear", "stochastic", "filtered", "level", "size",
         "decoded", "linear", "word", "words", "row", "half_row", "halves", "asset", "shader",
         "sine", "sines", "cosine", *ACTIVATIONS,
         *(f"{one}_half" for one in ACTIVATIONS))  # fmt: skip


def textures_shader(opened: OpenedTextures, name: str) -> ShaderForm:
    """Return the functions of a set; see ``Opened.shader``.

    ``NAME_texel(x, y, mip)``, ``NAME_bilinear(uv, level)`` and ``NAME_stochastic(uv, level, u)``
    return the channels of all maps, ``NAME_filtered(uv, level)`` those from filtered BC1 latents;
    ``NAME_MAP(channels)`` decodes one map from them, and ``NAME_MAP_at(uv, level)`` calls it on
    filtered latents if there are some, else on bilinear texels. ``NAME_area(uv, dx, dy)`` is the
    mean over a footprint, ``NAME_level(dx, dy)`` its level.
    """
    wraps, levels = opened.recipe.wrap == "repeat", len(opened.sizes)
    columns = Columns(name)
    encoding = opened.field.encoding
    assert isinstance(encoding, Composite)
    count = sum(key.startswith("latents.") for key in opened.tensors)
    latents = [opened.tensors[f"latents.{index}"] for index in range(count)]
    words, reading, textures = add_latents(columns, encoding, latents, wraps)
    layers = layers_of(opened.field.network)
    layers[0] = columns.folded(layers[0])
    decoded = Network(tuple(columns.floats), tuple(layers), "decoded")
    parts = [f"c{four}" for four in range(fours(opened.channels))]
    struct = Struct(f"{name}_channels", tuple(("float4", part) for part in parts))
    names = map_names(opened.codings, _taken(reading, name) | _taken_by(name, textures))
    functions = [
        _size(name, opened.size_of_set), *reading,
        _decoded(name, columns, decoded, parts, bool(textures)),
        _texel(name, wraps, levels, bool(textures)),
        _bilinear(name, wraps, levels, parts, filters=not textures),
        _stochastic(name, wraps, levels),
    ]  # fmt: skip
    if textures:
        functions.append(_filtered(name, wraps, levels))
    mixing = f"{name}_filtered" if textures else f"{name}_bilinear"
    functions += [level_function(name, opened.sizes[0]), _area(name, mixing, parts)]
    functions += map_functions(name, opened.codings, names, mixing)
    width, height = opened.size_of_set
    listed = [f"{own} {about_of(one)}" for own, one in zip(names, opened.codings, strict=True)]
    header = Header(opened, name, "Maps of a surface, all of them together.", {
        "size": f"{width} x {height} texels, {levels} levels",
        "beyond 0 to 1": "repeated" if wraps else "clamped",
        "maps": "; ".join(listed),
        "samples": f"{name}_texel and {name}_stochastic run the network once, {name}_bilinear "
                   "4 times, 8 between levels"
                   + (f", {name}_filtered once" if textures else ""),
    })  # fmt: skip
    return header.form((struct,), functions, words, lambda: golden_rows(opened, name, names),
                       textures)  # fmt: skip


def _taken(reading: list[Function], name: str) -> set[str]:
    """Return the names that no map may have."""
    return {*TAKEN, *(one.name.removeprefix(f"{name}_") for one in reading)}


def _taken_by(name: str, textures: Sequence[Texture]) -> set[str]:
    return {one.removeprefix(f"{name}_") for one in names_taken(name, textures)}


def _uv(wraps: bool) -> Parameter:
    beyond = "repeated" if wraps else "clamped"
    return Parameter("float2", "uv", f"u to the right, v down, 0 to 1; beyond it is {beyond}")


def _decoded(
    name: str, columns: Columns, network: Network, parts: list[str], sampled: bool
) -> Function:
    kind = f"{name}_channels"
    body: list[str | Network] = [*columns.lines, network, f"{kind} found;"]
    body += [f"found.{part} = clamp(decoded{four}, float4(0.0), float4(1.0));"
             for four, part in enumerate(parts)]  # fmt: skip
    place = Parameter("float", "level") if sampled else Parameter("int", "mip")
    parameters = (Parameter("float2", "uv"), place)
    return Function(kind, f"{name}_decoded", parameters, (*body, "return found;"),
                    "What the latents around uv, 0 to 1, are decoded to.")  # fmt: skip


def _size(name: str, size: tuple[int, int]) -> Function:
    width, height = (f"float(max(int({side}) >> uint(mip), 1))" for side in size)
    return Function("float2", f"{name}_size", (Parameter("int", "mip"),),
                    (f"return float2({width}, {height});",), "Texels across and down.")  # fmt: skip


def _texel(name: str, wraps: bool, levels: int, sampled: bool) -> Function:
    inside = "at - size * floor(at / size)" if wraps else "clamp(at, float2(0.5), size - 0.5)"
    return Function(
        f"{name}_channels", f"{name}_texel",
        (Parameter("int", "x"), Parameter("int", "y"), MIP),
        (f"const int level = clamp(mip, 0, {levels - 1});",
         f"const float2 size = {name}_size(level);",
         "const float2 at = float2(float(x), float(y)) + 0.5;",
         f"return {name}_decoded(({inside}) / size, {'float(level)' if sampled else 'level'});"),
        "Return the channels of all maps, each 0 to 1, in column x and row y from above; beyond "
        f"the border they are {'repeated' if wraps else 'clamped'}.", public=True,
        meaning="texel",
    )  # fmt: skip


def _unit(wraps: bool) -> str:
    """Return ``uv`` wrapped or clamped to the set."""
    return "(uv - floor(uv))" if wraps else "clamp(uv, float2(0.0), float2(1.0))"


def _place_lines(name: str, wraps: bool, mip: str) -> list[str]:
    """Return lines that declare the texel up and left of ``uv``, and the offset from it."""
    return [f"const float2 place = {_unit(wraps)} * {name}_size({mip}) - 0.5;",
            "const float2 first = floor(place);",
            "const float2 share = place - first;"]  # fmt: skip


def _mixed_levels(levels: int, parts: list[str], kind: str) -> list[str]:
    """Return lines that select the two levels around ``level``, and declare their mix."""
    return [f"const float inside = clamp(level, 0.0, {number(levels - 1)});",
            "const int mip = int(inside);", "const float between = inside - float(mip);",
            f"{kind} mixed;", *(f"mixed.{part} = float4(0.0);" for part in parts)]  # fmt: skip


def _bilinear(name: str, wraps: bool, levels: int, parts: list[str], *, filters: bool) -> Function:
    """Return the function of mixed texels. ``filters``: it is the one that filters maps."""
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
        meaning="channels" * filters,
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


def _filtered(name: str, wraps: bool, levels: int) -> Function:
    return Function(
        f"{name}_channels", f"{name}_filtered", (_uv(wraps), LEVEL),
        (f"return {name}_decoded(uv, clamp(level, 0.0, {number(levels - 1)}));",),
        "Return what latents mixed at uv and level are decoded to: one run of the network.",
        public=True, meaning="channels",
    )  # fmt: skip


def _area(name: str, mixing: str, parts: list[str]) -> Function:
    kind, whole = f"{name}_channels", f"{name}_level(dx * 0.5, dy * 0.5)"
    if mixing.endswith("_bilinear"):
        whole = f"floor({whole} + 0.5)"
    return Function(
        kind, f"{name}_area",
        (Parameter("float2", "uv"), Parameter("float2", "dx"), Parameter("float2", "dy")),
        (f"const float level = {whole};", f"{kind} mean;",
         *(f"mean.{part} = float4(0.0);" for part in parts),
         # never 8 times, which compilers that unroll loops cannot know
         "for (int i = 0; i < min(8, 4 + 4 * int(level < 0.0)); ++i)", "{",
         "const float2 step = float2(float(i & 1), float((i >> 1u) & 1)) * 0.5 - 0.25;",
         f"const {kind} one = {mixing}(uv + dx * step.x + dy * step.y, level);",
         *(f"mean.{part} += one.{part} * (0.25 * float(i < 4));" for part in parts),
         "}", "return mean;"),
        f"Return the mean of 4 of {mixing} in a footprint, of the level of half of it.",
        public=True,
    )  # fmt: skip
