"""Spelling of scalars in OSL: float, and int of 32 bits with a sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from neuralshade.languages.activations import activated
from neuralshade.languages.scalar_expressions import Expressions, NothingTwice
from neuralshade.languages.scalar_spelling import Item, Line, Spelling
from neuralshade.languages.scalar_values import (
    BIT_AND,
    SHIFT,
    UNARY,
    Scalar,
    Shapes,
    Value,
)
from neuralshade.model.shader_form import Function, Network

TYPES = {"float": "float", "int": "int", "uint": "int", "bool": "int"}
# Keywords, types, globals and functions of OSL that a name of the dialect could be.
RESERVED = """
and break bool case catch char class closure color const continue default delete do double else
emit enum extern false float for friend goto if illuminance illuminate inline int long matrix new
normal not operator or output point private protected public return shader short signed sizeof
static string struct surface displacement volume switch template this throw true try typedef
uniform union unsigned varying vector virtual void volatile while P I N Ng dPdu dPdv Ps u v time
dtime dPdtime Ci abs acos area arraylength asin atan backfacing bump calculatenormal ceil cellnoise
clamp concat cos cross degrees determinant diffuse distance dot Dx Dy Dz emission endswith erf erfc
error exit exp expm1 exp2 faceforward fabs filterwidth floor fmod format fprintf fresnel
getattribute getmatrix getmessage gettextureinfo hash hypot inversesqrt isconnected isconstant
isfinite isinf isnan length linearstep log log2 log10 logb luminance max metal microfacet min mix
mod noise normalize oren_nayar pnoise pow printf radians raytype reflect reflection refract
refraction regex_match regex_search rotate round select setmessage sign sin sincos sinh
smooth_linearstep smoothstep snoise spline splineinverse split sqrt startswith step strlen
substr surfacearea tan tanh texture texture3d transform transformc transparent transpose trunc
warning wavelength_color blackbody
"""


class OslSpelling(Spelling):
    """OSL. A uint is an int with the same bits; ``loose`` ones may look negative.

    Functions get the asset's arrays, since OSL has no globals: ``arrays`` says which of them.
    """

    separator = "_"
    signed = True
    reserved = frozenset(RESERVED.split())

    def __init__(self, name: str, arrays: Callable[[str], Sequence[str]], starts: Sequence[int]):
        """``arrays``: of a function; ``starts``: first weight of each of the form's networks."""
        super().__init__(name)
        self._arrays, self._starts = arrays, starts

    def function_name(self, name: str) -> str:
        """Return what a function of the form is called here: OSL has types such as color."""
        return f"{name}__" if name in self.reserved else name

    def array(self, which: str) -> str:
        """Return the name of the asset's array of words or weights."""
        return f"{self.name}__{which}"

    def literal(self, value: float, kind: str) -> Scalar:
        if isinstance(value, int) and value >= 2**31:
            found = super().literal(value - 2**32, kind)
            return replace(found, text=f"({found.text})", loose=True)
        return super().literal(value, kind)

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        if a.kind != "uint":
            return super().binary(op, a, b)
        if op == ">>":
            return self._shifted(a, b)
        if op in ("/", "%") and a.loose:
            name = {"/": "quotient", "%": "remainder"}[op]
            return Scalar(f"{self.name}__{name}({a.text}, {b.text})", "uint", loose=op == "/")
        if op in ("<", "<=", ">", ">="):
            return self._less(op, a, b)
        small = op == "&" and not (a.loose and b.loose)
        inside = op in ("|", "^") and not (a.loose or b.loose)
        return replace(super().binary(op, a, b), loose=not (small or inside))

    def _less(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """Return a comparison of numbers without a sign."""
        if not (a.loose or b.loose):
            return super().binary(op, a, b)
        first, second = (a, b) if op in ("<", ">=") else (b, a)
        not_ = "!" * (op in ("<=", ">="))
        return Scalar(f"{not_}{self.name}__less({first.text}, {second.text})", "bool", UNARY)

    def _shifted(self, a: Scalar, b: Scalar) -> Scalar:
        """Return a shift to the right that brings zeros in."""
        if not a.loose:
            return super().binary(">>", a, b)
        if b.text.isdigit() and b.text != "0":
            mask = 2 ** (32 - int(b.text)) - 1
            shifted = f"{a.within(SHIFT)} >> {b.text}"
            return Scalar(f"({shifted}) & {mask}", "uint", BIT_AND)
        return Scalar(f"{self.name}__shifted({a.text}, {b.text})", "uint", loose=True)

    def cast(self, kind: str, a: Scalar) -> Scalar:
        if kind == "float":
            if a.loose:
                return Scalar(f"{self.name}__float({a.text})", kind)
            return Scalar(f"(float){a.within(UNARY + 1)}", kind, UNARY)
        if a.kind == "float":
            return Scalar(f"(int){a.within(UNARY + 1)}", kind, UNARY)
        if a.kind == "bool":
            return replace(a, kind=kind)
        loose = kind == "uint" and (a.loose or not a.text.isdigit())
        return replace(a, kind=kind, loose=loose)

    def word(self, index: Scalar, kind: str = "uint") -> Scalar:
        word = Scalar(f"{self.array('words')}[{index.text}]", "uint", loose=True)
        return word if kind == "uint" else self.as_float(word)

    def as_float(self, bits: Scalar) -> Scalar:
        return Scalar(f"{self.name}__as_float({bits.text})", "float")

    def half(self, bits: Scalar) -> Scalar:
        return Scalar(f"{self.name}__half({bits.text})", "float")

    def constants(self, items: Sequence[Item]) -> str:
        return " ".join(f"{TYPES[item.kind]} {item.name} = {item.text};" for item in items)

    def variables(self, items: Sequence[Item]) -> str:
        return " ".join(f"{TYPES[item.kind]} {item.name}{f' = {item.text}' * bool(item.text)};"
                        for item in items)  # fmt: skip

    def loop(self, name: str, first: str, limit: str) -> str:
        return f"for (int {name} = {first}; {name} < {limit}; ++{name}) {{"

    def calls(self, function: Function, arguments: Sequence[str], items: Sequence[Item],
              depth: int) -> list[Line]:  # fmt: skip
        passed = [*map(self.array, self._arrays(function.name)), *arguments]
        name = self.function_name(function.name)
        if len(items) == 1:
            call = f"{name}({', '.join(passed)})"
            return [Line(depth, constants=(replace(items[0], text=call),))]
        call = f"{name}({', '.join([*passed, *(item.name for item in items)])});"
        return [Line(depth, self.variables(items)), Line(depth, call)]

    def result(self, place: int) -> str:
        """Return the name of an output of a function that returns several numbers."""
        return f"{self.name}__out{place}"

    def returned(self, items: Sequence[Item]) -> list[str]:
        if len(items) == 1:
            return [f"return {items[0].text};"]
        return [*(f"{self.result(place)} = {item.text};" for place, item in enumerate(items)),
                "return;"]  # fmt: skip

    def network(self, index: int, network: Network, inputs: Sequence[str],
                outputs: Sequence[str], depth: int) -> list[Line]:  # fmt: skip
        """Return loops over local arrays, which a function for all layers has."""
        name, at = self.name, self._starts[index]
        source = f"{name}__{network.result}0"
        lines = [f"float {source}[{len(inputs)}];"]
        lines += [f"{source}[{place}] = {text};" for place, text in enumerate(inputs)]
        for place, layer in enumerate(network.layers, start=1):
            count, width = layer.weight.shape
            made = f"{name}__{network.result}{place}"
            lines += [f"float {made}[{count}];",
                      f"{name}__layer({self.array('weights')}, {at}, {source}, {width}, {made}, "
                      f"{count});"]  # fmt: skip
            if layer.activation != "none":
                value = self.activated(layer.activation, f"{made}[i]")
                lines.append(f"for (int i = 0; i < {count}; ++i) {made}[i] = {value};")
            source, at = made, at + count * (width + 1)
        count = len(network.layers[-1].bias)
        items = tuple(Item("float", output, f"{source}[{place}]" if place < count else "0.0")
                      for place, output in enumerate(outputs))  # fmt: skip
        return [*(Line(depth, line) for line in lines), Line(depth, constants=items)]

    def activated(self, activation: str, x: str) -> str:
        """Return an activation of a variable."""
        expressions = Expressions(self, Shapes(()), {}, NothingTwice())
        expressions.names["s"] = Value("float", (Scalar(x, "float", simple=True, fixed=True),))
        return expressions.value(activated(activation, "s").replace("float4(", "(")).parts[0].text
