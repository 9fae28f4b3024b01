"""GLSL printers: GLSL 4.50, and GLSL ES 3.00 for WebGL 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Texture

ACROSS = 256  # texels in a row of the texture that holds an asset's words in WebGL 2


@dataclass(frozen=True)
class Glsl(Printer):
    """GLSL 4.50, numbers in a storage buffer."""

    name: ClassVar[str] = "glsl"
    suffix: ClassVar[str] = ".glsl"
    bound: ClassVar[dict[str, Any]] = {"storage_buffer": 0}
    usage: ClassVar[str] = (
        "#version 450 or later; {words} is a storage buffer at binding 0 with all of {bin}."
    )
    samples: ClassVar[bool] = True
    types: ClassVar[dict[str, str]] = {
        "float2": "vec2", "float3": "vec3", "float4": "vec4", "int2": "ivec2", "int3": "ivec3",
        "half4": "f16vec4",
    }  # fmt: skip
    calls: ClassVar[dict[str, str]] = {
        "as_float": "uintBitsToFloat", "halves": "unpackHalf2x16", "to_half": "f16vec4",
        "to_float": "vec4", "atan2": "atan",
    }  # fmt: skip
    enables_halves: ClassVar[str] = (
        "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require"
    )

    def head(self) -> list[str]:
        name, lines = self.form.name, list[str]()
        if self.reads_words:
            lines += [f"layout(std430, binding = 0) readonly buffer {name}_asset", "{",
                      f"    uint {name}_words[];", "};", "", f"uint {name}_word(int i)", "{",
                      f"    return {name}_words[i];", "}"]  # fmt: skip
        if self.reads_rows:
            lines += ["", f"vec4 {name}_row(int i)", "{",
                      f"    return uintBitsToFloat(uvec4({name}_words[4 * i], {name}_words[4 * i "
                      f"+ 1], {name}_words[4 * i + 2], {name}_words[4 * i + 3]));",
                      "}"]  # fmt: skip
        return [*lines, *self.textures("layout({}) ")]

    def textures(self, layout: str) -> list[str]:
        """Return declarations of textures; ``layout`` is their prefix, with the place."""
        lines = [f"{layout.format(self.place_of(one))}uniform sampler2D {one.name};"
                 for one in self.form.textures]  # fmt: skip
        return [f"// Textures: {self.sampler_text()}", *lines] if lines else []

    def place_of(self, texture: Texture) -> str:
        return f"binding = {self.slot(texture)}"

    def sampled(self, texture: Texture, arguments: Sequence[str]) -> str:
        return f"textureLod({texture.name}, {', '.join(arguments)})"


@dataclass(frozen=True)
class GlslEs(Glsl):
    """GLSL ES 3.00, numbers in an integer texture of four words a texel."""

    name: ClassVar[str] = "glsl-es"
    suffix: ClassVar[str] = ".es.glsl"
    bound: ClassVar[dict[str, Any]] = {"texture": "RGBA32UI", "across": ACROSS}
    usage: ClassVar[str] = (
        "#version 300 es, precision highp float and int; {words} is a texture of RGBA32UI without "
        f"filter, {ACROSS} texels across, with {{bin}} row by row, filled up by zeros."
    )
    has_halves: ClassVar[bool] = False
    constant: ClassVar[str] = ""  # WebGL 2 has compile-time constants only

    def head(self) -> list[str]:
        name, lines = self.form.name, list[str]()
        if self.reads_words:
            lines += [f"uniform highp usampler2D {name}_words; // RGBA32UI, {ACROSS} across", "",
                      f"uint {name}_word(int i)", "{",
                      "    int texel = i >> 2;",
                      f"    return texelFetch({name}_words, ivec2(texel & {ACROSS - 1}, "
                      f"texel / {ACROSS}), 0)[i & 3];", "}"]  # fmt: skip
        if self.reads_rows:
            lines += ["", f"vec4 {name}_row(int i)", "{",
                      f"    return uintBitsToFloat(texelFetch({name}_words, ivec2(i & "
                      f"{ACROSS - 1}, i / {ACROSS}), 0));", "}"]  # fmt: skip
        return [*lines, *(line.replace("uniform", "uniform highp") for line in self.textures(""))]

    def place_of(self, texture: Texture) -> str:
        return "by name"
