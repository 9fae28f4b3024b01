"""Texture formats: texel layout, and the numbers that DDS and KTX2 give them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError


@dataclass(frozen=True)
class TextureFormat:
    """One format of GPU textures; those called bc... store blocks of 4 x 4 texels."""

    name: str
    channels: int
    dtype: str  # of a stored number; of blocks, of the texels that they are made of
    dxgi: int  # DXGI_FORMAT
    vulkan: int  # VkFormat
    compressed_bytes: int = 0  # of a block; 0: not compressed

    @property
    def srgb(self) -> bool:
        """Whether readers decode its colors by the sRGB curve."""
        return self.name.endswith("_srgb")

    @property
    def side_px(self) -> int:
        """Texels along a block's side; 1 where not compressed."""
        return 4 if self.compressed_bytes else 1

    @property
    def block_bytes(self) -> int:
        """Bytes of a block, or of a texel where not compressed."""
        return self.compressed_bytes or self.channels * self.number_bytes

    @property
    def number_bytes(self) -> int:
        """Bytes of one stored number; 1 for blocks, which have no numbers to swap on upload."""
        return 1 if self.compressed_bytes else np.dtype(self.dtype).itemsize

    def level_bytes(self, level: np.ndarray[Any, Any]) -> int:
        """Return the bytes of a level [H, W, C] in a file."""
        rows, columns = (-(-side // self.side_px) for side in level.shape[:2])
        return rows * columns * self.block_bytes


# Sources of the numbers: dxgiformat.h and vulkan_core.h.
_ALL = (
    TextureFormat("r8", 1, "uint8", 61, 9),
    TextureFormat("rg8", 2, "uint8", 49, 16),
    TextureFormat("rgba8", 4, "uint8", 28, 37),
    TextureFormat("rgba8_srgb", 4, "uint8", 29, 43),
    TextureFormat("r16", 1, "uint16", 56, 70),
    TextureFormat("rg16", 2, "uint16", 35, 77),
    TextureFormat("rgba16", 4, "uint16", 11, 91),
    TextureFormat("r16f", 1, "float16", 54, 76),
    TextureFormat("rg16f", 2, "float16", 34, 83),
    TextureFormat("rgba16f", 4, "float16", 10, 97),
    TextureFormat("r32f", 1, "float32", 41, 100),
    TextureFormat("rg32f", 2, "float32", 16, 103),
    TextureFormat("rgba32f", 4, "float32", 2, 109),
    # Vulkan's without alpha, which blocks of three colors would have beside them
    TextureFormat("bc1", 3, "uint8", 71, 131, compressed_bytes=8),
    TextureFormat("bc1_srgb", 3, "uint8", 72, 132, compressed_bytes=8),
    TextureFormat("bc4", 1, "float32", 80, 139, compressed_bytes=8),
    TextureFormat("bc5", 2, "float32", 83, 141, compressed_bytes=16),
    TextureFormat("bc6h", 3, "float16", 95, 143, compressed_bytes=16),  # unsigned
    TextureFormat("bc7", 4, "uint8", 98, 145, compressed_bytes=16),
    TextureFormat("bc7_srgb", 4, "uint8", 99, 146, compressed_bytes=16),
)
FORMATS = {each.name: each for each in _ALL}


def find_format(name: str) -> TextureFormat:
    """Return the format of that name; ConfigError where there is none."""
    if name not in FORMATS:
        raise ConfigError(
            f"format: got {shown(name)}, need one of {', '.join(FORMATS)}."
            f"{did_you_mean(str(name), FORMATS)}"
        )
    return FORMATS[name]


def formats_of(channels: Iterable[int]) -> str:
    """Return the names of the formats that have one of these channel counts, with commas."""
    counts = set(channels)
    return ", ".join(each.name for each in _ALL if each.channels in counts)
