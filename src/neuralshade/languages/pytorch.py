"""A module of PyTorch that needs nothing else: text in Python, numbers in a safetensors file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.languages.language import INDENT, Printer, comment
from neuralshade.languages.numbers import fours
from neuralshade.languages.statements import Statement, statement
from neuralshade.languages.torch_text import HELPERS, python_expression
from neuralshade.model.shader_form import Function, Network, Struct

ACTIVATIONS = {
    "none": "{x}", "relu": "torch.relu({x})", "leaky_relu": "functional.leaky_relu({x}, 0.01)",
    "tanh": "torch.tanh({x})", "sigmoid": "torch.sigmoid({x})", "exp": "torch.exp({x})",
    "softplus": "functional.softplus({x})", "silu": "functional.silu({x})",
    "hard_gelu": "{x} * (({x}) / 3.0 + 0.5).clamp(0.0, 1.0)", "elu": "functional.elu({x})",
    "sine": "torch.sin({x})",
}  # fmt: skip
ASSIGNED = re.compile(r"(?P<to>[\w.]+) (?P<op>\+?)= (?P<value>.+);")
TURNS = r"(?:(?P<all>\d+)|min\((?P<most>\d+), .+\))"  # of a loop
CONSTANT = re.compile(r"-?\d[\d.e-]*")
RETURNED = re.compile(r"return (?P<value>.+);")


@dataclass(frozen=True)
class Torch(Printer):
    """A torch.nn.Module: networks are trained on as they are, words stay."""

    name: ClassVar[str] = "torch"
    suffix: ClassVar[str] = ".py"
    told: ClassVar[str] = (
        "`{name}_asset()` of this file is a torch.nn.Module; functions take and return float32 "
        "[N, numbers] on one device. It reads the numbers from the .safetensors file beside it."
    )

    def text(self) -> str:
        """Return the whole file."""
        form = self.form
        about = [comment(line).replace("//", "#", 1) for line in form.about]
        stem = form.name
        lines = [
            *about, "", "from pathlib import Path", "from types import SimpleNamespace", "",
            "import torch", "from safetensors.torch import load_file",
            "from torch.nn import functional", HELPERS, "",
            f"class {stem}_asset(torch.nn.Module):",
            f'{INDENT}"""The functions of the asset; each argument is float32 [N, numbers]."""', "",
            f"{INDENT}def __init__(self, numbers=None):",
            f"{INDENT * 2}super().__init__()",
            f'{INDENT * 2}found = load_file(numbers or Path(__file__).with_suffix(".safetensors"))',
            f'{INDENT * 2}self.register_buffer("words", found["words"].long() & 0xFFFFFFFF)',
        ]  # fmt: skip
        for name in self.numbers():
            if name != "words":
                lines.append(f'{INDENT * 2}self.{name} = torch.nn.Parameter(found["{name}"])')
        lines += ["", f"{INDENT}def {stem}_word(self, i):",
                  f"{INDENT * 2}return self.words[_tensor(i)]"]  # fmt: skip
        for function in form.functions:
            lines += ["", *self.function(function)]
        main = form.public[0]
        arguments = ", ".join(one.name for one in main.parameters)
        lines += ["", f"{INDENT}def forward(self, {arguments}):",
                  f"{INDENT * 2}return self.{main.name}({arguments})"]  # fmt: skip
        return "\n".join(lines) + "\n"

    def numbers(self) -> dict[str, npt.NDArray[Any]]:
        """Return the tensors of the file beside it."""
        found: dict[str, npt.NDArray[Any]] = {"words": self.form.words.view(np.int32)}
        for index, network in enumerate(self.form.networks):
            for place, layer in enumerate(network.layers):
                found[f"weight{index}_{place}"] = layer.weight.astype(np.float32)
                found[f"bias{index}_{place}"] = layer.bias.astype(np.float32)
        return found

    def companions(self) -> dict[str, bytes]:
        """Return the file of the numbers, by its suffix."""
        from safetensors.numpy import save

        return {".safetensors": save({name: np.ascontiguousarray(values)
                                      for name, values in self.numbers().items()})}  # fmt: skip

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        return self.form.words

    @property
    def reads_file(self) -> bool:
        return False  # of plain words

    def binding_text(self, stem: str) -> str:
        return self.told.format(name=self.form.name)

    def expression(self, text: str) -> str:
        names = {one.name for one in self.form.functions} | {f"{self.form.name}_word"}
        return python_expression(text, frozenset(names))

    def struct(self, struct: Struct) -> list[str]:
        return []  # SimpleNamespace stands for all

    def function(self, function: Function) -> list[str]:
        """Return a method; what ``if`` returns early is chosen at its end, row by row."""
        listed = ", ".join(["self", *(one.name for one in function.parameters)])
        about = [comment(function.about).replace("//", "#", 1)] if function.about else []
        lines, depth, early = [*about, f"def {function.name}({listed}):"], 1, False
        for line in self.flat(function.body):
            text = line.strip()
            if text in ("{", "}"):
                depth += 1 if text == "{" else -1
                continue
            one = statement(text)
            if one.kind == "returned_if":
                if not early:
                    lines.append(f"{INDENT}early = []")
                early = True
                lines.append(INDENT * depth + "early.append(("
                             f"{self.expression(one.parts['condition'])}, "
                             f"{self.expression(one.parts['value'])}))")  # fmt: skip
                continue
            made = self.statement(one)
            if early and made.startswith("return "):
                made = f"return _chosen([*early, (None, {made[7:]})])"
            lines.append(INDENT * depth + made)
        return [INDENT + line for line in lines]

    def statement(self, one: Statement) -> str:
        parts = one.parts
        if one.kind == "comment":
            return parts["text"].replace("//", "#", 1)
        if one.kind == "declared":
            return f"{parts['name']} = {self.expression(parts['value'])}"
        if one.kind == "bare":
            return f"{parts['name']} = SimpleNamespace()"
        if one.kind == "array":
            return f"{parts['name']} = [None] * {parts['count']}"
        if one.kind == "loop":
            found = re.fullmatch(rf"{parts['name']} < {TURNS}", parts["while"])
            if found and parts["first"].isdigit():
                last = found["all"] or found["most"]
                return f"for {parts['name']} in range({parts['first']}, {last}):"
        text = parts.get("text", "")
        if text.startswith("torch:"):  # of ``network``
            return text[6:]
        if found := RETURNED.fullmatch(text):
            value = self.expression(found["value"])
            return f"return _vector({value})" if CONSTANT.fullmatch(value) else f"return {value}"
        if found := ASSIGNED.fullmatch(text):
            added = f"{found['to']} + " if found["op"] else ""
            return f"{found['to']} = {added}{self.expression(found['value'])}"
        raise ConfigError(f"to: got torch for functions of {self.form.name} with loops whose "
                          "lengths are data, need another language. Use .module() of the loaded "
                          "asset.")  # fmt: skip

    def network(self, network: Network) -> Iterable[str]:
        """Return layers of PyTorch, and the float4 that the rest of the body reads."""
        index = next(i for i, one in enumerate(self.form.networks) if one is network)
        inputs = ", ".join(self.expression(x) for x in network.inputs)
        source = f"{network.result}_in"
        yield f"torch:{source} = _vector({inputs})"
        for place, layer in enumerate(network.layers):
            value = (f"functional.linear({source}, self.weight{index}_{place}, "
                     f"self.bias{index}_{place})")  # fmt: skip
            source = f"{network.result}_{place + 1}"
            yield f"torch:{source} = {value}"
            if layer.activation != "none":
                yield f"torch:{source} = {ACTIVATIONS[layer.activation].format(x=source)}"
        outputs = len(network.layers[-1].bias)
        yield f"torch:{source} = functional.pad({source}, (0, {4 * fours(outputs) - outputs}))"
        for four in range(fours(outputs)):
            yield f"torch:{network.result}{four} = {source}[:, {4 * four}:{4 * four + 4}]"
