"""Block-compressed textures as rivals of a texture set, at full and half resolution."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.bc7 import SLOWEST_LEVEL, compress_bc7
from neuralshade.asset.texture.block_compression import SIDE_PX, block_tiles, compress_tiles
from neuralshade.asset.texture.block_decompression import decompress_blocks
from neuralshade.asset.texture.mip_chain import band_rows, stored_texels
from neuralshade.asset.texture.texture_format import FORMATS, TextureFormat
from neuralshade.base.cores import map_on_cores
from neuralshade.base.progress_scope import counted
from neuralshade.errors import ShapeError
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import Bytes, map_psnr_db, with_z
from neuralshade.source.color import linear_to_srgb, srgb_to_linear

BLOCKS_NAME, HALF_NAME = "BC7, BC5, BC4", "BC7, BC5, BC4 at half size"
BLOCKS = {1: "bc4", 2: "bc5", 3: "bc7"}  # by channels

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ByteMaps:
    """A texture set in 8 bits.

    Raises: ShapeError for other arrays, and for maps of more than one size.
    """

    levels: Mapping[str, Sequence[Bytes]]  # uint8 [H, W, C], C = 1, 2, 3; level 0 first
    normals: frozenset[str] = frozenset()  # unit vectors (n + 1) / 2, three components
    colors: frozenset[str] = frozenset()  # in sRGB
    wrap: bool = True  # whether filters wrap around at the edges
    opacity: str | None = None  # the map that weights the errors of all others

    def __post_init__(self) -> None:
        sizes = [[level.shape[:2] for level in levels] for levels in self.levels.values()]
        for name, levels in self.levels.items():
            for level in levels:
                if level.dtype != np.uint8 or level.ndim != 3 or level.shape[2] not in (1, 2, 3):
                    raise ShapeError(f"{name}: got {level.dtype} {list(level.shape)}, need uint8 "
                                     "[H, W, C], C in 1..3. Round it to 8 bits.")  # fmt: skip
            if name in self.normals and levels[0].shape[2] != 3:
                raise ShapeError(f"{name}: got {levels[0].shape[2]} channels, need 3 for normals. "
                                 "Rebuild z with with_z.")  # fmt: skip
        if any(each != sizes[0] for each in sizes):
            raise ShapeError("maps: got levels of several sizes, need the same ones of each map. "
                             "Make all maps of one size.")  # fmt: skip

    def stored_channels(self, name: str) -> int:
        """Return the number of stored channels of a map: x and y for normals."""
        return 2 if name in self.normals else self.levels[name][0].shape[2]

    def weights(self, name: str, level: int = 0) -> Floats | None:
        """Return the weights of a map's texel errors, [H, W]; None where uniform."""
        if self.opacity is None or name == self.opacity:
            return None
        return self.levels[self.opacity][level][..., 0] / np.float32(255)

    def shown(self, name: str, values: Floats) -> Bytes:
        """Return a map as read, [0, 1]: with z of normals rebuilt."""
        return to_uint8(with_z(values) if name in self.normals else values)


@dataclass(frozen=True, eq=False)
class TextureRival:
    """A texture set in another format, and its level 0 after decoding."""

    name: str
    disk_bytes: int  # of all maps
    memory_bytes: int  # of a GPU, with all levels
    memory_format: str  # of the memory
    random_access: bool  # whether a shader can read any texel of the stored data
    seconds: float  # to encode, on this machine
    setting: str  # the setting, or the reason why it was not encoded
    maps: Mapping[str, Bytes] = field(default_factory=dict)  # level 0; empty: not possible
    psnr_db: Mapping[str, float] = field(default_factory=dict)  # of level 0, by map

    @property
    def mean_psnr_db(self) -> float | None:
        """The mean of all maps; None where it was not possible."""
        return float(np.mean(list(self.psnr_db.values()))) if self.psnr_db else None


def qualities(maps: ByteMaps, shown: Mapping[str, Bytes]) -> dict[str, float]:
    """Return the PSNR of level 0 by map."""
    return {name: map_psnr_db(maps.levels[name][0], each, maps.weights(name))
            for name, each in shown.items()}  # fmt: skip


def block_rivals(maps: ByteMaps) -> Iterator[TextureRival]:
    """Yield the set in BC7 (three channels), BC5 (two, normals) and BC4 (one), with all levels.

    Then the same without level 0, where there are more: level 0 is then level 1, enlarged as by a
    sampler, colors in linear light. Bytes are those of the blocks; a DDS file has a header of 148
    more.

    Raises: DeviceError if the package that encodes BC7 is not installed.
    """
    names = counted("compressing maps in blocks", maps.levels, len(maps.levels))
    chains = {name: _Chain.of(maps, name) for name in names}
    count = min(len(levels) for levels in maps.levels.values())
    for finest in range(2)[:count]:
        yield _rival(maps, chains, finest)


def half_size_rival(maps: ByteMaps) -> TextureRival:
    """Return the last one of ``block_rivals``, of maps with two levels or more."""
    return _rival(maps, _half_chains(maps), 1)


def half_size_levels(maps: ByteMaps) -> tuple[TextureRival, dict[str, list[Floats]]]:
    """Return ``half_size_rival``, and its decoded levels as stored: [h, w, stored channels]."""
    chains = _half_chains(maps)
    levels = {name: [chain.decoded(maps, name, level) for level in range(1, len(chain.blocks))]
              for name, chain in chains.items()}  # fmt: skip
    return _rival(maps, chains, 1), levels


def _half_chains(maps: ByteMaps) -> dict[str, _Chain]:
    """Return the chains of all maps without level 0, encoded side by side."""
    names = list(maps.levels)
    return dict(zip(names, map_on_cores(lambda name: _Chain.of(maps, name, 1), names), strict=True))


def _rival(maps: ByteMaps, chains: Mapping[str, _Chain], finest: int) -> TextureRival:
    sizes = sum(sum(map(len, each.blocks[finest:])) for each in chains.values())
    seconds = sum(sum(each.seconds[finest:]) for each in chains.values())
    drawn = map_on_cores(lambda name: chains[name].seen(maps, name, finest), list(chains))
    shown = dict(zip(chains, drawn, strict=True))
    title = HALF_NAME if finest else BLOCKS_NAME
    return TextureRival(title, sizes, sizes, "the same blocks", True, seconds, "", shown,
                        qualities(maps, shown))  # fmt: skip


@dataclass(frozen=True)
class _Chain:
    """The blocks of each level of a map, and the seconds of encoding."""

    form: TextureFormat
    blocks: list[bytes]
    seconds: list[float]

    @classmethod
    def of(cls, maps: ByteMaps, name: str, finest: int = 0) -> _Chain:
        """Return the chain of a map; levels before ``finest`` are empty.

        Levels after the first are encoded together, and their seconds are those of level 1.
        """
        channels = maps.stored_channels(name)
        chain = cls(FORMATS[BLOCKS[channels]], [b""] * finest, [0.0] * finest)
        levels = [level[..., :channels] for level in maps.levels[name]]
        for part in (levels[finest:1], levels[max(1, finest) :]):
            begun = time.perf_counter()
            chain.blocks.extend(_encoded(part, chain.form))
            seconds = time.perf_counter() - begun
            chain.seconds.extend([seconds, *[0.0] * (len(part) - 1)][: len(part)])
        return chain

    def decoded(self, maps: ByteMaps, name: str, level: int) -> Floats:
        """Return the stored channels of a level."""
        height, width = maps.levels[name][level].shape[:2]
        values = decompress_blocks(self.blocks[level], self.form, height, width)
        return values[..., : maps.stored_channels(name)]

    def seen(self, maps: ByteMaps, name: str, finest: int) -> Bytes:
        """Return level 0 as shown when level ``finest`` is the first one stored."""
        values = self.decoded(maps, name, finest)
        if finest:
            size = maps.levels[name][0].shape[:2]
            linear = srgb_to_linear(values) if name in maps.colors else values
            values = enlarged(linear, size, maps.wrap)
            values = linear_to_srgb(values) if name in maps.colors else values
        return maps.shown(name, values)


def _encoded(levels: Sequence[Bytes], form: TextureFormat) -> Iterator[bytes]:
    """Yield the blocks of each level: small levels are encoded at once, large ones by bands."""
    encoded, block_bytes = bytearray(), form.compressed_bytes
    for tiles in _tile_bands(levels, form):  # Ctrl-C waits for the end of a band
        encoded += _compressed(tiles, form)
    for level in levels:
        rows, columns = (-(-side // SIDE_PX) for side in level.shape[:2])
        size = rows * columns * block_bytes
        yield bytes(encoded[:size])
        del encoded[:size]


def _tile_bands(levels: Sequence[Bytes], form: TextureFormat) -> Iterator[NDArray[Any]]:
    """Yield the tiles of all levels, not many more at once than ``band_rows`` has."""
    kept, count = [], 0
    for level in levels:
        width = level.shape[1]
        rows = band_rows(width)
        for top in range(0, len(level), rows):
            kept.append(block_tiles(stored_texels(level[top : top + rows], form)))
            count += len(kept[-1])
            if count * SIDE_PX**2 >= rows * width:
                yield np.concatenate(kept)
                kept, count = [], 0
    if kept:
        yield np.concatenate(kept)


def _compressed(tiles: NDArray[Any], form: TextureFormat) -> bytes:
    if form.channels < 4:
        return compress_tiles(tiles, form)
    # three channels: alpha is not read
    return compress_bc7(tiles, SLOWEST_LEVEL, exact_alpha=False).tobytes()


def enlarged(values: Floats, size: tuple[int, int], wrap: bool) -> Floats:
    """Return float32 [h, w, C] at ``size`` (height, width), bilinear, centers at half texels.

    Beyond an edge, texels wrap around (``wrap``) or are clamped.
    """
    for axis, count in enumerate(size):
        texels = values.shape[axis]
        place = (np.arange(count) + 0.5) * texels / count - 0.5
        first = np.floor(place).astype(int)
        ends = np.stack([first, first + 1])
        low, high = ends % texels if wrap else np.clip(ends, 0, texels - 1)
        share = np.expand_dims((place - first).astype(np.float32), (1 - axis, 2))
        values = values.take(low, axis) * (1 - share) + values.take(high, axis) * share
    return values
