"""Reader of plain texels in DDS and KTX2 files, and of blocks in KTX2 files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import PictureError
from neuralshade.source.channels import two_channels
from neuralshade.source.decoded import Decoded, check_memory
from neuralshade.source.file_kind import damaged, not_read, zero_size

# dtype and channels of plain texels by VkFormat. Source: vulkan_core.h.
TEXELS = {
    9: ("u1", 1), 15: ("u1", 1), 16: ("u1", 2), 22: ("u1", 2), 23: ("u1", 3), 29: ("u1", 3),
    30: ("u1", 3), 36: ("u1", 3), 37: ("u1", 4), 43: ("u1", 4), 44: ("u1", 4), 50: ("u1", 4),
    70: ("<u2", 1), 77: ("<u2", 2), 84: ("<u2", 3), 91: ("<u2", 4),
    76: ("<f2", 1), 83: ("<f2", 2), 90: ("<f2", 3), 97: ("<f2", 4), 100: ("<f4", 1),
    103: ("<f4", 2), 106: ("<f4", 3), 109: ("<f4", 4),
}  # fmt: skip
BLUE_FIRST = (30, 36, 44, 50)
# VkFormat by DXGI_FORMAT, and by the four-character code of older files.
# Sources: dxgiformat.h; d3d9types.h, D3DFORMAT.
DXGI_TEXELS = {61: 9, 49: 16, 28: 37, 29: 43, 87: 44, 91: 50, 56: 70, 35: 77, 11: 91, 54: 76,
               34: 83, 10: 97, 41: 100, 16: 103, 6: 106, 2: 109}  # fmt: skip
OLDER_TEXELS = {36: 91, 111: 76, 112: 83, 113: 97, 114: 100, 115: 103, 116: 109}
# Grey of older files by flags of the pixel format and bits: VkFormat, and whether the second
# channel is alpha. Their masks are ignored: some writers have them wrong.
ALPHA_PIXELS, ALPHA_ONLY, FOUR_LETTERS, LUMINANCE = 1, 2, 4, 0x20000
GREYS = {(LUMINANCE, 8): (9, False), (ALPHA_ONLY, 8): (9, False), (LUMINANCE, 16): (70, False),
         (LUMINANCE | ALPHA_PIXELS, 16): (16, True)}  # fmt: skip
# DXGI_FORMAT and bytes of blocks by VkFormat: BC1 to BC7
BLOCKS = {131: (71, 8), 132: (72, 8), 133: (71, 8), 134: (72, 8), 135: (74, 16), 136: (75, 16),
          137: (77, 16), 138: (78, 16), 139: (80, 8), 141: (83, 16), 143: (95, 16), 144: (96, 16),
          145: (98, 16), 146: (99, 16)}  # fmt: skip
# blocks that OpenImageIO knows by their four-character code only
LETTERS = {71: b"DXT1", 72: b"DXT1", 74: b"DXT3", 75: b"DXT3", 77: b"DXT5", 78: b"DXT5"}
DX10, DDS_HEADER, DX10_HEADER, KTX2_HEADER = b"DX10", 128, 20, 80
CUBE = 0x4  # of a DX10 header's flags
CUBE_CAPS = 0x200
SUPERCOMPRESSION = ("", "BasisLZ", "Zstandard", "zlib")
ZLIB = 3
MOST_SIDE = 1 << 16


def read_plain_dds(path: Path, memory_limit: int) -> Decoded | None:
    """Return the largest level of a DDS file of plain texels; None for blocks, and RGB by masks.

    Raises: PictureError, also for cubes and arrays of any DDS file.
    """
    with path.open("rb") as file:
        start = file.read(DDS_HEADER + DX10_HEADER)
        if len(start) < DDS_HEADER:
            raise damaged(path, "dds")
        height, width = struct.unpack_from("<2I", start, 12)
        (caps,) = struct.unpack_from("<I", start, 112)
        modern = start[84:88] == DX10 and len(start) == DDS_HEADER + DX10_HEADER
        dxgi, _, flags, count = struct.unpack_from("<4I", start, DDS_HEADER) if modern else (0,) * 4
        if caps & CUBE_CAPS or flags & CUBE or count > 1:
            what = f"an array of {count}" if count > 1 else "a cube"
            raise PictureError(f"{path}: got {what}, need one picture. Save its sides as files "
                               "of their own.")  # fmt: skip
        flags, letters, bits = struct.unpack_from("<3I", start, 80)
        vulkan, with_alpha = DXGI_TEXELS.get(dxgi), False
        if not modern:
            file.seek(DDS_HEADER)
            vulkan = OLDER_TEXELS.get(letters) if flags & FOUR_LETTERS else None
            vulkan, with_alpha = GREYS.get((flags, bits), (vulkan, False))
        if vulkan is None:
            return None
        return _texels(path, "dds", vulkan, (height, width), memory_limit, file.read, with_alpha)


def read_ktx2(
    path: Path, memory_limit: int, read_blocks: Callable[[Path, str], Decoded]
) -> Decoded:
    """Return the largest level of a KTX2 file.

    Args:
        read_blocks: reads the blocks from a temporary DDS file, with the path for messages.

    Source: Khronos, KTX File Format Specification 2.0, "File Structure".
    Raises: PictureError.
    """
    with path.open("rb") as file:
        start = file.read(KTX2_HEADER + 24).ljust(KTX2_HEADER + 24, b"\0")
        vulkan, _, width, height, depth, layers, faces, _, packing = struct.unpack_from(
            "<9I", start, 12
        )
        if depth > 1 or layers > 1 or faces > 1:
            raise PictureError(f"{path}: got a volume, an array or a cube, need one picture. Save "
                               "its sides as files of their own.")  # fmt: skip
        if packing not in (0, ZLIB):
            name = SUPERCOMPRESSION[packing] if packing < ZLIB else f"scheme {packing}"
            raise not_read(path, "ktx2", f"supercompressed by {name}")
        place, size, _ = struct.unpack_from("<3Q", start, KTX2_HEADER)
        file.seek(min(place, 1 << 62))

        def read(count: int) -> bytes:
            if not packing:
                return file.read(count)
            return zlib.decompressobj().decompress(file.read(min(size, 2 * count + 1024)), count)

        height = max(height, 1)
        try:
            if vulkan in BLOCKS:
                return _blocks(path, vulkan, (height, width), memory_limit, read, read_blocks)
            if vulkan not in TEXELS:
                name = "Basis Universal" if vulkan == 0 else f"VkFormat {vulkan}"
                raise not_read(path, "ktx2", name)
            return _texels(path, "ktx2", vulkan, (height, width), memory_limit, read)
        except zlib.error as error:
            raise damaged(path, "ktx2") from error


def _texels(
    path: Path, kind: str, vulkan: int, size: tuple[int, int], memory_limit: int,
    read: Callable[[int], bytes], with_alpha: bool = False,
) -> Decoded:  # fmt: skip
    """Return plain texels; two channels are red and green, or grey and alpha if ``with_alpha``."""
    _check_size(path, size)
    dtype, channels = TEXELS[vulkan]
    check_memory(path, (*size, max(channels, 3) if channels == 2 else channels),
                 np.dtype(dtype).name, memory_limit)  # fmt: skip
    count = size[0] * size[1] * channels * np.dtype(dtype).itemsize
    content = read(count)
    if len(content) < count:
        raise damaged(path, kind)
    pixels = np.frombuffer(content, dtype).reshape(*size, channels)
    if vulkan in BLUE_FIRST:
        pixels = pixels[..., [2, 1, 0, 3][:channels]]
    if channels != 2 or with_alpha:
        return Decoded(pixels.astype(pixels.dtype.newbyteorder("=")))
    made = np.zeros((*size, 3), pixels.dtype.newbyteorder("="))
    made[..., :2] = pixels
    return Decoded(made, notes=[two_channels(path)])


def _blocks(
    path: Path, vulkan: int, size: tuple[int, int], memory_limit: int,
    read: Callable[[int], bytes], read_blocks: Callable[[Path, str], Decoded],
) -> Decoded:  # fmt: skip
    _check_size(path, size)
    dxgi, block_bytes = BLOCKS[vulkan]
    check_memory(path, (*size, 4), "uint8", memory_limit)
    count = -(-size[0] // 4) * -(-size[1] // 4) * block_bytes
    content = read(count)
    if len(content) < count:
        raise damaged(path, "ktx2")
    with TempFolder() as folder:
        inner = folder.path / "blocks.dds"
        inner.write_bytes(_dds_header(dxgi, size, count) + content)
        return read_blocks(path, str(inner))


def _dds_header(dxgi: int, size: tuple[int, int], count: int) -> bytes:
    letters = LETTERS.get(dxgi, DX10)
    return b"".join((
        b"DDS ", struct.pack("<7I44x", 124, 0x81007, *size, count, 0, 1),
        struct.pack("<2I4s20x", 32, 4, letters), struct.pack("<I16x", 0x1000),
        struct.pack("<5I", dxgi, 3, 0, 1, 0) if letters == DX10 else b"",
    ))  # fmt: skip


def _check_size(path: Path, size: tuple[int, int]) -> None:
    if 0 in size:
        raise zero_size(path)
    if max(size) > MOST_SIDE:
        raise PictureError(f"{path}: got {size[1]} x {size[0]} pixels, need at most {MOST_SIDE} a "
                           "side. Export it again.")  # fmt: skip
