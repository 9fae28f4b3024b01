"""GPU decoder of a set's texels, tile by tile. Device half: gpu_decoder.cs.slang.

A tile's positions are computed, evaluated and rounded on the GPU: nothing is uploaded, and only
the 16 bits per channel are read back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.gpu.gpu import Buffer, Gpu, Reader, run_once, run_steps
from neuralshade.kinds.textures.channels import MOST_MAPS, MapCoding
from neuralshade.model.field import Field
from neuralshade.source.region import Region

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint16]

THREADS = 256  # of a group, as in gpu_decoder.cs.slang
TILE_TEXELS = 2**20  # decoded at once: 60 bytes each for 8 channels
SIDE_PX = 4  # of a block of texels
WORD = 4  # bytes
LEAST_READ = 2**12  # bytes
TILE = np.dtype(
    [
        ("first", "<u4", 2),
        ("size_px", "<u4", 2),
        ("width", "<u4"),
        ("count", "<u4"),
        ("mip", "<u4"),
        ("maps", "<u4"),
    ]
)
TEXT = """
static const uint CHANNELS = {channels};
#include "neuralshade/kinds/textures/gpu_decoder.cs.slang"
"""


def whole_blocks(side: int) -> int:
    """Return a side in texels, rounded up to whole blocks."""
    return -(-side // SIDE_PX) * SIDE_PX


class GpuDecoder:
    """Decodes a field in the memory of ``gpu``, in float32 loops: like a CPU but for rounding.
    The GPU stays open.

    ``tile_texels``: decoded at once, or four rows of them where that is more.

    Raises: DeviceError where the GPU has too little memory.
    """

    def __init__(
        self,
        gpu: Gpu,
        field: Field,
        sizes: Sequence[tuple[int, int]],
        tile_texels: int = TILE_TEXELS,
    ):
        self.gpu, self.sizes = gpu, sizes
        across, down = sizes[0]
        self.most = max(4 * whole_blocks(across), min(tile_texels, across * down))
        inference = field_inference(gpu, field, exact=True)
        self.channels = inference.outputs
        self.tile = gpu.buffer(size=TILE.itemsize)
        self.maps = gpu.buffer(size=8 * MOST_MAPS)
        self.positions = gpu.buffer(size=12 * self.most)
        self.drawn = gpu.buffer(size=4 * self.channels * self.most)
        # two numbers a word, for an even number of texels, after a word that flags others
        self.words = gpu.buffer(size=WORD + WORD * self.channels * ((self.most + 1) // 2))
        bound = {"tiles": self.tile, "maps": self.maps, "positions": self.positions,
                 "drawn": self.drawn, "words": self.words}  # fmt: skip
        text = self.text = TEXT.format(channels=self.channels)
        self.place, self.keep = (
            gpu.kernel(text, entry, bound) for entry in ("place_texels", "keep_words")
        )
        self.evaluate = inference.steps_on(self.positions, self.drawn, self.most)
        self._readers: dict[tuple[int, int], Reader] = {}

    @property
    def device(self) -> str:
        """Return the device's name for users."""
        return f"{self.gpu.name} ({self.gpu.api})"

    def floats(self, mip: int, region: Region) -> Floats:
        """Return the trained channels of a rectangle, row by row: float32 [n, C], not clamped."""
        found = np.empty((region[2] * region[3], self.channels), np.float32)
        for tile in self.tiles(region):
            self.draw(mip, tile)
            first, count = (tile[1] - region[1]) * tile[2], tile[2] * tile[3]
            drawn = self._read(self.drawn, 4 * count * self.channels).view(np.float32)
            found[first : first + count] = drawn.reshape(count, -1)
        return found

    def words_of(
        self, mip: int, region: Region, codings: Sequence[MapCoding]
    ) -> dict[str, Words] | None:
        """Return the trained channels of maps that have some, as 16 bits of [0, 1].

        uint16 [height, width, count] by name; None where a number is not finite.
        """
        _, top, width, height = region
        found = {one.name: np.empty((height, width, one.count), np.uint16) for one in codings}
        channels = np.array([(one.first, one.count) for one in codings], np.uint32)
        self._upload(self.maps, channels)
        for tile in self.tiles(region):
            rows, even = tile[3], (width * tile[3] + 1) // 2 * 2
            numbers = even * int(channels[:, 1].sum())
            self.draw(mip, tile, len(codings))
            run_once(self.gpu, [(self.keep, -(-numbers // (2 * THREADS)))])
            halves = self._read(self.words, WORD + 2 * numbers).view(np.uint16)
            if halves[0]:
                return None
            first = WORD // 2
            for one in codings:
                own = halves[first : first + width * rows * one.count]
                place = slice(tile[1] - top, tile[1] - top + rows)
                found[one.name][place] = own.reshape(rows, width, one.count)
                first += even * one.count
        return found

    def tiles(self, region: Region) -> Iterator[Region]:
        """Yield tiles of whole rows, in multiples of four but for the last one."""
        x, y, width, height = region
        most = self.most // whole_blocks(width) // SIDE_PX * SIDE_PX
        for top in range(0, height, most):
            yield x, y + top, width, min(most, height - top)

    def draw(self, mip: int, tile: Region, maps: int = 0) -> None:
        """Evaluate a tile, with ``maps`` of it to be stored as words."""
        count = tile[2] * tile[3]
        about = np.array([(tile[:2], self.sizes[mip], tile[2], count, mip, maps)], TILE)
        self._upload(self.tile, about)
        run_once(self.gpu, [(self.place, -(-count // THREADS))])
        run_steps(self.gpu, self.evaluate(count))

    def is_finite(self) -> bool:
        """Return whether all numbers rounded since the last tile were finite."""
        return not self._read(self.words, WORD).any()

    def _upload(self, buffer: Buffer, values: npt.NDArray[Any]) -> None:
        commands = self.gpu.commands()
        commands.upload(buffer, 0, values)
        commands.submit()

    def _read(self, buffer: Buffer, size: int) -> npt.NDArray[np.uint8]:
        """Return the first bytes of a buffer; the next call overwrites them.

        Shared memory of GPU and host is expensive to allocate, so few sizes are kept.
        """
        room = LEAST_READ
        while room < size:
            room *= 4
        key = id(buffer), min(room, buffer.size)
        if key not in self._readers:
            self._readers[key] = self.gpu.reader(buffer, key[1])
        return self._readers[key].read()[:size]
