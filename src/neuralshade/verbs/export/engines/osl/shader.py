"""The .osl file of an asset: its functions, and a shader whose outputs are colors and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neuralshade.languages.language import comment
from neuralshade.languages.scalar_values import Shapes
from neuralshade.model.shader_form import Function, ShaderForm, Struct
from neuralshade.verbs.export.engines.osl.functions import INDENT, OslFunctions
from neuralshade.verbs.export.engines.osl.spelling import OslSpelling
from neuralshade.verbs.export.engines.surface import Surface, Value

HINTS = '[[ string label = "{label}", string help = "{help}" ]]'
BOX = 'string widget = "checkBox"'
STOCHASTIC = "One texel a sample, chosen at random: a quarter of the work, and noise"
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
        self._surface = surface = replace(surface, values=tuple(map(_free, surface.values)))
        members = tuple((one.type, one.name) for one in surface.values)
        values = Struct(f"{form.name}__values", members)
        self._main = _function_of(surface, f"{form.name}__surface", values.name)
        one = surface.stochastic
        self._texel = (
            None if one is None else _function_of(one, f"{form.name}__texel_surface", values.name)
        )
        self._form = replace(form, structs=(*form.structs, values))
        mains = [self._main] if self._texel is None else [self._main, self._texel]
        self._functions = OslFunctions(self._form, mains)

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
        form = self._form
        linear = any(one.space == "srgb" for one in self._surface.values)
        converter = [*LINEAR.format(n=form.name).splitlines(), ""] if linear else []
        names = [name for one in self._surface.values for name in self._numbers(one)]
        call = [self._call(self._main, names)]
        if self._texel is not None:
            random = f"{form.name}__random"
            lanes = [f"{random}[{lane}]" for lane in range(3)]
            call = ["if (stochastic) {", f'{INDENT}color {random} = noise("hash", UV[0], UV[1]);',
                    INDENT + self._call(self._texel, names, lanes),
                    "} else {", INDENT + call[0], "}"]  # fmt: skip
        lines = [f"float {', '.join(names)};", *call,
                 *(line for one in self.outputs for line in one.lines)]  # fmt: skip
        return "\n".join([
            *map(comment, form.about), "", *self._functions.lines, *converter,
            f"shader {self.name}(", *(INDENT + line for line in self._parameters()), ")", "{",
            *(INDENT + line for line in lines), "}", "",
        ])  # fmt: skip

    def _call(self, function: Function, names: Sequence[str], more: Sequence[str] = ()) -> str:
        """Return the line that sets all numbers."""
        arrays = map(self._functions.spelling.array, self._functions.arrays(function.name))
        passed = [*arrays, "UV[0]", "v_up ? 1.0 - UV[1] : UV[1]",
                  *["Level"] * self._surface.leveled, *more]  # fmt: skip
        if len(names) == 1:
            return f"{names[0]} = {function.name}({', '.join(passed)});"
        return f"{function.name}({', '.join([*passed, *names])});"

    def _parameters(self) -> list[str]:
        hints = [
            ("point UV = point(u, v, 0)", "UV", "Texture coordinates"),
            ("int v_up = 1", "V goes up", "On where v goes up, as in most renderers"),
        ]
        if self._surface.leveled:
            hints.append(("float Level = 0", "Level", "Mip level, 0 is the finest"))
        if self._texel is not None:
            hints.append(("int stochastic = 0", "Stochastic", STOCHASTIC))
        found = [f"{text} {HINTS.format(label=label, help=about)}," for text, label, about in hints]
        found = [one.replace("[[ ", f"[[ {BOX}, ") if one.startswith("int ") else one
                 for one in found]  # fmt: skip
        outputs = [f"output {one.type} {one.name} = {one.unset}," for one in self.outputs]
        outputs[-1] = outputs[-1].removesuffix(",")
        return [*found, *self._functions.parameters(), *outputs]

    def _numbers(self, value: Value) -> list[str]:
        """Return the variables of a value's numbers."""
        lanes = [path for path, _ in Shapes(()).leaves(value.type)]
        return [f"{self._form.name}__{value.name}{f'_{lane}' * bool(lane)}" for lane in lanes]

    def _outputs_of(self, value: Value) -> list[Output]:
        """Return a value's outputs: three numbers are a color, a fourth one is by itself."""
        numbers = self._numbers(value)
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
        alpha = "Alpha" if picture else f"{value.name}_w"
        return found + [_output("float", alpha, "1", one, "the fourth number" if not picture else
                                "opacity") for one in rest]  # fmt: skip


def _free(value: Value) -> Value:
    """Return a value whose name is no global of OSL, such as N."""
    taken = value.name in OslSpelling.reserved
    return replace(value, name=f"{value.name}_map") if taken else value


def _function_of(surface: Surface, name: str, result: str) -> Function:
    """Return the function of a surface's values, as a struct."""
    found = f"{surface.form.name}__found"
    body = [*surface.lines, f"{result} {found};",
            *(f"{found}.{one.name} = {one.call};" for one in surface.values),
            f"return {found};"]  # fmt: skip
    return Function(result, name, surface.parameters, tuple(body))


def _output(kind: str, name: str, unset: str, value: str, about: str) -> Output:
    return Output(kind, name, unset, (f"{name} = {value};",), about)
