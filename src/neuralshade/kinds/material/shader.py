"""Shader form of a fitted material: eval, pdf and sample in a shading language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.levels import LARGEST
from neuralshade.kinds.material.map_rows import BLOCKS, level_rows
from neuralshade.kinds.material.recipe import BLOCK_CHANNELS
from neuralshade.kinds.material.schema import level_sides
from neuralshade.kinds.material.shader_golden import golden_rows
from neuralshade.kinds.material.shader_sampler import sampler_functions, sampler_structs
from neuralshade.kinds.material.shader_surface import (
    Surface,
    lobe_struct,
    of_codes,
    surface_functions,
)
from neuralshade.languages.encodings import layers_of
from neuralshade.languages.forms import Header, level_function
from neuralshade.languages.names import identifiers, words_in
from neuralshade.languages.numbers import LANES, number
from neuralshade.model.lobes import COLUMNS, LEAST, LOW, QUARTER
from neuralshade.model.shader_form import Function, Layer, Network, Parameter, ShaderForm, Texture

if TYPE_CHECKING:
    from neuralshade.kinds.material.opened import OpenedMaterial

FRAME = "x along u, y against v, z up; of length 1, away from the surface"


def material_shader(opened: OpenedMaterial, name: str) -> ShaderForm:
    """Return ``NAME(uv, level, wi, wo)``, ``NAME_pdf``, ``NAME_sample`` and ``NAME_level(dx, dy)``.

    Varied inputs are further arguments.
    """
    varied = [one.name for one in opened.varied]
    taken = words_in(_functions(opened, name, [f"input{i}" for i in range(len(varied))]))
    inputs = identifiers(varied, taken)
    functions = _functions(opened, name, inputs)
    surface = _surface(opened, name, inputs)
    structs = [lobe_struct(name), *sampler_structs(surface)]
    recipe = opened.recipe
    side, levels = opened.side, opened.levels
    header = Header(opened, name, "What a material scatters, for any light and any eye.", {
        "color space": "linear light",
        "map": f"{side} x {side} texels, {levels} levels, beyond 0 to 1 "
               f"{'repeated' if recipe.wrap == 'repeat' else 'clamped'}",
    })  # fmt: skip
    words = np.zeros(0, np.uint32) if surface.textures else _words(opened.tensors["features"])
    return header.form(structs, functions, words, lambda: golden_rows(opened, name),
                       surface.textures)  # fmt: skip


def _surface(opened: OpenedMaterial, name: str, inputs: list[str]) -> Surface:
    encoding = encoding_of(opened.field)
    low, high = encoding.ends().double().numpy()
    linear = encoding.lobes.read
    assert linear.bias is not None
    read = Layer(linear.weight.detach().double().numpy(), linear.bias.detach().double().numpy(),
                 "none")  # fmt: skip
    read = of_codes(read, low, high, _largest(opened))
    varied = tuple(zip(inputs, opened.varied, strict=True))
    return Surface(name, level_sides(opened.side)[: opened.levels], opened.recipe.wrap == "repeat",
                   read, opened.recipe.lobes, varied, _textures(opened, name))  # fmt: skip


def _largest(opened: OpenedMaterial) -> float:
    """Return the code of a number that is 1: texture units return 1."""
    return 1.0 if opened.recipe.latents == "bc7" else LARGEST


def _textures(opened: OpenedMaterial, name: str) -> tuple[Texture, ...]:
    """Return the map's BC7 textures; none of a map of words."""
    if opened.recipe.latents != "bc7":
        return ()
    levels = level_rows(opened.tensors[BLOCKS], opened.side)
    sizes = tuple((side, side) for side in level_sides(opened.side)[: len(levels)])
    found = list[Texture]()
    for index in range(opened.recipe.features // BLOCK_CHANNELS):
        title = f"features_{index}"
        blocks = tuple(level[:, index].tobytes() for level in levels)
        found.append(Texture(f"{name}_{title}_texture", title, "bc7", sizes, blocks,
                             opened.recipe.wrap == "repeat"))  # fmt: skip
    return tuple(found)


def _functions(opened: OpenedMaterial, name: str, inputs: list[str]) -> list[Function]:
    surface = _surface(opened, name, inputs)
    low, high = encoding_of(opened.field).ends().double().numpy()
    decoder, sampler = (layers_of(network) for network in
                        (opened.field.network, opened.sampler.network))  # fmt: skip
    for layers in (decoder, sampler):
        layers[0] = of_codes(layers[0], low, high, _largest(opened))
    return [*surface_functions(surface), _lobe_columns(opened, name),
            _scattered(opened, surface, decoder),
            level_function(name, (opened.side, opened.side)),
            *sampler_functions(surface, sampler)]  # fmt: skip


def _lobe_columns(opened: OpenedMaterial, name: str) -> Function:
    """Return the function of the decoder's input from a lobe: four columns."""
    quarter, logarithms = number(QUARTER), opened.recipe.lobe_inputs == COLUMNS
    cosines = "float2(dot(wi, lobe.normal), dot(wo, lobe.normal))"
    seen = (f"{quarter} * log(max({cosines} + {number(opened.recipe.below)}, "
            f"float2({number(LOW)})))" if logarithms else cosines)  # fmt: skip
    parameters = (Parameter(f"{name}_lobe", "lobe"), Parameter("float3", "wi"),
                  Parameter("float3", "wo"), Parameter("float3", "half_way"))  # fmt: skip
    return Function(
        "float4", f"{name}_seen", parameters,
        ("const float2 over = float2(dot(half_way, lobe.tangent), "
         "dot(half_way, cross(lobe.normal, lobe.tangent))) / lobe.widths;",
         "const float up = dot(half_way, lobe.normal);",
         f"const float2 seen = {seen};",
         f"return float4({quarter} * log(dot(over, over) + up * up), seen.x, seen.y, up);"),
        f"What the decoder sees of a lobe: log of its GGX denominator, {'logs of ' * logarithms}"
        "cosines of wi and wo, cosine of the half vector.",
    )  # fmt: skip


def _scattered(opened: OpenedMaterial, surface: Surface, decoder: list[Layer]) -> Function:
    name, lobes, recipe = surface.name, range(surface.lobes), opened.recipe
    sorts = [[f"seen{lobe}.{column}" for lobe in lobes] for column in "xyzw"]
    body = ["if (min(wi.z, wo.z) <= 0.0) return float3(0.0);", *surface.lines(),
            "const float3 half_way = normalize(wi + wo);"]  # fmt: skip
    body += [f"const float4 seen{lobe} = {name}_seen({surface.lobe(lobe)}, wi, wo, half_way);"
             for lobe in lobes]  # fmt: skip
    if recipe.lobe_inputs > COLUMNS:
        body += [f"const float log{lobe} = {number(QUARTER)} * log(max(seen{lobe}.y + "
                 f"{number(recipe.below)}, {number(LOW)}));" for lobe in lobes]  # fmt: skip
        sorts.append([f"log{lobe}" for lobe in lobes])
    columns = [x for sort in sorts[: recipe.lobe_inputs] for x in sort]
    body.append("const float4 pair = float4(dot(half_way, wi), wi.z, wo.z, "
                f"{number(QUARTER)} * log(max(wi.z * wo.z, {number(LEAST)})));")  # fmt: skip
    inputs = (*surface.codes, *columns, *(f"pair.{each}" for each in LANES), *surface.varied)
    network = Network(inputs, tuple(decoder), "light", steep=True)
    directions = (Parameter("float3", "wi", f"to the light: {FRAME}"),
                  Parameter("float3", "wo", "to the eye, likewise"))  # fmt: skip
    level = f"of the map, 0 is the finest: {name}_level says which serves a footprint"
    place = (Parameter("float2", "uv", "0 to 1 over the map, u to the right, v down"),
             Parameter("float", "level", level))  # fmt: skip
    return Function(
        "float3", name, (*place, *directions, *surface.parameters),
        (*body, network, "return light0.xyz;"),
        "Return f * cos of wi in linear light; 0 where wi or wo lies below the surface.",
        public=True, meaning="light", space="linear",
    )  # fmt: skip


def _words(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return the map's words: the numbers of each texel in groups of four, zero-padded."""
    filled = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 4)))
    return np.ascontiguousarray(filled).reshape(-1).view("<u4").astype(np.uint32, copy=False)
