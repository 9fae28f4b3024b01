"""What draws a stranger's task in a sandbox."""

from __future__ import annotations

from typing import Any

import numpy as np

from neuralshade.base.sandbox.wire import Array
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.renderer import DrawnHere, Wanted
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.source.picture import Picture


class Served:
    """Opens the task of the first message; others ask for pictures of it, or its mean loss."""

    def __init__(self) -> None:
        self._drawing: DrawnHere | None = None

    def __call__(
        self, message: dict[str, Any], arrays: list[Array]
    ) -> tuple[dict[str, Any], tuple[Array, ...]]:
        """Return the answer to a message."""
        if self._drawing is None:
            self._drawing = _opened(message, arrays)
            return {}, ()
        if message["ask"] == "program":
            program = self._drawing.program(message["name"], message["unread"])
            return {"text": program.text, "result": program.result}, (program.words,)
        if message["ask"] == "compiled":
            wanted = (message[part] for part in ("text", "files", "target", "entries"))
            return {}, (np.frombuffer(self._drawing.compiled(*wanted), np.uint8),)
        if message["ask"] == "draw":
            crop = tuple(message["crop"])
            return {}, (self._drawing.draw(message["width"], message["height"], crop),)
        return {"row": self._drawing.row()}, ()


def _opened(order: dict[str, Any], arrays: list[Array]) -> DrawnHere:
    source = ShaderSource(order["text"], order["source"], order["files"], foreign=True)
    values = dict(order["values"])
    for name, array in zip(order["arrays_of"], arrays, strict=True):
        values[name] = array
        if name in order["pictures"]:
            called, color_space = order["pictures"][name]
            values[name] = Picture(array, color_space, called)
    recipe = from_dict(ShaderRecipe, order["recipe"])
    return DrawnHere(Wanted(source, values, recipe, order["steps"], 0, order["place"]))
