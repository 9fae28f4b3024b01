"""BC7 encoder on CPUs: etcpak, the only one on PyPI with wheels for all systems.

That of GPUs is ours. Device half: bc7.slang.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.bc7_process import can_start_process, encode_in_process, encode_strip
from neuralshade.asset.texture.block_decompression import decompress_tiles
from neuralshade.base.cores import core_count, map_on_cores
from neuralshade.base.optional import optional_module

SIDE_PX = 4  # of a block
# Of etcpak's 0 ... 4: half the gain of 4, for a sixth of the time that 4 takes more than 0.
USUAL_LEVEL, SLOWEST_LEVEL = 1, 4
ALL_MODES, OPAQUE_MODE = 0xFFFFFFFF, 1 << 1  # of the eight modes of a block, bit by bit
# Tiles worth a process: 0.15 s of work, three times its start. Half as many at the slowest level.
LEAST_APART = 2**13
ALPHA_WEIGHT = 64  # beside 1 for each color: one step of alpha is worth eight of a color

Tiles = NDArray[np.uint8]


def compress_bc7(tiles: Tiles, level: int = USUAL_LEVEL, exact_alpha: bool = True) -> Tiles:
    """Return uint8 [N, 16], a block for each tile.

    Args:
        tiles: uint8 [N, 4, 4, 4].
        level: of etcpak's effort.
        exact_alpha: keep an alpha that is 255 throughout a block, at up to 0.6 dB of its colors;
            else it may become 254.

    Raises: DeviceError if etcpak is not installed.
    """
    blocks = _blocks(tiles, level)
    # etcpak ignores alpha in opaque blocks, and its mode 6 then may make it 254
    opaque = (tiles[..., 3] == 255).all(axis=(1, 2))
    unsure = np.flatnonzero(opaque & _has_even_alpha(blocks))
    if exact_alpha and len(unsure):
        blocks[unsure] = _exact(tiles[unsure], level)
    return blocks


def _exact(tiles: Tiles, level: int) -> Tiles:
    """Return blocks whose alpha is 255: without alpha, or with one that weighs most."""
    blocks = _blocks(tiles, level, m_mode_mask=OPAQUE_MODE)
    weights = [1, 1, 1, ALPHA_WEIGHT]
    others = _blocks(tiles, level, m_force_alpha=True, m_weights=weights)
    apart, other_apart = (
        decompress_tiles(each).astype(np.int32) - tiles for each in (blocks, others)
    )
    errors, other_errors = ((each**2).sum(axis=(1, 2, 3)) for each in (apart, other_apart))
    better = (other_errors < errors) & (other_apart[..., 3] == 0).all(axis=(1, 2))
    return np.where(better[:, None], others, blocks)


def _has_even_alpha(blocks: Tiles) -> NDArray[np.bool_]:
    """Return which blocks are of mode 6 and end a color in an even number, alpha too.

    Bits 0 to 6 are 1 << 6 in that mode, bits 63 and 64 the lowest ones of both end points.
    """
    both = (blocks[:, 7] >> 7) & blocks[:, 8] & 1
    return (blocks[:, 0] & 0x7F == 1 << 6) & (both == 0)


def _blocks(tiles: Tiles, level: int, **settings: Any) -> Tiles:
    remedy = "Run: pip install etcpak, or choose rgba8."
    optional_module("etcpak", "etcpak", "bc7", "to encode BC7", remedy)
    options = {"m_uber_level": level, "m_mode_mask": ALL_MODES, **settings}
    least = LEAST_APART // 2 if level == SLOWEST_LEVEL else LEAST_APART
    count = min(core_count(), len(tiles) // least)
    encode = encode_in_process
    if count < 2 or not can_start_process():
        encode, count = encode_strip, 1

    def encoded(part: Tiles) -> bytes:
        strip = part.swapaxes(0, 1).tobytes()  # a picture of one row of blocks
        return encode(strip, SIDE_PX * len(part), options)

    blocks = b"".join(map_on_cores(encoded, np.array_split(tiles, count)))
    return np.frombuffer(blocks, np.uint8).reshape(-1, 16).copy()
