"""HLSL for Unreal's Custom node: an include file, and the line that the node holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neuralshade.languages.language import INDENT, comment
from neuralshade.verbs.export.engines.hlsl_asset import HlslAsset, free_name, header, srgb_lines
from neuralshade.verbs.export.engines.surface import STOCHASTIC, Surface

NODES = {"color": "Color", "maps": "Maps", "light": "Light"}
FLIPPED = "float3(1.0, -1.0, 1.0)"  # v and the bitangent go down


@dataclass(frozen=True)
class CustomNode:
    """A function of the include file, and the Custom node that calls it."""

    name: str
    title: str
    textures: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]  # type and name
    outputs: tuple[tuple[str, str], ...]  # the first is the node's own, others are additional
    body: tuple[str, ...]
    about: str

    def text(self) -> list[str]:
        """Return the function."""
        listed = [f"Texture2D {one}, SamplerState {one}Sampler" for one in self.textures]
        listed += [f"{kind} {name}" for kind, name in self.inputs]
        listed += [f"out {kind} {name}" for kind, name in self.outputs[1:]]
        (kind, first), *_ = self.outputs
        return [comment(self.about), f"{kind} {self.name}({', '.join(listed)})", "{",
                f"{INDENT}{kind} {first};", *(f"{INDENT}{line}" for line in self.body),
                f"{INDENT}return {first};", "}", ""]  # fmt: skip

    @property
    def code(self) -> str:
        """Return what the node's field Code holds."""
        passed = [f"{one}, {one}Sampler" for one in self.textures]
        passed += [name for _, name in (*self.inputs, *self.outputs[1:])]
        return f"return {self.name}({', '.join(passed)});"


@dataclass(frozen=True)
class UnrealAsset(HlslAsset):
    """HLSL as Unreal's material compiler takes it: v goes down there, as in functions."""

    @property
    def to_linear(self) -> str:
        """Return the function that turns sRGB-encoded colors into linear ones."""
        return free_name(self.form, "linear_of")

    def nodes(self, surface: Surface) -> list[CustomNode]:
        """Return the functions of nodes: of values, and of what level serves a pixel."""
        name = self.form.name
        main = self._values(surface, NODES[surface.kind], _about(surface))
        made = [main]
        if surface.stochastic is not None:
            made.append(self._values(surface.stochastic, "Stochastic", STOCHASTIC))
        if surface.area is not None:
            made.append(self._area(surface, main.outputs))
        if surface.level is not None:
            made.append(CustomNode(
                f"{name}_Level", "Level", (), (("float2", "UV"),), (("float", "Level"),),
                (f"Level = {surface.level.name}(ddx(UV), ddy(UV));",),
                "The level that serves a pixel. Of pixel shaders alone.",
            ))  # fmt: skip
        return made

    def _values(self, surface: Surface, title: str, about: str) -> CustomNode:
        """Return the node of a surface's values."""
        inputs = [(one.type, own) for one, own in
                  zip(surface.parameters, surface.arguments, strict=True)]  # fmt: skip
        arguments = [f"{own} * {FLIPPED}" if own in ("Wi", "Wo") else own for _, own in inputs]
        converters = {"srgb": self.to_linear}
        body = [*self.evaluation(surface, arguments), *self.assigned(surface, converters)]
        normal = surface.role("normal")
        if normal is not None and normal.type == "float3":
            body.append(f"{normal.name} *= {FLIPPED};")
        outputs = [(kind, own) for one in surface.values for own, kind, _ in one.outputs]
        return CustomNode(f"{self.form.name}_{title}", title, tuple(self.inputs), tuple(inputs),
                          tuple(outputs), tuple(body), about)  # fmt: skip

    def _area(self, surface: Surface, outputs: Sequence[tuple[str, str]]) -> CustomNode:
        """Return the node of a picture's footprint."""
        assert surface.area is not None
        call = self.called(f"{surface.area.name}(UV, ddx(UV), ddy(UV))")
        body = (*self.filled(), f"const {surface.values[0].type} value0_ = {call};",
                *self.assigned(surface, {"srgb": self.to_linear}))  # fmt: skip
        return CustomNode(f"{self.form.name}_Area", "Area", tuple(self.inputs),
                          (("float2", "UV"),), tuple(outputs), body, "The mean of four samples of "
                          "a pixel, which aliases less. Of pixel shaders alone.")  # fmt: skip

    def include_text(self, surface: Surface) -> str:
        """Return NAME.ush."""
        guard = f"NEURALSHADE_{self.form.name.upper()}_INCLUDED"
        lines = [*header(self.form), "", f"#ifndef {guard}", f"#define {guard}", "",
                 *self.declarations()]  # fmt: skip
        if surface.kind != "light" and any(one.space == "srgb" for one in surface.values):
            lines += [*srgb_lines(self.to_linear), ""]
        for node in self.nodes(surface):
            lines += node.text()
        return "\n".join([*lines, f"#endif // {guard}", ""])


def _about(surface: Surface) -> str:
    return {
        "color": "The picture's color in linear light.",
        "maps": "All maps of a position, by one evaluation. Normal: tangent space, y down.",
        "light": "f * cos of light from Wi to Wo, directions in tangent space away from the "
                 "surface.",
    }[surface.kind]  # fmt: skip
