"""Opened assets in notebooks: a picture of each, and the names that completion offers."""

from __future__ import annotations

from typing import Any, ClassVar

from neuralshade.errors import NeuralShadeError

PREVIEW_PX = 512  # of the longer side, at most
# of every opened asset; what a program may need of others' parts is found in their modules
NAMES = ("bits_per_pixel", "byte_count", "close", "color_space", "draw", "evaluate", "facts",
         "header", "kind", "memory_bytes", "numbers", "path", "picture", "recipe", "report", "size",
         "tensors")  # fmt: skip


class InNotebooks:
    """What IPython asks of an opened asset."""

    kind: ClassVar[Any]
    offered: ClassVar[tuple[str, ...]] = ()  # names of its own kind

    def __dir__(self) -> list[str]:
        at = ("at", "module") if self.kind.evaluated else ()
        shader = ("shader",) if self.kind.shaders else ()
        return sorted({*NAMES, *self.offered, *at, *shader})

    def _repr_png_(self) -> bytes | None:
        """Return it drawn small, as a PNG file; None where there is nothing to see."""
        from neuralshade.measure.display import preview_png

        opened: Any = self
        if not opened.shows:
            return None
        try:
            width, height = opened.size
            scale = min(1.0, PREVIEW_PX / max(width, height))
            drawn = opened.draw(max(1, round(scale * width)), max(1, round(scale * height)))
        except NeuralShadeError:  # it takes a GPU, say: the text beside it is enough
            return None
        return preview_png(drawn, linear=opened.color_space == "linear")
