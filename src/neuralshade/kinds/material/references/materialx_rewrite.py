"""Changes to a MaterialX document before its generator reads it, which leave its meaning.

The generator converts only colors that are values of nodes themselves, and a picture's borders are
known only where a node ``image`` has the file. So what comes by an interface is written there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import (
    WRITTEN_FOR,
    Placed,
    bound,
    graph_of,
    is_bound,
    is_connected,
    path_of,
    resolved,
)
from neuralshade.kinds.material.references.materialx_graph import graph_nodes

FILE = "filename"
TEXTS = (FILE, "string")
COLORS = ("color3", "color4")
MODES = ("uaddressmode", "vaddressmode")
# Borders of pictures as USD calls them, and MaterialX.
USD_BORDERS = {"repeat": "periodic", "usemetadata": "periodic", "black": "constant"}
# What a port says of where its value comes from.
BINDING = ("value", "nodename", "nodegraph", "output", "interfacename", "channels", "colorspace",
           "unit", "unittype")  # fmt: skip
LINEAR = "lin_rec709"  # the color space of light
TAKEN = ("", "none", "raw", LINEAR)  # those of what is taken as it is
MOST_WRITTEN_OUT = 2_000  # nodes; of graphs in graphs there may be ever more


def write_pictures_out(library: Any, chosen: Any, place: Path) -> Any:
    """Replace nodes that hand a picture to their graph by that graph; return the chosen element.

    Raises: ConfigError where that has no end.
    """
    waiting, count = _nodes(library, chosen, place), 0
    for node in waiting:  # grows meanwhile
        if not _hands_picture(node) and not (node.getType() == "material" and graph_of(node)):
            continue
        count += 1
        if count > MOST_WRITTEN_OUT:
            raise ConfigError(f"{place}: {shown(chosen.getNamePath())}: got graphs of pictures "
                              "within each other without an end, need fewer. "
                              "Bake one to a picture.")  # fmt: skip
        is_chosen = node.getNamePath() == chosen.getNamePath()
        inner, output = _write_out(node)
        waiting += inner
        chosen = output if is_chosen and output is not None else chosen
    return chosen


def _nodes(library: Any, chosen: Any, place: Path) -> list[Any]:
    """Return the document's own nodes that a material is made of, each once."""
    found = {one.node.getNamePath(): one.node for one in graph_nodes(library, chosen, place)}
    return list(found.values())


def _hands_picture(node: Any) -> bool:
    """Return whether a node stands for a graph that has a picture of it."""
    definition = node.getNodeDef()
    if definition is None or graph_of(node) is None:
        return False
    return any(port.getType() == FILE for port in definition.getActiveInputs())


def _write_out(node: Any) -> tuple[list[Any], Any]:
    """Replace a node by the graph that it stands for; return its nodes, and the first output's."""
    scope, graph, path, own = node.getParent(), graph_of(node), path_of(node), node.getName()
    readers = [port for port in _ports(scope)
               if port.getNodeName() == own and not port.hasNodeGraphString()]  # fmt: skip
    node.setName(scope.createValidChildName(f"{own}_written_out"))
    outputs = graph.getActiveOutputs()
    last = outputs[0].getNodeName() if len(outputs) == 1 else None  # which is called as the node is
    copies, outside = {}, set[tuple[str, str]]()
    for inner in graph.getNodes():
        is_last = inner.getName() == last
        name = own if is_last else scope.createValidChildName(f"{own}_{inner.getName()}")
        copies[inner.getName()] = copy = scope.addChildOfCategory(inner.getCategory(), name)
        copy.copyContentFrom(inner)
        copy.setAttribute(WRITTEN_FOR, path)
        if graph.hasNamespace() and not copy.hasNamespace():
            copy.setNamespace(graph.getNamespace())
        for port in inner.getInputs():
            if _reads_outside(copy.getInput(port.getName()), port, node):
                outside.add((name, port.getName()))
    for copy in copies.values():
        for port in copy.getInputs():
            inside = (copy.getName(), port.getName()) not in outside
            if inside and port.getNodeName() in copies:
                port.setNodeName(copies[port.getNodeName()].getName())
    for port in readers:
        _reconnect(port, graph, copies)
    scope.removeNode(node.getName())
    return list(copies.values()), copies.get(outputs[0].getNodeName()) if outputs else None


def _reads_outside(copy: Any, port: Any, node: Any) -> bool:
    """Let a copied port read what its original read; return whether that is outside the graph."""
    name = port.getInterfaceName()
    if not name:
        if port.hasValueString():
            set_space(copy, port.getActiveColorSpace())
        return False
    given, default = node.getInput(name), node.getNodeDef().getActiveInput(name)
    if given is not None and is_bound(given):
        rebind(copy, given)
    elif default is not None and default.hasValueString():
        rebind(copy, default)
    elif default is not None and default.getDefaultGeomProp() is not None:
        geometry = node.getParent().addGeomNode(default.getDefaultGeomProp(), "geometry")
        copy.removeAttribute("interfacename")
        copy.setNodeName(geometry.getName())
    else:
        copy.getParent().removeInput(copy.getName())
        return False
    return True


def rebind(port: Any, given: Any) -> None:
    """Let a port read what another one reads, in its unit and, where it has one, color space."""
    space = port.getColorSpace()
    for name in BINDING:
        if given.hasAttribute(name):
            port.setAttribute(name, given.getAttribute(name))
        else:
            port.removeAttribute(name)
    take_degrees(port)
    if given.hasValueString():
        set_space(port, given.getActiveColorSpace() or space)
    if given.getActiveSourceUri():
        port.setSourceUri(given.getActiveSourceUri())


def take_degrees(port: Any) -> None:
    """Take the unit off an angle in degrees, which nodes read: it is taken for a length's."""
    if port.getAttribute("unittype") == "angle" and port.getAttribute("unit") == "degree":
        port.removeAttribute("unittype")
        port.removeAttribute("unit")


def set_space(port: Any, space: str) -> None:
    """Say of a color or a picture in which color space it is."""
    if port.getType() in (FILE, *COLORS) and space:
        port.setColorSpace(space)


def _ports(scope: Any) -> Iterable[Any]:
    """Yield what may be connected to a node of a scope: inputs of others, outputs, of graphs."""
    for node in scope.getNodes():
        yield from node.getInputs()
    yield from scope.getOutputs()
    for graph in scope.getNodeGraphs() if hasattr(scope, "getNodeGraphs") else []:
        yield from graph.getInputs()


def _reconnect(port: Any, graph: Any, copies: dict[str, Any]) -> None:
    """Connect what read a node's output with what computes it now."""
    name = port.getOutputString()
    output = graph.getActiveOutput(name) if name else next(iter(graph.getActiveOutputs()), None)
    inner = copies.get(output.getNodeName()) if output is not None else None
    if output is None or inner is None:
        return
    port.setNodeName(inner.getName())
    if output.hasOutputString():
        port.setOutputString(output.getOutputString())
    else:
        port.removeAttribute("output")


def leave_displacement_out(library: Any, chosen: Any, place: Path) -> bool:
    """Take displacement off a material, and with it what only that reads; return whether it had."""
    taken = False
    for node in _nodes(library, chosen, place):
        for port in node.getInputs():
            if port.getType() == "displacementshader":
                taken = taken or is_connected(port)
                node.removeInput(port.getName())
    return taken


def write_spaces_out(library: Any, document: Any, chosen: Any, place: Path) -> None:
    """Write colors and pictures of interfaces and defaults where they are read."""
    for graph in (*library.getNodeGraphs(), *document.getNodeGraphs()):
        if graph.getActiveColorSpace() not in TAKEN:
            _take_as_it_is(graph)
    nodes = graph_nodes(library, chosen, place)
    for placed in nodes:
        _write_interfaces(placed)
    for placed in nodes:
        _write_defaults(placed.node)


def _take_as_it_is(graph: Any) -> None:
    """Have what a graph gets from outside not converted again, whose color space says it is."""
    for node in graph.getNodes():
        for port in node.getInputs():
            if port.hasInterfaceName() and port.getType() in COLORS and not port.hasColorSpace():
                port.setColorSpace(LINEAR)


def _write_interfaces(placed: Placed) -> None:
    """Write values of a graph's own inputs into a node of it, as far as they have color spaces.

    Pictures and words of nodes ``constant``, too.
    """
    for port in placed.node.getInputs():
        if port.getType() not in (*TEXTS, *COLORS):
            continue
        name, is_text = port.getName(), port.getType() in TEXTS
        binding = resolved(placed, name) if is_text else bound(placed, name)
        # what a definition's use has is another for each use
        is_own = is_connected(port) and not binding.passed
        if binding.element is not None and is_own and _is_misread(placed, port, binding.element):
            rebind(port, binding.element)
        if port.getName() in MODES:
            text = port.getValueString()
            port.setValueString(USD_BORDERS.get(text.lower(), text))


def _is_misread(placed: Placed, port: Any, given: Any) -> bool:
    """Return whether the generator takes a port's value for another than it is."""
    if port.getType() == "string":  # that of an interface is read, if MaterialX has the word
        direct = bound(placed, port.getName()).element is not None
        return not direct or given.getValueString().lower() in USD_BORDERS
    if port.getType() == FILE:
        return True
    return port.hasInterfaceName() and given.getActiveColorSpace() not in TAKEN


def _write_defaults(node: Any) -> None:
    """Write defaults of a definition into a node where they are colors to be converted."""
    definition = node.getNodeDef()
    for default in definition.getActiveInputs() if definition is not None else []:
        if default.getType() not in COLORS or default.getActiveColorSpace() in TAKEN:
            continue
        value = default.getValue()
        is_grey = value is None or (len(set(value.asTuple()[:3])) == 1 and _keeps_grey(default))
        port = node.getInput(default.getName())
        if is_grey or (port is not None and (is_bound(port) or is_connected(port))):
            continue
        port = port or node.addInput(default.getName(), default.getType())
        rebind(port, default)


def _keeps_grey(default: Any) -> bool:
    """Return whether a color space has the same greys as linear Rec. 709."""
    return str(default.getActiveColorSpace()).startswith(("lin_", "acescg"))
