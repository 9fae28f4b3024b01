"""Godot's shading language: shaders of pictures, texture sets and materials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from neuralshade.languages.glsl import GlslEs
from neuralshade.languages.language import INDENT, comment
from neuralshade.languages.statements import statement
from neuralshade.model.shader_form import Function, Network, Texture
from neuralshade.verbs.export.engines.godot.shifts import with_equal_sides
from neuralshade.verbs.export.engines.hlsl_asset import free_name
from neuralshade.verbs.export.engines.surface import Surface, Value
from neuralshade.verbs.export.engines.word_texture import WordTexture

# What fragment() assigns, by the role of a value; {0}: the value.
BUILT_IN = {
    "albedo": "ALBEDO = {0};", "normal": "NORMAL_MAP = {0} * 0.5 + 0.5;",
    "roughness": "ROUGHNESS = {0};", "metallic": "METALLIC = {0};", "occlusion": "AO = {0};",
    "emission": "EMISSION = {0};", "opacity": "ALPHA = {0};",
}  # fmt: skip
SIZES = {"albedo": 3, "normal": 3, "emission": 3}  # numbers of those; others have one
PLACED = ("uniform vec2 uv_scale = vec2(1.0, 1.0);", "uniform vec2 uv_offset = vec2(0.0, 0.0);")
# Three random numbers of a pixel and a frame.
NOISE = (
    f"{INDENT * 2}vec2 at = FRAGCOORD.xy + fract(TIME) * vec2(61.7, 47.3);",
    f"{INDENT * 2}vec3 u = vec3(dot(at, vec2(12.9898, 78.233)), dot(at, vec2(39.346, 11.135)), "
    "dot(at, vec2(73.156, 52.235)));",
    f"{INDENT * 2}u = fract(sin(u) * 43758.547);",
)
COUNTS = {"float": 1, "float2": 2, "float3": 3, "float4": 4}


@dataclass(frozen=True)
class GodotShader(GlslEs):
    """Functions in Godot's language, numbers in a texture of four bytes a texel."""

    name: ClassVar[str] = "godot"
    suffix: ClassVar[str] = ".gdshader"

    @property
    def numbers(self) -> str:
        """Return the uniform that holds words."""
        return free_name(self.form, "numbers")

    def head(self) -> list[str]:
        name, lines = self.form.name, list[str]()
        for one in self.form.textures:
            lines.append(f"uniform sampler2D {one.name} : {_hints(one)};")
        if self.reads_words:
            width = WordTexture(self.words).width
            lines += [
                f"uniform sampler2D {self.numbers} : filter_nearest, repeat_disable; // a word in "
                "each texel", "",
                f"uint {name}_word(int i) {{",
                f"{INDENT}ivec2 at = ivec2((i + 1) & {width - 1}, (i + 1) / {width});",
                f"{INDENT}uvec4 b = uvec4(texelFetch({self.numbers}, at, 0) * 255.0 + 0.5);",
                f"{INDENT}return b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);", "}",
            ]  # fmt: skip
        if self.reads_rows:
            words = ", ".join(f"{name}_word(4 * i{more})" for more in ("", " + 1", " + 2", " + 3"))
            lines += ["", f"vec4 {name}_row(int i) {{ return uintBitsToFloat(uvec4({words})); }}"]
        return lines

    def body(self, function: Function) -> list[str]:
        types = self._types(function)
        return [with_equal_sides(line, types) for line in super().body(function)]

    def _types(self, function: Function) -> dict[str, str]:
        """Return the types of variables and functions, by name."""
        types = {one.name: one.result for one in self.all_functions()}
        types |= {one.name: one.type for one in function.parameters}
        for line in self.flat(function.body):
            types |= _declared(line)
        return types

    def shader_text(self, surface: Surface) -> str:
        """Return NAME.gdshader."""
        kind = "canvas_item" if surface.kind == "color" else "spatial"
        structs = [line for one in self.form.structs for line in (*self.struct(one), "")]
        ends = {"color": self.picture, "maps": self.maps, "light": self.material}
        lines = [*map(comment, self.form.about), f"shader_type {kind};", "", *self.head(), "",
                 *structs, *self.function_lines(), "", *ends[surface.kind](surface)]  # fmt: skip
        return "\n".join([*lines, ""])

    def picture(self, surface: Surface) -> list[str]:
        """Return the end of a picture's shader, which draws it on a rectangle."""
        value = surface.values[0]
        area = surface.area
        call = value.call if area is None else f"{area.name}(uv, dFdx(uv), dFdy(uv))"
        rgb = {1: "vec3(value)", 2: "vec3(value.x)", 3: "value", 4: "value.xyz"}
        alpha = {2: "value.y", 4: "value.w"}
        count = COUNTS[value.type]
        lines = [f"{INDENT}vec2 uv = UV;", f"{INDENT}{self.type(value.type)} value = {call};"]
        color, convert = rgb[count], free_name(self.form, "converted")
        encoded = value.space == "srgb"
        return [
            *(_linear_lines(convert) if encoded else _srgb_lines(convert)), "",
            "// On where the project setting rendering/viewport/hdr_2d is on.",
            "uniform bool hdr_2d = false;", "", "void fragment() {", *lines,
            f"{INDENT}vec3 color = {color};",
            f"{INDENT}if ({'' if encoded else '!'}hdr_2d) {{",
            f"{INDENT * 2}color = {convert}(color);", f"{INDENT}}}",
            f"{INDENT}COLOR = vec4(color, {alpha.get(count, '1.0')});", "}",
        ]  # fmt: skip

    def maps(self, surface: Surface) -> list[str]:
        """Return the end of a texture set's shader, which Godot lights."""
        convert = free_name(self.form, "converted")
        lines = [*PLACED, ""]
        if any(one.space == "srgb" for one in surface.values):
            lines = [*_linear_lines(convert), "", *lines]
        if surface.stochastic is not None:
            lines += ["// One texel of each pixel, chosen at random: a quarter of the work, noise",
                      "// for temporal antialiasing.", "uniform bool stochastic = false;",
                      ""]  # fmt: skip
        lines += ["void fragment() {", f"{INDENT}vec2 uv = UV * uv_scale + uv_offset;",
                  *self._level(surface, "float level")]  # fmt: skip
        lines += self._channels(surface)
        for value in surface.values:
            lines.append(INDENT + self._assigned(value, convert))
        return [*lines, "}"]

    def _channels(self, surface: Surface) -> list[str]:
        """Return the lines that run the network, filtered or of one texel."""
        lines = [f"{INDENT}{self.declared(line)}" for line in surface.lines]
        if surface.stochastic is None:
            return lines
        kind, _, call = surface.lines[0].removeprefix("const ").partition(" channels_ = ")
        _, _, one = surface.stochastic.lines[0].partition(" channels_ = ")
        return [f"{INDENT}{self.type(kind)} channels_;", f"{INDENT}if (stochastic) {{", *NOISE,
                f"{INDENT * 2}channels_ = {self.expression(one)}", f"{INDENT}}} else {{",
                f"{INDENT * 2}channels_ = {self.expression(call)}", f"{INDENT}}}"]  # fmt: skip

    def _level(self, surface: Surface, target: str) -> list[str]:
        if surface.level is None:
            return [f"{INDENT}{target} = 0.0;"]
        return [f"{INDENT}{target} = {surface.level.name}(dFdx(uv), dFdy(uv));"]

    def declared(self, line: str) -> str:
        """Return a declaration of the dialect in Godot's language."""
        return self.expression(line.removeprefix("const "))

    def _assigned(self, value: Value, convert: str) -> str:
        """Return the line that gives a built-in its value; a comment for maps that have none."""
        target, size = BUILT_IN.get(value.role), SIZES.get(value.role, 1)
        text = self.expression(value.call)
        if target is None or (value.role == "normal" and value.type != "float3"):
            return comment(f"Not used by Godot: {value.name}, {text}")
        count = COUNTS[value.type]
        if size == 3 and count != 3:
            text = f"vec3({text})" if count == 1 else f"({text}).xyz" if count == 4 else (
                f"vec3(({text}).x)")  # fmt: skip
        elif size == 1 and count > 1:
            text = f"({text}).x"
        if value.space == "srgb" and size == 3:
            text = f"{convert}({text})"
        return target.format(text)

    def material(self, surface: Surface) -> list[str]:
        """Return the end of a material's shader, which lights itself."""
        light = surface.values[0]
        varied = list(zip(surface.parameters, surface.arguments, strict=True))[4:]
        return [
            *(f"uniform {self.type(one.type)} {_uniform(own)};{_about(one.about)}"
              for one, own in varied),
            *PLACED, "", "// Of the surface in view space, for light().",
            "varying vec3 surface_tangent;",
            "varying vec3 surface_binormal;", "varying vec2 surface_uv;",
            "varying float surface_level;", "", "void fragment() {",
            f"{INDENT}vec2 uv = UV * uv_scale + uv_offset;", f"{INDENT}surface_uv = uv;",
            *self._level(surface, "surface_level"), f"{INDENT}surface_tangent = TANGENT;",
            f"{INDENT}surface_binormal = BINORMAL;",
            f"{INDENT}// Environments add nothing: the material is a function of lights.",
            f"{INDENT}ALBEDO = vec3(0.0);", f"{INDENT}SPECULAR = 0.0;", "}", "",
            "void light() {", f"{INDENT}vec2 uv = surface_uv;",
            f"{INDENT}float level = surface_level;",
            f"{INDENT}vec3 wi = vec3(dot(LIGHT, surface_tangent), dot(LIGHT, surface_binormal), "
            "dot(LIGHT, NORMAL));",
            f"{INDENT}vec3 wo = vec3(dot(VIEW, surface_tangent), dot(VIEW, surface_binormal), "
            "dot(VIEW, NORMAL));",
            *(f"{INDENT}{self.type(one.type)} {one.name} = {_uniform(own)};"
              for one, own in varied),
            f"{INDENT}SPECULAR_LIGHT += {self.expression(light.call)} * LIGHT_COLOR * ATTENUATION;",
            "}",
        ]  # fmt: skip


def _declared(line: str | Network) -> dict[str, str]:
    """Return name and type of what a line declares."""
    if isinstance(line, Network):
        return {}
    one = statement(line)
    if one.kind == "loop":
        return {one.parts["name"]: "int"}
    return {one.parts["name"]: one.parts["type"]} if "type" in one.parts else {}


def _hints(texture: Texture) -> str:
    color = "source_color, " if texture.format.endswith("_srgb") else ""
    return f"{color}filter_linear_mipmap, repeat_{'enable' if texture.wraps else 'disable'}"


def _uniform(name: str) -> str:
    """Return a name that no built-in of Godot has: these are in capitals."""
    return f"{name}_" if name.isupper() else name


def _about(text: str) -> str:
    return f" {comment(text)}" if text else ""


def _linear_lines(name: str) -> list[str]:
    return ["// Linear light of an sRGB-encoded color, 0 for what is below.",
            f"vec3 {name}(vec3 c) {{", f"{INDENT}vec3 low = max(c, vec3(0.0)) / 12.92;",
            f"{INDENT}vec3 high = pow((max(c, vec3(0.04045)) + 0.055) / 1.055, vec3(2.4));",
            f"{INDENT}return mix(low, high, step(vec3(0.04045), c));", "}"]  # fmt: skip


def _srgb_lines(name: str) -> list[str]:
    return ["// An sRGB-encoded color of linear light.", f"vec3 {name}(vec3 c) {{",
            f"{INDENT}vec3 low = c * 12.92;",
            f"{INDENT}vec3 high = 1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055;",
            f"{INDENT}return mix(low, high, step(vec3(0.0031308), c));", "}"]  # fmt: skip
