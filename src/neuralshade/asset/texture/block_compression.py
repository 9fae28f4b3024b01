"""Texels to blocks of 4 x 4, as GPUs read them: BC4 and BC5 by bc4.py, BC7 by etcpak.

Why etcpak: of the BC7 encoders on PyPI it is the one with wheels for Linux, macOS and Windows
and for every Python. Not for BC4 and BC5: it puts their end points at the least and the
greatest number of a block, which costs 4 dB.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.bc4 import compress_bc4
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.base.optional import optional_module

SIDE_PX = 4  # of a block
# Of etcpak's 0 ... 4: half the gain of 4, for a sixth of the time that 4 takes more than 0.
BC7_LEVEL = 1
ALL_MODES, OPAQUE_MODE = 0xFFFFFFFF, 1 << 1  # of the eight ways to fill a BC7 block, bit by bit


def compress_blocks(texels: NDArray[Any], chosen: TextureFormat) -> bytes:
    """Return the blocks of ``texels``, row by row.

    A block that reaches beyond the edge repeats the texels of the edge. A BC7 block whose
    alpha is 255 throughout keeps it.

    Args:
        texels: [H, W, C], H, W >= 1, any; float32 in [0, 1] for "bc4" (C = 1) and "bc5"
            (C = 2), uint8 for "bc7" and "bc7_srgb" (C = 4).

    Raises: DeviceError if the package that encodes BC7 is not installed.
    """
    beyond = [(0, -side % SIDE_PX) for side in texels.shape[:2]]
    whole = np.pad(texels, (*beyond, (0, 0)), mode="edge")
    rows, columns = (side // SIDE_PX for side in whole.shape[:2])
    tiles = whole.reshape(rows, SIDE_PX, columns, SIDE_PX, chosen.channels).swapaxes(1, 2)
    tiles = tiles.reshape(-1, SIDE_PX, SIDE_PX, chosen.channels)
    if chosen.channels == 4:
        return _compress_bc7(tiles).tobytes()
    # one BC4 block per channel, those of one tile side by side: what BC5 is
    return compress_bc4(np.moveaxis(tiles, 3, 1).reshape(-1, SIDE_PX * SIDE_PX)).tobytes()


def _compress_bc7(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return uint8 [N, 16], a block for each of [N, 4, 4, 4]."""
    blocks = _bc7_blocks(tiles, ALL_MODES)
    # etcpak ignores alpha in opaque blocks, and its mode 6 then may make it 254
    opaque = (tiles[..., 3] == 255).all(axis=(1, 2))
    unsure = np.flatnonzero(opaque & _has_even_alpha(blocks))
    if len(unsure):
        blocks[unsure] = _bc7_blocks(tiles[unsure], OPAQUE_MODE)
    return blocks


def _has_even_alpha(blocks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which blocks are of mode 6 and end a color in an even number, alpha too.

    Bits 0 to 6 are 1 << 6 in that mode, bits 63 and 64 the lowest ones of both end points.
    """
    both = (blocks[:, 7] >> 7) & blocks[:, 8] & 1
    return (blocks[:, 0] & 0x7F == 1 << 6) & (both == 0)


def _bc7_blocks(tiles: NDArray[np.uint8], modes: int) -> NDArray[np.uint8]:
    etcpak = _encoder()
    # made anew: without, etcpak weighs colors for the eye, which would spoil normals
    settings = etcpak.BC7CompressBlockParams()
    settings.init_linear_weights()
    settings.m_uber_level = BC7_LEVEL
    settings.m_mode_mask = modes
    strip = tiles.swapaxes(0, 1).tobytes()  # a picture of one row of blocks
    width = SIDE_PX * len(tiles)
    # etcpak trusts the size that it is told, and reads past the end of less
    assert len(strip) == 4 * width * SIDE_PX, (tiles.shape, tiles.dtype)
    blocks = etcpak.compress_bc7(strip, width, SIDE_PX, settings)
    return np.frombuffer(blocks, np.uint8).reshape(-1, 16).copy()


def _encoder() -> Any:
    remedy = "Run: pip install etcpak, or choose rgba8."
    return optional_module("etcpak", "etcpak", "bc7", "to encode BC7", remedy)
