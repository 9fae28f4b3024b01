"""HLSL printer of engines: an asset is a struct whose members are the textures it reads.

A node passes textures as arguments, and functions of the asset read them by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from neuralshade.languages.hlsl import Hlsl
from neuralshade.languages.language import INDENT, comment
from neuralshade.languages.names import WORDS
from neuralshade.model.shader_form import Function, Network, ShaderForm, Texture
from neuralshade.verbs.export.engines.surface import Surface, capitals
from neuralshade.verbs.export.engines.word_texture import MARK, WordTexture

NUMBERS = "Numbers"  # argument of the texture of words
WRONG = {"float": "1.0", "float2": "float2(1.0, 1.0)", "float3": "float3(1.0, 0.0, 1.0)",
         "float4": "float4(1.0, 0.0, 1.0, 1.0)"}  # fmt: skip


def free_name(form: ShaderForm, suffix: str) -> str:
    """Return a name that begins with the asset's and that nothing of the form has."""
    used = {one.name for one in form.functions} | {one.name for one in form.structs}
    used |= {one.name for one in form.textures}
    name = f"{form.name}_{suffix}"
    while name in used:
        name += "_"
    return name


@dataclass(frozen=True)
class HlslAsset(Hlsl):
    """HLSL whose functions are methods of a struct where they read textures, and free elsewhere."""

    texture: ClassVar[str] = "Texture2D<float4> {0};"  # declares a member
    sampler: ClassVar[str] = "SamplerState {0};"
    load: ClassVar[str] = "{0}.Load(int3({1}, 0))"
    sample: ClassVar[str] = "{0}.SampleLevel({1}, {2}, {3})"
    flips: ClassVar[bool] = False  # the engine's first row is the lowest

    @property
    def binds(self) -> bool:
        """Return whether functions read a texture."""
        return self.reads_words or bool(self.form.textures)

    @property
    def asset(self) -> str:
        """Return the name of the struct."""
        return free_name(self.form, "asset")

    @property
    def numbers(self) -> str:
        """Return the member that holds words."""
        return free_name(self.form, "numbers")

    @property
    def intact(self) -> str:
        """Return the function that says whether words arrive as they were written."""
        return free_name(self.form, "intact")

    @property
    def inputs(self) -> dict[str, Texture | None]:
        """Return textures by the arguments of nodes; None: the words."""
        words: dict[str, Texture | None] = {NUMBERS: None} if self.reads_words else {}
        names = capitals((f"{one.title}_texture" for one in self.form.textures), words)
        return words | dict(zip(names, self.form.textures, strict=True))

    def sampler_of(self, texture: Texture) -> str:
        """Return the member that filters a texture."""
        return f"{texture.name}_sampler"

    def sampled(self, texture: Texture, arguments: Sequence[str]) -> str:
        place, level = arguments
        if self.flips:
            place = f"{free_name(self.form, 'flipped')}({place})"
        return self.sample.format(texture.name, self.sampler_of(texture), place, level)

    def declarations(self) -> list[str]:
        """Return structs and functions, the functions inside the asset's struct."""
        lines = [line for one in self.form.structs for line in (*self.struct(one), "")]
        if self.flips:
            lines += ["// Positions with v down, as functions have them, and with v up.",
                      f"float2 {free_name(self.form, 'flipped')}(float2 uv) "
                      "{ return float2(uv.x, 1.0 - uv.y); }", ""]  # fmt: skip
        reading = self.reading()
        free = [one for one in self.all_functions() if one not in reading]
        lines += [*self.function_lines(free), ""] if free else []
        if not reading:
            return lines
        inside = [*self.members(), "", *self.readers(), *self.function_lines(reading)]
        return [*lines, f"struct {self.asset}", "{",
                *(f"{INDENT}{line}".rstrip() for line in inside), "};", ""]  # fmt: skip

    def reading(self) -> list[Function]:
        """Return the functions that read words or textures, themselves or by others."""
        name = self.form.name
        readers = {f"{name}_word", f"{name}_row", *(one.reader for one in self.form.textures)}
        found = list[Function]()
        for function in self.all_functions():
            words = {word for line in function.body if isinstance(line, str)
                     for word in WORDS.findall(line)}  # fmt: skip
            loops = self.reads_rows and any(isinstance(one, Network) for one in function.body)
            if loops or words & readers:
                found.append(function)
                readers.add(function.name)
        return found

    def members(self) -> list[str]:
        """Return the declarations of textures and samplers."""
        found = [f"{self.texture.format(self.numbers)} // four bytes a texel, one word"]
        found = found if self.reads_words else []
        for one in self.form.textures:
            found += [self.texture.format(one.name), self.sampler.format(self.sampler_of(one))]
        return found

    def readers(self) -> list[str]:
        """Return the functions that read words from their texture."""
        if not self.reads_words:
            return []
        name, width = self.form.name, WordTexture(self.words).width
        place = f"int2(i & {width - 1}, i / {width})"
        texel = self.load.format(self.numbers, place)
        lines = [f"uint {name}_texel_word(int i)", "{",
                 f"{INDENT}uint4 b = uint4({texel} * 255.0 + 0.5);",
                 f"{INDENT}return b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);", "}",
                 f"uint {name}_word(int i) {{ return {name}_texel_word(i + 1); }}", "",
                 "// Whether the texture arrived without filter, color space and compression.",
                 f"bool {self.intact}() {{ return {name}_texel_word(0) == 0x{MARK:08X}u; }}",
                 ""]  # fmt: skip
        if self.reads_rows:
            words = ", ".join(f"{name}_word(4 * i{more})" for more in ("", " + 1", " + 2", " + 3"))
            lines += [f"float4 {name}_row(int i) {{ return asfloat(uint4({words})); }}", ""]
        return lines

    def evaluation(self, surface: Surface, arguments: Sequence[str]) -> list[str]:
        """Return lines that declare an asset and the values of a surface: value0_, value1_ ...

        ``arguments``: expressions of the surface's parameters.
        """
        lines = self.filled()
        for one, argument in zip(surface.parameters, arguments, strict=True):
            lines.append(f"const {one.type} {one.name} = {argument};")
        lines += [self.called(line) for line in surface.lines]
        return lines + [f"const {value.type} value{i}_ = {self.called(value.call)};"
                        for i, value in enumerate(surface.values)]  # fmt: skip

    def filled(self) -> list[str]:
        """Return lines that declare the asset, with its textures."""
        if not self.binds:
            return []
        lines = [f"{self.asset} asset_;"]
        for name, texture in self.inputs.items():
            member = self.numbers if texture is None else texture.name
            lines.append(f"asset_.{member} = {self.bound_texture(name)};")
            if texture is not None:
                sampler = self.sampler_of(texture)
                lines.append(f"asset_.{sampler} = {self.bound_sampler(name)};")
        return lines

    def called(self, text: str) -> str:
        """Return a line of the dialect in HLSL, functions as methods of the asset."""
        text = self.expression(text)
        if not self.binds:
            return text
        names = "|".join(re.escape(one.name) for one in self.reading())
        return re.sub(rf"(?<![\w.])({names})\(", r"asset_.\1(", text)

    def assigned(self, surface: Surface, converters: Mapping[str, str]) -> list[str]:
        """Return lines that give outputs their values.

        ``converters``: functions from float4 to float4 by the space of a color.
        """
        lines = list[str]()
        for i, value in enumerate(surface.values):
            convert = converters.get(value.space) if surface.kind != "light" else None
            for name, type_, lanes in value.outputs:
                text = f"value{i}_{'.' + lanes if lanes else ''}"
                if convert and name != "Alpha":
                    text = f"{convert}({_wide(text, type_)}){_narrow(type_)}"
                lines.append(f"{name} = {text};")
        if self.reads_words:
            name, type_, _ = surface.values[0].outputs[0]
            lines.append(f"if (!asset_.{self.intact}()) {name} = {WRONG[type_]};")
        return lines

    def bound_texture(self, name: str) -> str:
        """Return a node's argument as a texture."""
        return name

    def bound_sampler(self, name: str) -> str:
        """Return a node's argument as a sampler."""
        return f"{name}Sampler"


def _wide(text: str, type_: str) -> str:
    """Return a color as a float4."""
    more = {"float": ", 0.0, 0.0, 1.0", "float2": ", 0.0, 1.0", "float3": ", 1.0"}.get(type_)
    return text if more is None else f"float4({text}{more})"


def _narrow(type_: str) -> str:
    return {"float": ".x", "float2": ".xy", "float3": ".xyz"}.get(type_, "")


def header(form: ShaderForm) -> list[str]:
    """Return the comment lines that begin a text."""
    return [*map(comment, form.about)]


def srgb_lines(name: str) -> list[str]:
    """Return a function that turns sRGB-encoded colors into linear ones; alpha stays."""
    return [
        "// Linear light of an sRGB-encoded color, 0 for what is below; alpha stays.",
        f"float4 {name}(float4 c)", "{",
        f"{INDENT}float3 low = max(c.xyz, 0.0) / 12.92;",
        f"{INDENT}float3 high = pow((max(c.xyz, 0.04045) + 0.055) / 1.055, 2.4);",
        f"{INDENT}return float4(lerp(low, high, step(0.04045, c.xyz)), c.w);", "}",
    ]  # fmt: skip
