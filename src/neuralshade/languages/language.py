"""Base class of printers: functions, statements, and the words of an asset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.languages.network import (
    activation_functions,
    loops,
    row_count,
    straight_lines,
    words_of,
)
from neuralshade.languages.statements import (
    FLOATS,
    Statement,
    renamed,
    replaced_calls,
    statement,
)
from neuralshade.model.shader_form import (
    Function,
    Golden,
    Network,
    Parameter,
    ShaderForm,
    Struct,
    Texture,
)

# Multiply-adds of a network whose numbers stand in the text: of so many still twice as fast on an
# H200 as loops over a buffer, compiled there in 5 s (benchmarks/results/export_h200.json).
MOST_IN_TEXT = 2**14
INDENT = "    "
MOST_CLOSE = 2  # functions with at most so many lines have no empty line between them
WIDTH = 120  # of a function whose single statement is on one line


@dataclass(frozen=True)
class Printer:
    """Prints forms in one language, from the dialect of model/shader_form.py.

    ``in_text``: networks' numbers are in the text; else in rows after the form's words.
    """

    form: ShaderForm
    in_text: bool

    name: ClassVar[str]
    suffix: ClassVar[str]
    numbers_end: ClassVar[str] = ".bin"  # suffix of the file of words
    types: ClassVar[dict[str, str]] = {}  # of the dialect, where spelled differently
    calls: ClassVar[dict[str, str]] = {}  # functions, likewise
    constant: ClassVar[str] = "const "  # prefix of constants
    float_end: ClassVar[str] = ""  # suffix of literals
    bound: ClassVar[dict[str, Any]] = {}  # binding of the words, as plain data
    usage: ClassVar[str] = ""  # likewise as text, with {bin}, {words} and {name}
    has_halves: ClassVar[bool] = True  # supports float16 arithmetic
    enables_halves: ClassVar[str] = ""  # first line of files with float16
    prefers_text: ClassVar[bool] = True  # is fastest with small networks' numbers in the text
    samples: ClassVar[bool] = False  # uses texture units; in other languages texels are words

    def content(self) -> bytes:
        """Return the whole file."""
        return self.text().encode()

    def text(self) -> str:
        """Return the whole text."""
        enabling = [self.enables_halves] if self.form.halves and self.enables_halves else []
        parts = [*map(comment, self.form.about), "", *enabling, *self.head(), ""]
        for struct in self.form.structs:
            parts += [*self.struct(struct), ""]
        return "\n".join([*parts, *self.function_lines(), *self.foot()]).rstrip("\n") + "\n"

    def function_lines(self, chosen: Sequence[Function] | None = None) -> list[str]:
        """Return the lines of all functions, or of these, with empty lines between long ones."""
        parts, shown = list[str](), set[str]()  # shown: arguments that an earlier one explains
        close = False  # the previous function takes one line and its comment
        for function in self.all_functions() if chosen is None else chosen:
            lines = [line for line in self.function(function) if line.strip() not in shown]
            if parts and (function.joined or (len(lines) <= MOST_CLOSE and close)):
                parts.pop()
            close = len(lines) <= MOST_CLOSE
            parts += [*lines, ""]
            shown |= set(_arguments(function))
        return parts[:-1]

    def all_functions(self) -> list[Function]:
        """Return helpers and the form's functions, each after those that it calls."""
        return [*self.helpers(), *self.form.functions]

    def activations(self) -> list[Function]:
        """Return the functions that networks in the text call."""
        return activation_functions(self.form.networks, self.form.name) if self.in_text else []

    def helpers(self) -> list[Function]:
        """Return functions that the form's functions call in this language."""
        return [*self.activations(), *self.half_rows()]

    def half_rows(self) -> list[Function]:
        """Return the function that reads float16 rows in loops."""
        if not (self.reads_rows and self.form.halves):
            return []
        name = self.form.name
        words = ", ".join(f"halves({name}_word(2 * i{more}))" for more in ("", " + 1"))
        return [Function("half4", f"{name}_half_row", (Parameter("int", "i"),),
                         (f"return to_half(float4({words}));",))]  # fmt: skip

    def head(self) -> list[str]:
        """Return the declarations of buffers, and the functions that read them."""
        return []

    def foot(self) -> list[str]:
        """Return the lines that end the file."""
        return []

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        """Return the buffer's content: the form's words, then rows of networks."""
        if self.in_text:
            return self.form.words
        filled = np.pad(self.form.words, (0, -len(self.form.words) % 4))
        return np.concatenate([filled, words_of(self.form.networks)])

    @property
    def reads_words(self) -> bool:
        return len(self.words) > 0

    @property
    def reads_file(self) -> bool:
        """Return whether the user has to load the words from a file."""
        return self.reads_words

    def companions(self) -> dict[str, bytes]:
        """Return files beside the text that only it reads, by suffix."""
        return {}

    def allowed(self, golden: Golden) -> float:
        """Return the largest correct difference from golden rows."""
        by_units = golden.by_units if self.form.textures else None
        return golden.tolerance if by_units is None else max(by_units, golden.tolerance)

    def neighbors(self) -> dict[str, bytes]:
        """Return other files that the text imports, by path beside it."""
        return {}

    def bindings(self) -> dict[str, Any]:
        """Return the bindings of words and textures, as plain data; empty without any."""
        found: dict[str, Any] = dict(self.bound) if self.reads_file else {}
        if self.form.textures:
            found["textures"] = {one.name: self.place_of(one) for one in self.form.textures}
        return found

    def slot(self, texture: Texture) -> int:
        """Return the number of a texture's binding: words have 0, textures 1 and on."""
        return 1 + self.form.textures.index(texture)

    def binding_text(self, stem: str, file: str, container: str) -> str:
        """Return instructions on binding, for people.

        ``stem``: of all files; ``file``: that of the words; ``container``: suffix of textures.
        """
        found = []
        if self.reads_file:
            found.append(self.usage.format(bin=f"`{file}`", words=f"`{self.form.name}_words`",
                                          name=self.form.name))  # fmt: skip
        if self.form.textures:
            files = ", ".join(
                f"`{one.name}` ({self.place_of(one)}) of `{stem}_{one.title}.{container}`"
                for one in self.form.textures
            )
            found.append(f"Textures, all mip levels: {files}; {self.sampler_text()}")
        return " ".join(found) or "nothing to bind, all numbers stand in the text."

    def place_of(self, texture: Texture) -> str:
        """Return the binding of a texture, for people."""
        return "by name"

    def sampler_text(self) -> str:
        """Return how textures are filtered, for people."""
        beyond = "repeat" if self.form.textures[0].wraps else "clamp to edge"
        return f"filter linear, between mip levels too, address mode {beyond}."

    def sampled(self, texture: Texture, arguments: Sequence[str]) -> str:
        """Return the call that samples a texture at ``uv`` and ``level``."""
        raise NotImplementedError(f"{self.name} samples no textures")

    @property
    def reads_rows(self) -> bool:
        return not self.in_text and bool(self.form.networks)

    def type(self, name: str) -> str:
        """Return the name of a dialect's type in this language."""
        return self.types.get(name, name)

    def expression(self, text: str) -> str:
        """Return an expression in this language."""
        for texture in self.form.textures:
            text = replaced_calls(text, texture.reader, partial(self.sampled, texture))
        text = renamed(text, {**self.types, **self.calls})
        return FLOATS.sub(lambda found: found[0] + self.float_end, text) if self.float_end else text

    def struct(self, struct: Struct) -> list[str]:
        """Return the declaration of a struct."""
        members = [f"{INDENT}{self.type(kind)} {name};" for kind, name in struct.members]
        return [f"struct {struct.name} {{", *members, "};"]

    def signature(self, function: Function) -> str:
        """Return the line before a function's body."""
        listed = ", ".join(self.parameter(one) for one in function.parameters)
        return f"{self.type(function.result)} {function.name}({listed})"

    def parameter(self, one: Parameter) -> str:
        """Return a parameter's declaration."""
        return f"{self.type(one.type)} {one.name}"

    def function(self, function: Function) -> list[str]:
        """Return a function, its comment before it."""
        about = [comment(function.about)] if function.about and not function.joined else []
        about += _arguments(function)
        body, head = self.body(function), self.signature(function)
        line = f"{head} {{ {' '.join(map(str.strip, body))} }}"
        if len(body) == 1 and len(line) <= WIDTH:
            return [*about, line]
        return [*about, *self.opened(head), *body, "}"]

    def opened(self, head: str) -> list[str]:
        """Return a head and the brace that opens its block."""
        return [f"{head} {{"]

    def body(self, function: Function) -> list[str]:
        """Return the statements of a function, indented."""
        depth, lines = 1, list[str]()
        for line in self.flat(function.body):
            text = line.strip()
            depth -= text == "}"
            if text == "{":
                lines[-1] += " {"
            else:
                lines.append(INDENT * depth + (self.statement(statement(text)) if text else ""))
            depth += text == "{"
        return lines

    def flat(self, body: Sequence[str | Network]) -> Iterator[str]:
        """Yield the lines of a body, networks among them."""
        for line in body:
            if isinstance(line, Network):
                yield from self.network(line)
            else:
                yield line

    def index_of(self, network: Network) -> int:
        """Return the index of one of the form's networks; two may be equal."""
        return next(i for i, one in enumerate(self.form.networks) if one is network)

    def network(self, network: Network) -> Iterable[str]:
        """Return a network's lines, in the dialect."""
        if self.in_text:
            return straight_lines(network, self.form.name)
        before = self.form.networks[: self.index_of(network)]
        first = -(-len(self.form.words) // 4) + sum(map(row_count, before))
        return loops(network, first, self.form.name)

    def statement(self, one: Statement) -> str:
        """Return a statement in this language."""
        parts = one.parts
        if one.kind == "declared":
            const = self.constant if parts["const"] else ""
            value = self.expression(parts["value"])
            return f"{const}{self.type(parts['type'])} {parts['name']} = {value};"
        if one.kind == "array":
            return f"{self.type(parts['type'])} {parts['name']}[{parts['count']}];"
        if one.kind == "bare":
            return f"{self.type(parts['type'])} {parts['name']};"
        if one.kind == "loop":
            while_ = self.expression(parts["while"])
            begin = f"{self.type('int')} {parts['name']} = {self.expression(parts['first'])}"
            return f"for ({begin}; {while_}; ++{parts['name']})"
        if one.kind == "returned_if":
            return (f"if ({self.expression(parts['condition'])}) "
                    f"return {self.expression(parts['value'])};")  # fmt: skip
        return parts["text"] if one.kind == "comment" else self.expression(parts["text"])


def _arguments(function: Function) -> list[str]:
    """Return comments on a function's arguments."""
    return [comment(f"{one.name}: {one.about}") for one in function.parameters if one.about]


def comment(text: str) -> str:
    """Return a comment that no text can end: line ends differ by language, and C joins lines."""
    letters = (letter if " " <= letter <= "~" else "?" for letter in text)
    return f"// {''.join(letters)}".replace("\\", "/").rstrip()
