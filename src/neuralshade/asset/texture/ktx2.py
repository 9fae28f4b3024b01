"""KTX2 writer for mip chains.

Sources: Khronos, KTX File Format Specification 2.0, "File Structure" and "Field Descriptions";
Khronos Data Format Specification 1.3, chapter 5 (basic data format descriptor).
"""

import math
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from neuralshade.asset.texture.mip_chain import MipChain, check_chain, stored_levels
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.base.atomic import whole_file
from neuralshade.base.version import VERSION

IDENTIFIER = b"\xabKTX 20\xbb\r\n\x1a\n"
HEADER_BYTES, LEVEL_INDEX_BYTES = 80, 24
DESCRIPTOR_VERSION = 2  # of Khronos Data Format 1.3
BT709_PRIMARIES, LINEAR_TRANSFER, SRGB_TRANSFER = 1, 1, 2
RGBSDA_MODEL = 1
BLOCK_MODELS = {"bc1": 128, "bc4": 131, "bc5": 132, "bc6h": 133, "bc7": 134}
ALPHA_CHANNEL = 15
IS_LINEAR, IS_SIGNED, IS_FLOAT = 0x10, 0x40, 0x80
MINUS_ONE, PLUS_ONE = struct.unpack("<2I", struct.pack("<2f", -1.0, 1.0))


def write_ktx2(path: str | os.PathLike[str], levels: MipChain, format: str) -> None:
    """Write a mip chain as a KTX2 file, whole or not at all.

    Not supercompressed; KTXorientation says that row 0 is the top.

    Args:
        levels: as ``write_dds`` takes them.
        format: as ``write_dds`` takes it.

    Raises: what ``check_chain`` and ``whole_file`` raise; DeviceError for BC7 without etcpak.
    """
    chosen = check_chain(levels, format)
    with whole_file(path) as partial:
        fill_ktx2(partial, levels, chosen)


def fill_ktx2(
    partial: Path, levels: MipChain, chosen: TextureFormat, blocks: Sequence[bytes] = ()
) -> None:
    """Write a chain checked by ``check_chain`` to ``partial``; DeviceError as above.

    ``blocks``: as in ``fill_dds``.
    """
    descriptor, notes = _descriptor(chosen), _notes()
    start = HEADER_BYTES + LEVEL_INDEX_BYTES * len(levels)
    places = _places(levels, chosen, start + len(descriptor) + len(notes))
    with partial.open("wb") as file:
        file.write(_header(levels, chosen))
        file.write(struct.pack("<4I2Q", start, len(descriptor), start + len(descriptor),
                               len(notes), 0, 0))  # no global data  # fmt: skip
        for place, level in zip(places, levels, strict=True):
            size = chosen.level_bytes(level)
            file.write(struct.pack("<3Q", place, size, size))
        file.write(descriptor + notes)
        stored = list(stored_levels(levels, chosen, blocks))
        for place, data in reversed(list(zip(places, stored, strict=True))):
            file.write(bytes(place - file.tell()))
            file.writelines(data)


def _header(levels: MipChain, chosen: TextureFormat) -> bytes:
    height, width = levels[0].shape[:2]
    one_texture = (0, 0, 1)  # no depth, no layers, one face
    numbers = (chosen.vulkan, chosen.number_bytes, width, height, *one_texture, len(levels), 0)
    return IDENTIFIER + struct.pack("<9I", *numbers)


def _places(levels: MipChain, chosen: TextureFormat, end: int) -> list[int]:
    """Return where each level begins: the smallest comes first, each after zeros to align it."""
    alignment = math.lcm(chosen.block_bytes, 4)
    places = []
    for level in reversed(levels):
        place = -(-end // alignment) * alignment
        places.append(place)
        end = place + chosen.level_bytes(level)
    return places[::-1]


def _notes() -> bytes:
    """Return the key/value data, in the order of their keys."""
    pairs = {"KTXorientation": "rd", "KTXwriter": f"neuralshade {VERSION}"}
    packed = b""
    for key, value in sorted(pairs.items()):
        pair = f"{key}\0{value}\0".encode()
        packed += struct.pack("<I", len(pair)) + pair + bytes(-len(pair) % 4)
    return packed


def _descriptor(chosen: TextureFormat) -> bytes:
    """Return the data format descriptor: a basic block, and a sample for each channel."""
    model = BLOCK_MODELS[chosen.name.removesuffix("_srgb")] if chosen.compressed_bytes else 0
    samples = _block_samples(chosen) if model else _texel_samples(chosen)
    transfer = SRGB_TRANSFER if chosen.srgb else LINEAR_TRANSFER
    size = 24 + len(samples)
    side = chosen.side_px - 1
    return b"".join(
        (
            struct.pack("<3I", 4 + size, 0, DESCRIPTOR_VERSION | size << 16),
            struct.pack("<4B", model or RGBSDA_MODEL, BT709_PRIMARIES, transfer, 0),  # alpha apart
            struct.pack("<4B", side, side, 0, 0),
            struct.pack("<8B", chosen.block_bytes, *[0] * 7),  # in one plane
            samples,
        )
    )


def _texel_samples(chosen: TextureFormat) -> bytes:
    bits = 8 * chosen.number_bytes
    samples = b""
    for channel in range(chosen.channels):
        kind = ALPHA_CHANNEL if channel == 3 else channel
        low, high = 0, (1 << bits) - 1
        if chosen.dtype.startswith("float"):
            kind |= IS_FLOAT | IS_SIGNED
            low, high = MINUS_ONE, PLUS_ONE
        elif chosen.srgb and channel == 3:
            kind |= IS_LINEAR
        samples += struct.pack("<HBBI2I", channel * bits, bits - 1, kind, 0, low, high)
    return samples


def _block_samples(chosen: TextureFormat) -> bytes:
    """Return one sample, or the two halves of a BC5 block: red, green."""
    count = 2 if chosen.channels == 2 else 1
    bits = 8 * chosen.block_bytes // count
    is_float = chosen.name == "bc6h"
    kind, high = (IS_FLOAT, PLUS_ONE) if is_float else (0, 0xFFFFFFFF)
    return b"".join(
        struct.pack("<HBBI2I", number * bits, bits - 1, number | kind, 0, 0, high)
        for number in range(count)
    )
