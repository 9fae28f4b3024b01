"""Texture coordinates of MaterialX documents that are read by a mesh's attribute name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import Placed, path_of, resolved

# Nodes that read mesh attributes, and the input with the name.
READERS = {"geompropvalue": "geomprop", "UsdPrimvarReader": "varname"}
# Names of the first texture coordinate: USD, Maya, Blender, Houdini, glTF, 3ds Max.
FIRST = re.compile(
    r"(primvars:)?(st|uv|uvs|map|uvmap|uvset|texcoords?|texturecoordinates?|uvcoords?|defaultuv)"
    r"([_.]?(set|channel|map)?[_.]?0*)|(primvars:)?(map|channel|uvchannel)[_.]?0*1",
    re.IGNORECASE,
)  # fmt: skip
FLAT = ("vector2", "vector3")


def take_texcoords(nodes: Iterable[Placed], place: Path) -> None:
    """Replace nodes that read texture coordinates by a name such as st with ``texcoord`` nodes.

    Raises: ConfigError for one that reads another attribute.
    """
    for placed in nodes:
        node = placed.node
        if node.getCategory() not in READERS:
            continue
        name = resolved(placed, READERS[node.getCategory()]).text
        if node.getType() not in FLAT or not FIRST.fullmatch(name.strip()):
            raise ConfigError(f"{place}: {path_of(node)} ({node.getCategory()}) reads "
                              f"{shown(name)} of a mesh, need a surface of pictures, positions and "
                              "the first texture coordinate alone. Bake it to a "
                              "picture.")  # fmt: skip
    for node in {id(one.node): one.node for one in nodes}.values():
        if node.getCategory() in READERS:
            _make_texcoord(node)


def _make_texcoord(node: Any) -> None:
    for port in node.getInputs():
        node.removeInput(port.getName())
    for name in ("nodedef", "version"):
        node.removeAttribute(name)
    node.setCategory("texcoord")
