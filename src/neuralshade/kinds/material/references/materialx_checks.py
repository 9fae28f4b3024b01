"""Checks for MaterialX nodes that cannot be fitted, reported by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import Placed, bound, path_of
from neuralshade.kinds.material.references.materialx_numbers import KnownNumbers
from neuralshade.kinds.material.references.materialx_passages import (
    HOLES,
    leaves,
    transmitted,
    zero_direction,
)
from neuralshade.kinds.material.references.materialx_rewrite import COLORS, FILE, TAKEN

# Nodes that the generator silently gets wrong, or that do not compile; and why.
REFUSED = {
    "heighttonormal": "reads derivatives of the screen, which a flat surface has not",
    "bump": "reads derivatives of the screen, which a flat surface has not",
    "time": "changes with time",
    "frame": "changes with time",
    "flake2d": "does not compile as Slang",
    "flake3d": "does not compile as Slang",
    "blackbody": "does not compile as Slang",
    "LamaMix": "does not compile as Slang",
    "surface_unlit": "is not lit",
    "geompropvalueuniform": "reads data of a mesh",
    "geomcolor": "reads colors of a mesh",
}
BLACK = "{}: {} is 0, 0, 0, which is no direction: what it shades may be black."
NEED = "need a surface that reflects, of nodes that have Slang. Take it out."
OPEN = "{}: what is behind it is left out: opacity darkens it alone."


def check_nodes(
    library: Any, nodes: Iterable[Placed], place: Path, is_converted: Callable[[str], bool]
) -> None:
    """Refuse nodes that cannot be fitted, by name.

    ``is_converted``: whether MaterialX converts a color space to linear light.
    """
    for placed in nodes:
        node = placed.node
        _check_defined(library, node, place)
        _check_colors(placed, place, is_converted)
        category, reason = node.getCategory(), REFUSED.get(node.getCategory())
        if reason is not None:
            raise ConfigError(f"{place}: {path_of(node)} ({category}) {reason}, {NEED}")


def check_surface(library: Any, root: Placed, place: Path) -> list[str]:
    """Refuse closures that transmit light or have no normal; return notes on holes.

    Expanded definitions are checked, too, and reported by the document's own node and input.
    """
    notes, numbers = [], KnownNumbers()
    for leaf in leaves(root, numbers):
        node, inputs = leaf.owner(library).node, leaf.inputs(library)
        name = f"{place}: {path_of(node)} ({node.getCategory()})"
        how = transmitted(leaf)
        if leaf.is_hole or (how is not None and set(inputs) & set(HOLES)):
            notes.append(OPEN.format(path_of(node)))
        elif how is not None:
            raise ConfigError(f"{name} lets light through ({', '.join(inputs) or how}), {NEED}")
        zero = zero_direction(leaf, numbers, library)
        if zero is not None and zero.is_mapped:
            raise ConfigError(f"{name}: got {', '.join(zero.inputs)} of 0, 0, 0, need a direction. "
                              "Leave it out, or give it a length.")  # fmt: skip
        if zero is not None:
            notes.append(BLACK.format(path_of(node), ", ".join(zero.inputs)))
    return list(dict.fromkeys(notes))


def _check_defined(library: Any, node: Any, place: Path) -> None:
    """Refuse a node of an unknown category or type."""
    category = node.getCategory()
    if category == "nodegraph" or node.getNodeDef() is not None:
        return
    known = sorted({one.getNodeString() for one in library.getNodeDefs()})
    raise ConfigError(f"{place}: {path_of(node)}: got category {category} of type "
                      f"{node.getType()}, need one that MaterialX or the document defines. Change "
                      f"it.{did_you_mean(category, known)}")  # fmt: skip


def _check_colors(placed: Placed, place: Path, is_converted: Callable[[str], bool]) -> None:
    """Refuse a color space of a color or a picture that MaterialX would not convert."""
    node = placed.node
    for port in node.getInputs():
        kind = node.getType() if port.getType() == FILE else port.getType()
        value = bound(placed, port.getName()).element
        if kind not in COLORS or value is None or not value.getValueString():
            continue
        space = value.getActiveColorSpace()
        if space not in TAKEN and not is_converted(space):
            raise ConfigError(f"{place}: {path_of(node)}.{port.getName()}: got color space "
                              f"{shown(space)}, need one that MaterialX converts, such as "
                              "srgb_texture, acescg or lin_rec709. Convert it.")  # fmt: skip
