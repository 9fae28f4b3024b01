"""Shader functions of a fitted material's map look-up and lobes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.varied import Varied
from neuralshade.languages.mip_tables import by_mip
from neuralshade.languages.numbers import fours, lane, number
from neuralshade.model.lobes import LOG_WIDTHS
from neuralshade.model.shader_form import Function, Layer, Network, Parameter, Struct, Texture

Doubles = npt.NDArray[np.float64]

PAIRS = ("xy", "zw")
PLACE = (Parameter("float2", "uv"), Parameter("float", "level"))


@dataclass(frozen=True)
class Surface:
    """A material's map and lobe read-out, and the lines that evaluate them.

    ``read`` takes codes: their values are folded into it, see ``of_codes``. ``textures`` hold four
    numbers each; without any the map is words.
    """

    name: str
    sides: list[int]  # of the map's levels, in texels
    wraps: bool
    read: Layer
    lobes: int
    inputs: tuple[tuple[str, Varied], ...]  # varied inputs, by their parameters' names
    textures: tuple[Texture, ...] = ()

    @property
    def features(self) -> int:
        """Return the numbers of a texel."""
        return self.read.weight.shape[1]

    @property
    def compares(self) -> bool:
        """Return whether levels are found by comparison, because sides are no powers of two."""
        return len(self.sides) > 1 and self.sides[0].bit_count() > 1

    @property
    def codes(self) -> list[str]:
        """Return the names of a texel's numbers in ``lines``."""
        return [lane("codes", index) for index in range(self.features)]

    @property
    def varied(self) -> list[str]:
        """Return the names of varied inputs in ``lines``, scaled to -1 to 1."""
        return [f"varied{index}" for index in range(len(self.inputs))]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the function parameters of varied inputs."""
        return tuple(Parameter("float", name, f"{one.low:g} to {one.high:g}, clamped; usually "
                               f"{one.default:g}", (one.low, one.high, one.default))
                     for name, one in self.inputs)  # fmt: skip

    @property
    def arguments(self) -> str:
        """Return the arguments of varied inputs, after other arguments."""
        return "".join(f", {name}" for name, _ in self.inputs)

    def lines(self) -> list[str | Network]:
        """Return the declarations of ``codes``, ``varied`` and the read-out at uv and level."""
        lines: list[str | Network] = [*self._code_lines()]
        for index, (name, one) in enumerate(self.inputs):
            lines.append(f"const float varied{index} = clamp(({name} - {number(one.low)}) * "
                         f"{number(1 / (one.high - one.low))}, 0.0, 1.0) * 2.0 - 1.0;")  # fmt: skip
        return [*lines, Network(tuple(self.codes), (self.read,), "read")]

    def _code_lines(self) -> list[str]:
        if self.textures:
            return [f"const float4 codes{four} = {one.reader}(uv, level);"
                    for four, one in enumerate(self.textures)]  # fmt: skip
        lines = list[str]()
        levels, own = len(self.sides), f"{self.name}_between"
        if levels > 1:
            lines += [f"const float inside = clamp(level, 0.0, {number(levels - 1)});",
                      "const int mip = int(inside);"]  # fmt: skip
        for four in range(fours(self.features)):
            part = f", {four}" if self.features > 4 else ""
            value = f"{own}(uv{part})"
            if levels > 1:
                value = (f"mix({own}(uv, mip{part}), {own}(uv, mip + 1{part}), "
                         "inside - float(mip))")  # fmt: skip
            lines.append(f"const float4 codes{four} = {value};")
        return lines

    def lobe(self, index: int) -> str:
        """Return the call that builds a lobe from the read-out."""
        pairs = [f"read{pair // 2}.{PAIRS[pair % 2]}" for pair in range(3 * index, 3 * index + 3)]
        return f"{self.name}_frame({', '.join(pairs)})"


def of_codes(layer: Layer, low: Doubles, high: Doubles, largest: float) -> Layer:
    """Return a layer whose first inputs are texel codes with values from ``low`` to ``high``.

    ``low``, ``high``: float64 [features]. ``largest``: the code of ``high``.
    """
    weight = layer.weight.copy()
    first = weight[:, : len(low)]
    bias = layer.bias + first @ low
    weight[:, : len(low)] = first * (high - low) / largest
    return Layer(weight, bias, layer.activation)


def lobe_struct(name: str) -> Struct:
    """Return the struct of a lobe: its frame, and the GGX widths along the tangent and across."""
    return Struct(f"{name}_lobe", (("float3", "normal"), ("float3", "tangent"),
                                   ("float2", "widths")))  # fmt: skip


def surface_functions(surface: Surface) -> list[Function]:
    """Return the functions that ``Surface.lines`` and ``Surface.lobe`` call."""
    name = surface.name
    if surface.textures:
        return [_frame(name)]
    levels = [_place(name, surface.sides)] if surface.compares else []
    return [_texel(surface), *levels, _between(surface), _frame(name)]


def _texel(surface: Surface) -> Function:
    name, words = surface.name, fours(surface.features)
    place = "texel" if words == 1 else f"{words} * texel + part"
    lanes = ["float(w & 255u)", *(f"float((w >> {8 * i}u) & 255u)" for i in (1, 2)),
             "float(w >> 24u)"]  # fmt: skip
    parameters = (Parameter("int", "texel"), *_part(surface))
    return Function("float4", f"{name}_texel", parameters,
                    (f"const uint w = {name}_word({place});",
                     f"return float4({', '.join(lanes)});"),
                    "Four numbers of a texel, 0 to 255.")  # fmt: skip


def _place(name: str, sides: list[int]) -> Function:
    firsts = np.cumsum([0, *(side * side for side in sides[:-1])]).tolist()
    places = [f"int2({first}, {side})" for first, side in zip(firsts, sides, strict=True)]
    return by_mip("int2", f"{name}_place", places, "The first texel of a level, and its side.")


def _between(surface: Surface) -> Function:
    name, side = surface.name, surface.sides[0]
    if surface.compares:
        lines = [f"const int2 own = {name}_place(mip);", "const int first = own.x;",
                 "const int side = own.y;"]  # fmt: skip
    elif len(surface.sides) > 1:  # each level has four times the texels of the next
        lines = [f"const int side = int({side}u >> uint(min(mip, {len(surface.sides) - 1})));",
                 f"const int first = 4 * ({side**2} - side * side) / 3;"]  # fmt: skip
    else:
        lines = ["const int first = 0;", f"const int side = {side};"]
    if surface.wraps:
        lines += ["const float2 place = (uv - floor(uv)) * float(side) - 0.5;"]
    else:
        lines += ["const float2 place = clamp(uv * float(side) - 0.5, float2(0.0), "
                  "float2(float(side - 1)));"]  # fmt: skip
    lines += ["const float2 share = place - floor(place);",
              "const int x = int(floor(place.x));",
              "const int y = int(floor(place.y));"]  # fmt: skip
    if surface.wraps:
        lines += ["const int left = x + side * int(x < 0);",
                  "const int right = x + 1 - side * int(x + 1 == side);",
                  "const int up = first + side * (y + side * int(y < 0));",
                  "const int down = first + side * "
                  "(y + 1 - side * int(y + 1 == side));"]  # fmt: skip
    else:
        lines += ["const int left = x;", "const int right = min(x + 1, side - 1);",
                  "const int up = first + side * y;",
                  "const int down = first + side * min(y + 1, side - 1);"]  # fmt: skip
    last = ", part" if surface.features > 4 else ""

    def row(begin: str) -> str:
        texels = [f"{name}_texel({begin} + {column}{last})" for column in ("left", "right")]
        return f"mix({', '.join(texels)}, share.x)"

    lines.append(f"return mix({row('up')}, {row('down')}, share.y);")
    mip = (Parameter("int", "mip"),) if len(surface.sides) > 1 else ()
    beyond = "repeats" if surface.wraps else "is clamped"
    return Function("float4", f"{name}_between", (PLACE[0], *mip, *_part(surface)), tuple(lines),
                    f"Texels of a level around uv, mixed; beyond 0 to 1 it {beyond}.")  # fmt: skip


def _part(surface: Surface) -> tuple[Parameter, ...]:
    return (Parameter("int", "part"),) if surface.features > 4 else ()


def _frame(name: str) -> Function:
    low, high = (number(end) for end in LOG_WIDTHS)
    parameters = tuple(Parameter("float2", each) for each in ("slope", "tangent", "logs"))
    return Function(
        f"{name}_lobe", f"{name}_frame", parameters,
        (f"{name}_lobe found;",
         "found.normal = normalize(float3(-slope, 1.0));",
         "const float3 along = float3(tangent, 0.0)"
         " - dot(float3(tangent, 0.0), found.normal) * found.normal;",
         "found.tangent = along / max(length(along), 1e-12);",
         f"found.widths = exp(clamp(logs, float2({low}), float2({high})));",
         "return found;"),
        "A lobe of its normal's slope, a tangent and the logarithms of its widths.",
    )  # fmt: skip
