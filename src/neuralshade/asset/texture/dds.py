"""DDS writer: mip chains with the header of Direct3D 10.

Source: Microsoft, DDS Programming Guide: DDS_HEADER, DDS_PIXELFORMAT, DDS_HEADER_DXT10.
"""

import os
import struct
from collections.abc import Sequence
from pathlib import Path

from neuralshade.asset.texture.mip_chain import MipChain, check_chain, stored_levels
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.base.atomic import whole_file

HEADER_BYTES, PIXEL_FORMAT_BYTES = 124, 32
HAS_CAPS_SIZE_FORMAT_LEVELS = 0x1 | 0x2 | 0x4 | 0x1000 | 0x20000
HAS_PITCH, HAS_LINEAR_SIZE = 0x8, 0x80000
IS_FOUR_LETTERS = 0x4
TEXTURE, MANY_SURFACES, MIP_CHAIN = 0x1000, 0x8, 0x400000
TEXTURE_2D = 3
UNKNOWN_ALPHA = 0  # anything else is refused by Microsoft's older loaders


def write_dds(path: str | os.PathLike[str], levels: MipChain, format: str) -> None:
    """Write a mip chain as a DDS file, whole or not at all.

    Args:
        levels: uint8, uint16, float16 or float32 [H, W, C], all alike, the largest first; each
            next is max(1, floor(size / 2)). The chain may begin at any size and end early.
            Row 0 is the top. Whole numbers mean themselves divided by their largest; what
            the format cannot hold is clamped to [0, 1]. Alpha is unassociated.
        format: a name of texture_format.FORMATS. C is its count of channels; where that is
            4, C may be 3, and alpha becomes 1. Values for "..._srgb" are sRGB-encoded already.

    BC formats are written even if a side of the largest level is no multiple of 4; Direct3D 11
    and older refuse such textures.

    Raises: what ``check_chain`` and ``whole_file`` raise; DeviceError for BC7 without etcpak.
    """
    chosen = check_chain(levels, format)
    with whole_file(path) as partial:
        fill_dds(partial, levels, chosen)


def fill_dds(
    partial: Path, levels: MipChain, chosen: TextureFormat, blocks: Sequence[bytes] = ()
) -> None:
    """Write a chain checked by ``check_chain`` to ``partial``; DeviceError as above.

    ``blocks``: encoded blocks of each level, if any; then only the shapes of ``levels`` matter.
    """
    with partial.open("wb") as file:
        file.write(_header(levels, chosen))
        for data in stored_levels(levels, chosen, blocks):
            file.writelines(data)


def _header(levels: MipChain, chosen: TextureFormat) -> bytes:
    height, width = levels[0].shape[:2]
    # per row of texels, or of the whole level
    size = chosen.level_bytes(levels[0] if chosen.compressed_bytes else levels[0][:1])
    size_kind = HAS_LINEAR_SIZE if chosen.compressed_bytes else HAS_PITCH
    caps = TEXTURE | (MANY_SURFACES | MIP_CHAIN if len(levels) > 1 else 0)
    return b"".join(
        (
            b"DDS ",
            struct.pack(
                "<4I", HEADER_BYTES, HAS_CAPS_SIZE_FORMAT_LEVELS | size_kind, height, width
            ),
            struct.pack("<3I44x", size, 0, len(levels)),  # no depth; reserved
            struct.pack("<2I4s20x", PIXEL_FORMAT_BYTES, IS_FOUR_LETTERS, b"DX10"),
            struct.pack("<I16x", caps),
            struct.pack("<5I", chosen.dxgi, TEXTURE_2D, 0, 1, UNKNOWN_ALPHA),  # an array of 1
        )
    )
