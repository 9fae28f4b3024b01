"""C++17, CUDA and Metal printers: functions as members of a struct with the asset's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.languages import cuda_halves
from neuralshade.languages.activations import ACTIVATIONS
from neuralshade.languages.cpp_vectors import used_names, vectors_text
from neuralshade.languages.language import INDENT, Printer
from neuralshade.languages.numbers import fours, number
from neuralshade.languages.statements import FLOATS
from neuralshade.model.shader_form import Function, Network, Struct, Texture

SWIZZLE = re.compile(r"\.([xyzw]{2,4})\b")
IN_A_LINE = 12  # numbers of an array
MOST_LISTED = 2**18  # words in a text of C++: 3 MB; more are read from a file


@dataclass(frozen=True)
class StructPrinter(Printer):
    """A language whose functions are members of a struct with the pointer to the words."""

    float_end: ClassVar[str] = "f"
    before: ClassVar[str] = ""  # prefix of each function
    pointer: ClassVar[str] = "const uint*"

    def signature(self, function: Function) -> str:
        return f"{self.before}{super().signature(function)} const"

    def function(self, function: Function) -> list[str]:
        return [INDENT + line if line else line for line in super().function(function)]

    def struct(self, struct: Struct) -> list[str]:
        return [INDENT + line for line in super().struct(struct)]

    def head(self) -> list[str]:
        name = self.form.name
        lines = [*self.begin(), f"struct {name}_asset", "{"]
        if self.reads_words:
            lines += [f"    {self.pointer} words{self.default};", ""]
            lines += self.reader(f"uint {name}_word(int i)", "words[i]")
        if self.reads_rows:
            parts = ", ".join(f"as_float(words[4 * i + {lane}])" for lane in range(4))
            lines += ["", *self.reader(f"float4 {name}_row(int i)",
                                       self.expression(f"float4({parts})"))]  # fmt: skip
        return lines

    @property
    def default(self) -> str:
        """Return the default of the pointer."""
        return ""

    def reader(self, head: str, value: str) -> list[str]:
        return [f"    {self.before}{head} const", "    {", f"        return {value};", "    }"]

    def begin(self) -> list[str]:
        """Return the lines before the struct."""
        return []

    def foot(self) -> list[str]:
        return ["};"]


@dataclass(frozen=True)
class VectorStructPrinter(StructPrinter):
    """C++ or CUDA: vector types are in the text, inside a namespace."""

    def opening(self) -> list[str]:
        """Return the vectors and the beginning of the namespace."""
        halves = cuda_halves.TEXT.splitlines() if self.form.halves else []
        names = [f"using neuralshade::{name};" for name in cuda_halves.NAMES if halves]
        return [*vectors_text().splitlines(), *halves, "", f"namespace {self.form.name}_shader",
                "{", *used_names(), *names]  # fmt: skip

    def foot(self) -> list[str]:
        return [*super().foot(), f"}} // namespace {self.form.name}_shader"]

    def expression(self, text: str) -> str:
        return SWIZZLE.sub(r".\1()", super().expression(text))


@dataclass(frozen=True)
class Cpp(VectorStructPrinter):
    """A header of C++17 that needs nothing else; it holds the numbers."""

    name: ClassVar[str] = "cpp"
    suffix: ClassVar[str] = ".hpp"
    has_halves: ClassVar[bool] = False
    pointer: ClassVar[str] = "const std::uint32_t*"

    usage: ClassVar[str] = (
        "`{name}_shader::{name}_asset asset{{ words }};` with a pointer to all of {bin}; the "
        "functions are its members."
    )

    @property
    def default(self) -> str:
        return "" if self.reads_file else f" = {self.form.name}_words"

    @property
    def reads_rows(self) -> bool:
        return False  # arrays in the text vectorize

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        return self.form.words

    @property
    def reads_file(self) -> bool:
        return len(self.words) > MOST_LISTED

    def binding_text(self, stem: str, file: str, container: str) -> str:
        if self.reads_file:
            return super().binding_text(stem, file, container)
        name = self.form.name
        return (f"nothing to bind, all numbers stand in the text: `{name}_shader::{name}_asset "
                "asset;`, the functions are its members.")  # fmt: skip

    def begin(self) -> list[str]:
        includes = "#include <cmath>\n#include <cstdint>\n#include <cstring>\n"
        lines = ["#pragma once", *includes.splitlines(), "", *self.opening()]
        if self.reads_words and not self.reads_file:
            listed = _listed([f"{word}u" for word in self.words.tolist()])
            lines += ["// Not const: of constants g++ 12 makes wrong numbers with AVX-512.",
                      f"inline std::uint32_t {self.form.name}_words[] = {{", *listed,
                      "};"]  # fmt: skip
        for index, network in enumerate(self.form.networks):
            lines += self._arrays(index, network)
        return [*lines, ""]

    def activations(self) -> list[Function]:
        return []  # loops call them for single numbers

    def _arrays(self, index: int, network: Network) -> Iterator[str]:
        for place, layer in enumerate(network.layers):
            outputs, inputs = layer.weight.shape
            yield f"inline constexpr float weight{index}_{place}[{inputs}][{outputs}] = {{"
            for row in layer.weight.T.tolist():
                yield f"    {{ {', '.join(number(x) + 'f' for x in row)} }},"
            yield "}; // [input][output]"
            listed = ", ".join(number(x) + "f" for x in layer.bias.tolist())
            yield f"inline constexpr float bias{index}_{place}[{outputs}] = {{ {listed} }};"

    def network(self, network: Network) -> Iterable[str]:
        """Return loops over plain arrays: outputs in the inner loop, which vectorizes."""
        index = self.index_of(network)
        source = f"{network.result}_in"
        yield (f"const float {source}[{len(network.inputs)}] = "
               f"{{ {', '.join(self.expression(x) for x in network.inputs)} }};")  # fmt: skip
        for place, layer in enumerate(network.layers):
            outputs, inputs = layer.weight.shape
            name = f"{network.result}_{place + 1}"
            width = 4 * fours(outputs)
            yield f"// Layer {place + 1}: {inputs} to {outputs}, {layer.activation}."
            yield f"float {name}[{width}] = {{}};"
            yield f"for (int o = 0; o < {outputs}; ++o) {name}[o] = bias{index}_{place}[o];"
            yield f"for (int i = 0; i < {inputs}; ++i)"
            yield (f"    for (int o = 0; o < {outputs}; ++o) "
                   f"{name}[o] += weight{index}_{place}[i][o] * {source}[i];")  # fmt: skip
            if layer.activation != "none":
                value = ACTIVATIONS[layer.activation].replace("float4(", "(").format(x="s")
                value = FLOATS.sub(lambda found: found[0] + "f", value)
                yield (f"for (int o = 0; o < {outputs}; ++o) "
                       f"{{ const float s = {name}[o]; {name}[o] = {value}; }}")  # fmt: skip
            source = name
        for four in range(fours(len(network.layers[-1].bias))):
            lanes = ", ".join(f"{source}[{4 * four + lane}]" for lane in range(4))
            yield f"const float4 {network.result}{four}({lanes});"


@dataclass(frozen=True)
class Cuda(VectorStructPrinter):
    """A header of CUDA C++."""

    name: ClassVar[str] = "cuda"
    suffix: ClassVar[str] = ".cuh"
    usage: ClassVar[str] = (
        "`{name}_shader::{name}_asset asset{{ words }};` with a device pointer to all of {bin}; "
        "the functions are its members."
    )
    before: ClassVar[str] = "__device__ "
    pointer: ClassVar[str] = "const unsigned int*"

    def begin(self) -> list[str]:
        return ["#pragma once", *self.opening(), ""]


@dataclass(frozen=True)
class Metal(StructPrinter):
    """The Metal Shading Language."""

    name: ClassVar[str] = "metal"
    suffix: ClassVar[str] = ".metal"
    usage: ClassVar[str] = (
        "`{name}_asset asset = {{ words }};` with a device buffer of all of {bin}; the functions "
        "are its members."
    )
    pointer: ClassVar[str] = "device const uint*"
    calls: ClassVar[dict[str, str]] = {
        "as_float": "as_type<float>", "inversesqrt": "rsqrt", "to_half": "half4",
        "to_float": "float4",
    }  # fmt: skip
    samples: ClassVar[bool] = True

    def head(self) -> list[str]:
        lines = [f"{INDENT}texture2d<float> {one.name};" for one in self.form.textures]
        return [*super().head(), *lines]

    def place_of(self, texture: Texture) -> str:
        return "a member of the struct"

    def sampler_text(self) -> str:
        return "the text has their sampler."

    def sampled(self, texture: Texture, arguments: Sequence[str]) -> str:
        uv, level = arguments
        return f"{texture.name}.sample({self.form.name}_sampler, {uv}, metal::level({level}))"

    def begin(self) -> list[str]:
        beyond = "repeat" if self.form.textures and self.form.textures[0].wraps else "clamp_to_edge"
        sampler = [f"constexpr sampler {self.form.name}_sampler(filter::linear, "
                   f"mip_filter::linear, address::{beyond});", ""]  # fmt: skip
        return ["#include <metal_stdlib>", "using namespace metal;", "",
                *(sampler if self.form.textures else []),
                "static inline float2 halves(uint w)", "{",
                "    return float2(as_type<half2>(w));", "}", ""]  # fmt: skip


def _listed(numbers: list[str]) -> list[str]:
    """Return numbers in lines."""
    return [INDENT + ", ".join(numbers[first : first + IN_A_LINE]) + ","
            for first in range(0, len(numbers), IN_A_LINE)]  # fmt: skip
