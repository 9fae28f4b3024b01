"""Limits of a MaterialX document, checked first: cycles would crash MaterialX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import plain_name, shown
from neuralshade.errors import ConfigError

MOST_ELEMENTS = 100_000  # of a document and its includes
MOST_WRITTEN = 20_000  # nodes of an expanded definition
MOST_OCTAVES = 64  # of a noise: each doubles the detail, and a float has 24 bits
OCTAVES = "octaves"
TARGET = "genslang"


def check_limits(mx: Any, document: Any, place: Path) -> None:
    """Refuse a document with cycles, or with too many parts.

    Raises: ConfigError with the element that inherits from or is defined by itself; for too many
        elements, nodes or octaves.
    """
    elements = []
    for one in document.traverseTree():
        elements.append(one)
        if len(elements) > MOST_ELEMENTS:
            raise ConfigError(f"{place}: got more than {MOST_ELEMENTS:,} elements, need fewer. "
                              "Split it, or bake a part of it to a picture.")  # fmt: skip
    for one in elements:
        _check_inheritance(one, place)
        _check_octaves(one, place)
    _Definitions(place).check([one for one in elements if isinstance(one, mx.core.Node)])


def _check_inheritance(element: Any, place: Path) -> None:
    seen = [element.getNamePath()]
    above = element.getInheritsFrom()
    while above is not None:
        if above.getNamePath() in seen:
            circle = " -> ".join(map(plain_name, (*seen, above.getNamePath())))
            raise ConfigError(f"{place}: {plain_name(seen[0])}: got inherit in a circle "
                              f"({circle}), need one that ends. Cut it.")  # fmt: skip
        seen.append(above.getNamePath())
        above = above.getInheritsFrom()


def _check_octaves(element: Any, place: Path) -> None:
    if element.getName() != OCTAVES or element.getCategory() != "input":
        return
    value = element.getValueString()
    try:
        count = float(value or 0)
    except ValueError:  # invalid values are reported by MaterialX
        return
    if count > MOST_OCTAVES:
        raise ConfigError(f"{place}: {plain_name(element.getNamePath())}: got {shown(value)}, need "
                          f"{MOST_OCTAVES} octaves at most. Change it.")  # fmt: skip


class _Definitions:
    """Node counts of definitions, by name."""

    def __init__(self, place: Path):
        self._place = place
        self._sizes: dict[str, int] = {}
        self._inside: dict[str, list[Any]] = {}

    def check(self, nodes: Sequence[Any]) -> None:
        """Refuse a node whose definition is recursive or has too many nodes."""
        for node in nodes:
            definition = node.getNodeDef()
            if definition is not None and self._size(definition) > MOST_WRITTEN:
                size = self._size(definition)
                raise ConfigError(f"{self._place}: {plain_name(node.getNamePath())}: got a "
                                  f"definition of {_count(size)} nodes, those inside written out, "
                                  f"need {MOST_WRITTEN:,} at most. Bake a part of it to a "
                                  "picture.")  # fmt: skip

    def _size(self, definition: Any) -> int:
        """Return the node count of a definition, without recursion."""
        open_ones: list[Any] = [definition]
        while open_ones:
            one = open_ones[-1]
            name = one.getName()
            if name in self._sizes:
                open_ones.pop()
                continue
            inside = self._defined(one)
            unknown = next((each for each in inside if each.getName() not in self._sizes), None)
            if unknown is None:
                self._sizes[name] = sum(self._sizes[each.getName()] for each in inside) or 1
                open_ones.pop()
                continue
            if any(each.getName() == unknown.getName() for each in open_ones):
                raise ConfigError(f"{self._place}: {plain_name(unknown.getName())}: got a "
                                  "definition inside itself, need one of other nodes. Change "
                                  "it.")  # fmt: skip
            open_ones.append(unknown)
        return self._sizes[definition.getName()]

    def _defined(self, definition: Any) -> list[Any]:
        """Return the definitions of a definition's nodes; empty for code."""
        name = definition.getName()
        if name not in self._inside:
            graph = definition.getImplementation(TARGET)
            nodes = graph.getNodes() if hasattr(graph, "getNodes") else []
            found = (node.getNodeDef() for node in nodes)
            self._inside[name] = [one for one in found if one is not None]
        return self._inside[name]


def _count(size: int) -> str:
    return f"{size:,}" if size < 10**12 else "more than 10^12"
