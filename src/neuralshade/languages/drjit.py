"""Dr.Jit printer: a Python class whose methods take scalars or JIT arrays, and its numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.languages.language import INDENT, Printer, comment
from neuralshade.languages.numbers import fours
from neuralshade.languages.torch_rows import MADE, Rows
from neuralshade.languages.torch_text import Converter, python_expression
from neuralshade.model.activation import LEAK
from neuralshade.model.shader_form import Function, Network, Struct

# {x}: a NumPy vector where ``lib`` is numpy, a Dr.Jit array where it is drjit.
ACTIVATIONS = {
    "none": "x", "relu": "lib.maximum(x, 0.0)", "leaky_relu": f"lib.maximum(x, {LEAK} * x)",
    "tanh": "lib.tanh(x)", "sigmoid": "1.0 / (1.0 + lib.exp(lib.minimum(-x, 80.0)))",
    "exp": "lib.exp(x)",
    "softplus": "lib.maximum(x, 0.0) + lib.log(1.0 + lib.exp(-lib.abs(x)))",
    "silu": "x / (1.0 + lib.exp(lib.minimum(-x, 80.0)))",
    "hard_gelu": "x * lib.minimum(lib.maximum(x / 3.0 + 0.5, 0.0), 1.0)",
    "elu": "lib.maximum(x, 0.0) + (lib.exp(lib.minimum(x, 0.0)) - 1.0)", "sine": "lib.sin(x)",
}  # fmt: skip
CALLS = {
    "min": "dr.minimum", "max": "dr.maximum", "clamp": "dr.clip", "mix": "self._mix",
    "dot": "dr.dot", "length": "self._length", "normalize": "self._normalize",
    "cross": "dr.cross", "fract": "self._fract", "float": "self._float", "int": "self._int",
    "uint": "self._uint", "as_float": "self._as_float", "halves": "self._halves",
    "abs": "dr.abs", "floor": "dr.floor", "sqrt": "dr.sqrt", "inversesqrt": "self._inversesqrt",
    "exp": "dr.exp", "log": "dr.log", "sin": "dr.sin", "cos": "dr.cos", "tanh": "dr.tanh",
}  # fmt: skip
SCALARS = ("float", "int", "uint")
IMPORTS = ("dataclasses", "importlib", "math", "struct")


class _ToDrJit(Converter):
    """Rewrites an expression, parsed as Python, to take Dr.Jit's scalars and arrays."""

    functions: ClassVar[dict[str, str]] = CALLS
    before: ClassVar[str] = "self._"
    operators: ClassVar[dict[type[ast.operator], str]] = Converter.operators | {
        ast.LShift: "shifted_left", ast.RShift: "shifted_right",
    }  # fmt: skip

    def vector(self, name: str, parts: list[ast.expr]) -> ast.expr:
        return self._call(f"{name[:-1]}s", *parts)

    def lanes(self, node: ast.Attribute, places: list[int]) -> ast.AST:
        return node  # Dr.Jit's vectors have them


class _Lines(Rows):
    """The lines of one function, in which Dr.Jit records loops."""

    select: ClassVar[str] = "self._select"
    chosen: ClassVar[str] = "self._chosen"

    def _counted(self, name: str, begin: str, end: str) -> None:
        self._say(f"last{self._count} = {end}")
        self._say(f"{name} = self._int({begin})")
        self._say(f"while {name} < last{self._count}:")
        self._depth += 1
        # Masks outside do not reach into a recorded loop: none of ours has one around it.
        assert not self._masks
        self._blocks[-1] = f"loop {name}"

    def _end(self, block: str) -> None:
        kind, _, counter = block.partition(" ")
        if counter:
            self._say(f"{counter} = {counter} + 1")
        super()._end(kind)

    def _declared(self, parts: Mapping[str, str]) -> str:
        value = super()._declared(parts)
        changes = not parts["const"] and parts["type"] in SCALARS  # in a loop, a type must not
        return f"self._{parts['type']}({value})" if changes else value

    def _struct(self, name: str) -> str:
        return f"{name}()"

    def _constant(self, number: str) -> str:
        return f"self._float({number})"


@dataclass(frozen=True)
class DrJit(Printer):
    """A class of functions for each of Dr.Jit's backends; all numbers are in one array."""

    name: ClassVar[str] = "drjit"
    suffix: ClassVar[str] = ".py"
    has_halves: ClassVar[bool] = False
    imports: ClassVar[tuple[str, ...]] = ()  # modules that text after this one's needs
    third_party: ClassVar[tuple[str, ...]] = ()  # likewise, as lines

    def text(self) -> str:
        """Return imports, structs, and class ``Functions``."""
        form = self.form
        about = [hashed(line) for line in form.about]
        dialect = files(__package__).joinpath("drjit_dialect.py.txt").read_text("utf-8")
        imports = [f"import {one}" for one in sorted((*IMPORTS, *self.imports))]
        lines = [*about, "", *imports, "", "import drjit as dr", *self.third_party,
                 "import numpy as np", "", "", dialect, *self._activations(), "", ""]  # fmt: skip
        for struct in form.structs:
            lines += [*self.struct(struct), "", ""]
        lines += ["class Functions(Dialect):",
                  f'{INDENT}"""The functions of the asset."""', "",
                  f"{INDENT}_WORDS = {len(form.words)}", f"{INDENT}_NETWORKS = ("]  # fmt: skip
        for network in form.networks:
            layers = ", ".join(f"({len(one.bias)}, {one.weight.shape[1]}, {one.activation!r})"
                               for one in network.layers)  # fmt: skip
            lines.append(f"{INDENT * 2}({layers},),")
        lines += [f"{INDENT})", "", f"{INDENT}def {form.name}_word(self, i):",
                  f"{INDENT * 2}return self._word(i)"]  # fmt: skip
        for function in form.functions:
            lines += ["", *self.function(function)]
        return "\n".join(lines) + "\n"

    def _activations(self) -> list[str]:
        used = {layer.activation for network in self.form.networks for layer in network.layers}
        lines = [f"{INDENT}{name!r}: lambda lib, x: {ACTIVATIONS[name]},"
                 for name in ACTIVATIONS if name in used]  # fmt: skip
        return ["ACTIVATIONS = {", *lines, "}"] if lines else ["ACTIVATIONS = {}"]

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        """Return the form's words, then weight and bias of each layer, float32 bits."""
        parts = [self.form.words]
        for network in self.form.networks:
            for layer in network.layers:
                for values in (layer.weight, layer.bias):
                    parts.append(values.astype(np.float32).ravel().view(np.uint32))
        return np.concatenate(parts)

    def expression(self, text: str) -> str:
        names = {one.name for one in self.form.functions} | {f"{self.form.name}_word"}
        return python_expression(text, frozenset(names), _ToDrJit)

    def struct(self, struct: Struct) -> list[str]:
        """Return a dataclass, which Dr.Jit's loops and selections go into."""
        members = [f"{INDENT}{name}: object = None" for _, name in struct.members]
        return ["@dataclasses.dataclass", f"class {struct.name}:", *members]

    def function(self, function: Function) -> list[str]:
        """Return a method; see ``Rows``."""
        listed = ", ".join(["self", *(one.name for one in function.parameters)])
        body = _Lines(self).lines(self.flat(function.body))
        lines = [hashed(function.about)] if function.about else []
        lines += ["@dr.syntax"] * any(line.lstrip().startswith("while ") for line in body)
        lines += [f"def {function.name}({listed}):", *(INDENT + line for line in body)]
        return [INDENT + line for line in lines]

    def network(self, network: Network) -> Iterable[str]:
        """Return a call that evaluates all layers, and the float4 for the rest of the body."""
        inputs = ", ".join(self.expression(x) for x in network.inputs)
        listed = [f"{network.result}{four}" for four in range(fours(len(network.layers[-1].bias)))]
        yield f"{MADE}{', '.join(listed)}, = self._layers({self.index_of(network)}, [{inputs}])"


def hashed(text: str) -> str:
    """Return a comment of Python."""
    return comment(text).replace("//", "#", 1)
