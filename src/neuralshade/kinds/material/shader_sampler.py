"""Shader functions of a fitted material's sampler of directions.

Values: model/lobe_sampler.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from neuralshade.kinds.material.shader_surface import PLACE, Surface
from neuralshade.languages.numbers import lane, number
from neuralshade.model.lobe_sampler import LEAST_SEEN, LEAST_WEIGHT, WIDTHS
from neuralshade.model.shader_form import Function, Layer, Network, Parameter, Struct

BELOW = "the surface it is 0."
# Half a turn less than the angle: shading languages guarantee sines from -pi to pi.
TURN = f"{number(2 * math.pi)} * (u.y - 0.5)"
EYE = Parameter("float3", "wo", f"to the eye; below {BELOW}")


def sampler_structs(surface: Surface) -> list[Struct]:
    """Return the structs of a mixture and of a drawn direction."""
    name, lobes = surface.name, list[tuple[str, str]]()
    for index in range(surface.lobes):
        lobes += [(f"{name}_lobe", f"lobe{index}"), ("float", f"weight{index}")]
    return [Struct(f"{name}_mixture", (("float", "cosine"), *lobes)),
            Struct(f"{name}_direction", (("float3", "wi"), ("float", "pdf")))]  # fmt: skip


def sampler_functions(surface: Surface, layers: Sequence[Layer]) -> list[Function]:
    """Return ``NAME_pdf`` and ``NAME_sample``, and the functions that they call.

    ``layers``: of the network that weighs lobes, with codes as inputs.
    """
    name, inputs = surface.name, surface.arguments
    mixture = f"const {name}_mixture mixture = {name}_mixture_at(uv, level,"
    pdf = Function(
        "float", f"{name}_pdf",
        (*PLACE, Parameter("float3", "wi", f"to the light; below {BELOW}"), EYE,
         *surface.parameters),
        ("if (wo.z <= 0.0) return 0.0;", f"{mixture} wo{inputs});",
         f"return {name}_density(mixture, wi, wo);"),
        f"Return the density of {name}_sample at wi, per steradian.", public=True,
        meaning="density",
    )  # fmt: skip
    return [_mixture(surface, layers), _lobe_density(name), _density(surface), pdf,
            _mirrored(name), _sample(surface, mixture)]  # fmt: skip


def _mixture(surface: Surface, layers: Sequence[Layer]) -> Function:
    name, lobes = surface.name, range(surface.lobes)
    cosines = [f"seen{index}" for index in lobes]
    weights, wider = ["cosine", *(f"weight{i}" for i in lobes)], surface.lobes + 1
    inputs = (*surface.codes, *surface.varied, "wo.z", *cosines)
    network = Network(inputs, tuple(layers), "said", steep=True)
    most = lane("said", 0)
    for part in range(1, wider):
        most = f"max({most}, {lane('said', part)})"
    raised = [f"raised{part}" for part in range(wider)]
    each, rest = number(LEAST_WEIGHT / wider), number(1 - LEAST_WEIGHT)
    narrow, wide = (number(width) for width in WIDTHS)
    body: list[str | Network] = [*surface.lines(), f"{name}_mixture found;"]
    for index in lobes:
        body += [f"found.lobe{index} = {surface.lobe(index)};",
                 f"const float seen{index} = dot(wo, found.lobe{index}.normal);"]  # fmt: skip
    body += [network, f"const float most = {most};"]
    body += [f"const float {one} = exp({lane('said', part)} - most);"
             for part, one in enumerate(raised)]  # fmt: skip
    body.append(f"const float rest = {rest} / ({' + '.join(raised)});")
    body.append(f"found.cosine = {each} + rest * raised0;")
    for index in lobes:
        lobe = f"found.lobe{index}"
        body += [
            f"found.weight{index} = float({cosines[index]} >= {number(LEAST_SEEN)}) * "
            f"({each} + rest * raised{index + 1});",
            f"{lobe}.widths = clamp({lobe}.widths * exp(0.5 * {lane('said', wider + index)}), "
            f"float2({narrow}), float2({wide}));",
        ]
    body.append(f"const float whole = {' + '.join(f'found.{one}' for one in weights)};")
    body += [f"found.{one} = found.{one} / whole;" for one in weights]
    return Function(f"{name}_mixture", f"{name}_mixture_at",
                    (*PLACE, Parameter("float3", "wo"), *surface.parameters),
                    (*body, "return found;"),
                    "What directions are drawn from: a cosine and lobes, and their "
                    "weights.")  # fmt: skip


def _lobe_density(name: str) -> Function:
    parameters = (Parameter(f"{name}_lobe", "lobe"), Parameter("float3", "wi"),
                  Parameter("float3", "wo"))  # fmt: skip
    return Function(
        "float", f"{name}_lobe_density", parameters,
        ("const float3 both = wi + wo;",
         "const float3 half_way = both * inversesqrt(max(dot(both, both), 1e-24));",
         "const float up = dot(half_way, lobe.normal);",
         "const float eye = dot(wo, lobe.normal);",
         "if (min(up, eye) <= 0.0) return 0.0;",
         "const float3 across = cross(lobe.normal, lobe.tangent);",
         "const float2 over = float2(dot(half_way, lobe.tangent), dot(half_way, across))"
         " / lobe.widths;",
         "const float2 wide = float2(dot(wo, lobe.tangent), dot(wo, across)) * lobe.widths;",
         "const float spread = dot(over, over) + up * up;",
         f"const float facets = 1.0 / max({number(math.pi)} * lobe.widths.x * lobe.widths.y"
         " * spread * spread, 1e-30);",
         "return facets / max(2.0 * (eye + sqrt(dot(wide, wide) + eye * eye)), 1e-6);"),
        "The density of a lobe over the whole sphere, by visible normals.",
    )  # fmt: skip


def _density(surface: Surface) -> Function:
    name = surface.name
    lines = ["if (wi.z <= 0.0) return 0.0;",
             "// What went below the surface was folded up.",
             "const float3 folded = float3(wi.xy, -wi.z);",
             f"float found = mixture.cosine * wi.z * {number(1 / math.pi)};"]  # fmt: skip
    for index in range(surface.lobes):
        both = " + ".join(f"{name}_lobe_density(mixture.lobe{index}, {direction}, wo)"
                          for direction in ("wi", "folded"))  # fmt: skip
        lines.append(f"found += mixture.weight{index} * ({both});")
    parameters = (Parameter(f"{name}_mixture", "mixture"), Parameter("float3", "wi"),
                  Parameter("float3", "wo"))  # fmt: skip
    return Function("float", f"{name}_density", parameters, (*lines, "return found;"))


def _mirrored(name: str) -> Function:
    parameters = (Parameter(f"{name}_lobe", "lobe"), Parameter("float3", "wo"),
                  Parameter("float3", "u"))  # fmt: skip
    return Function(
        "float3", f"{name}_mirrored", parameters,
        ("const float3 across = cross(lobe.normal, lobe.tangent);",
         "const float2 eye = float2(dot(wo, lobe.tangent), dot(wo, across)) * lobe.widths;",
         "const float3 stretched = normalize(float3(eye, dot(wo, lobe.normal)));",
         "const float seen = 1.0 + stretched.z;",
         "const float depth = u.z * seen;",
         f"const float angle = {TURN};",
         "const float2 turn = -float2(cos(angle), sin(angle));",
         "const float2 cap = sqrt(max(depth * (2.0 - depth), 0.0)) * turn + stretched.xy;",
         "const float3 drawn = normalize(float3(lobe.widths * cap, (1.0 - u.z) * seen));",
         "const float3 facet = drawn.x * lobe.tangent + drawn.y * across + drawn.z * lobe.normal;",
         "return normalize(2.0 * dot(wo, facet) * facet - wo);"),
        "wo mirrored about a visible normal (Dupuy and Benyoub 2023, listing 3).",
    )  # fmt: skip


def _sample(surface: Surface, mixture: str) -> Function:
    name = surface.name
    choices = [f"{name}_lobe lobe = mixture.lobe0;"]
    choices += ["float before = mixture.cosine;"] * (surface.lobes > 1)
    for index in range(1, surface.lobes):
        choices += [f"before += mixture.weight{index - 1};", "if (u.x >= before)", "{",
                    f"lobe = mixture.lobe{index};", "}"]  # fmt: skip
    body = (
        "const float3 eye = float3(wo.xy, abs(wo.z));", f"{mixture} eye{surface.arguments});",
        *choices,
        f"const float angle = {TURN};",
        "const float radius = sqrt(u.z);",
        "float3 wi = float3(-radius * cos(angle), -radius * sin(angle), sqrt(1.0 - u.z));",
        "if (u.x >= mixture.cosine)", "{", f"wi = {name}_mirrored(lobe, eye, u);", "}",
        f"{name}_direction found;",
        "found.wi = float3(wi.xy, abs(wi.z));",
        f"found.pdf = {name}_density(mixture, found.wi, eye) * float(wo.z > 0.0);",
        "return found;",
    )  # fmt: skip
    u = Parameter("float3", "u", "random numbers from 0 to below 1; the first one chooses the lobe")
    return Function(
        f"{name}_direction", f"{name}_sample", (*PLACE, EYE, u, *surface.parameters), body,
        "Return a direction to look for light in, above the surface, and its density per sr.",
        public=True, meaning="direction",
    )  # fmt: skip
