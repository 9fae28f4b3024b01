"""PyTorch printer: a self-contained Python module, and its numbers in a safetensors file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.languages.language import INDENT, Printer, comment
from neuralshade.languages.numbers import fours
from neuralshade.languages.torch_rows import MADE, Rows
from neuralshade.languages.torch_text import HELPERS, python_expression
from neuralshade.model.shader_form import Function, Network, Struct

ACTIVATIONS = {
    "none": "{x}", "relu": "torch.relu({x})", "leaky_relu": "functional.leaky_relu({x}, 0.01)",
    "tanh": "torch.tanh({x})", "sigmoid": "torch.sigmoid({x})", "exp": "torch.exp({x})",
    "softplus": "functional.softplus({x})", "silu": "functional.silu({x})",
    "hard_gelu": "{x} * (({x}) / 3.0 + 0.5).clamp(0.0, 1.0)", "elu": "functional.elu({x})",
    "sine": "torch.sin({x})",
}  # fmt: skip


@dataclass(frozen=True)
class Torch(Printer):
    """A torch.nn.Module: networks are trainable, words are constant."""

    name: ClassVar[str] = "torch"
    suffix: ClassVar[str] = ".py"
    has_halves: ClassVar[bool] = False
    usage: ClassVar[str] = (
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
                  f"{INDENT * 2}last = len(self.words) - 1  # rows that are done read anywhere",
                  f"{INDENT * 2}return self.words[_tensor(i).clamp(0, last)]"]  # fmt: skip
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

    def binding_text(self, stem: str, file: str, container: str) -> str:
        return self.usage.format(name=self.form.name)

    def expression(self, text: str) -> str:
        names = {one.name for one in self.form.functions} | {f"{self.form.name}_word"}
        return python_expression(text, frozenset(names))

    def struct(self, struct: Struct) -> list[str]:
        return []  # SimpleNamespace stands for all

    def function(self, function: Function) -> list[str]:
        """Return a method; see ``Rows``."""
        listed = ", ".join(["self", *(one.name for one in function.parameters)])
        about = [comment(function.about).replace("//", "#", 1)] if function.about else []
        body = Rows(self).lines(self.flat(function.body))
        lines = [*about, f"def {function.name}({listed}):", *(INDENT + line for line in body)]
        return [INDENT + line for line in lines]

    def network(self, network: Network) -> Iterable[str]:
        """Return calls of PyTorch layers, and the float4 for the rest of the body."""
        index = self.index_of(network)
        inputs = ", ".join(self.expression(x) for x in network.inputs)
        source = f"{network.result}_in"
        yield f"{MADE}{source} = _vector({inputs})"
        for place, layer in enumerate(network.layers):
            value = (f"functional.linear({source}, self.weight{index}_{place}, "
                     f"self.bias{index}_{place})")  # fmt: skip
            source = f"{network.result}_{place + 1}"
            yield f"{MADE}{source} = {value}"
            if layer.activation != "none":
                yield f"{MADE}{source} = {ACTIVATIONS[layer.activation].format(x=source)}"
        outputs = len(network.layers[-1].bias)
        yield f"{MADE}{source} = functional.pad({source}, (0, {4 * fours(outputs) - outputs}))"
        for four in range(fours(outputs)):
            yield f"{MADE}{network.result}{four} = {source}[:, {4 * four}:{4 * four + 4}]"
