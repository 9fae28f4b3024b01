"""Words of an asset as a texture of four bytes a texel, for engines that bind no buffers.

A texel is a word: red its lowest byte, alpha its highest. Texel 0 is a mark: whoever reads another
one there has imported the file with a filter, a color space or a compression.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from neuralshade.asset.texture.texture_format import find_format
from neuralshade.model.shader_form import Texture

MARK = 0x7FC03B86  # bytes that the sRGB curve changes, none of them 0 or 255
WIDEST = 2048  # texels: larger pictures are scaled down by engines' defaults
UNCOMPRESSED_COLOR, ALPHA_BITS, FROM_ABOVE = 2, 8, 0x20  # of TGA's header

Words = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class WordTexture:
    """A texture that holds words after its mark, a power of two wide."""

    words: Words

    @property
    def width(self) -> int:
        side = 1
        while side * side < len(self.words) + 1 and side < WIDEST:
            side *= 2
        return side

    @property
    def height(self) -> int:
        return -(-(len(self.words) + 1) // self.width)

    @property
    def texels(self) -> npt.NDArray[np.uint8]:
        """Return bytes [height, width, 4], the first words in row 0."""
        filled = np.zeros(self.width * self.height, "<u4")
        filled[0] = MARK
        filled[1 : 1 + len(self.words)] = self.words
        return filled.view(np.uint8).reshape(self.height, self.width, 4)

    def lifted_png(self) -> bytes:
        """Return a PNG with row 0 below, where some engines begin to read.

        Its height is a power of two too: others are scaled by those engines' defaults.
        """
        height = 1
        while height < self.height:
            height *= 2
        rows = np.zeros((height, self.width, 4), np.uint8)
        rows[: self.height] = self.texels
        return _png(rows[::-1])

    def tga(self) -> bytes:
        """Return a TGA without compression, row 0 above.

        Engines that replace colors of transparent pixels do so in PNG files alone.
        """
        head = struct.pack("<3B5x4H2B", 0, 0, UNCOMPRESSED_COLOR, 0, 0, self.width, self.height, 32,
                           ALPHA_BITS | FROM_ABOVE)  # fmt: skip
        return head + np.ascontiguousarray(self.texels[..., [2, 1, 0, 3]]).tobytes()


def finest_png(texture: Texture) -> bytes:
    """Return the finest level of a texture without blocks as a PNG."""
    channels = find_format(texture.format).channels
    width, height = texture.sizes[0]
    texels = np.frombuffer(texture.levels[0], np.uint8).reshape(height, width, channels)
    return _png(texels[..., 0] if channels == 1 else texels)


def _png(texels: npt.NDArray[np.uint8]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(texels)).save(file, "PNG")
    return file.getvalue()
