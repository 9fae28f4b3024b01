"""Block compression of texels on a GPU. Device half: gpu_blocks.cs.slang.

BC1 and BC4 (two of which are BC5) are found as the encoders of the CPU find them; BC7 by an encoder
of our own, see bc7.slang, as etcpak's runs on CPUs alone.
"""

from __future__ import annotations

import numpy as np

from neuralshade.asset.texture import bc1, bc4
from neuralshade.asset.texture.bc7_shapes import ANCHORS, SHAPES
from neuralshade.asset.texture.block_fit import AXIS_TURNS
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.gpu.gpu import Buffer, Commands, Gpu

SIDE_PX = 4  # of a block
THREADS = 64  # of a group, as in gpu_blocks.cs.slang
WORD = 4  # bytes
BAND = np.dtype([("size_px", "<u4", 2), ("first_word", "<u4"), ("channels", "<u4")])
TEXT = """
static const uint AXIS_TURNS = {turns}u, BC1_REFITS = {bc1_refits}u;
static const uint BC4_STARTS = {starts}u, BC4_REFITS = {bc4_refits}u;
static const uint SHAPES[64] = {{{shapes}}};
static const uint ANCHORS[64] = {{{anchors}}};
#include "neuralshade/asset/texture/gpu_blocks.cs.slang"
"""


class GpuBlocks:
    """Compresses float32 texels [rows, width, channels] in [0, 1] from the buffer ``texels``.

    ``blocks``: buffer for the result. Both belong to the caller, on ``gpu``.
    """

    def __init__(self, gpu: Gpu, texels: Buffer, blocks: Buffer):
        self.gpu, self.blocks = gpu, blocks
        self.band = gpu.buffer(size=BAND.itemsize)
        self._bound = {"bands": self.band, "texels": texels, "blocks": blocks}
        self._kernels: dict[str, object] = {}

    def fill(
        self, commands: Commands, form: TextureFormat, width: int, height: int, first: int = 0
    ) -> int:
        """Compress ``height`` rows into ``blocks`` from byte ``first`` on; return how many bytes.

        Texels have as many channels as a block: three for BC1 and, which is opaque, for BC7.
        """
        columns, rows = (-(-side // SIDE_PX) for side in (width, height))
        channels = min(form.channels, 3)
        each = channels if channels < 3 else 1  # threads for a block
        about = np.array([((width, height), first // WORD, channels)], BAND)
        commands.upload(self.band, 0, about)
        groups = -(-columns * rows * each // THREADS)
        commands.run(self.gpu.steps([(self._kernel(form), groups)]))
        return columns * rows * form.compressed_bytes

    def _kernel(self, form: TextureFormat) -> object:
        entry = {1: "fill_bc4", 2: "fill_bc4", 3: "fill_bc1", 4: "fill_bc7"}[form.channels]
        if entry not in self._kernels:
            self._kernels[entry] = self.gpu.kernel(blocks_text(), entry, self._bound)
        return self._kernels[entry]


def blocks_text() -> str:
    """Return the text of the encoders, with the numbers that they share with the CPU's."""
    return TEXT.format(
        turns=AXIS_TURNS, bc1_refits=bc1.REFITS, starts=bc4.STARTS, bc4_refits=bc4.REFITS,
        shapes=", ".join(map(hex, SHAPES)), anchors=", ".join(map(str, ANCHORS)),
    )  # fmt: skip
