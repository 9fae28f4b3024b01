"""WGSL printer, for WebGPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from neuralshade.languages.language import INDENT, Printer
from neuralshade.languages.sines import sine_functions, with_portable_sines
from neuralshade.languages.statements import Statement
from neuralshade.model.shader_form import Function, Parameter, Struct, Texture


@dataclass(frozen=True)
class Wgsl(Printer):
    """WGSL; the buffer stays at module level, since naga takes no pointers to storage."""

    name: ClassVar[str] = "wgsl"
    suffix: ClassVar[str] = ".wgsl"
    bound: ClassVar[dict[str, Any]] = {"group": 0, "binding": 0}
    usage: ClassVar[str] = (
        "{words} is a read-only storage buffer at group 0, binding 0 with all of {bin}. A layout "
        "of `auto` has no such binding where no function of a pipeline reads it."
    )
    samples: ClassVar[bool] = True
    types: ClassVar[dict[str, str]] = {
        "float": "f32", "float2": "vec2f", "float3": "vec3f", "float4": "vec4f", "int": "i32",
        "int2": "vec2i", "int3": "vec3i", "uint": "u32",
        "half4": "vec4h",
    }  # fmt: skip
    calls: ClassVar[dict[str, str]] = {
        "as_float": "bitcast<f32>", "halves": "unpack2x16float", "inversesqrt": "inverseSqrt",
        "to_half": "vec4h", "to_float": "vec4f",
    }  # fmt: skip
    enables_halves: ClassVar[str] = "enable f16;"

    def head(self) -> list[str]:
        name, lines = self.form.name, list[str]()
        if self.reads_words:
            lines += [f"@group(0) @binding(0) var<storage, read> {name}_words: array<u32>;", "",
                      f"fn {name}_word(i: i32) -> u32 {{", f"    return {name}_words[i];",
                      "}"]  # fmt: skip
        if self.reads_rows:
            lines += ["", f"fn {name}_row(i: i32) -> vec4f {{",
                      f"    return bitcast<vec4f>(vec4u({name}_words[4 * i], {name}_words[4 * i + "
                      f"1], {name}_words[4 * i + 2], {name}_words[4 * i + 3]));", "}"]  # fmt: skip
        for one in self.form.textures:
            lines += [f"@group(0) @binding({self.slot(one)}) var {one.name}: texture_2d<f32>;"]
        if self.form.textures:
            lines += [f"@group(0) @binding({1 + len(self.form.textures)}) var {name}_sampler: "
                      f"sampler; // {super().sampler_text()}"]  # fmt: skip
        return lines

    def place_of(self, texture: Texture) -> str:
        return f"group 0, binding {self.slot(texture)}"

    def sampler_text(self) -> str:
        last = 1 + len(self.form.textures)
        return f"their sampler is binding {last}: {super().sampler_text()}"

    def sampled(self, texture: Texture, arguments: Sequence[str]) -> str:
        return (f"textureSampleLevel({texture.name}, {self.form.name}_sampler, "
                f"{', '.join(arguments)})")  # fmt: skip

    def helpers(self) -> list[Function]:
        return [*sine_functions(self.form), *super().helpers()]

    def expression(self, text: str) -> str:
        return super().expression(with_portable_sines(text, self.form.name))

    def struct(self, struct: Struct) -> list[str]:
        members = [f"{INDENT}{name}: {self.type(kind)}," for kind, name in struct.members]
        return [f"struct {struct.name} {{", *members, "}"]

    def signature(self, function: Function) -> str:
        listed = ", ".join(self.parameter(one) for one in function.parameters)
        return f"fn {function.name}({listed}) -> {self.type(function.result)}"

    def parameter(self, one: Parameter) -> str:
        return f"{one.name}: {self.type(one.type)}"

    def statement(self, one: Statement) -> str:
        parts = one.parts
        if one.kind == "declared":
            kept = "let" if parts["const"] else "var"
            return f"{kept} {parts['name']} = {self.expression(parts['value'])};"
        if one.kind == "array":
            return f"var {parts['name']}: array<{self.type(parts['type'])}, {parts['count']}>;"
        if one.kind == "bare":
            return f"var {parts['name']}: {self.type(parts['type'])};"
        if one.kind == "loop":
            name = parts["name"]
            return (f"for (var {name} = {self.expression(parts['first'])}; "
                    f"{self.expression(parts['while'])}; {name}++)")  # fmt: skip
        if one.kind == "returned_if":
            return (f"if ({self.expression(parts['condition'])}) {{ "
                    f"return {self.expression(parts['value'])}; }}")  # fmt: skip
        return super().statement(one)
