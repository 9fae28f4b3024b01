"""BC1 latent layout: count and sizes of the textures, by rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from neuralshade.errors import ConfigError

CHANNELS = 3  # of a BC1 texture, as in model/block_grid: recipes are read without PyTorch
TEXEL_BITS = 4  # of BC1
BLOCK_BYTES = 8
SCALES = (1, 2, 4, 8, 16)  # powers of 2, for which sampling hardware computes the level of a mip
MOST_TEXTURES = 4  # of a scale
MOST_SCALES = 3
# The best of those tried, see docs/textures.md, and similar ones: (scale, textures).
TRIED = (
    ((8, 4), (16, 4)),
    ((4, 4), (8, 4)),
    ((2, 4), (4, 4)),
    ((1, 1), (2, 4)),
    ((1, 2), (2, 2)),
)


@dataclass(frozen=True)
class BlockShape:
    """Textures of one size: texels of mip 0 along one of theirs, and their count."""

    scale: int
    textures: int

    @property
    def features(self) -> int:
        """Return the channels of all textures together."""
        return CHANNELS * self.textures

    @property
    def rate(self) -> float:
        """Return their bits per texel of mip 0, without smaller levels."""
        return TEXEL_BITS * self.textures / self.scale**2


def parse_blocks(text: str) -> tuple[BlockShape, ...]:
    """Return the textures that ``text`` names, the finest first; ConfigError for invalid text.

    At most MOST_SCALES sizes, each coarser than the one before.
    """
    shapes: list[BlockShape] = []
    for item in filter(None, (item.strip() for item in text.split(","))):
        parts = item.split(":")
        numbers = [int(part) if part.isdecimal() and len(part) < 4 else 0 for part in parts]
        if len(numbers) != 2 or numbers[0] not in SCALES or not 1 <= numbers[1] <= MOST_TEXTURES:
            raise ConfigError(f"TexturesRecipe.grids: got {item!r} with latents=bc1, need "
                              f"SCALE:TEXTURES, one of {', '.join(map(str, SCALES))} and 1 to "
                              f"{MOST_TEXTURES}. Write for example 1:2,2:2.")  # fmt: skip
        shapes.append(BlockShape(*numbers))
    scales = [shape.scale for shape in shapes]
    if scales != sorted(set(scales)) or len(shapes) > MOST_SCALES:
        raise ConfigError(f"TexturesRecipe.grids: got {text!r} with latents=bc1, need "
                          f"{MOST_SCALES} sizes at most, each coarser than the one before. Put "
                          "the finest first.")  # fmt: skip
    return tuple(shapes)


def blocks_rate(shapes: Sequence[BlockShape]) -> float:
    """Return the nominal rate in bits per texel of mip 0; the levels below add a third."""
    return sum(shape.rate for shape in shapes)


@lru_cache(64)
def blocks_of(bpp: float) -> tuple[BlockShape, ...]:
    """Return the textures for a nominal rate: at most that many bits per texel of mip 0.

    The smallest layout for rates below it.
    """
    found = candidates()
    below = [shapes for shapes in found if blocks_rate(shapes) <= bpp * (1 + 5e-3)]
    return max(below, key=blocks_rate) if below else min(found, key=blocks_rate)


@lru_cache(1)
def candidates() -> tuple[tuple[BlockShape, ...], ...]:
    """Return layouts with distinct rates: the known ones, and their sizes with other counts."""
    listed = [tuple(BlockShape(*shape) for shape in known) for known in TRIED]
    for known in TRIED:
        for counts in product(range(1, MOST_TEXTURES + 1), repeat=len(known)):
            pairs = zip(known, counts, strict=True)
            listed.append(tuple(BlockShape(scale, count) for (scale, _), count in pairs))
    by_rate: dict[float, tuple[BlockShape, ...]] = {}
    for shapes in listed:
        by_rate.setdefault(blocks_rate(shapes), shapes)
    return tuple(by_rate.values())


def level_sizes(size: tuple[int, int], mips: int, scale: int) -> list[tuple[int, int]]:
    """Return width and height of the levels of a texture for a set of ``size``.

    The largest has whole blocks, as Direct3D 11 requires; each other is half of the one before,
    rounded down. A mip is sampled at level mip - log2(scale), at least 0.
    """
    across, down = (4 * -(-side // (4 * scale)) for side in size)
    levels = max(1, mips - octave_of(scale))
    most = min(levels, max(across, down).bit_length())
    return [(max(1, across >> level), max(1, down >> level)) for level in range(most)]


def level_bytes(sizes: Sequence[tuple[int, int]]) -> int:
    """Return the bytes of a texture with levels of ``sizes``."""
    return sum(BLOCK_BYTES * -(-width // 4) * -(-height // 4) for width, height in sizes)


def octave_of(scale: int) -> int:
    """Return log2 of a scale."""
    return scale.bit_length() - 1
