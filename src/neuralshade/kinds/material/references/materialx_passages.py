"""Transmission of a MaterialX surface: transmissive closures, and opacity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from neuralshade.kinds.material.references.materialx_bindings import (
    Binding,
    Key,
    Passed,
    Placed,
    bound,
    inner_output,
    resolved,
)
from neuralshade.kinds.material.references.materialx_numbers import KnownNumbers

HOLES = ("opacity", "geometry_opacity", "alpha", "presence")  # inputs for holes
CUTOUT = ("opacityMode", "opacityThreshold", "alpha_mode", "alpha_cutoff")  # cutout settings
TRANSMITTED = ("T", "RT")  # modes of a closure's input scatter_mode
# Inputs that can switch a closure off completely.
STRENGTHS = ("weight", "color", "tint")
BRANCHES = {
    "surfacematerial": ("surfaceshader",),
    "surface": ("bsdf",),
    "add": ("in1", "in2"),
    "multiply": ("in1",),
    "dot": ("in",),
}


@dataclass(frozen=True)
class Leaf:
    """A closure whose light is seen, or an opacity below 1; with the inputs of its owner."""

    placed: Placed
    passed: frozenset[Passed] = frozenset()
    is_hole: bool = False
    is_covering: bool = False  # its transmitted light reaches another closure

    def owner(self, library: Any) -> Placed:
        """Return the innermost node of the document that contains it."""
        for one in self.placed.owners():
            parent = one.node.getParent().getName()
            if one.within is None or library.getNodeGraph(parent) is None:
                return one
        raise AssertionError(self.placed.key)  # the outermost is the document's

    def inputs(self, library: Any) -> list[str]:
        """Return the names of its owner's inputs that it depends on."""
        key = self.owner(library).key
        return sorted(name for one, name in self.passed if one == key)


@dataclass(frozen=True)
class _Visited:
    """A closure on the path from a surface to its leaves."""

    binding: Binding
    passed: frozenset[Passed] = frozenset()
    is_covering: bool = False

    def below(self, placed: Placed, name: str) -> _Visited:
        """Return the closure at an input of this one."""
        return replace(self, binding=bound(placed, name))


def leaves(root: Placed, numbers: KnownNumbers) -> Iterator[Leaf]:
    """Yield a surface's closures of weight above 0, and its opacities below 1."""
    waiting, seen = [_Visited(Binding(placed=root))], set[tuple[Key, bool]]()
    while waiting:
        one = waiting.pop()
        placed = one.binding.placed
        if placed is None or (placed.key, one.is_covering) in seen:
            continue
        seen.add((placed.key, one.is_covering))
        category = placed.node.getCategory()
        if category == "surface":
            yield from _hole(placed, numbers)
        if category == "mix":
            waiting += _mixed(one, placed, numbers)
        elif category == "layer":
            base = placed.node.getInput("base")
            on_closure = base is not None and base.getType() == "BSDF"  # else in a medium
            top = one.below(placed, "top")
            waiting += [replace(top, is_covering=on_closure or one.is_covering),
                        one.below(placed, "base")]  # fmt: skip
        elif category in BRANCHES:
            factor, _ = numbers.of(placed, "in2") if category == "multiply" else (None, None)
            if factor is None or factor.any():
                waiting += [one.below(placed, name) for name in BRANCHES[category]]
        elif (inner := inner_output(placed, one.binding.output)).placed is not None:
            waiting.append(replace(one, binding=inner))
        elif not any(_is_zero(placed, name, numbers) for name in STRENGTHS):
            yield Leaf(placed, one.passed, is_covering=one.is_covering)


def transmitted(leaf: Leaf) -> str | None:
    """Return how a closure transmits light, in a word or two, or None."""
    category = leaf.placed.node.getCategory()
    if leaf.is_hole or leaf.is_covering:
        return None
    if category == "translucent_bsdf":
        return str(category)
    mode = resolved(leaf.placed, "scatter_mode").text
    return f"scatter_mode {mode}" if mode in TRANSMITTED else None


def _hole(placed: Placed, numbers: KnownNumbers) -> Iterator[Leaf]:
    """Yield the opacity of a surface unless it is 1."""
    opacity, passed = numbers.of(placed, "opacity")
    if opacity is None or (opacity < 1).any():
        yield Leaf(placed, passed, is_hole=True)


def _mixed(one: _Visited, placed: Placed, numbers: KnownNumbers) -> Iterator[_Visited]:
    """Yield the visible ones of two mixed closures, and the inputs that decide."""
    weight, names = numbers.of(placed, "mix")
    if weight is None or (weight > 0).any():
        yield replace(one.below(placed, "fg"), passed=one.passed | names)
    if weight is None or (weight < 1).any():
        if weight is not None and not weight.any():  # a 0 decides nothing, unless it is opacity
            names = frozenset(one for one in names if one[1] in (*HOLES, *CUTOUT))
        yield replace(one.below(placed, "bg"), passed=one.passed | names)


def _is_zero(placed: Placed, name: str, numbers: KnownNumbers) -> bool:
    found, _ = numbers.of(placed, name)
    return found is not None and not found.any()


@dataclass(frozen=True)
class ZeroDirection:
    """A direction of a closure that is 0, 0, 0, and the inputs of its owner that set it."""

    inputs: list[str]
    is_mapped: bool  # normalized on the way, which gives NaN then


def zero_direction(leaf: Leaf, numbers: KnownNumbers, library: Any) -> ZeroDirection | None:
    """Return the first direction of a closure that is 0, 0, 0."""
    for name in () if leaf.is_hole else ("normal", "tangent"):
        below = resolved(leaf.placed, name).placed
        is_mapped = below is not None and below.node.getCategory() == "normalmap"
        if below is not None and is_mapped:
            coded, passed = numbers.of(below, "in")
            found = None if coded is None else 2 * coded - 1
        else:
            found, passed = numbers.of(leaf.placed, name)
        if found is None or found.any():
            continue
        owner = leaf.owner(library)
        inputs = [one for one in Leaf(leaf.placed, passed).inputs(library)
                  if _is_zero(owner, one, numbers) and "vector" in _kind(owner, one)]  # fmt: skip
        return ZeroDirection(inputs or [name], is_mapped)
    return None


def _kind(placed: Placed, name: str) -> str:
    """Return the type of an input in its node's definition."""
    definition = placed.node.getNodeDef()
    port = definition.getActiveInput(name) if definition is not None else None
    return str(port.getType()) if port is not None else ""
