"""One map with its mip levels, and the texture format that stores it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.texture_format import FORMATS, TextureFormat
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

BLOCKS = ("bc7", "bc6h", "bc5", "bc4", "bc1")
USUAL_BLOCKS = ("bc7", "bc5", "bc4")  # the best for each kind of map
# Blocks that suit a map, the best first; for colors, the first one in ``blocks``.
SUITING = {"normal": ("bc5", "bc7", "bc1"), 1: ("bc4",), 2: ("bc5",), 3: ("bc7", "bc1"),
           4: ("bc7",)}  # fmt: skip
LETTERS = {
    1: "r",
    2: "rg",
    3: "rgba",
    4: "rgba",
}  # of plain formats: there are none of three channels
HALF_PEAK = 65504.0  # beyond which lies a half's infinity

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class MapChain:
    """One map and its levels, level 0 first; each is max(1, floor(size / 2)) of the one before."""

    name: str
    levels: Sequence[Floats]  # [H, W, C], C = 1 to 4, the fourth alpha or data; normals have 3
    meaning: str  # "srgb", "linear", "normal" (unit vectors, z > 0) or "data", as MaterialMap says
    bits: int = 8  # of a number where the map comes from: 8, 16 or 32
    wide: bool = False  # whether its numbers may lie beyond [0, 1] and are to stay there
    # Encoded blocks of each level from a GPU; then only the shapes of ``levels`` matter.
    blocks: Sequence[bytes] = ()

    @property
    def channels(self) -> int:
        """Channels of a level."""
        return int(self.levels[0].shape[2])


def check_blocks(blocks: Sequence[str]) -> None:
    """Raise ConfigError unless all are names of BLOCKS."""
    for block in blocks:
        if block not in BLOCKS:
            raise ConfigError(f"block: got {shown(block)}, need one of {', '.join(BLOCKS)}. "
                              "Name those to take.")  # fmt: skip


def chain_format(one: MapChain, blocks: Sequence[str] = ()) -> TextureFormat:
    """Return the format for a map in DDS and KTX2.

    sRGB colors are in formats that say so, all else in UNORM: of 16 bits where the map comes
    from more than 8, which there are none of for sRGB. Colors that are wide are in bc6h where that
    is among ``blocks``, unless they are below 0 or too large; else what is wide is in half floats,
    in floats where it comes from these or is too large.

    Args:
        blocks: of BLOCKS, those to take where one suits the map; what none suits is plain.
    """
    srgb = "_srgb" if one.meaning == "srgb" else ""
    block = None if one.wide else block_format(one.meaning, one.channels, blocks)
    if block is not None:
        return block
    letters = LETTERS[3 if srgb else one.channels]
    if one.wide:
        if "bc6h" in blocks and one.channels == 3 and _fits_bc6h(one):
            return FORMATS["bc6h"]
        largest = max(float(np.abs(level).max()) for level in one.levels)
        return FORMATS[f"{letters}{32 if one.bits == 32 or largest > HALF_PEAK else 16}f"]
    return FORMATS[f"{letters}8{srgb}" if srgb or one.bits == 8 else f"{letters}16"]


def block_format(meaning: str, channels: int, blocks: Sequence[str]) -> TextureFormat | None:
    """Return the one of ``blocks`` for a map that is not wide; None where none suits it."""
    if meaning == "normal":
        block = next((block for block in SUITING["normal"] if block in blocks), None)
    else:
        suiting = SUITING[max(3, channels) if meaning == "srgb" else channels]
        block = next((block for block in blocks if block in suiting), None)
    if block is None:
        return None
    colored = meaning == "srgb" and block in ("bc7", "bc1")
    return FORMATS[block + "_srgb" * colored]


def _fits_bc6h(one: MapChain) -> bool:
    return all(float(level.min()) >= 0 and float(level.max()) <= HALF_PEAK for level in one.levels)


def chain_texels(one: MapChain, level: Floats, channels: int) -> Floats:
    """Return one level as it is stored in so many channels (3 for formats of 4, but for 4 of 4).

    Normals become (n + 1) / 2, of which two channels are x and y. Grey is repeated, and what
    else is missing becomes 0.
    """
    if one.meaning == "normal":
        level = level / np.float32(2) + np.float32(0.5)
    if level.shape[2] == 1 and channels == 3 and one.meaning in ("srgb", "linear"):
        return np.repeat(level, 3, axis=2)
    missing = max(0, channels - level.shape[2])
    padded = np.pad(level, ((0, 0), (0, 0), (0, missing))) if missing else level
    return padded[..., :channels]
