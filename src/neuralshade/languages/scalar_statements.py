"""Translation of the dialect's bodies to scalar statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from neuralshade.languages.numbers import fours
from neuralshade.languages.scalar_expressions import Expressions
from neuralshade.languages.scalar_spelling import Item, Line, Spelling
from neuralshade.languages.scalar_values import Scalar, Shapes, Value
from neuralshade.languages.statements import Statement, statement
from neuralshade.model.shader_form import Function, Network, ShaderForm

IF = re.compile(r"if \((?P<condition>.+)\)")
ASSIGNED = re.compile(r"(?P<to>[\w.]+) (?P<op>\+?)= (?P<value>.+);")
RETURNED = re.compile(r"return (?P<value>.+);")
LIMIT = re.compile(r"(?P<name>\w+) < (?P<limit>.+)")
STEPPED = re.compile(r"\b(?:floor|int)\((\w+)")  # what decides between two texels
WORDS = re.compile(r"[A-Za-z_$][\w$]*")


class Body:
    """The lines of one function, from the dialect's.

    ``parameters``: the function's numbers, one by one; ``lines`` is filled by ``translate``.
    """

    def __init__(self, form: ShaderForm, function: Function, spelling: Spelling):
        self._form, self._function, self._spelling = form, function, spelling
        self._shapes = Shapes(form.structs)
        functions: Mapping[str, Function] = {one.name: one for one in form.functions}
        self._expressions = Expressions(spelling, self._shapes, functions, self)
        self._taken = {*functions, *spelling.reserved, *_words(function)}
        self._scopes: list[dict[str, Value]] = []  # names in reach before each open block
        self._fresh: set[str] = set()  # names that the current statement has made
        self._count = 0
        self.lines: list[Line] = []
        self.parameters: list[Item] = []
        lines = [line.strip() for line in function.body if isinstance(line, str)]
        # Rounded as float32 is, so that all languages take the same texel.
        self._stepped = set(STEPPED.findall(" ".join(lines)))
        changed = {found["to"].partition(".")[0] for line in lines
                   if (found := ASSIGNED.fullmatch(line))}  # fmt: skip
        for one in function.parameters:
            self.parameters += self._named(one.type, one.name, fixed=one.name not in changed)

    def translate(self) -> None:
        """Fill ``lines``."""
        for line in self._function.body:
            self._fresh.clear()
            if isinstance(line, Network):
                self._network(line)
            else:
                self._add(line.strip())
        self.lines = _without_unread(self.lines)

    def hold(self, scalar: Scalar) -> Scalar:
        """Return a name for a number that is read more than once."""
        if scalar.simple:
            return scalar
        item = self._temporary(scalar.kind)
        self._constants([replace(item, text=self._spelling.settled(scalar).text)])
        return self._name(item)

    def call(self, function: Function, arguments: Sequence[Scalar]) -> Value:
        """Return names for the numbers that a function returns."""
        texts = [self._spelling.settled(one).text for one in arguments]
        items = [self._temporary(kind) for _, kind in self._shapes.leaves(function.result)]
        self.lines += self._spelling.calls(function, texts, items, self._depth)
        return Value(function.result, tuple(map(self._name, items)))

    @property
    def _depth(self) -> int:
        return len(self._scopes)

    def _temporary(self, kind: str) -> Item:
        self._count += 1
        name = self._unique(f"t{self._count}")
        self._fresh.add(name)
        return Item(kind, name)

    def _unique(self, name: str) -> str:
        while name in self._taken:
            name += self._spelling.separator
        self._taken.add(name)
        return name

    def _named(self, kind: str, name: str, *, fixed: bool) -> list[Item]:
        """Declare a name of the dialect; return its numbers. Scalars keep the name."""
        items = []
        for path, leaf in self._shapes.leaves(kind):
            free = path or name in self._spelling.reserved
            made = f"{name}{self._spelling.separator}{path}" if free else name
            items.append(Item(leaf, self._unique(made) if free else made))
        parts = tuple(self._name(item, fixed=fixed) for item in items)
        self._expressions.names[name] = Value(kind, parts)
        return items

    def _name(self, item: Item, *, fixed: bool = True) -> Scalar:
        loose = self._spelling.signed and item.kind == "uint"
        return Scalar(item.name, item.kind, simple=True, fixed=fixed, loose=loose)

    def _constants(self, items: Sequence[Item]) -> None:
        self.lines.append(Line(self._depth, constants=tuple(items)))

    def _say(self, text: str) -> None:
        self.lines.append(Line(self._depth, text))

    def _parts(self, text: str, *, single: bool = False) -> tuple[Scalar, ...]:
        """Return the numbers of an expression, within their types."""
        value = self._expressions.value(text, single=single)
        return tuple(map(self._spelling.settled, value.parts))

    def _add(self, text: str) -> None:
        one = statement(text)
        if text == "{":
            return  # the line before it has opened the block
        if text == "}":
            self._expressions.names = self._scopes.pop()
            self._say("}")
        elif one.kind == "comment":
            self._say(text)
        elif one.kind == "declared":
            self._declared(one)
        elif one.kind == "bare":
            items = self._named(one.parts["type"], one.parts["name"], fixed=False)
            self._say(self._spelling.variables(items))
        elif one.kind == "loop":
            self._loop(one)
        elif one.kind == "returned_if":
            self._open(f"if ({self._parts(one.parts['condition'])[0].text}) {{")
            self._returned(one.parts["value"])
            self._add("}")
        elif found := IF.fullmatch(text):
            self._open(f"if ({self._parts(found['condition'])[0].text}) {{")
        elif found := RETURNED.fullmatch(text):
            self._returned(found["value"])
        else:
            found = ASSIGNED.fullmatch(text)
            assert found is not None, text
            self._assigned(found["to"], found["op"], found["value"])

    def _open(self, head: str) -> None:
        self._say(head)
        self._scopes.append(dict(self._expressions.names))

    def _loop(self, one: Statement) -> None:
        limits = LIMIT.fullmatch(one.parts["while"])
        assert limits is not None and limits["name"] == one.parts["name"], one.parts
        first = self._parts(one.parts["first"])[0]
        limit = self.hold(self._expressions.value(limits["limit"]).parts[0])
        before = dict(self._expressions.names)
        (item,) = self._named("int", one.parts["name"], fixed=False)
        self._say(self._spelling.loop(item.name, first.text, limit.text))
        self._scopes.append(before)

    def _declared(self, one: Statement) -> None:
        begun = len(self.lines)
        kind, name, constant = one.parts["type"], one.parts["name"], bool(one.parts["const"])
        parts = self._parts(one.parts["value"], single=name in self._stepped)
        if constant and all(part.fixed for part in parts):
            names = [part.text for part in parts]
            own = len(set(names)) == len(names) and self._fresh.issuperset(names)
            self._expressions.names[name] = Value(kind, parts)
            if own:
                self._rename(begun, names, self._named(kind, name, fixed=True))
            return
        items = [replace(item, text=part.text) for item, part in
                 zip(self._named(kind, name, fixed=constant), parts, strict=True)]  # fmt: skip
        if constant:
            self._constants(items)
        else:
            self._say(self._spelling.variables(items))

    def _rename(self, begun: int, names: Sequence[str], items: Sequence[Item]) -> None:
        """Give temporaries of the lines from ``begun`` on the names of variables."""
        new = dict(zip(names, (item.name for item in items), strict=True))

        def renamed(text: str) -> str:
            return WORDS.sub(lambda found: new.get(found[0], found[0]), text)

        for place in range(begun, len(self.lines)):
            line = self.lines[place]
            constants = tuple(Item(item.kind, renamed(item.name), renamed(item.text))
                              for item in line.constants)  # fmt: skip
            self.lines[place] = Line(line.depth, renamed(line.text), constants)

    def _assigned(self, to: str, op: str, text: str) -> None:
        name, *path = to.split(".")
        target = self._expressions.names[name]
        for member in path:
            target = self._shapes.member(target, member)
        value = self._expressions.value(f"{to} + ({text})" if op else text)
        parts = tuple(map(self._spelling.settled, value.parts))
        written = set[str]()
        for old, new in zip(target.parts, parts, strict=True):
            if written & set(WORDS.findall(new.text)):  # read after it was written
                parts = tuple(self._copied(part) for part in parts)
                break
            written.add(old.text)
        for old, new in zip(target.parts, parts, strict=True):
            self._say(f"{old.text} = {new.text};")

    def _copied(self, scalar: Scalar) -> Scalar:
        return self.hold(scalar if scalar.fixed else replace(scalar, simple=False))

    def _returned(self, text: str) -> None:
        kinds = self._shapes.leaves(self._function.result)
        parts = self._parts(text)
        items = [Item(kind, path, part.text)
                 for (path, kind), part in zip(kinds, parts, strict=True)]  # fmt: skip
        for line in self._spelling.returned(items):
            self._say(line)

    def _network(self, network: Network) -> None:
        inputs = [self._parts(one)[0].text for one in network.inputs]
        outputs = [item.name for four in range(fours(len(network.layers[-1].bias)))
                   for item in self._named("float4", f"{network.result}{four}",
                                           fixed=True)]  # fmt: skip
        index = next(i for i, one in enumerate(self._form.networks) if one is network)
        self.lines += self._spelling.network(index, network, inputs, outputs, self._depth)


def _words(function: Function) -> Iterable[str]:
    """Return the words of a function's body and parameters."""
    texts = [one.name for one in function.parameters]
    for line in function.body:
        texts += [line] if isinstance(line, str) else [line.result, *line.inputs]
    return [word for text in texts for word in WORDS.findall(text)]


def _without_unread(lines: Sequence[Line]) -> list[Line]:
    """Return lines without the constants that no later line reads."""
    kept, read = list[Line](), set[str]()
    for line in reversed(lines):
        if line.constants:
            items = list[Item]()
            for item in reversed(line.constants):
                if item.name in read:
                    items.insert(0, item)
                    read.update(WORDS.findall(item.text))
            if not items:
                continue
            line = replace(line, constants=tuple(items))
        read.update(WORDS.findall(line.text))
        kept.append(line)
    return kept[::-1]
