"""Corrections of foreign spellings in MaterialX documents, before they are checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import is_bound, is_connected
from neuralshade.kinds.material.references.materialx_rewrite import take_degrees

FILE = "filename"
# Color spaces by the names of other programs, without case, blanks, _ and -.
SPACES = {
    "srgbtexture": "srgb_texture", "srgbtx": "srgb_texture", "srgb": "srgb_texture",
    "utilitysrgbtexture": "srgb_texture", "srgbrec709scene": "srgb_texture",
    "srgbencodedrec709(srgb)": "srgb_texture", "srgbencodedrec709srgb": "srgb_texture",
    "raw": "none", "utilityraw": "none", "data": "none", "noncolor": "none", "none": "none",
    "linrec709": "lin_rec709", "linearrec709": "lin_rec709", "linearrec709(srgb)": "lin_rec709",
    "linearrec709srgb": "lin_rec709", "linrec709scene": "lin_rec709", "linsrgb": "lin_rec709",
    "linearsrgb": "lin_rec709", "utilitylinearrec709": "lin_rec709",
    "utilitylinearsrgb": "lin_rec709", "scenelinearrec709srgb": "lin_rec709",
    "linear": "lin_rec709",
    "acescg": "acescg", "acesacescg": "acescg", "linap1": "acescg", "linap1scene": "acescg",
    "g22rec709": "g22_rec709", "gamma22": "gamma22", "gamma22encodedrec709": "g22_rec709",
    "g22rec709scene": "g22_rec709", "g18rec709": "g18_rec709", "gamma18": "gamma18",
    "rec709display": "rec709_display", "g22ap1": "g22_ap1",
    "adobergb": "adobergb", "linadobergb": "lin_adobergb", "linadobergbscene": "lin_adobergb",
    "srgbdisplayp3": "srgb_displayp3", "lindisplayp3": "lin_displayp3",
    "srgbp3d65scene": "srgb_displayp3", "linp3d65": "lin_displayp3",
    "linp3d65scene": "lin_displayp3",
}  # fmt: skip
MOST_NOTES = 4  # of one kind; the rest is counted


def tidy_document(document: Any, place: Path) -> list[str]:
    """Correct unambiguous deviations from MaterialX; return notes on them.

    Spellings of inputs, values beside connections, inputs with neither, names of color spaces, file
    prefixes. Raises: ConfigError for an input that a node does not have.
    """
    spelled, beside, empty = list[str](), list[str](), list[str]()
    for element in _elements(document):
        if element.hasColorSpace():
            element.setColorSpace(_space(element.getColorSpace()))
        take_degrees(element)
    for node in _nodes(document):
        _take_usd_space(node)
        for port in node.getInputs():
            name = f"{node.getNamePath()}.{port.getName()}"
            if not is_bound(port):
                empty.append(name)
                node.removeInput(port.getName())
            elif port.hasValueString() and is_connected(port):
                beside.append(name)
                port.removeAttribute("value")
        spelled += _spelled(document, node, place)
    _write_prefixes_out(document)
    return [
        *spelled,
        *_notes(empty, "has no value, its default is taken"),
        *_notes(beside, "has a value and a connection, of which the connection is taken"),
    ]


def _elements(document: Any) -> Iterator[Any]:
    """Yield all elements of a document."""
    waiting = [document]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += element.getChildren()


def _nodes(document: Any) -> Iterator[Any]:
    """Yield the nodes of a document and of its graphs."""
    yield from document.getNodes()
    for graph in document.getNodeGraphs():
        yield from graph.getNodes()


def _space(name: str) -> str:
    """Return MaterialX's name of a color space, or an unknown name unchanged."""
    return SPACES.get(re.sub(r"[\s_\-]+", "", name).lower(), name)


def _notes(names: list[str], what: str) -> list[str]:
    notes = [f"{name} {what}." for name in names[:MOST_NOTES]]
    more = len(names) - len(notes)
    return [*notes, f"As do {more} more inputs."] if more else notes


def _spelled(document: Any, node: Any, place: Path) -> list[str]:
    """Rename inputs that differ from the definition's in case and _ only; return notes."""
    if not node.getInputs() or not node.getCategory():
        return []
    found = [one for one in _definitions(document, node) if one.getType() == node.getType()]
    known = {port.getName() for one in found for port in one.getActiveInputs()}
    notes = []
    for port in node.getInputs() if found else []:
        name = port.getName()
        if name in known:
            continue
        near = [one for one in known if _plain(one) == _plain(name) and node.getInput(one) is None]
        hint = did_you_mean(name, sorted(known))
        if len(near) == 1:
            port.setName(near[0])
            notes.append(f"{node.getNamePath()}.{name} is taken as {near[0]}.")
        elif hint:
            raise ConfigError(f"{place}: {node.getNamePath()}.{name}: got an input that "
                              f"{node.getCategory()} has not, need one of {sorted(known)}. Take it "
                              f"out.{hint}")  # fmt: skip
        else:
            node.removeInput(name)
            notes.append(f"{node.getNamePath()}.{name} is left out: {node.getCategory()} has no "
                         "such input.")  # fmt: skip
    return notes


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _definitions(document: Any, node: Any) -> list[Any]:
    """Return the possible definitions of a node."""
    if node.hasNodeDefString():
        found = node.getNodeDef()
        return [] if found is None else [found]
    named = {node.getQualifiedName(node.getCategory()), node.getCategory()}
    return [one for name in named for one in document.getMatchingNodeDefs(name)]


def _take_usd_space(node: Any) -> None:
    """Set a USD picture's color space from its input sourceColorSpace."""
    port, file = node.getInput("sourceColorSpace"), node.getInput("file")
    if node.getCategory() != "UsdUVTexture" or port is None or file is None:
        return
    space = _space(port.getValueString())
    if space in ("srgb_texture", "none"):  # auto is left out with a note
        file.setColorSpace(space)
        node.removeInput("sourceColorSpace")


def _write_prefixes_out(document: Any) -> None:
    """Move file prefixes into the pictures' names."""
    prefixed = [one for one in _elements(document) if one.hasFilePrefix()]
    if not prefixed:
        return
    for element in _elements(document):
        if element.getAttribute("type") == FILE and element.getAttribute("value"):
            prefix = element.getActiveFilePrefix()
            element.setAttribute("value", f"{prefix}{element.getAttribute('value')}")
    for element in prefixed:
        element.removeAttribute("fileprefix")
