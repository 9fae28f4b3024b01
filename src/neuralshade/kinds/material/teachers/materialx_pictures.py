"""Pictures of a MaterialX document: where they lie, how they are looked up, and their colors."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.teachers.pictures import Lookup
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture

BORDERS = {"periodic": "repeat", "clamp": "clamp", "mirror": "mirror"}
TILES = re.compile(r"<(UDIM|UVTILE)>", re.IGNORECASE)
LINEAR = "lin_rec709"  # the color space of light
TAKEN = ("", "none", "raw", LINEAR)  # those of what is taken as it is
CURVED = "srgb_texture"


def take_curves(nodes: Iterable[Any], place: Path) -> set[str]:
    """Take color spaces off nodes that have several pictures; return where colors are sRGB.

    MaterialX 1.39.5 brings down the process where such a node, triplanarprojection, has pictures
    in a color space. So their curves are undone before it sees them, by the path of an input.

    Raises: ConfigError for a color space other than sRGB and linear Rec. 709.
    """
    curved = set()
    for node in nodes:
        files = [one for one in node.getInputs() if one.getType() == "filename"]
        for one in files if len(files) > 1 else []:
            given = one.getInterfaceInput() or one  # of a graph that hands it on
            space = given.getActiveColorSpace()
            if given.getNamePath() in curved:
                continue
            if space not in (*TAKEN, CURVED):
                name = f"{node.getNamePath()}.{one.getName()}"
                raise ConfigError(f"{place}: {name}: got color space {shown(space)}, need "
                                  f"{CURVED} or lin_rec709 where a node has several pictures. "
                                  "Convert it.")  # fmt: skip
            if space == CURVED:
                curved.add(given.getNamePath())
            given.setColorSpace(LINEAR)
    return curved


def _decoded(lookup: Lookup) -> Lookup:
    """Return a look-up of the same picture in linear light."""
    picture = load_picture(lookup.path)
    shares = picture.as_float()
    color = picture.channels - (picture.channels in (2, 4))  # alpha is linear already
    pixels = np.concatenate([srgb_to_linear(shares[..., :color]), shares[..., color:]], axis=2)
    name = lookup.path.with_name(f"{lookup.path.name} in linear light")
    return replace(lookup, path=name, picture=Picture(pixels, "linear", name.name))


def lookups_of(stage: Any, document: Any, place: Path, curved: set[str]) -> Iterator[Lookup]:
    """Yield the pictures that a shader looks up, by the names of their variables.

    ``curved``: paths of inputs, of ``take_curves``.
    """
    for block in stage.getUniformBlocks().values():
        for variable in block:
            if variable.getType().getName() != "filename":
                continue
            node = document.getDescendant(variable.getPath())
            node = node.getParent() if node is not None else None
            name = node.getNamePath() if node is not None else variable.getVariable()
            text = variable.getValue().getValueString() if variable.getValue() else ""
            found = Lookup(variable.getVariable(), _picture_path(text, name, place),
                           _border(node, "uaddressmode", place),
                           _border(node, "vaddressmode", place),
                           _text(node, "filtertype") == "closest")  # fmt: skip
            yield _decoded(found) if variable.getPath() in curved else found


def _picture_path(text: str, name: str, place: Path) -> Path:
    """Return where a picture lies; ConfigError for one that is not there, with its node."""
    if not text:
        raise ConfigError(f"{place}: {name}: got no file, need a picture. Name one.")
    if TILES.search(text):
        raise ConfigError(f"{place}: {name}: got {shown(text)}, a picture of many tiles (UDIM), "
                          "need a single one. Fit one tile.")  # fmt: skip
    path = place.parent / text
    if not os.path.isfile(path):
        raise ConfigError(f"{place}: {name}: got {shown(text)}, which is not there, need a "
                          f"picture. Looked for {path}.")  # fmt: skip
    return path


def _border(node: Any, name: str, place: Path) -> str:
    text = _text(node, name) or "periodic"
    if text not in BORDERS:
        raise ConfigError(f"{place}: {node.getNamePath()}.{name}: got {shown(text)}, need one of "
                          f"{list(BORDERS)}. Change it.")  # fmt: skip
    return BORDERS[text]


def _text(node: Any, name: str) -> str:
    given = node.getInput(name) if node is not None else None
    return given.getValueString() if given is not None else ""
