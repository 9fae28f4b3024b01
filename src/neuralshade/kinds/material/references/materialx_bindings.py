"""Bindings of MaterialX inputs: own values, interfaces, constants, defaults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

TARGET = "genslang"
# Nodes that pass one of their inputs through.
PASSING = {"constant": "value", "dot": "in"}
WRITTEN_FOR = "writtenfor"  # an attribute, see path_of
DEEPEST = 64  # followed nodes in a chain; deeper values are unknown

Key = tuple[str, ...]
Passed = tuple[Key, str]  # a node by its key, and one of its inputs by name


@dataclass(frozen=True)
class Placed:
    """A node, and the node whose definition it is in; None for one of the document."""

    node: Any
    within: Placed | None = None

    @cached_property
    def key(self) -> Key:
        """Return its unique key: the names of the enclosing nodes."""
        return (*(self.within.key if self.within else ()), self.node.getNamePath())

    def owners(self) -> Iterator[Placed]:
        """Yield it and its enclosing nodes, from the inside out."""
        one: Placed | None = self
        while one is not None:
            yield one
            one = one.within


@dataclass(frozen=True)
class Binding:
    """Source of an input: an element with a value, a node that computes it, or nothing."""

    element: Any = None  # an input with a value, of a node, a graph or a definition
    placed: Placed | None = None  # or the node
    output: str = ""  # and which of its outputs, "" for its only one
    passed: frozenset[Passed] = frozenset()  # inputs of outer nodes in between

    @property
    def text(self) -> str:
        """Return the value as text, "" if it is computed or missing."""
        return self.element.getValueString() if self.element is not None else ""


def bound(placed: Placed, name: str) -> Binding:
    """Return the source of a node's input, through interfaces and defaults."""
    port, definition = placed.node.getInput(name), placed.node.getNodeDef()
    default = definition.getActiveInput(name) if definition is not None else None
    if port is None or not is_connected(port):
        if default is not None and default.hasDefaultGeomPropString():
            return Binding()  # of the mesh: the generator ignores a value
        element = port if port is not None and port.hasValueString() else default
        found = element is not None and element.hasValueString()
        return Binding(element=element) if found else Binding()
    return _port_binding(port, placed.node.getParent(), placed.within)


def resolved(placed: Placed, name: str) -> Binding:
    """Return an input's source, through interfaces and constants."""
    binding, passed = bound(placed, name), frozenset[Passed]()
    for _ in range(DEEPEST):
        passed |= binding.passed
        below = binding.placed
        if below is None or below.node.getCategory() not in PASSING:
            return Binding(binding.element, below, binding.output, passed)
        binding = bound(below, PASSING[below.node.getCategory()])
    return Binding(passed=passed)


def path_of(node: Any) -> str:
    """Return a node's name in messages: its path, or that of the node it was expanded from."""
    return str(node.getAttribute(WRITTEN_FOR) or node.getNamePath())


def is_bound(port: Any) -> bool:
    """Return whether a port has a value or a connection."""
    return bool(port.hasValueString() or is_connected(port))


def is_connected(port: Any) -> bool:
    """Return whether a port has a connection."""
    return bool(port.getNodeName() or port.hasNodeGraphString() or port.hasInterfaceName()
                or port.hasOutputString())  # fmt: skip


def inner_output(placed: Placed, output: str) -> Binding:
    """Return the source of an output in its node's definition graph, if there is one."""
    graph = graph_of(placed.node)
    if graph is None or any(graph.getNamePath() == _graph_path(one) for one in placed.owners()):
        return Binding()  # a recursive definition
    port = graph.getActiveOutput(output) if output else next(iter(graph.getActiveOutputs()), None)
    return _port_binding(port, graph, placed) if port is not None else Binding()


def graph_of(node: Any) -> Any:
    """Return the graph that implements a node, or None."""
    if not hasattr(node, "getImplementation"):
        return None
    found = node.getImplementation(TARGET)
    return found if found is not None and hasattr(found, "getNodes") else None


def _graph_path(placed: Placed) -> str:
    """Return the path of the graph that holds a node."""
    parent = placed.node.getParent()
    return str(parent.getNamePath()) if parent is not None else ""


def _port_binding(port: Any, scope: Any, within: Placed | None) -> Binding:
    """Return the source of a port in a graph, or in the document."""
    name = port.getInterfaceName()
    if name and within is not None:
        outer = bound(within, name)
        return Binding(outer.element, outer.placed, outer.output,
                       outer.passed | {(within.key, name)})  # fmt: skip
    if name:
        return _interface(scope, name)
    if port.hasNodeGraphString():
        output = port.getConnectedOutput()
        node = output.getConnectedNode() if output is not None else None
        if node is None:
            return Binding()
        return Binding(placed=Placed(node), output=output.getOutputString())
    node = port.getConnectedNode()
    if node is not None:
        return Binding(placed=Placed(node, within), output=port.getOutputString())
    return Binding(element=port) if port.hasValueString() else Binding()


def _interface(graph: Any, name: str) -> Binding:
    """Return the source of an input of an uninstanced graph: its own, or a definition's."""
    is_document = graph.getParent() is None  # whose definitions have names
    definition = None if is_document else graph.getNodeDef()
    port = (definition or graph).getActiveInput(name)
    if port is None:
        return Binding()
    if port.hasInterfaceName():  # of nothing around it
        return Binding(element=port) if port.hasValueString() else Binding()
    return _port_binding(port, graph.getParent(), None)
