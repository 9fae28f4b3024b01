"""HLSL for Shader Graph: Custom Functions, and the same functions as nodes by reflection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from neuralshade.languages.language import INDENT, comment
from neuralshade.verbs.export.engines.hlsl_asset import HlslAsset, free_name, header, srgb_lines
from neuralshade.verbs.export.engines.surface import STOCHASTIC, Surface

NODES = {"color": "Color", "maps": "Maps", "light": "Light"}  # names of functions, by surface
HALVES = {"float": "half", "float2": "half2", "float3": "half3", "float4": "half4"}


@dataclass(frozen=True)
class Node:
    """A function that a node of Shader Graph calls."""

    name: str  # without the suffix of a precision
    title: str
    textures: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]  # type and name
    outputs: tuple[tuple[str, str], ...]
    body: tuple[str, ...]
    about: str

    def head(self, suffix: str, *, half: bool = False) -> str:
        """Return the line before the body."""
        listed = [f"UnityTexture2D {one}" for one in self.textures]
        listed += [f"{_type(kind, half)} {name}" for kind, name in self.inputs]
        listed += [f"out {_type(kind, half)} {name}" for kind, name in self.outputs]
        return f"void {self.name}{suffix}({', '.join(listed)})"

    def text(self) -> list[str]:
        """Return the function in both precisions."""
        own = [f"value{i}" for i in range(len(self.outputs))]
        passed = [*self.textures, *(name for _, name in self.inputs), *own]
        return [
            comment(self.about), self.head("_float"), "{",
            *(f"{INDENT}{line}" for line in self.body), "}", "",
            self.head("_half", half=True), "{",
            *(f"{INDENT}{kind} {name};" for (kind, _), name in
              zip(self.outputs, own, strict=True)),
            f"{INDENT}{self.name}_float({', '.join(passed)});",
            *(f"{INDENT}{name} = {_type(kind, True)}({one});" for (kind, name), one in
              zip(self.outputs, own, strict=True)), "}", "",
        ]  # fmt: skip

    def reflected(self, asset: str) -> list[str]:
        """Return the function that Shader Graph makes a node of by itself."""
        passed = [*self.textures, *(name for _, name in (*self.inputs, *self.outputs))]
        return [
            "///<funchints>",
            f"///    <sg:ProviderKey>neuralshade.{self.name}</sg:ProviderKey>",
            f"///    <sg:DisplayName>{asset} {self.title}</sg:DisplayName>",
            f"///    <sg:SearchCategory>neuralshade/{asset}</sg:SearchCategory>",
            "///</funchints>", "UNITY_EXPORT_REFLECTION", self.head("_node"), "{",
            f"{INDENT}{self.name}_float({', '.join(passed)});", "}", "",
        ]  # fmt: skip


def _type(kind: str, half: bool) -> str:
    return HALVES[kind] if half else kind


@dataclass(frozen=True)
class UnityAsset(HlslAsset):
    """HLSL with the macros of Unity's Scriptable Render Pipelines."""

    texture: ClassVar[str] = "TEXTURE2D({0});"
    sampler: ClassVar[str] = "SAMPLER({0});"
    load: ClassVar[str] = "LOAD_TEXTURE2D({0}, {1})"
    sample: ClassVar[str] = "SAMPLE_TEXTURE2D_LOD({0}, {1}, {2}, {3})"
    flips: ClassVar[bool] = True

    def bound_texture(self, name: str) -> str:
        return f"{name}.tex"

    def bound_sampler(self, name: str) -> str:
        return f"{name}.samplerstate"

    @property
    def converters(self) -> dict[str, str]:
        """Return the functions that bring colors into the project's color space."""
        return {"srgb": free_name(self.form, "from_srgb"),
                "linear": free_name(self.form, "from_linear")}  # fmt: skip

    def nodes(self, surface: Surface) -> list[Node]:
        """Return the functions of nodes: of values, and of what levels serve a pixel."""
        name = self.form.name
        main = self._values(surface, NODES[surface.kind], _about(surface))
        made = [main]
        if surface.stochastic is not None:
            made.append(self._values(surface.stochastic, "Stochastic", STOCHASTIC))
        if surface.area is not None:
            made.append(self._area(surface, main.outputs))
        if surface.level is not None:
            made.append(Node(
                f"{name}_Level", "Level", (), (("float2", "UV"),), (("float", "Level"),),
                (f"Level = {surface.level.name}(ddx(UV), ddy(UV));",),
                "The level that serves a pixel. Of fragment stages alone.",
            ))  # fmt: skip
        return made

    def _values(self, surface: Surface, title: str, about: str) -> Node:
        """Return the node of a surface's values."""
        flip = f"{free_name(self.form, 'flipped')}(UV)"
        inputs = [(one.type, own) for one, own in
                  zip(surface.parameters, surface.arguments, strict=True)]  # fmt: skip
        arguments = [flip, *(own for _, own in inputs[1:])]
        body = [*self.evaluation(surface, arguments), *self.assigned(surface, self.converters)]
        outputs = [(kind, own) for one in surface.values for own, kind, _ in one.outputs]
        rough = surface.role("roughness")
        if rough is not None and rough.type == "float":
            outputs.append(("float", "Smoothness"))
            body.append(f"Smoothness = 1.0 - {rough.name};")
        return Node(f"{self.form.name}_{title}", title, tuple(self.inputs), tuple(inputs),
                    tuple(outputs), tuple(body), about)  # fmt: skip

    def _area(self, surface: Surface, outputs: Sequence[tuple[str, str]]) -> Node:
        """Return the node of a picture's footprint."""
        assert surface.area is not None
        value = surface.values[0]
        flip = free_name(self.form, "flipped")
        call = self.called(f"{surface.area.name}({flip}(UV), dx_, dy_)")
        body = (*self.filled(), "const float2 dx_ = ddx(UV) * float2(1.0, -1.0);",
                "const float2 dy_ = ddy(UV) * float2(1.0, -1.0);",
                f"const {value.type} value0_ = {call};",
                *self.assigned(surface, self.converters))  # fmt: skip
        return Node(f"{self.form.name}_Area", "Area", tuple(self.inputs), (("float2", "UV"),),
                    tuple(outputs), body, "The mean of four samples of a pixel, which aliases less."
                    " Of fragment stages alone.")  # fmt: skip

    def include_text(self, surface: Surface) -> str:
        """Return NAME.hlsl."""
        guard = f"NEURALSHADE_{self.form.name.upper()}_INCLUDED"
        lines = [*header(self.form), "", f"#ifndef {guard}", f"#define {guard}", "",
                 *self.declarations(), *self._color_functions(surface)]  # fmt: skip
        for node in self.nodes(surface):
            lines += node.text()
        return "\n".join([*lines, f"#endif // {guard}", ""])

    def _color_functions(self, surface: Surface) -> list[str]:
        """Return the conversions that the surface's colors need."""
        spaces = {one.space for one in surface.values if surface.kind != "light"}
        lines = list[str]()
        if "srgb" in spaces:
            name, to_linear = self.converters["srgb"], free_name(self.form, "linear_of")
            lines += [*srgb_lines(to_linear), "", f"float4 {name}(float4 c)", "{",
                      "#ifdef UNITY_COLORSPACE_GAMMA", f"{INDENT}return c;", "#else",
                      f"{INDENT}return {to_linear}(c);", "#endif", "}", ""]  # fmt: skip
        if "linear" in spaces:
            lines += [f"float4 {self.converters['linear']}(float4 c)", "{",
                      "#ifdef UNITY_COLORSPACE_GAMMA",
                      f"{INDENT}float3 low = c.xyz * 12.92;",
                      f"{INDENT}float3 high = 1.055 * pow(max(c.xyz, 0.0031308), 1.0 / 2.4) - "
                      "0.055;",
                      f"{INDENT}return float4(lerp(low, high, step(0.0031308, c.xyz)), c.w);",
                      "#else", f"{INDENT}return c;", "#endif", "}", ""]  # fmt: skip
        return lines

    def nodes_text(self, surface: Surface, include: str) -> str:
        """Return NAME_nodes.hlsl, which Unity 6.5 and newer make nodes of.

        It is a file of its own, as older versions lack the file that it includes: they leave it
        alone, since nothing includes it.
        """
        guard = f"NEURALSHADE_{self.form.name.upper()}_NODES_INCLUDED"
        lines = [comment(f"Nodes of {self.form.name} for Shader Graph 17.5 and newer, by "
                         "reflection. Older ones ignore this file."),
                 '#include "ShaderApiReflectionSupport.hlsl"', f'#include "{include}"', "",
                 f"#ifndef {guard}", f"#define {guard}", ""]  # fmt: skip
        for node in self.nodes(surface):
            lines += node.reflected(self.form.name)
        return "\n".join([*lines, f"#endif // {guard}", ""])


def _about(surface: Surface) -> str:
    return {
        "color": "The picture's color, in the color space of the project.",
        "maps": "All maps of a position, by one evaluation. Normal: tangent space, y up.",
        "light": "f * cos of light from Wi to Wo, directions in tangent space away from the "
                 "surface.",
    }[surface.kind]  # fmt: skip
