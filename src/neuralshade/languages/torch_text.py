"""Translation of the dialect's expressions to Python on tensors, one row per sample."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

HELPERS = """
def _tensor(x):
    return x if isinstance(x, torch.Tensor) else torch.tensor(x)


def _whole(x):
    return isinstance(x, int) or (isinstance(x, torch.Tensor) and not x.is_floating_point())


def _vector(*parts):
    rows = max((len(x) for x in parts if isinstance(x, torch.Tensor) and x.dim()), default=1)
    filled = [x.expand(rows, -1) if isinstance(x, torch.Tensor) and x.dim()
              else _tensor(x).expand(rows, 1) for x in parts]
    return torch.cat(filled, dim=1)


def _repeated(x, count):
    x = _tensor(x)
    return x.expand(-1, count) if x.dim() else x.expand(1, count)


def _float(x):
    return x.float() if isinstance(x, torch.Tensor) else float(x)


def _int(x):
    return x.long() if isinstance(x, torch.Tensor) else int(x)


def _quotient(a, b):
    if _whole(a) and _whole(b):
        return torch.div(_tensor(a), _tensor(b), rounding_mode="trunc")
    return a / b


def _remainder(a, b):
    return torch.fmod(_tensor(a), _tensor(b))


def _min(a, b):
    return torch.minimum(*torch.broadcast_tensors(_tensor(a), _tensor(b)))


def _max(a, b):
    return torch.maximum(*torch.broadcast_tensors(_tensor(a), _tensor(b)))


def _clamp(x, low, high):
    return _min(_max(x, low), high)


def _mix(a, b, t):
    return a * (1.0 - t) + b * t


def _dot(a, b):
    return (a * b).sum(dim=1, keepdim=True)


def _length(x):
    return _dot(x, x).sqrt()


def _normalize(x):
    return x / _length(x)


def _cross(a, b):
    return torch.linalg.cross(a, b)


def _fract(x):
    return x - torch.floor(x)


def _as_float(w):
    signed = torch.where(w >= 2**31, w - 2**32, w).to(torch.int32)
    return signed.view(torch.float32)


def _halves(w):
    parts = torch.cat([w & 0xFFFF, w >> 16], dim=1)
    signed = torch.where(parts >= 2**15, parts - 2**16, parts).to(torch.int16)
    return signed.view(torch.float16).float()


def _select(mask, new, old):
    if isinstance(new, SimpleNamespace):
        return SimpleNamespace(**{
            name: _select(mask, value, getattr(old, name)) for name, value in vars(new).items()
        })
    if isinstance(mask, bool):
        return new if mask else old
    return torch.where(mask, _tensor(new), _tensor(old))


def _most(count):
    return int(count.max()) if isinstance(count, torch.Tensor) else count


def _chosen(answers):
    *early, (_, found) = answers
    for condition, value in reversed(early):
        rows = [x for x in (condition, value, found) if isinstance(x, torch.Tensor) and x.dim()]
        if not rows:
            found = value if condition else found
            continue
        found = torch.where(_tensor(condition), _tensor(value), _tensor(found))
    return found
"""
OWN = {  # functions of the dialect with another name in PyTorch, or that take tensors only there
    "min": "_min", "max": "_max", "clamp": "_clamp", "mix": "_mix", "dot": "_dot",
    "length": "_length", "normalize": "_normalize", "cross": "_cross", "fract": "_fract",
    "float": "_float", "int": "_int", "uint": "_int", "as_float": "_as_float",
    "halves": "_halves", "abs": "torch.abs", "floor": "torch.floor", "sqrt": "torch.sqrt",
    "inversesqrt": "torch.rsqrt", "exp": "torch.exp", "log": "torch.log", "sin": "torch.sin",
    "cos": "torch.cos", "tanh": "torch.tanh",
}  # fmt: skip
VECTOR = re.compile(r"(?:float|int)[234]")
LANES = re.compile(r"[xyzw]{1,4}")


class Converter(ast.NodeTransformer):
    """Rewrites an expression, parsed as Python, to take tensors."""

    functions: ClassVar[dict[str, str]] = OWN
    before: ClassVar[str] = "_"  # prefix of functions that stand for operators and constructors
    operators: ClassVar[dict[type[ast.operator], str]] = {
        ast.Div: "quotient", ast.Mod: "remainder",
    }  # fmt: skip

    def __init__(self, methods: frozenset[str]):
        self.methods = methods

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        assert isinstance(node.func, ast.Name), ast.unparse(node)
        name = node.func.id
        if VECTOR.fullmatch(name):
            if len(node.args) == 1:
                return self._call("repeated", node.args[0], ast.Constant(int(name[-1])))
            return self.vector(name, node.args)
        if name in self.methods:
            return ast.Call(ast.Attribute(ast.Name("self"), name), node.args, [])
        return _call(self.functions[name], *node.args)

    def vector(self, name: str, parts: list[ast.expr]) -> ast.expr:
        """Return a vector of several parts. ``name``: its type in the dialect."""
        return self._call("vector", *parts)

    def _call(self, name: str, *arguments: ast.expr) -> ast.expr:
        return _call(self.before + name, *arguments)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not LANES.fullmatch(node.attr):
            return node  # a member of a struct
        return self.lanes(node, ["xyzw".index(lane) for lane in node.attr])

    def lanes(self, node: ast.Attribute, places: list[int]) -> ast.AST:
        """Return numbers of a vector."""
        span = f"_[:, {places[0]}:{places[-1] + 1}]"
        assert places == list(range(places[0], places[-1] + 1)), node.attr
        found = ast.parse(span, mode="eval").body
        assert isinstance(found, ast.Subscript)
        found.value = node.value
        return found

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        for kind, name in self.operators.items():
            if isinstance(node.op, kind):
                return self._call(name, node.left, node.right)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        joined = node.values[0]
        for value in node.values[1:]:
            op = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
            joined = ast.BinOp(joined, op, value)
        return joined


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    function = ast.parse(name, mode="eval").body
    return ast.Call(function, list(arguments), [])


def python_expression(
    text: str, methods: frozenset[str], converter: type[Converter] = Converter
) -> str:
    """Return an expression of the dialect as Python. ``methods``: functions of the form."""
    text = re.sub(r"\b(\d+|0x[0-9a-fA-F]+)u\b", r"\1", text)
    text = text.replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?!=)", " not ", text)
    tree = ast.parse(text.strip(), mode="eval")
    return ast.unparse(ast.fix_missing_locations(converter(methods).visit(tree)))
