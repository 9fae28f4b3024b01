"""Decompression of 4 x 4 blocks: BC1 and BC7 by Pillow, BC4, BC5 and BC6H here.

Why not etcpak: its decoders crash (0.9.15). Why BC4 and BC5 here: Pillow cuts off what lies
between two of 256 steps, where GPUs keep it: 0.3 dB of rough maps, 4 of smooth ones. Why BC6H:
Pillow clips it to 1.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralshade.asset.texture.bc4 import CHUNK, EVEN_STEPS, ONE_CODE, PEAK, SIX_STEPS, ZERO_CODE
from neuralshade.asset.texture.bc6h import decompress_bc6h
from neuralshade.asset.texture.texture_format import TextureFormat

SIDE_PX = 4  # of a block
PILLOW_KINDS = {3: (1, "BC1"), 4: (7, "BC7")}  # by channels: the numbers of its decoder "bcn"

Floats = NDArray[np.float32]


def decompress_blocks(blocks: bytes, chosen: TextureFormat, height: int, width: int) -> Floats:
    """Return float32 [H, W, C], what the blocks of a level show, as they are stored.

    In [0, 1], but for BC6H, which is 0 or more; that only as ``compress_blocks`` makes it.

    Args:
        blocks: row by row, as ``compress_blocks`` returns them.
        chosen: one of the formats of blocks; of an sRGB one, colors stay encoded.
        height, width: of the level, >= 1.
    """
    rows, columns = (-(-side // SIDE_PX) for side in (height, width))
    if chosen.name == "bc6h":
        colors = decompress_bc6h(np.frombuffer(blocks, np.uint8).reshape(-1, 16))
        tiles = colors.reshape(rows, columns, SIDE_PX, SIDE_PX, -1).swapaxes(1, 2)
        return tiles.reshape(rows * SIDE_PX, columns * SIDE_PX, -1)[:height, :width]
    if chosen.channels in PILLOW_KINDS:
        how = PILLOW_KINDS[chosen.channels]
        picture = Image.frombytes("RGBA", (width, height), blocks, "bcn", *how)
        texels = np.asarray(picture)[..., : chosen.channels]
        return np.divide(texels, np.float32(PEAK), dtype=np.float32)
    values = decompress_bc4(np.frombuffer(blocks, np.uint8).reshape(-1, 8))
    tiles = values.reshape(rows, columns, chosen.channels, SIDE_PX, SIDE_PX)
    whole = tiles.transpose(0, 3, 1, 4, 2).reshape(rows * SIDE_PX, columns * SIDE_PX, -1)
    return whole[:height, :width]


def decompress_tiles(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return uint8 [N, 4, 4, 4], the texels of BC7 blocks, uint8 [N, 16], each on its own."""
    strip = SIDE_PX, SIDE_PX * len(blocks)
    picture = Image.frombytes("RGBA", strip, blocks.tobytes(), "bcn", *PILLOW_KINDS[4])
    return np.asarray(picture).reshape(-1, SIDE_PX, SIDE_PX, 4)


def decompress_bc4(blocks: NDArray[np.uint8]) -> Floats:
    """Return float32 [N, 16], [0, 1], what BC4 blocks, uint8 [N, 8], mean; not rounded."""
    values = np.empty((len(blocks), 16), np.float32)
    for start in range(0, len(blocks), CHUNK):
        part = slice(start, start + CHUNK)
        values[part] = _decompress(np.ascontiguousarray(blocks[part]))
    return values


def _decompress(blocks: NDArray[np.uint8]) -> Floats:
    first, last = (blocks[:, end, None].astype(np.float32) for end in (0, 1))
    palette = np.empty((len(blocks), 8), np.float32)
    falling = (first > last)[:, 0]
    for steps, rows in ((EVEN_STEPS, falling), (SIX_STEPS, ~falling)):
        step = np.array([0, steps, *range(1, steps)], np.float32) / np.float32(steps)
        palette[rows, : steps + 1] = first[rows] + (last[rows] - first[rows]) * step
    palette[~falling, ZERO_CODE], palette[~falling, ONE_CODE] = 0, PEAK
    words = blocks.view("<u8").astype(np.uint64)
    shifts = np.uint64(16) + np.uint64(3) * np.arange(16, dtype=np.uint64)
    codes = (words >> shifts & np.uint64(7)).astype(np.intp)
    return np.take_along_axis(palette, codes, axis=1) / np.float32(PEAK)
