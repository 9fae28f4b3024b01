"""Block compression of texels, 4 x 4 at a time: BC1, BC4, BC5, BC6H and BC7.

Of these BC7 is etcpak's. Not the others: it puts their end points at the least and the greatest
numbers of a block, which costs 4 dB in BC4 and BC5, 2.5 in BC1.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.bc1 import compress_bc1
from neuralshade.asset.texture.bc4 import compress_bc4
from neuralshade.asset.texture.bc6h import compress_bc6h
from neuralshade.asset.texture.bc7 import compress_bc7
from neuralshade.asset.texture.texture_format import TextureFormat

SIDE_PX = 4  # of a block


def compress_blocks(texels: NDArray[Any], chosen: TextureFormat) -> bytes:
    """Return the blocks of ``texels``, row by row.

    A block that reaches beyond the edge repeats the texels of the edge. A BC7 block whose
    alpha is 255 throughout keeps it.

    Args:
        texels: [H, W, C], H, W >= 1, any; float32 in [0, 1] for "bc4" (C = 1) and "bc5"
            (C = 2), float16 of 0 or more for "bc6h" (C = 3), uint8 for "bc1" and "bc1_srgb"
            (C = 3), "bc7" and "bc7_srgb" (C = 4).

    Raises: DeviceError if the package that encodes BC7 is not installed.
    """
    if (texels == texels[:1, :1]).all():  # as a map is that is the same everywhere: one block
        rows, columns = (-(-side // SIDE_PX) for side in texels.shape[:2])
        return compress_tiles(block_tiles(texels[:1, :1]), chosen) * (rows * columns)
    return compress_tiles(block_tiles(texels), chosen)


def compress_tiles(tiles: NDArray[Any], chosen: TextureFormat) -> bytes:
    """Return the blocks of tiles [N, 4, 4, C], in the types of ``compress_blocks``."""
    if chosen.name == "bc6h":
        return compress_bc6h(tiles.reshape(-1, SIDE_PX * SIDE_PX, 3)).tobytes()
    if chosen.channels == 4:
        return compress_bc7(tiles).tobytes()
    if chosen.channels == 3:
        colors = tiles.reshape(-1, SIDE_PX * SIDE_PX, 3) / np.float32(255)
        return compress_bc1(colors).tobytes()
    # one BC4 block per channel, those of one tile side by side: what BC5 is
    return compress_bc4(np.moveaxis(tiles, 3, 1).reshape(-1, SIDE_PX * SIDE_PX)).tobytes()


def block_tiles(texels: NDArray[Any]) -> NDArray[Any]:
    """Return the texels [N, 4, 4, C] of each block of [H, W, C], row by row."""
    beyond = [(0, -side % SIDE_PX) for side in texels.shape[:2]]
    whole = np.pad(texels, (*beyond, (0, 0)), mode="edge")
    rows, columns = (side // SIDE_PX for side in whole.shape[:2])
    tiles = whole.reshape(rows, SIDE_PX, columns, SIDE_PX, -1).swapaxes(1, 2)
    return tiles.reshape(-1, SIDE_PX, SIDE_PX, texels.shape[2])
