"""JavaScript printer: an ES module that imports nothing, for pages without a GPU, and Node.js."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.languages.activations import activated
from neuralshade.languages.javascript_spelling import JavaScriptSpelling, first_rows
from neuralshade.languages.language import Printer, comment
from neuralshade.languages.network import words_of
from neuralshade.languages.numbers import fours
from neuralshade.languages.scalar_expressions import Expressions, NothingTwice
from neuralshade.languages.scalar_spelling import Line
from neuralshade.languages.scalar_statements import Body
from neuralshade.languages.scalar_values import Scalar, Shapes, Value
from neuralshade.model.shader_form import Function

Words = npt.NDArray[np.uint32]

INDENT = "  "  # a page carries them
LAYER = """\
// One layer: {n}$packed has the inputs that are not 0, {n}$places where their weights are.
function {n}$layer(count, at, stride, outputs) {{
  for (let o = 0; o < outputs; o += 4, at += stride) {{
    let a = {n}$floats[at], b = {n}$floats[at + 1], c = {n}$floats[at + 2], d = {n}$floats[at + 3];
    for (let i = 0; i < count; ++i) {{
      const x = {n}$packed[i], w = at + {n}$places[i];
      a += x * {n}$floats[w];
      b += x * {n}$floats[w + 1];
      c += x * {n}$floats[w + 2];
      d += x * {n}$floats[w + 3];
    }}
    {n}$sums[o] = a;
    {n}$sums[o + 1] = b;
    {n}$sums[o + 2] = c;
    {n}$sums[o + 3] = d;
  }}
}}
"""
ACTIVATED = """\
function {n}${activation}(outputs) {{
  let count = 0;
  for (let o = 0; o < outputs; ++o) {{
    const s = {n}$sums[o], x = {value};
    if (x !== 0) {{
      {n}$packed[count] = x;
      {n}$places[count++] = 4 * o + 4;
    }}
  }}
  return count;
}}
"""
HALF = """\
const {n}$powers = Float64Array.from({{ length: 32 }}, (_, e) => 2 ** (Math.max(e, 1) - 25));
function {n}$half(bits) {{
  const e = bits >> 10 & 31, x = ((bits & 1023) + (e ? 1024 : 0)) * {n}$powers[e];
  return bits & 32768 ? -x : x;
}}
"""
AS_FLOAT = """\
const {n}$bits = new Uint32Array(1), {n}$float = new Float32Array({n}$bits.buffer);
function {n}$as_float(bits) {{
  {n}$bits[0] = bits;
  return {n}$float[0];
}}
"""
HELPERS = {"half": HALF, "as_float": AS_FLOAT}
SETTER = """\
let {n}$words = new Uint32Array(0), {n}$floats = new Float32Array(0);
// Sets the asset's numbers: a Uint32Array, or an ArrayBuffer of uint32, little-endian.
export function {n}$set_words(words) {{
  {n}$words = new Uint32Array(words);
  {n}$floats = new Float32Array({n}$words.buffer);
}}
"""
IN_TEXT = """\
const {n}$words = new Uint32Array(Uint8Array.from(atob(
  "{listed}",
), (letter) => letter.charCodeAt(0)).buffer);
const {n}$floats = new Float32Array({n}$words.buffer);
"""
CONVENTION = (
    "// Arguments are plain numbers, those of vectors one by one. A function returns a number, or",
    "// a Float64Array with all numbers of its result, which the next call overwrites.",
)


@dataclass(frozen=True)
class JavaScript(Printer):
    """An ES module. Networks are loops always; ``in_text``: all words stand in the text."""

    name: ClassVar[str] = "js"
    suffix: ClassVar[str] = ".mjs"
    has_halves: ClassVar[bool] = False
    prefers_text: ClassVar[bool] = False
    usage: ClassVar[str] = (
        "an ES module: give all of {bin}, an ArrayBuffer, to `{name}$set_words`, then call its "
        "functions with plain numbers, those of a vector one by one."
    )

    def text(self) -> str:
        """Return the whole module."""
        functions = [line for one in self.form.functions for line in self.function(one)]
        if self.form.networks:
            functions = [*self._layers(), *functions]
        read = "\n".join(functions)
        helpers = [text for name, text in HELPERS.items() if f"{self.form.name}${name}(" in read]
        about = [*map(comment, self.form.about), *CONVENTION, ""]
        lines = [*about, *self._arrays(), *self._formatted(helpers), *functions]
        return "\n".join(lines).rstrip("\n") + "\n"

    @property
    def words(self) -> Words:
        """Return the form's words, then rows of networks, wherever they stand."""
        if not self.form.networks:
            return self.form.words
        filled = np.pad(self.form.words, (0, -len(self.form.words) % 4))
        return np.concatenate([filled, words_of(self.form.networks)])

    @property
    def reads_file(self) -> bool:
        return self.reads_words and not self.in_text

    def binding_text(self, stem: str, file: str, container: str) -> str:
        if self.reads_file:
            return super().binding_text(stem, file, container)
        return ("an ES module that has all numbers: call its functions with plain numbers, those "
                "of a vector one by one.")  # fmt: skip

    @cached_property
    def spelling(self) -> JavaScriptSpelling:
        """Return how JavaScript writes scalars."""
        rows = first_rows(self.form.networks, len(self.form.words))
        return JavaScriptSpelling(self.form.name, rows)

    def function(self, function: Function) -> list[str]:
        """Return a function of plain numbers."""
        body = Body(self.form, function, self.spelling)
        body.translate()
        about = [comment(function.about)] if function.about and not function.joined else []
        about += [comment(f"{one.name}: {one.about}") for one in function.parameters if one.about]
        listed = ", ".join(item.name for item in body.parameters)
        head = f"{'export ' * function.public}function {function.name}({listed}) {{"
        lines = [INDENT * (1 + line.depth) + self._line(line) for line in body.lines]
        return [*about, head, *lines, "}", ""]

    def _line(self, line: Line) -> str:
        return self.spelling.constants(line.constants) if line.constants else line.text

    def _arrays(self) -> list[str]:
        """Return the arrays of the module, and the function that fills them."""
        name, lines = self.form.name, list[str]()
        shapes = Shapes(self.form.structs)
        counts = {len(shapes.leaves(one.result)) for one in self.form.functions}
        lines += [f"const {self.spelling.array(count)} = new Float64Array({count});"
                  for count in sorted(counts - {1})]  # fmt: skip
        layers = [layer for network in self.form.networks for layer in network.layers]
        if layers:
            widest = 4 * max(fours(side) for layer in layers for side in layer.weight.shape)
            lines += [f"const {name}$sums = new Float64Array({widest});",
                      f"const {name}$packed = new Float64Array({widest});",
                      f"const {name}$places = new Int32Array({widest});"]  # fmt: skip
        if self.in_text and self.reads_words:
            listed = base64.b64encode(self.words.astype("<u4").tobytes()).decode()
            return [*lines, *self._formatted([IN_TEXT], listed=listed)]
        return [*lines, *self._formatted([SETTER] * self.reads_words)]

    def _layers(self) -> list[str]:
        """Return the functions of networks: a layer, and what comes between layers."""
        used = {"none"} | {
            layer.activation for network in self.form.networks for layer in network.layers
        }
        between = {layer.activation for network in self.form.networks
                   for layer in network.layers[:-1]}  # fmt: skip
        last = {network.layers[-1].activation for network in self.form.networks} - {"none"}
        lines = self._formatted([LAYER])
        for one in sorted(used):
            value = self._activated(one)
            if one in last:
                lines += [f"function {self.form.name}${one}_of(s) {{", f"  return {value};", "}",
                          ""]  # fmt: skip
            if one in between or one == "none":
                lines += self._formatted([ACTIVATED], activation=one, value=value)
        return lines

    def _activated(self, activation: str) -> str:
        """Return the activation of ``s``."""
        expressions = Expressions(self.spelling, Shapes(()), {}, NothingTwice())
        expressions.names["s"] = Value("float", (Scalar("s", "float", simple=True, fixed=True),))
        return expressions.value(activated(activation, "s").replace("float4(", "(")).parts[0].text

    def _formatted(self, texts: Sequence[str], **values: str) -> list[str]:
        filled = [text.format(n=self.form.name, **values) for text in texts]
        return [line for text in filled for line in [*text.splitlines(), ""]]
