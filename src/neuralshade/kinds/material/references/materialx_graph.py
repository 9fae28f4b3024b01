"""Nodes of a MaterialX material's graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import (
    Key,
    Placed,
    bound,
    graph_of,
    inner_output,
)

DEEPEST_DEFINITION = 64  # nesting of definitions
MOST_NODES = 20_000  # of a material; a definition's nodes count for each use


def root_of(chosen: Any) -> Placed | None:
    """Return the node of an element, or the connected node of an output; None without one."""
    node = chosen if hasattr(chosen, "getInput") else chosen.getConnectedNode()
    return None if node is None else Placed(node)


def graph_nodes(library: Any, chosen: Any, place: Path) -> list[Placed]:
    """Return the nodes of a material, including those of the document's own definitions.

    Nodes that only displacement reads are left out.

    Raises: ConfigError for cycles, a recursive definition, or too many nodes.
    """
    root = root_of(chosen)
    waiting, seen, found = [root] if root is not None else [], set[Key](), list[Placed]()
    _check_circles(waiting, place)
    while waiting:
        one = waiting.pop()
        if one.key in seen:
            continue
        seen.add(one.key)
        found.append(one)
        if len(one.key) > DEEPEST_DEFINITION:
            raise ConfigError(f"{place}: {one.node.getNamePath()}: got definitions in more than "
                              f"{DEEPEST_DEFINITION} others, need fewer. Put two of them "
                              "together.")  # fmt: skip
        if len(found) > MOST_NODES:
            raise ConfigError(f"{place}: got a material of more than {MOST_NODES:,} nodes, need "
                              "fewer. Bake a part of it to a picture.")  # fmt: skip
        waiting += _read(one)
        graph = own_graph(library, one.node)
        if graph is None:
            continue
        if any(graph.getNamePath() == owner.node.getParent().getNamePath()
               for owner in one.owners()):  # fmt: skip
            raise ConfigError(f"{place}: {one.node.getNamePath()}: got a definition inside itself, "
                              "need one of other nodes. Change it.")  # fmt: skip
        inner = (inner_output(one, output.getName()).placed for output in graph.getActiveOutputs())
        inside = [below for below in inner if below is not None and below.key not in seen]
        _check_circles(inside, place)
        waiting += inside
    return found


def own_graph(library: Any, node: Any) -> Any:
    """Return the graph of a node that the document itself defines, or None."""
    graph = graph_of(node)
    if graph is None or library.getNodeGraph(graph.getName()) is not None:
        return None
    return graph


def _read(placed: Placed) -> Iterator[Placed]:
    """Yield the nodes that a node's inputs are connected to."""
    for port in placed.node.getInputs():
        if port.getType() == "displacementshader":
            continue
        below = bound(placed, port.getName()).placed
        if below is not None:
            yield below


def _check_circles(roots: Iterable[Placed], place: Path) -> None:
    """Refuse cyclic graphs."""
    try:
        for root in roots:
            for edge in root.node.traverseGraph():
                edge.getUpstreamElement()
    except Exception as error:  # MaterialX's own
        raise ConfigError(f"{place}: got {shown(str(error))}, need a graph without circles. "
                          "Cut it.") from error  # fmt: skip
