"""Sandbox process of a stranger's task: answers the messages of sandbox/renderer.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from neuralshade.base.sandbox.wire import Array
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.renderer import LocalRenderer, RenderRequest
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.source.picture import Picture


class TaskServer:
    """Opens the task of the first message; later ones request pictures of it, or its mean loss."""

    def __init__(self) -> None:
        self._renderer: LocalRenderer | None = None

    def __call__(
        self, message: dict[str, Any], arrays: list[Array]
    ) -> tuple[dict[str, Any], tuple[Array, ...]]:
        """Return the answer to a message."""
        if self._renderer is None:
            self._renderer = _opened(message, arrays)
            return {}, ()
        if message["ask"] == "program":
            program = self._renderer.program(message["name"], message["unused"])
            return {"text": program.text, "result": program.result}, (program.words,)
        if message["ask"] == "compiled":
            arguments = (message[part] for part in ("text", "files", "target", "entries"))
            return {}, (np.frombuffer(self._renderer.compiled(*arguments), np.uint8),)
        if message["ask"] == "draw":
            crop = tuple(message["crop"])
            return {}, (self._renderer.draw(message["width"], message["height"], crop),)
        return {"row": self._renderer.row()}, ()


def _opened(message: dict[str, Any], arrays: list[Array]) -> LocalRenderer:
    source = ShaderSource(message["text"], message["source"], message["files"], foreign=True)
    values = dict(message["values"])
    for name, array in zip(message["arrays_of"], arrays, strict=True):
        values[name] = array
        if name in message["pictures"]:
            called, color_space = message["pictures"][name]
            values[name] = Picture(array, color_space, called)
    recipe = from_dict(ShaderRecipe, message["recipe"])
    return LocalRenderer(
        RenderRequest(source, values, recipe, message["steps"], 0, message["place"])
    )
