"""HLSL and Slang printers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from neuralshade.languages.language import INDENT, Printer
from neuralshade.languages.statements import FLOATS, replaced_calls
from neuralshade.model.shader_form import Function, Struct, Texture

REGISTER = re.compile(r" : register\([^)]*\)")
VECTORS = ("float2", "float3", "float4", "half4", "int2", "int3")


@dataclass(frozen=True)
class Hlsl(Printer):
    """HLSL of shader model 6.0."""

    name: ClassVar[str] = "hlsl"
    suffix: ClassVar[str] = ".hlsl"
    bound: ClassVar[dict[str, Any]] = {"structured_buffer": "t0"}
    usage: ClassVar[str] = "{words} is a `StructuredBuffer<uint>` in register t0 with all of {bin}."
    samples: ClassVar[bool] = True
    calls: ClassVar[dict[str, str]] = {
        "mix": "lerp", "fract": "frac", "inversesqrt": "rsqrt", "as_float": "asfloat",
        "to_half": "half4", "to_float": "float4",
    }  # fmt: skip

    def head(self) -> list[str]:
        name, lines = self.form.name, list[str]()
        if self.reads_words:
            lines += [f"StructuredBuffer<uint> {name}_words : register(t0);", "",
                      f"uint {name}_word(int i)", "{", f"    return {name}_words[i];",
                      "}"]  # fmt: skip
        if self.reads_rows:
            lines += ["", f"float4 {name}_row(int i)", "{",
                      f"    return asfloat(uint4({name}_words[4 * i], {name}_words[4 * i + 1], "
                      f"{name}_words[4 * i + 2], {name}_words[4 * i + 3]));", "}"]  # fmt: skip
        for one in self.form.textures:
            lines += [f"Texture2D<float4> {one.name} : register({self.place_of(one)});"]
        if self.form.textures:
            lines += [f"SamplerState {name}_sampler : register(s0); // {self.sampler_text()}"]
        return lines

    def place_of(self, texture: Texture) -> str:
        return f"t{self.slot(texture)}"

    def sampled(self, texture: Texture, arguments: Sequence[str]) -> str:
        return f"{texture.name}.SampleLevel({self.form.name}_sampler, {', '.join(arguments)})"

    def expression(self, text: str) -> str:
        for vector in VECTORS:  # repeats a number by a cast
            text = replaced_calls(text, vector, partial(_constructed, vector))
        text = replaced_calls(
            text, "halves", lambda a: f"float2(f16tof32({a[0]}), f16tof32({a[0]} >> 16u))"
        )
        return super().expression(text)


def _constructed(vector: str, arguments: list[str]) -> str:
    listed = ", ".join(arguments)
    return f"{vector}({listed})" if len(arguments) > 1 else f"(({vector})({listed}))"


def _suffixed(arguments: list[str]) -> str:
    """Return a half4 of literals that Slang need not convert."""
    listed = ", ".join(f"{each}h" if FLOATS.fullmatch(each.lstrip("-")) else each
                       for each in arguments)  # fmt: skip
    return f"half4({listed})"


@dataclass(frozen=True)
class Slang(Hlsl):
    """A module of Slang that imports nothing."""

    name: ClassVar[str] = "slang"
    suffix: ClassVar[str] = ".slang"
    bound: ClassVar[dict[str, Any]] = {"structured_buffer": "by name"}
    usage: ClassVar[str] = "{words} is a `StructuredBuffer<uint>` with all of {bin}."

    def head(self) -> list[str]:
        return [REGISTER.sub("", line) for line in super().head()]

    def place_of(self, texture: Texture) -> str:
        return "by name"

    def expression(self, text: str) -> str:
        return super().expression(replaced_calls(text, "half4", _suffixed))

    def struct(self, struct: Struct) -> list[str]:
        head, *members, end = super().struct(struct)
        members = [line.replace(INDENT, f"{INDENT}public ", 1) for line in members]
        return [f"public {head}", *members, end]

    def signature(self, function: Function) -> str:
        return ("public " if function.public else "") + super().signature(function)
