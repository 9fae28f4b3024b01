"""What stands for a picture where a fit has none."""

from dataclasses import dataclass

import numpy as np

from neuralshade.source.picture import Picture


@dataclass(frozen=True, eq=False)
class Canvas(Picture):
    """A picture's size and color space without pixels; ``source_digest`` is of what is fitted."""

    source_digest: str = ""

    @property
    def digest(self) -> str:
        """Return that of what is fitted."""
        return self.source_digest


def empty_canvas(
    size: tuple[int, int], channels: int, color_space: str, name: str, digest: str
) -> Canvas:
    """Return a canvas of ``size``, width and height; it takes no memory for pixels."""
    pixel = np.zeros((1, 1, channels), np.float32 if color_space == "linear" else np.uint8)
    pixels = np.broadcast_to(pixel, (size[1], size[0], channels))
    return Canvas(pixels, color_space, name, digest)
