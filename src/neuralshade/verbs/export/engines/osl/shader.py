"""The .osl file of an asset: its functions, and a shader whose outputs are colors and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neuralshade.languages.language import comment
from neuralshade.languages.scalar_values import Shapes
from neuralshade.model.shader_form import Function, ShaderForm, Struct
from neuralshade.verbs.export.engines.osl.functions import INDENT, OslFunctions
from neuralshade.verbs.export.engines.surface import Surface, Value

HINTS = '[[ string label = "{label}", string help = "{help}" ]]'
LINEAR = """\
// Linear light of a number that is sRGB-encoded; what lies below black is black.
float {n}__linear(float x)
{{
    return x <= 0.04045 ? max(x, 0.0) / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}}
"""


@dataclass(frozen=True)
class Output:
    """An output of the shader."""

    type: str  # color, float or vector
    name: str
    unset: str
    lines: tuple[str, ...]  # that set it
    about: str


class OslShader:
    """Text of a shader. ``form``: without textures; ``surface``: of it."""

    def __init__(self, form: ShaderForm, surface: Surface):
        self._surface = surface
        values = Struct(f"{form.name}__values", tuple((one.type, one.name)
                                                      for one in surface.values))  # fmt: skip
        found = f"{form.name}__found"
        body = [*surface.lines, f"{values.name} {found};",
                *(f"{found}.{one.name} = {one.call};" for one in surface.values),
                f"return {found};"]  # fmt: skip
        main = Function(values.name, f"{form.name}__surface", surface.parameters, tuple(body))
        self._main = main
        self._form = replace(form, structs=(*form.structs, values))
        self._functions = OslFunctions(self._form, main)

    @property
    def outputs(self) -> list[Output]:
        """Return the outputs, in the order of the surface's values."""
        return [each for one in self._surface.values for each in self._outputs_of(one)]

    @property
    def name(self) -> str:
        """Return the name of the shader."""
        return self._functions.spelling.function_name(self._form.name)

    def text(self) -> str:
        """Return the file."""
        form, spelling = self._form, self._functions.spelling
        linear = any(one.space == "srgb" for one in self._surface.values)
        converter = [*LINEAR.format(n=form.name).splitlines(), ""] if linear else []
        leaves = Shapes(form.structs).leaves(self._main.result)
        results = [f"{one.name}_{lane}" if lane else one.name
                   for one in self._surface.values for lane in self._lanes(one)]  # fmt: skip
        passed = [*map(spelling.array, self._functions.arrays(self._main.name)), "UV[0]",
                  "v_up ? 1.0 - UV[1] : UV[1]", *["Level"] * self._surface.leveled]  # fmt: skip
        names = [f"{form.name}__{one}" for one in results]
        if len(names) == 1:
            call = [f"float {names[0]} = {self._main.name}({', '.join(passed)});"]
        else:
            call = [f"float {', '.join(names)};",
                    f"{self._main.name}({', '.join([*passed, *names])});"]  # fmt: skip
        assert len(leaves) == len(names), (leaves, names)
        lines = [*call, *(line for one in self.outputs for line in one.lines)]
        return "\n".join([
            *map(comment, form.about), "", *self._functions.lines, *converter,
            f"shader {self.name}(", *(INDENT + line for line in self._parameters()), ")", "{",
            *(INDENT + line for line in lines), "}", "",
        ])  # fmt: skip

    def _parameters(self) -> list[str]:
        hints = [
            ("point UV = point(u, v, 0)", "UV", "Texture coordinates"),
            ("int v_up = 1", "V goes up", "On where v goes up, as in most renderers"),
        ]
        if self._surface.leveled:
            hints.append(("float Level = 0", "Level", "Mip level, 0 is the finest"))
        found = [f"{text} {HINTS.format(label=label, help=about)}," for text, label, about in hints]
        found[1] = found[1].replace("[[ ", '[[ string widget = "checkBox", ')
        outputs = [f"output {one.type} {one.name} = {one.unset}," for one in self.outputs]
        outputs[-1] = outputs[-1].removesuffix(",")
        return [*found, *self._functions.parameters(), *outputs]

    def _lanes(self, value: Value) -> list[str]:
        return [path for path, _ in Shapes(()).leaves(value.type)]

    def _outputs_of(self, value: Value) -> list[Output]:
        """Return a value's outputs: three numbers are a color, a fourth one is by itself."""
        numbers = [f"{self._form.name}__{value.name}{f'_{lane}' * bool(lane)}"
                   for lane in self._lanes(value)]  # fmt: skip
        about = value.about.removeprefix("Return ").rstrip(".")
        picture = value.role == "color"
        if len(numbers) == 1 and not picture:
            return [_output("float", value.name, "0", numbers[0], about)]
        if len(numbers) == 2 and not picture:
            return [_output("vector", value.name, "0", f"vector({', '.join(numbers)}, 0)", about)]
        count = 3 if len(numbers) > 2 else 1
        color, rest = numbers[:count], numbers[count:]
        if value.space == "srgb":
            color = [f"{self._form.name}__linear({one})" for one in color]
            about += ", converted to linear light"
        if value.role == "normal":
            color = [f"{one} * 0.5 + 0.5" for one in color]
            about += ", as a normal map has them: 0.5 + 0.5 * normal"
        text = f"color({', '.join(color if count == 3 else color * 3)})"
        found = [_output("color", value.name, "0", text, about)]
        alpha = "Alpha" if picture else f"{value.name}W"
        return found + [_output("float", alpha, "1", one, "the fourth number" if not picture else
                                "opacity") for one in rest]  # fmt: skip


def _output(kind: str, name: str, unset: str, value: str, about: str) -> Output:
    return Output(kind, name, unset, (f"{name} = {value};",), about)


def named_outputs(outputs: Sequence[Output]) -> list[str]:
    """Return a line about each output."""
    return [f"`{one.name}` ({one.type}): {one.about}" for one in outputs]
