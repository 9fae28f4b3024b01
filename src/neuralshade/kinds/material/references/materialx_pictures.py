"""Pictures of a MaterialX document: paths and look-ups."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import plain, shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_bindings import Placed, path_of, resolved
from neuralshade.kinds.material.references.pictures import Lookup

BORDERS = {"periodic": "repeat", "clamp": "clamp", "mirror": "mirror"}
TILES = re.compile(r"<(UDIM|UVTILE)>", re.IGNORECASE)


class Pictures:
    """Pictures of a document's shader; ``notes`` lists substituted files."""

    def __init__(self, document: Any, nodes: Iterable[Placed], place: Path):
        self.notes: list[str] = []
        self._document, self._place = document, place
        self._uses: dict[str, list[Placed]] = {}
        for placed in nodes:
            self._uses.setdefault(placed.node.getNamePath(), []).append(placed)

    def lookups(self, stage: Any) -> Iterator[Lookup]:
        """Yield the pictures of a stage, by the names of their variables."""
        for block in stage.getUniformBlocks().values():
            for variable in block:
                if variable.getType().getName() == "filename":
                    yield self._lookup(variable)

    def _lookup(self, variable: Any) -> Lookup:
        port = self._document.getDescendant(variable.getPath())
        node = port.getParent() if port is not None else None
        name = path_of(node) if node is not None else variable.getVariable()
        uses = self._uses.get(node.getNamePath(), []) if node is not None else []
        text = variable.getValue().getValueString() if variable.getValue() else ""
        return Lookup(variable.getVariable(), self._path(text, name, port),
                      self._border(uses, name, "uaddressmode"),
                      self._border(uses, name, "vaddressmode"),
                      self._text(uses, name, "filtertype") == "closest")  # fmt: skip

    def _path(self, text: str, name: str, port: Any) -> Path:
        """Return the path of a picture; ConfigError with its node if it is missing."""
        if not text:
            raise ConfigError(f"{self._place}: {name}: got no file, need a picture. Name one.")
        if TILES.search(text):
            raise ConfigError(f"{self._place}: {name}: got {shown(text)}, a picture of many tiles "
                              "(UDIM), need a single one. Fit one tile.")  # fmt: skip
        source = port.getActiveSourceUri() if port is not None else ""
        beside = [Path(source).parent] if source else []  # beside an included document
        for folder in (*beside, self._place.parent):
            found = _nearest(folder, text)
            if found is None:
                continue
            path, near = found
            if near is not None:
                self.notes.append(f"{name}: {shown(text)} is not there, {shown(near)} is taken.")
            return path
        raise ConfigError(f"{self._place}: {name}: got {shown(text)}, which is not there, need a "
                          f"picture. Looked for {self._place.parent / text}."
                          f"{self._hint(text)}")  # fmt: skip

    def _hint(self, text: str) -> str:
        """Return a picture beside the document that a path of another machine may mean."""
        parts = text.replace("\\", "/").split("/")
        for first in range(1, len(parts)):
            tail = "/".join(parts[first:])
            found = _nearest(self._place.parent, tail) if tail else None
            if found is not None:
                return f" Did you mean {plain(found[1] or tail)}?"
        return ""

    def _border(self, uses: list[Placed], name: str, mode: str) -> str:
        text = self._text(uses, name, mode) or "periodic"
        if text not in BORDERS:
            raise ConfigError(f"{self._place}: {name}.{mode}: got {shown(text)}, need one of "
                              f"{list(BORDERS)}. Change it.")  # fmt: skip
        return BORDERS[text]

    def _text(self, uses: list[Placed], name: str, port: str) -> str:
        """Return the common text of an input of all uses of a node."""
        texts = {resolved(placed, port).text for placed in uses}
        if len(texts) > 1:
            raise ConfigError(f"{self._place}: {name}.{port}: got {sorted(texts)} in different "
                              "uses of its definition, need one of them. Use two "
                              "definitions.")  # fmt: skip
        return texts.pop() if texts else ""


def _nearest(folder: Path, text: str) -> tuple[Path, str | None] | None:
    """Return the file of a name, and its actual name if that differs.

    Accepts names of other systems, with ``\\`` for ``/`` or in another case. None if there is no
    such file, or more than one.
    """
    if os.path.isfile(folder / text):
        return folder / text, None
    path, parts = folder, list[str]()
    for part in text.replace("\\", "/").split("/"):
        if part in ("", ".", "..") or os.path.exists(path / part):
            path, parts = path / part, [*parts, part]
            continue
        try:
            found = [one for one in path.iterdir() if one.name.lower() == part.lower()]
        except (OSError, ValueError):  # not a folder, or not readable
            return None
        if len(found) != 1:
            return None
        path, parts = found[0], [*parts, found[0].name]
    return (path, "/".join(parts)) if os.path.isfile(path) else None
