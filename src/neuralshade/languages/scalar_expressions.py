"""Translation of the dialect's expressions to scalars, without doing anything twice."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from neuralshade.languages.scalar_spelling import Spelling
from neuralshade.languages.scalar_values import VECTOR, Scalar, Shapes, Value, vector
from neuralshade.model.shader_form import Function

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.And: "&&",
    ast.Or: "||", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=",
}  # fmt: skip
CASTS = ("float", "int", "uint")
PLAIN = ("min", "max", "abs", "floor", "sqrt", "exp", "log", "sin", "cos", "tanh")


class Holder(Protocol):
    """The body that an expression stands in."""

    def hold(self, scalar: Scalar) -> Scalar:
        """Return a name for a number that is read more than once."""
        ...

    def call(self, function: Function, arguments: Sequence[Scalar]) -> Value:
        """Return names for the numbers that a function returns."""
        ...


class NothingTwice:
    """Holder of expressions that read nothing twice but variables, and call no function."""

    def hold(self, scalar: Scalar) -> Scalar:
        assert scalar.simple, scalar
        return scalar

    def call(self, function: Function, arguments: Sequence[Scalar]) -> Value:
        raise AssertionError(function.name)


class Expressions:
    """Translator of expressions. ``names``: the variables in reach."""

    def __init__(self, spelling: Spelling, shapes: Shapes, functions: Mapping[str, Function],
                 holder: Holder):  # fmt: skip
        self._spelling, self._shapes, self._functions = spelling, shapes, functions
        self._holder = holder
        self._single = False
        self.names: dict[str, Value] = {}
        self._special: dict[str, Callable[[list[Value]], Value]] = {
            "clamp": self._clamp, "mix": self._mix, "dot": self._dot, "length": self._length,
            "normalize": self._normalize, "cross": self._cross, "fract": self._fract,
            "inversesqrt": self._inverse_root, "halves": self._halves,
        }  # fmt: skip

    def value(self, text: str, *, single: bool = False) -> Value:
        """Return the value of an expression; ``single``: each step rounded to float32."""
        self._single = single
        text = re.sub(r"\b(\d+|0x[0-9a-fA-F]+)u\b", r"uint(\1)", text)
        text = text.replace("&&", " and ").replace("||", " or ")
        text = re.sub(r"!(?!=)", " not ", text)
        return self._visit(ast.parse(text.strip(), mode="eval").body)

    def _visit(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, (int, float)), node.value
            kind = "int" if isinstance(node.value, int) else "float"
            return Value(kind, (self._spelling.literal(node.value, kind),))
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.Attribute):
            return self._shapes.member(self._visit(node.value), node.attr)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node.op, self._visit(node.operand))
        if isinstance(node, ast.BinOp):
            return self._binary(OPERATORS[type(node.op)], self._visit(node.left),
                                self._visit(node.right))  # fmt: skip
        if isinstance(node, ast.Compare):
            assert len(node.ops) == 1, ast.unparse(node)
            return self._binary(OPERATORS[type(node.ops[0])], self._visit(node.left),
                                self._visit(node.comparators[0]))  # fmt: skip
        if isinstance(node, ast.BoolOp):
            first, *others = map(self._visit, node.values)
            for other in others:
                first = self._binary(OPERATORS[type(node.op)], first, other)
            return first
        assert isinstance(node, ast.Call), ast.unparse(node)
        return self._call(node)

    def _unary(self, op: ast.unaryop, value: Value) -> Value:
        spelled = self._spelling
        assert isinstance(op, (ast.USub, ast.Not)), op
        change = spelled.negative if isinstance(op, ast.USub) else spelled.inverted
        return vector(change(value.parts[0]).kind, [change(part) for part in value.parts])

    def _binary(self, op: str, a: Value, b: Value) -> Value:
        found = self._each(lambda one: self._spelling.binary(op, *one), [a, b])
        if not self._single or found.parts[0].kind != "float":
            return found
        return Value(found.kind, tuple(map(self._spelling.single, found.parts)))

    def _each(self, make: Callable[[Sequence[Scalar]], Scalar], values: Sequence[Value]) -> Value:
        """Return ``make`` of each lane; scalars beside vectors are repeated."""
        count = max(len(one.parts) for one in values)
        rows = [self._repeated(one, count) for one in values]
        parts = [make(lanes) for lanes in zip(*rows, strict=True)]
        return vector(parts[0].kind, parts)

    def _repeated(self, value: Value, count: int) -> tuple[Scalar, ...]:
        if len(value.parts) == count:
            return value.parts
        assert len(value.parts) == 1, value
        return (self._holder.hold(value.parts[0]),) * count

    def _held(self, value: Value) -> Value:
        return Value(value.kind, tuple(map(self._holder.hold, value.parts)))

    def _call(self, node: ast.Call) -> Value:
        assert isinstance(node.func, ast.Name), ast.unparse(node)
        name = node.func.id
        if name == "as_float" and self._reads_word(node.args[0]):
            inner = node.args[0]
            assert isinstance(inner, ast.Call)
            index = self._visit(inner.args[0]).parts[0]
            return Value("float", (self._spelling.word(index, "float"),))
        if name == "uint" and isinstance(node.args[0], ast.Constant):
            assert isinstance(node.args[0].value, int)
            return Value("uint", (self._spelling.literal(node.args[0].value, "uint"),))
        return self._called(name, [self._visit(one) for one in node.args])

    def _reads_word(self, node: ast.expr) -> bool:
        return (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                and node.func.id == f"{self._spelling.name}_word")  # fmt: skip

    def _called(self, name: str, values: list[Value]) -> Value:
        spelled, first = self._spelling, values[0]
        parts = [part for one in values for part in one.parts]
        if found := VECTOR.fullmatch(name):
            count = int(found["count"])
            listed = self._repeated(first, count) if len(parts) == 1 else parts
            assert len(listed) == count, (name, values)
            return vector(found["each"], [self._as(found["each"], part) for part in listed])
        if name in CASTS:
            return Value(name, (self._as(name, parts[0]),))
        if name == f"{spelled.name}_word":
            return Value("uint", (spelled.word(parts[0]),))
        if name == "as_float":
            return Value("float", (spelled.as_float(parts[0]),))
        if name in self._functions:
            return self._holder.call(self._functions[name], parts)
        if name in self._special:
            return self._special[name](values)
        assert name in PLAIN, name
        return self._each(lambda one: spelled.call(name, one), values)

    def _as(self, kind: str, a: Scalar) -> Scalar:
        return a if a.kind == kind else self._spelling.cast(kind, a)

    def _clamp(self, values: list[Value]) -> Value:
        x, low, high = values
        above = self._each(lambda one: self._spelling.call("max", one), [x, low])
        return self._each(lambda one: self._spelling.call("min", one), [above, high])

    def _mix(self, values: list[Value]) -> Value:
        a, b, t = values
        a = self._held(a)
        return self._binary("+", a, self._binary("*", self._binary("-", b, a), t))

    def _dot(self, values: list[Value]) -> Value:
        products = self._binary("*", *values).parts
        sum_ = products[0]
        for one in products[1:]:
            sum_ = self._spelling.binary("+", sum_, one)
        return Value("float", (sum_,))

    def _length(self, values: list[Value]) -> Value:
        x = self._held(values[0])
        return Value("float", (self._spelling.call("sqrt", self._dot([x, x]).parts),))

    def _normalize(self, values: list[Value]) -> Value:
        x = self._held(values[0])
        return self._binary("/", x, self._length([x]))

    def _cross(self, values: list[Value]) -> Value:
        a, b = (self._held(one).parts for one in values)

        def lane(i: int, j: int) -> Scalar:
            sides = [self._spelling.binary("*", a[x], b[y]) for x, y in ((i, j), (j, i))]
            return self._spelling.binary("-", *sides)

        return vector("float", [lane(1, 2), lane(2, 0), lane(0, 1)])

    def _fract(self, values: list[Value]) -> Value:
        x = self._held(values[0])
        return self._binary("-", x, self._each(lambda one: self._spelling.call("floor", one), [x]))

    def _inverse_root(self, values: list[Value]) -> Value:
        one = Value("float", (self._spelling.literal(1.0, "float"),))
        root = self._each(lambda x: self._spelling.call("sqrt", x), values)
        return self._binary("/", one, root)

    def _halves(self, values: list[Value]) -> Value:
        word = self._holder.hold(values[0].parts[0])
        low = self._spelling.binary("&", word, self._spelling.literal(0xFFFF, "uint"))
        high = self._spelling.binary(">>", word, self._spelling.literal(16, "uint"))
        return vector("float", [self._spelling.half(low), self._spelling.half(high)])
