"""What of a MaterialX document cannot be fitted, by the name of its node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.teachers.materialx_pictures import TAKEN

# What the generator writes without an error and wrongly, or what does not compile; why.
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
    "geompropvalue": "reads data of a mesh",
    "geompropvalueuniform": "reads data of a mesh",
    "geomcolor": "reads colors of a mesh",
}
COLORS = ("color3", "color4")
# Weights of light that passes through, which the generator leaves out without a word.
THROUGH = ("transmission", "transmission_weight", "specTrans")
HOLES = ("opacity", "geometry_opacity", "alpha")  # inputs that a surface lets light past by
SCATTERED = ("T", "RT")  # modes of a dielectric that do the same


def graph_nodes(library: Any, chosen: Any) -> Iterator[Any]:
    """Yield the nodes that a material is made of, those of the document's own definitions too."""
    waiting, seen = [chosen], set()
    while waiting:
        one = waiting.pop()
        if one.getNamePath() in seen:
            continue
        seen.add(one.getNamePath())
        if hasattr(one, "getInput"):  # an output is none
            yield one
        waiting += [edge.getUpstreamElement() for edge in one.traverseGraph()]
        inside = one.getImplementation() if hasattr(one, "getImplementation") else None
        if inside is not None and library.getImplementation(inside.getName()) is None:
            own = library.getNodeGraph(inside.getName()) is None
            waiting += inside.getNodes() if own and hasattr(inside, "getNodes") else []


def check_nodes(
    library: Any, chosen: Any, place: Path, is_converted: Callable[[str], bool]
) -> list[str]:
    """Refuse what cannot be fitted, by its node; return notes on what is left out.

    ``is_converted``: whether MaterialX makes linear light of a color space.
    """
    notes = []
    try:
        nodes = list(graph_nodes(library, chosen))
    except Exception as error:  # MaterialX's own, for circles
        raise ConfigError(f"{place}: got {shown(str(error))}, need a graph without circles. "
                          "Cut it.") from error  # fmt: skip
    for node in nodes:
        _check_defined(library, node, place)
        _check_colors(node, place, is_converted)
        category, name = node.getCategory(), node.getNamePath()
        reason = REFUSED.get(category)
        mode = node.getInputValue("scatter_mode") if node.getInput("scatter_mode") else None
        through = next((one for one in THROUGH if _is_used(node, one)), None)
        if mode in SCATTERED or through:
            reason = f"lets light through ({'scatter_mode ' + mode if mode else through})"
        handed = [one.getName() for one in node.getInputs() if one.getType() == "filename"]
        if handed and node.getType() == "surfaceshader":
            reason = (f"hands the picture {handed[0]} to its graph, which MaterialX does not write "
                      "as Slang")  # fmt: skip
        if reason is not None:
            raise ConfigError(f"{place}: {name} ({category}) {reason}, need a surface that "
                              "reflects, of nodes that have Slang. Take it out.")  # fmt: skip
        if node.getInput("displacementshader") is not None:
            notes.append("Displacement is left out: the surface is flat.")
        if category != "image" and any(_is_open(node, one) for one in HOLES):
            notes.append(f"{name}: what is behind it is left out: opacity darkens it alone.")
    return notes


def _check_defined(library: Any, node: Any, place: Path) -> None:
    """Refuse a node of a category, or of a type, that neither MaterialX nor the document has."""
    category = node.getCategory()
    if category == "nodegraph" or node.getNodeDef() is not None:
        return
    known = sorted({one.getNodeString() for one in library.getNodeDefs()})
    raise ConfigError(f"{place}: {node.getNamePath()}: got category {category} of type "
                      f"{node.getType()}, need one that MaterialX or the document defines. Change "
                      f"it.{did_you_mean(category, known)}")  # fmt: skip


def _check_colors(node: Any, place: Path, is_converted: Callable[[str], bool]) -> None:
    """Refuse a color space that MaterialX would leave as it is: of a color, or of a picture's."""
    for one in node.getInputs():
        kind = node.getType() if one.getType() == "filename" else one.getType()
        given = one.getInterfaceInput() or one  # of a graph that hands it on
        space = given.getActiveColorSpace()
        if kind not in COLORS or space in TAKEN or not given.getValueString():
            continue
        if not is_converted(space):
            raise ConfigError(f"{place}: {node.getNamePath()}.{one.getName()}: got color space "
                              f"{shown(space)}, need one that MaterialX converts, such as "
                              "srgb_texture, acescg or lin_rec709. Convert it.")  # fmt: skip


def _is_used(node: Any, name: str) -> bool:
    """Return whether an input is connected, or has a value above 0."""
    given = node.getInput(name)
    return given is not None and (_is_connected(given) or max(_numbers(given), default=0.0) > 0)


def _is_open(node: Any, name: str) -> bool:
    """Return whether an opacity is connected, or has a value below 1, of a color in one part."""
    given = node.getInput(name)
    return given is not None and (_is_connected(given) or min(_numbers(given), default=1.0) < 1)


def _is_connected(given: Any) -> bool:
    return given.getConnectedNode() is not None or bool(given.getInterfaceName())


def _numbers(given: Any) -> list[float]:
    """Return a number, or those of a color; none where an input has another value or none."""
    value = given.getValue()
    return [value] if isinstance(value, float) else list(getattr(value, "asTuple", tuple)())
