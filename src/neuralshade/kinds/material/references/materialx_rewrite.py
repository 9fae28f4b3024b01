"""Rewrites of a MaterialX document for its generator, which keep its meaning.

The generator converts only colors that are values of nodes, and a picture's borders are known only
at a node ``image`` with a file. So interface values are copied into these nodes.
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
# Border modes of USD, and of MaterialX.
USD_BORDERS = {"repeat": "periodic", "usemetadata": "periodic", "black": "constant"}
# Attributes of a port's source.
BINDING = ("value", "nodename", "nodegraph", "output", "interfacename", "channels", "colorspace",
           "unit", "unittype")  # fmt: skip
LINEAR = "lin_rec709"  # the color space of light
TAKEN = ("", "none", "raw", LINEAR)  # color spaces without conversion
MOST_WRITTEN_OUT = 2_000  # nodes; nested graphs could grow without end


def write_pictures_out(library: Any, chosen: Any, place: Path) -> Any:
    """Replace nodes that pass a picture to their graph by that graph; return the chosen element.

    Raises: ConfigError for endless expansion.
    """
    waiting, count = _nodes(library, chosen, place), 0
    for node in waiting:  # grows in the loop
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
    """Return the document's own nodes of a material, each once."""
    found = {one.node.getNamePath(): one.node for one in graph_nodes(library, chosen, place)}
    return list(found.values())


def _hands_picture(node: Any) -> bool:
    """Return whether a node passes a picture to its graph."""
    definition = node.getNodeDef()
    if definition is None or graph_of(node) is None:
        return False
    return any(port.getType() == FILE for port in definition.getActiveInputs())


def _write_out(node: Any) -> tuple[list[Any], Any]:
    """Replace a node by its graph; return the copied nodes, and the first output's node."""
    scope, graph, path, own = node.getParent(), graph_of(node), path_of(node), node.getName()
    readers = [port for port in _ports(scope)
               if port.getNodeName() == own and not port.hasNodeGraphString()]  # fmt: skip
    node.setName(scope.createValidChildName(f"{own}_written_out"))
    outputs = graph.getActiveOutputs()
    last = outputs[0].getNodeName() if len(outputs) == 1 else None  # which keeps the node's name
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
    """Bind a copied port like its original; return whether its source is outside the graph."""
    name = port.getInterfaceName()
    if not name:
        if port.hasValueString():
            set_space(copy, port.getActiveColorSpace())
        return False
    value, default = node.getInput(name), node.getNodeDef().getActiveInput(name)
    if value is not None and is_bound(value):
        rebind(copy, value)
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


def rebind(port: Any, source: Any) -> None:
    """Bind a port to the source of another one, with its unit and color space, if any."""
    space = port.getColorSpace()
    for name in BINDING:
        if source.hasAttribute(name):
            port.setAttribute(name, source.getAttribute(name))
        else:
            port.removeAttribute(name)
    take_degrees(port)
    if source.hasValueString():
        set_space(port, source.getActiveColorSpace() or space)
    if source.getActiveSourceUri():
        port.setSourceUri(source.getActiveSourceUri())


def take_degrees(port: Any) -> None:
    """Remove the unit of an angle in degrees, which is the default; it reads as a length's."""
    if port.getAttribute("unittype") == "angle" and port.getAttribute("unit") == "degree":
        port.removeAttribute("unittype")
        port.removeAttribute("unit")


def set_space(port: Any, space: str) -> None:
    """Set the color space of a color or a picture."""
    if port.getType() in (FILE, *COLORS) and space:
        port.setColorSpace(space)


def _ports(scope: Any) -> Iterable[Any]:
    """Yield the ports that may connect to a node of a scope: inputs, and outputs of graphs."""
    for node in scope.getNodes():
        yield from node.getInputs()
    yield from scope.getOutputs()
    for graph in scope.getNodeGraphs() if hasattr(scope, "getNodeGraphs") else []:
        yield from graph.getInputs()


def _reconnect(port: Any, graph: Any, copies: dict[str, Any]) -> None:
    """Connect the readers of a node's output to its copy."""
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
    """Remove displacement and the nodes only it reads; return whether there was one."""
    taken = False
    for node in _nodes(library, chosen, place):
        for port in node.getInputs():
            if port.getType() == "displacementshader":
                taken = taken or is_connected(port)
                node.removeInput(port.getName())
    return taken


def write_spaces_out(library: Any, document: Any, chosen: Any, place: Path) -> None:
    """Copy colors and pictures of interfaces and defaults to where they are read."""
    for graph in (*library.getNodeGraphs(), *document.getNodeGraphs()):
        if graph.getActiveColorSpace() not in TAKEN:
            _take_as_it_is(graph)
    nodes = graph_nodes(library, chosen, place)
    for placed in nodes:
        _write_interfaces(placed)
    for placed in nodes:
        _write_defaults(placed.node)


def _take_as_it_is(graph: Any) -> None:
    """Mark a graph's external inputs as linear, so that they are not converted twice."""
    for node in graph.getNodes():
        for port in node.getInputs():
            if port.hasInterfaceName() and port.getType() in COLORS and not port.hasColorSpace():
                port.setColorSpace(LINEAR)


def _write_interfaces(placed: Placed) -> None:
    """Copy values of a graph's own inputs into its nodes, if they have color spaces.

    Also pictures and strings of nodes ``constant``.
    """
    for port in placed.node.getInputs():
        if port.getType() not in (*TEXTS, *COLORS):
            continue
        name, is_text = port.getName(), port.getType() in TEXTS
        binding = resolved(placed, name) if is_text else bound(placed, name)
        # a definition has another value for each use
        is_own = is_connected(port) and not binding.passed
        if binding.element is not None and is_own and _is_misread(placed, port, binding.element):
            rebind(port, binding.element)
        if port.getName() in MODES:
            text = port.getValueString()
            port.setValueString(USD_BORDERS.get(text.lower(), text))


def _is_misread(placed: Placed, port: Any, value: Any) -> bool:
    """Return whether the generator misreads a port's value."""
    if port.getType() == "string":  # an interface's is read, if MaterialX knows the word
        direct = bound(placed, port.getName()).element is not None
        return not direct or value.getValueString().lower() in USD_BORDERS
    if port.getType() == FILE:
        return True
    return port.hasInterfaceName() and value.getActiveColorSpace() not in TAKEN


def _write_defaults(node: Any) -> None:
    """Copy a definition's defaults into a node if they are colors to convert."""
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
    """Return whether a color space has the greys of linear Rec. 709."""
    return str(default.getActiveColorSpace()).startswith(("lin_", "acescg"))
