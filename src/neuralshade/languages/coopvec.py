"""Slang printer with cooperative vectors, for networks in float16."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.languages.activations import activated
from neuralshade.languages.hlsl import Slang
from neuralshade.languages.language import INDENT
from neuralshade.languages.network import activation_functions, straight_lines
from neuralshade.languages.numbers import LANES, fours
from neuralshade.languages.spirv import Spirv
from neuralshade.model.shader_form import Function, Golden, Layer, Network

LARGEST = float(np.finfo(np.float16).max)
ALIGNED = 64  # bytes at which a matrix begins; VK_NV_cooperative_vector
ROOM = 256  # a matrix has multiples of so many bytes: devices' own layouts take more than its rows
LAYOUT = """\
// Matrices lie in the buffer as in the file, or as the device likes them best, up to three times as
// fast: convert each in its place (vkConvertCooperativeVectorMatrixNV), and define {name}_LAYOUT
// as InferencingOptimal.
#ifndef {name}_LAYOUT
#define {name}_LAYOUT RowMajor
#endif
static const CoopVecComponentType {name}_HALF = CoopVecComponentType.Float16;"""
IN_FLOAT32 = ("exp",)  # activations that amplify rounding of their argument
MULTIPLE = 8  # of rows and columns: 16 bytes, at which a row and a bias begin
BY_VECTORS = {  # activations on whole vectors; others use float32 numbers
    "none": "{x}",
    "relu": "max({x}, {kind}(half(0.0h)))",
    "leaky_relu": "max({x}, {x} * half(0.01h))",
    "hard_gelu": "{x} * clamp({x} * half(0.33333334h) + {kind}(half(0.5h)), {kind}(half(0.0h)), "
                 "{kind}(half(1.0h)))",
}  # fmt: skip


@dataclass(frozen=True)
class Matrix:
    """A layer as the buffer has it: row-major float16, filled up to eights by 0."""

    layer: Layer
    rows: int
    columns: int
    weight_at: int  # in bytes

    @property
    def room(self) -> int:
        """Return how many bytes the matrix may take, in whatever layout."""
        return -(-2 * self.rows * self.columns // ROOM) * ROOM

    @property
    def bias_at(self) -> int:
        return self.weight_at + self.room

    @property
    def end(self) -> int:
        return self.bias_at + 2 * self.rows


@dataclass(frozen=True)
class CoopVecSlang(Slang):
    """A module of Slang for devices with cooperative vectors: Vulkan's, and shader model 6.10."""

    name: ClassVar[str] = "slang-coopvec"
    suffix: ClassVar[str] = ".coopvec.slang"
    numbers_end: ClassVar[str] = ".coopvec.bin"
    bound: ClassVar[dict[str, Any]] = {"byte_address_buffer": "by name"}
    samples: ClassVar[bool] = False
    usage: ClassVar[str] = "{words} is a `ByteAddressBuffer` with all of {bin}, float16 matrices."

    @cached_property
    def matrices(self) -> list[list[Matrix]]:
        """Return the layers of each network, placed after the form's words.

        Raises: ConfigError for weights beyond float16.
        """
        found, end = [], 4 * len(self.form.words)
        for network in self.form.networks:
            placed = list[Matrix]()
            if not by_vectors(network):
                found.append(placed)
                continue
            for layer in network.layers[:-1] if ends_in_float32(network) else network.layers:
                placed.append(_placed(layer, end))
                end = placed[-1].end
            found.append(placed)
        return found

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        """Return the buffer's content: the form's words, then matrices and biases."""
        matrices = [one for placed in self.matrices for one in placed]
        end = matrices[-1].end if matrices else 4 * len(self.form.words)
        halves = np.zeros(-(-end // 4) * 2, np.float16)
        halves[: 2 * len(self.form.words)] = self.form.words.view(np.float16)
        for one in matrices:
            outputs, inputs = one.layer.weight.shape
            weight = np.zeros((one.rows, one.columns), np.float16)
            weight[:outputs, :inputs] = one.layer.weight
            halves[one.weight_at // 2 :][: weight.size] = weight.ravel()
            halves[one.bias_at // 2 :][:outputs] = one.layer.bias
        return halves.view(np.uint32)

    @property
    def reads_words(self) -> bool:
        return len(self.words) > 0

    @property
    def reads_file(self) -> bool:
        return False  # but a file of its own

    def companions(self) -> dict[str, bytes]:
        return {self.numbers_end: self.words.astype("<u4").tobytes()} if self.reads_words else {}

    def bindings(self) -> dict[str, Any]:
        """Return the binding of the numbers, and the offsets of matrices in them."""
        if not self.reads_words:
            return {}
        matrices = [{"byte": one.weight_at, "rows": one.rows, "columns": one.columns,
                     "room": one.room}
                    for placed in self.matrices for one in placed]  # fmt: skip
        return {**self.bound, "matrices": matrices}

    def binding_text(self, stem: str, file: str, container: str) -> str:
        """Return what to bind, for people."""
        return self.usage.format(
            bin=f"`{stem}{self.numbers_end}`", words=f"`{self.form.name}_words`"
        )

    def allowed(self, golden: Golden) -> float:
        """Return the largest correct difference, with networks in float16."""
        return golden.tolerance if golden.in_halves is None else golden.in_halves

    @property
    def reads_rows(self) -> bool:
        return False

    def activations(self) -> list[Function]:
        others = [one for one in self.form.networks if not by_vectors(one)]
        others += [Network((), one.layers[-1:], "") for one in self.form.networks
                   if ends_in_float32(one)]  # fmt: skip
        return activation_functions(others, self.form.name)

    def head(self) -> list[str]:
        name = self.form.name
        lines = [*LAYOUT.format(name=name).splitlines(), "",
                 f"ByteAddressBuffer {name}_words;", "", f"uint {name}_word(int i)", "{",
                 f"{INDENT}return {name}_words.Load(4 * i);", "}"]  # fmt: skip
        for index, placed in enumerate(self.matrices):
            lines += ["", *self.evaluator(index, placed)] if placed else []
        return lines if self.reads_words else []

    def network(self, network: Network) -> Iterable[str]:
        """Return the call of a network's function, in the dialect."""
        if not by_vectors(network):
            yield from straight_lines(network, self.form.name)
            return
        index, inputs = self.index_of(network), network.inputs
        across, outputs = fours(len(inputs)), len(self.matrices[index][-1].layer.bias)
        yield f"float4 {network.result}_in[{across}];"
        for four in range(across):
            own = [*inputs[4 * four : 4 * four + 4], "0.0", "0.0", "0.0"][:4]
            yield f"{network.result}_in[{four}] = float4({', '.join(own)});"
        yield f"float4 {network.result}_out[{fours(outputs)}];"
        yield f"{self.form.name}_network{index}({network.result}_in, {network.result}_out);"
        if ends_in_float32(network):
            found = tuple(f"{network.result}_out[{i // 4}].{LANES[i % 4]}" for i in range(outputs))
            last = Network(found, network.layers[-1:], network.result)
            yield from straight_lines(last, self.form.name)
            return
        for four in range(fours(outputs)):
            yield f"const float4 {network.result}{four} = {network.result}_out[{four}];"

    def evaluator(self, index: int, placed: Sequence[Matrix]) -> list[str]:
        """Return the function that evaluates a network."""
        inputs, outputs = placed[0].layer.weight.shape[1], len(placed[-1].layer.bias)
        lines = [f"void {self.form.name}_network{index}(float4 x[{fours(inputs)}], "
                 f"out float4 y[{fours(outputs)}])", "{"]  # fmt: skip
        body = [
            f"CoopVec<half, {placed[0].columns}> h0;",
            *_each("h0", placed[0].columns, f"i < {inputs} ? half(x[i / 4][i % 4]) : half(0)"),
        ]
        network = self.form.networks[index]
        for number, one in enumerate(placed, 1):
            body += self.product(number, one)
            if one.layer is not network.layers[-1]:
                body += self.activation(f"h{number}", one)
        last = f"h{len(placed)}"
        for four in range(fours(outputs)):
            lanes = [f"float({last}[{4 * four + i}])" for i in range(4)]
            body.append(f"y[{four}] = float4({', '.join(lanes)});")
            kind = network.layers[-1].activation
            if kind != "none" and not ends_in_float32(network):
                body.append(f"y[{four}] = {self.expression(activated(kind, f'y[{four}]'))};")
        return [*lines, *(INDENT + line for line in body), "}"]

    def product(self, number: int, one: Matrix) -> list[str]:
        """Return the lines of one layer, of the last one without its activation."""
        outputs, inputs = one.layer.weight.shape
        name, words, half = self.form.name, f"{self.form.name}_words", f"{self.form.name}_HALF"
        lines = [f"// Layer {number}: {inputs} to {outputs}, {one.layer.activation}.",
                 f"CoopVec<half, {one.rows}> h{number} = "
                 f"coopVecMatMulAdd<half, {one.rows}, {one.columns}>(",
                 f"{INDENT}h{number - 1}, {half}, {words}, {one.weight_at}, {half}, {words}, "
                 f"{one.bias_at}, {half},",
                 f"{INDENT}CoopVecMatrixLayout.{name}_LAYOUT, false, {2 * one.columns});",
                 ]  # fmt: skip
        return lines

    def activation(self, name: str, one: Matrix) -> list[str]:
        """Return the lines of a hidden layer's activation."""
        kind = one.layer.activation
        if kind in BY_VECTORS:
            whole = BY_VECTORS[kind].format(x=name, kind=f"CoopVec<half, {one.rows}>")
            return [] if kind == "none" else [f"{name} = {whole};"]
        value = self.expression(activated(kind, "four"))
        return ["[ForceUnroll]", f"for (int i = 0; i < {one.rows}; i += 4)", "{",
                f"{INDENT}float4 four = float4({name}[i], {name}[i + 1], {name}[i + 2], "
                f"{name}[i + 3]);",
                f"{INDENT}four = {value};",
                *(f"{INDENT}{name}[i + {lane}] = half(four.{LANES[lane]});" for lane in range(4)),
                "}"]  # fmt: skip


def by_vectors(network: Network) -> bool:
    """Return whether matrix units evaluate a network: not single layers, such as frames."""
    return len(network.layers) > 1


def ends_in_float32(network: Network) -> bool:
    """Return whether float32 evaluates the last layer of a network whose others are matrices."""
    return by_vectors(network) and network.layers[-1].activation in IN_FLOAT32


def _placed(layer: Layer, end: int) -> Matrix:
    largest = max(np.abs(layer.weight).max(initial=0), np.abs(layer.bias).max(initial=0))
    if largest > LARGEST:
        raise ConfigError(f"matrix: got a network with numbers up to {largest:.3g}, need at most "
                          f"{LARGEST:g} for float16. Export it without.")  # fmt: skip
    outputs, inputs = layer.weight.shape
    rows, columns = (-(-count // MULTIPLE) * MULTIPLE for count in (outputs, inputs))
    return Matrix(layer, rows, columns, -(-end // ALIGNED) * ALIGNED)


def _each(name: str, count: int, value: str) -> list[str]:
    """Return lines that set the numbers of a vector."""
    return ["[ForceUnroll]", f"for (int i = 0; i < {count}; ++i)", f"{INDENT}{name}[i] = {value};"]


@dataclass(frozen=True)
class CoopVecSpirv(Spirv, CoopVecSlang):
    """The same as SPIR-V, whose matrices are row-major."""

    name: ClassVar[str] = "spirv-coopvec"
    suffix: ClassVar[str] = ".coopvec.spv"
