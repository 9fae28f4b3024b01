"""Where inputs of MaterialX nodes get their values: their own, interfaces, constants, defaults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

TARGET = "genslang"
# Nodes that hand one of their inputs on as it is.
PASSING = {"constant": "value", "dot": "in"}
WRITTEN_FOR = "writtenfor"  # an attribute, see path_of
DEEPEST = 64  # how many nodes behind each other are followed; what lies deeper is not known

Key = tuple[str, ...]
Passed = tuple[Key, str]  # a node by its key, and one of its inputs by name


@dataclass(frozen=True)
class Placed:
    """A node, and the node whose definition it is a part of, None where it is in the document."""

    node: Any
    within: Placed | None = None

    @cached_property
    def key(self) -> Key:
        """Return what tells it from all others: names of the nodes that it is within."""
        return (*(self.within.key if self.within else ()), self.node.getNamePath())

    def owners(self) -> Iterator[Placed]:
        """Yield itself and the nodes that it is within, from the inside out."""
        one: Placed | None = self
        while one is not None:
            yield one
            one = one.within


@dataclass(frozen=True)
class Binding:
    """What an input reads: an element with a value, or a node that computes it, or nothing."""

    element: Any = None  # an input that has a value, of a node, a graph or a definition
    placed: Placed | None = None  # or the node
    output: str = ""  # and which of its outputs, "" for its only one
    passed: frozenset[Passed] = frozenset()  # inputs of outer nodes that stand between

    @property
    def text(self) -> str:
        """Return the value as text, "" where it is computed or there is none."""
        return self.element.getValueString() if self.element is not None else ""


def bound(placed: Placed, name: str) -> Binding:
    """Return what an input of a node reads, through interfaces; its definition's default, too."""
    port, definition = placed.node.getInput(name), placed.node.getNodeDef()
    default = definition.getActiveInput(name) if definition is not None else None
    if port is None or not is_connected(port):
        if default is not None and default.hasDefaultGeomPropString():
            return Binding()  # of the mesh: the generator passes a value over
        element = port if port is not None and port.hasValueString() else default
        found = element is not None and element.hasValueString()
        return Binding(element=element) if found else Binding()
    return _port_binding(port, placed.node.getParent(), placed.within)


def resolved(placed: Placed, name: str) -> Binding:
    """Return what an input reads, through interfaces and constants both."""
    binding, passed = bound(placed, name), frozenset[Passed]()
    for _ in range(DEEPEST):
        passed |= binding.passed
        below = binding.placed
        if below is None or below.node.getCategory() not in PASSING:
            return Binding(binding.element, below, binding.output, passed)
        binding = bound(below, PASSING[below.node.getCategory()])
    return Binding(passed=passed)


def path_of(node: Any) -> str:
    """Return what messages call a node: its path, or that of what it was written out for."""
    return str(node.getAttribute(WRITTEN_FOR) or node.getNamePath())


def is_bound(port: Any) -> bool:
    """Return whether a port has a value, or is connected to something."""
    return bool(port.hasValueString() or is_connected(port))


def is_connected(port: Any) -> bool:
    """Return whether a port reads another one."""
    return bool(port.getNodeName() or port.hasNodeGraphString() or port.hasInterfaceName()
                or port.hasOutputString())  # fmt: skip


def inner_output(placed: Placed, output: str) -> Binding:
    """Return what computes an output of a node that its definition's graph says, if one does."""
    graph = graph_of(placed.node)
    if graph is None or any(graph.getNamePath() == _graph_path(one) for one in placed.owners()):
        return Binding()  # a definition inside itself
    port = graph.getActiveOutput(output) if output else next(iter(graph.getActiveOutputs()), None)
    return _port_binding(port, graph, placed) if port is not None else Binding()


def graph_of(node: Any) -> Any:
    """Return the graph that a node stands for, None where it is no graph's."""
    if not hasattr(node, "getImplementation"):
        return None
    found = node.getImplementation(TARGET)
    return found if found is not None and hasattr(found, "getNodes") else None


def _graph_path(placed: Placed) -> str:
    """Return the graph that a node stands in, by its path."""
    parent = placed.node.getParent()
    return str(parent.getNamePath()) if parent is not None else ""


def _port_binding(port: Any, scope: Any, within: Placed | None) -> Binding:
    """Return what a port reads that stands in a graph, or in the document."""
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
    """Return what an input of a graph reads that nobody instances: its own, or a definition's."""
    is_document = graph.getParent() is None  # whose definitions have names
    definition = None if is_document else graph.getNodeDef()
    port = (definition or graph).getActiveInput(name)
    if port is None:
        return Binding()
    if port.hasInterfaceName():  # of nothing around it
        return Binding(element=port) if port.hasValueString() else Binding()
    return _port_binding(port, graph.getParent(), None)
