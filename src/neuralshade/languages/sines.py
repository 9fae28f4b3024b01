"""Portable sine from -pi to pi, for languages with inaccurate ones."""

from __future__ import annotations

import math

from neuralshade.languages.numbers import number
from neuralshade.languages.statements import replaced_calls
from neuralshade.model.shader_form import Function, Network, Parameter, ShaderForm

# sin(s) / s by powers of s * s, fitted for the smallest largest error up to pi / 2: 3e-9 of 1.
FACTORS = (2.590456288557656e-06, -0.0001980088186734471, 0.008332899565986157,
           -0.16666647619522065, 0.9999999765665734)  # fmt: skip


def sine_functions(form: ShaderForm) -> list[Function]:
    """Return the functions that ``with_portable_sines`` calls, as many as a form needs."""
    bodies = [line for function in form.functions for line in function.body]
    text = " ".join(part for line in bodies
                    for part in (line.inputs if isinstance(line, Network) else [line]))  # fmt: skip
    found = []
    if "sin(" in text or "cos(" in text:
        found.append(_sine("float", f"{form.name}_sine"))
    if "cos(" in text:
        value = f"{form.name}_sine({number(math.pi / 2)} - abs(x))"
        found.append(Function("float", f"{form.name}_cosine", (Parameter("float", "x"),),
                              (f"return {value};",)))  # fmt: skip
    if any(layer.activation == "sine" for network in form.networks for layer in network.layers):
        found.append(_sine("float4", f"{form.name}_sines"))
    return found


def with_portable_sines(text: str, name: str) -> str:
    """Return an expression with sines replaced: of a float variable, or of four sums."""
    text = replaced_calls(text, "cos", lambda x: f"{name}_cosine({x[0]})")
    return replaced_calls(text, "sin", lambda x: f"{name}_sine{'s' * x[0].startswith('(')}({x[0]})")


def _sine(kind: str, name: str) -> Function:
    ends = ("-1.0", "1.0") if kind == "float" else (f"{kind}(-1.0)", f"{kind}(1.0)")
    all_ = number(math.pi) if kind == "float" else f"{kind}({number(math.pi)})"
    text = number(FACTORS[0])
    for factor in FACTORS[1:]:
        text = f"({text} * (s * s) + {number(factor)})"
    return Function(
        kind, name, (Parameter(kind, "x"),),
        (f"const {kind} s = min(abs(x), {all_} - abs(x));",
         f"return s * {text} * clamp(x * 1e30, {', '.join(ends)});"),
    )  # fmt: skip
