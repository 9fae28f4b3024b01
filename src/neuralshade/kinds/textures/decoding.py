"""Decoder of a stored set: on the CPU, or on a GPU where requested or faster."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.asset import check_drawn
from neuralshade.base.cores import core_count
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.engine.threads import MOST_BESIDE
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import APIS, open_gpu, open_hardware
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.rectangle import (
    decode_blocks,
    decode_crossings,
    decode_rectangle,
    takes_rectangles,
)
from neuralshade.kinds.textures.texels import PEAK
from neuralshade.model.field import Field
from neuralshade.source.region import Region

if TYPE_CHECKING:
    from neuralshade.asset.texture.texture_format import TextureFormat
    from neuralshade.kinds.textures.gpu_decoder import GpuDecoder
    from neuralshade.kinds.textures.gpu_encoder import GpuEncoder

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint16]
Integers = npt.NDArray[np.int64]

DEVICES = ("auto", "cpu", *APIS)
# Texels that a thread decodes in a second, and the seconds on a CPU above which a GPU is opened:
# opening takes about as long, and longer where kernels must be compiled.
CPU_RATE, GPU_SECONDS = 3.5e6, 2.0
BLOCK_RATE = 5e5  # texels of a map that a core compresses in a second: BC7, others are faster

log = logging.getLogger("neuralshade")


class Decoding:
    """Decodes ``field``, as stored; ``place`` names it in errors.

    Args:
        device: cpu, or an API, which is opened with the first texels. auto opens hardware where
            the CPU would take more than GPU_SECONDS, and uses the CPU where there is none.

    Raises: ConfigError for another device.
    """

    def __init__(
        self, field: Field, sizes: Sequence[tuple[int, int]], place: str, device: str = "auto"
    ):
        check_device(device)
        assert takes_rectangles(field, stored=True)  # true for the encodings of all sets
        self.field, self.sizes, self.place, self.requested = field, sizes, place, device
        self._gpu: Gpu | None = None
        self._decoder: GpuDecoder | None = None
        self._encoder: GpuEncoder | None = None
        self._settled = device == "cpu"  # no GPU will be opened

    @property
    def device(self) -> str:
        """Return the current device for users: cpu, or a GPU's name and API."""
        return "cpu" if self._decoder is None else self._decoder.device

    def expect(self, regions: Sequence[Region], compressed: int = 0) -> None:
        """Announce the regions to be decoded, level by level, and how many maps become blocks.

        Raises: DeviceError as ``floats``.
        """
        self._on_gpu(sum(width * height for _, _, width, height in regions), compressed)

    def floats(self, mip: int, region: Region) -> Floats:
        """Return the trained channels of a rectangle, row by row: float32 [n, C], not clamped.

        Raises: DeviceError where a named device does not answer or has too little memory.
        """
        decoder = self._on_gpu(region[2] * region[3])
        if decoder is not None:
            return decoder.floats(mip, region)
        found: Floats = decode_rectangle(self.field, self.sizes, mip, region).numpy()
        return found

    def words(self, mip: int, region: Region, codings: Sequence[MapCoding]) -> dict[str, Words]:
        """Return the trained channels of maps that have some, as 16 bits of [0, 1].

        uint16 [height, width, count] by name. Devices differ by at most 1 if they round
        positions alike, which all do for sides that are powers of two.

        Raises: AssetError for numbers that are not finite; DeviceError as ``floats``.
        """
        varying = [coding for coding in codings if coding.count]
        if not varying:
            return {}
        decoder = self._on_gpu(region[2] * region[3])
        if decoder is None:
            return self._words(mip, region, varying)
        found = decoder.words_of(mip, region, varying)
        if found is None:
            check_drawn(self.place, np.array(np.nan))
        assert found is not None
        return found

    def blocks(
        self, mip: int, region: Region, maps: Sequence[tuple[MapCoding, TextureFormat]]
    ) -> dict[str, bytes]:
        """Return the blocks of maps that have trained channels, by name, if a GPU decodes them.

        Empty on the CPU, whose encoders take texels, a map at a time. ``maps``: with their block
        formats. Where a region's sides are no multiples of 4, its edge texels are repeated.

        Raises: as ``words``.
        """
        decoder = self._on_gpu(region[2] * region[3])
        if decoder is None or not maps:
            return {}
        if self._encoder is None:
            from neuralshade.kinds.textures.gpu_encoder import GpuEncoder

            self._encoder = GpuEncoder(decoder)
        found = self._encoder.blocks_of(mip, region, maps)
        if found is None:
            check_drawn(self.place, np.array(np.nan))
        assert found is not None
        return found

    def shown(self, mip: int, rows: Integers, columns: Integers, coding: MapCoding) -> Floats:
        """Return a map where rows [R] and columns [C] of texels cross, as ``MapCoding.shown`` does.

        float32 [R, C, channels]; always on the CPU, as pictures have few texels.
        """
        found = np.empty((len(rows), len(columns), coding.channels), np.float32)

        def take(top: int, left: int, channels: torch.Tensor) -> None:
            part = coding.shown(channels.permute(1, 2, 0).numpy())
            found[top : top + part.shape[0], left : left + part.shape[1]] = part

        across, down = self.sizes[mip]
        u, v = ((torch.from_numpy(part) + 0.5) / side
                for part, side in ((columns, across), (rows, down)))  # fmt: skip
        decode_crossings(self.field, mip, u, v, take)
        return found

    def close(self) -> None:
        """Close the GPU; the next call opens it again."""
        self._decoder = self._encoder = None
        if self._gpu is not None:
            self._gpu.close()
            self._gpu = None

    def _words(self, mip: int, region: Region, codings: Sequence[MapCoding]) -> dict[str, Words]:
        _, _, width, height = region
        found = {one.name: np.empty((height, width, one.count), np.uint16) for one in codings}

        def take(top: int, left: int, channels: torch.Tensor) -> None:
            numbers = channels.numpy()
            check_drawn(self.place, numbers)
            words = channels.clamp_(0, 1).mul_(PEAK).round_().numpy().astype(np.uint16)
            _, rows, columns = words.shape
            for one in codings:
                own = words[one.first : one.first + one.count]
                found[one.name][top : top + rows, left : left + columns] = own.transpose(1, 2, 0)

        decode_blocks(self.field, self.sizes, mip, region, take)
        return found

    def _on_gpu(self, texels: int, compressed: int = 0) -> GpuDecoder | None:
        """Return the GPU decoder for so many texels; None where the CPU decodes them.

        ``compressed``: how many maps become blocks.
        """
        if self._decoder is None and not self._settled:
            if self.requested != "auto":
                self._open(open_gpu(self.requested))
            elif cpu_seconds(texels, compressed) > GPU_SECONDS:
                self._open_hardware()
        return self._decoder

    def _open_hardware(self) -> None:
        gpu = open_hardware()
        if gpu is None:
            log.info("device: the CPU decodes, since no hardware GPU answers")
            self._settled = True
            return
        try:
            self._open(gpu)
        except DeviceError as error:
            log.warning("device: the CPU decodes in place of %s. %s", gpu.name, error)
            self._settled = True

    def _open(self, gpu: Gpu) -> None:
        from neuralshade.kinds.textures.gpu_decoder import GpuDecoder

        try:
            self._decoder = GpuDecoder(gpu, self.field, self.sizes)
        except BaseException:
            gpu.close()
            raise
        self._gpu = gpu


def cpu_seconds(texels: int, compressed: int = 0) -> float:
    """Return the approximate seconds on the CPU for so many texels, with ``compressed`` maps."""
    seconds = texels / (CPU_RATE * min(MOST_BESIDE, torch.get_num_threads()))
    return seconds + compressed * texels / (BLOCK_RATE * core_count())


def check_device(device: str) -> None:
    """Raise ConfigError for a device that is not in DEVICES."""
    if device not in DEVICES:
        near = " Use auto." if device == "gpu" else did_you_mean(str(device), DEVICES)
        raise ConfigError(f"device: got {shown(device)}, need one of {', '.join(DEVICES)}.{near}")
