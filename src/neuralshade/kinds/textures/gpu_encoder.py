"""GPU block encoder of a set's maps: decodes and compresses them, and reads back only blocks.

Device half: keep_texels of gpu_decoder.cs.slang, and asset/texture/gpu_blocks.cs.slang.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.asset.texture.gpu_blocks import GpuBlocks
from neuralshade.asset.texture.map_chain import MapChain, chain_texels
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.kinds.textures.channels import MOST_MAPS, MapCoding
from neuralshade.kinds.textures.gpu_decoder import THREADS, GpuDecoder
from neuralshade.kinds.textures.texels import PEAK
from neuralshade.source.region import Region

Floats = npt.NDArray[np.float32]

BLOCK_TEXELS, MOST_BLOCK_BYTES = 16, 16
MOST_STORED = 3  # channels of a texel before it is compressed
STORED = np.dtype([(name, "<u4") for name in
                   ("first", "count", "channels", "ramp", "is_normal", "is_grey")])  # fmt: skip


class GpuEncoder:
    """Compresses the texels of ``decoder``. Raises: DeviceError for too little memory."""

    def __init__(self, decoder: GpuDecoder):
        self.decoder, self.gpu = decoder, decoder.gpu
        gpu, most = decoder.gpu, decoder.most
        self.stored = gpu.buffer(size=STORED.itemsize)
        self.ramps = gpu.buffer(size=4 * MOST_MAPS * (PEAK + 1))
        texels = gpu.buffer(size=4 * MOST_STORED * most)
        self.room = MOST_BLOCK_BYTES * (most // BLOCK_TEXELS)  # bytes of a map's blocks
        self.found = gpu.buffer(size=self.room)
        bound = {"tiles": decoder.tile, "stored": self.stored, "ramps": self.ramps,
                 "drawn": decoder.drawn, "texels": texels, "words": decoder.words}  # fmt: skip
        self.keep = gpu.kernel(decoder.text, "keep_texels", bound)
        self.blocks = GpuBlocks(gpu, texels, self.found)
        self.reader = gpu.reader(self.found, self.room)
        self._ramps_of: tuple[MapCoding, ...] = ()

    def blocks_of(
        self, mip: int, region: Region, maps: Sequence[tuple[MapCoding, TextureFormat]]
    ) -> dict[str, bytes] | None:
        """Return the blocks of a rectangle by the names of maps; None where a number is not finite.

        Each with its block format.
        """
        self._fill_ramps(maps)
        found: dict[str, list[bytes]] = {coding.name: [] for coding, _ in maps}
        for tile in self.decoder.tiles(region):
            self.decoder.draw(mip, tile)
            for index, (coding, form) in enumerate(maps):
                channels = min(form.channels, MOST_STORED)
                about = (coding.first, coding.count, channels, index * (PEAK + 1),
                         coding.meaning == "normal", coding.count == 1 < channels)  # fmt: skip
                commands = self.gpu.commands()
                commands.upload(self.stored, 0, np.array([about], STORED))
                groups = -(-tile[2] * tile[3] // THREADS)
                commands.run(self.gpu.steps([(self.keep, groups)]))
                size = self.blocks.fill(commands, form, tile[2], tile[3])
                commands.submit()
                found[coding.name].append(self.reader.read()[:size].tobytes())
            if not self.decoder.is_finite():
                return None
        return {name: b"".join(parts) for name, parts in found.items()}

    def _fill_ramps(self, maps: Sequence[tuple[MapCoding, TextureFormat]]) -> None:
        codings = tuple(coding for coding, _ in maps)
        if codings != self._ramps_of:
            commands = self.gpu.commands()
            commands.upload(self.ramps, 0, np.stack([stored_ramp(coding) for coding in codings]))
            commands.submit()
            self._ramps_of = codings


def stored_ramp(coding: MapCoding) -> Floats:
    """Return the block file's value of each 16-bit number of the decoder.

    float32 [65536] in [0, 1], the same for all trained channels of a map.
    """
    alone = dataclasses.replace(coding, first=0)
    words = np.arange(PEAK + 1, dtype=np.float32) / np.float32(PEAK)
    level = alone.decoded(np.repeat(words[None, :, None], coding.count, axis=2))
    one = MapChain(coding.name, [level], coding.meaning, coding.bits, coding.is_wide)
    ramp: Floats = chain_texels(one, level, 1 if coding.meaning == "data" else MOST_STORED)
    return np.clip(ramp[0, :, 0], 0, 1)
