"""Functions of a form in OSL, and those that OSL lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from neuralshade.languages.language import comment
from neuralshade.languages.numbers import number
from neuralshade.languages.scalar_statements import Body
from neuralshade.languages.scalar_values import Shapes
from neuralshade.model.shader_form import Function, Network, ShaderForm
from neuralshade.verbs.export.engines.osl.spelling import TYPES, OslSpelling

INDENT = "    "
IN_A_LINE = 12  # numbers of an array
LAYER = """\
// One affine layer: for each output its bias, then its weights.
void {n}__layer(float weights[], int first, float x[], int inputs, output float y[], int outputs)
{{
    int at = first;
    for (int o = 0; o < outputs; ++o) {{
        float sum = weights[at];
        for (int i = 0; i < inputs; ++i) sum += weights[at + 1 + i] * x[i];
        y[o] = sum;
        at += inputs + 1;
    }}
}}
"""
# Of whole numbers without a sign, whose bits an int has.
HELPERS = {
    "shifted": """\
int {n}__shifted(int bits, int count)
{{
    if (count == 0) return bits;
    return (bits >> count) & (2147483647 >> (count - 1));
}}
""",
    "float": """\
float {n}__float(int bits)
{{
    return (float)((bits >> 1) & 2147483647) * 2.0 + (float)(bits & 1);
}}
""",
    "less": """\
int {n}__less(int a, int b)
{{
    return (a ^ b) < 0 ? b < 0 : a < b;
}}
""",
    "quotient": """\
int {n}__quotient(int a, int b)
{{
    if (a >= 0) return a / b;
    int half = ((a >> 1) & 2147483647) / b * 2;
    int rest = a - half * b;
    return half + (rest < 0 || rest >= b);
}}
""",
    "remainder": """\
int {n}__remainder(int a, int b)
{{
    if (a >= 0) return a % b;
    int half = ((a >> 1) & 2147483647) % b;
    return (half * 2 + (a & 1)) % b;
}}
""",
    "as_float": """\
// The float32 whose bits an int has.
float {n}__as_float(int bits)
{{
    float low[16] = {{ {low} }};
    float high[16] = {{ {high} }};
    int e = (bits >> 23) & 255;
    float x = (float)((bits & 8388607) | 8388608) * low[e & 15] * high[e >> 4];
    return bits < 0 ? -x : x;
}}
""",
    "half": """\
// The float16 whose bits are the lower ones of an int.
float {n}__half(int bits)
{{
    float power[32] = {{ {power} }};
    int e = (bits >> 10) & 31;
    float x = (float)((bits & 1023) + (e > 0 ? 1024 : 0)) * power[e];
    return (bits & 32768) ? -x : x;
}}
""",
}
POWERS = {
    "low": [2.0**i for i in range(16)],
    "high": [0.0, *(2.0 ** (16 * i - 150) for i in range(1, 16))],  # below 1e-33 all is 0
    "power": [2.0 ** (max(e, 1) - 25) for e in range(32)],
}


class OslFunctions:
    """The functions of a form that some functions need, in OSL, and these."""

    def __init__(self, form: ShaderForm, mains: Sequence[Function]):
        self._form, self._mains = form, mains
        self._named = {one.name: one for one in (*form.functions, *mains)}
        counts = [sum(layer.weight.size + layer.bias.size for layer in network.layers)
                  for network in form.networks]  # fmt: skip
        starts = [sum(counts[:place]) for place in range(len(counts))]
        self.spelling = OslSpelling(form.name, self.arrays, starts)

    def arrays(self, function: str) -> list[str]:
        """Return which of the asset's arrays a function needs: words, weights."""
        reached = self._reached(self._named[function])
        lines = [line for one in reached for line in one.body]
        words = any(f"{self._form.name}_word(" in line for line in lines if isinstance(line, str))
        weights = any(isinstance(line, Network) for line in lines)
        return ["words"] * words + ["weights"] * weights

    def _reached(self, function: Function) -> list[Function]:
        """Return a function and all that it calls, each after those that it calls itself."""
        found = dict[str, Function]()
        texts = [part for line in function.body
                 for part in ([line] if isinstance(line, str) else line.inputs)]  # fmt: skip
        for name in dict.fromkeys(re.findall(r"\b(\w+)\(", " ".join(texts))):
            if name in self._named and name != function.name:
                found |= {one.name: one for one in self._reached(self._named[name])}
        return [*found.values(), function]

    @cached_property
    def lines(self) -> list[str]:
        """Return all functions, each after those that it calls."""
        needed = {one.name: one for main in self._mains for one in self._reached(main)}
        own = [line for one in needed.values() for line in self._function(one)]
        text, name = "\n".join(own), self._form.name
        powers = {key: ", ".join(map(number, values)) for key, values in POWERS.items()}
        helpers = [each for key, each in HELPERS.items() if f"{name}__{key}(" in text]
        helpers += [LAYER] * (f"{name}__layer(" in text)
        made = [line for each in helpers
                for line in [*each.format(n=name, **powers).splitlines(), ""]]  # fmt: skip
        return [*made, *own]

    def _function(self, function: Function) -> list[str]:
        body = Body(self._form, function, self.spelling)
        body.translate()
        arrays = [f"{'int' if one == 'words' else 'float'} {self.spelling.array(one)}[]"
                  for one in self.arrays(function.name)]  # fmt: skip
        listed = [*arrays, *(f"{TYPES[item.kind]} {item.name}" for item in body.parameters)]
        leaves = Shapes(self._form.structs).leaves(function.result)
        result = "void"
        if len(leaves) == 1:
            result = TYPES[leaves[0][1]]
        else:
            listed += [f"output {TYPES[kind]} {self.spelling.result(place)}"
                       for place, (_, kind) in enumerate(leaves)]  # fmt: skip
        lines = [INDENT * (1 + line.depth)
                 + (self.spelling.constants(line.constants) if line.constants else line.text)
                 for line in body.lines]  # fmt: skip
        about = [comment(function.about)] if function.about else []
        head = f"{result} {self.spelling.function_name(function.name)}({', '.join(listed)})"
        return [*about, head, "{", *lines, "}", ""]

    def parameters(self) -> list[str]:
        """Return the asset's numbers, as parameters that no user sets."""
        found, name = list[str](), self._form.name
        for which in self.arrays(self._mains[0].name):
            if which == "words":
                kind, texts = "int", [str(word) for word in self._form.words.view(np.int32)]
            else:
                kind, texts = (
                    "float",
                    [
                        number(x)
                        for network in self._form.networks
                        for layer in network.layers
                        for x in np.column_stack([layer.bias, layer.weight]).ravel()
                    ],
                )
            found += [f"{kind} {name}__{which}[{len(texts)}] = {{", *_listed(texts),
                      '} [[ string widget = "null", int lockgeom = 1 ]],']  # fmt: skip
        return found


def _listed(numbers: Sequence[str]) -> Iterable[str]:
    lines = [", ".join(numbers[first : first + IN_A_LINE])
             for first in range(0, len(numbers), IN_A_LINE)]  # fmt: skip
    return [f"{INDENT}{line}," for line in lines[:-1]] + [INDENT + lines[-1]]
