"""Block-compressed textures as baselines: at full resolution, and reduced to a size."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralshade.asset.texture.bc7 import USUAL_LEVEL, compress_bc7
from neuralshade.asset.texture.block_compression import block_tiles, compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_blocks
from neuralshade.asset.texture.mip_chain import HALF_PEAK, band_rows, stored_texels
from neuralshade.asset.texture.texture_format import FORMATS, TextureFormat
from neuralshade.base.progress_scope import part
from neuralshade.measure.astc import BLOCK_BYTES, astc_round_trip, missing_astc, squares_within
from neuralshade.measure.baselines import Baseline, to_uint8
from neuralshade.measure.pair import Pixels, check_color_space, check_picture, unit_float
from neuralshade.measure.resample import largest_within, resample
from neuralshade.measure.verdict import SAME_BYTES

# Encoding takes up to a second a megapixel (BC6H three), and measuring two more.
LARGEST_BLOCK_PX = 1 << 22
BLOCKS = {1: ("bc4",), 2: ("bc5",), 3: ("bc1", "bc7"), 4: ("bc7",)}  # by channels
ASTC_SIDES = (6, 8)  # always included
NO_ASTC = "not tried: astc-encoder-py is not installed"
NO_ALPHA = "not possible: BC6H has no alpha"
LINEAR = FORMATS["bc6h"]
ONE_REGION = ", of one region a block"  # 4 of 14 modes: limit of our encoder, stated in the setting

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class BlockCodec:
    """A GPU texture format with blocks of constant size."""

    name: str
    side_px: int  # of a block
    block_bytes: int
    round_trip: Callable[[Floats], Floats]  # [h, w, C] in [0, peak] -> values that a sampler reads
    reduced: bool = True  # whether a smaller texture is tried as well
    obstacle: str = ""  # reason why it cannot be encoded
    peak: float = 1.0
    remark: str = ""  # on the encoder, after the rate

    @property
    def bits(self) -> float:
        """Bits per texel."""
        return self.block_bytes * 8 / self.side_px**2

    def size(self, height: int, width: int) -> int:
        """Return the bytes of a texture without mips."""
        return -(-height // self.side_px) * -(-width // self.side_px) * self.block_bytes


def block_codecs(
    channels: int, astc_sides: Sequence[int] = ASTC_SIDES, *, linear: bool = False
) -> list[BlockCodec]:
    """Return the formats for pictures with that many channels; 2 and 4 have alpha."""
    if linear:
        return [BlockCodec("BC6H", LINEAR.side_px, LINEAR.compressed_bytes, _light_round_trip,
                           obstacle=NO_ALPHA if channels in (2, 4) else "", peak=HALF_PEAK,
                           remark=ONE_REGION)]  # fmt: skip
    missing = missing_astc()
    chosen = [FORMATS[name] for name in BLOCKS[channels]]
    return [
        *(BlockCodec(form.name.upper(), form.side_px, form.compressed_bytes,
                     partial(_block_round_trip, form)) for form in chosen),
        *(BlockCodec(f"ASTC {side}x{side}", side, BLOCK_BYTES, partial(_astc_round_trip, side),
                     reduced=False, obstacle=NO_ASTC if missing else "")
          for side in astc_sides),
    ]  # fmt: skip


def block_baselines(
    target: Pixels, color_space: str, byte_count: int, alpha_weighted: bool = False
) -> Iterator[Baseline]:
    """Yield the picture in each format at full resolution, and reduced to ``byte_count`` bytes.

    BC1 and BC7 for colors, BC7 with alpha, BC4 and BC5 for one and two channels, and ASTC, whose
    rate is set by its block size: instead of a reduced texture there is the size that fits the
    bytes. Linear pictures without alpha use BC6H, by an encoder restricted to modes of one region
    a block. Reduced textures are area means of the stored values, enlarged bilinearly as by a
    sampler. Bytes are those of the blocks, on disk and in GPU memory, without mips; file headers
    add some hundred.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite; sRGB in [0, 1] or linear.
        color_space: "srgb" or "linear".
        byte_count: the budget of reduced textures.
        alpha_weighted: means of color are by alpha, the last channel.

    Yields:
        One at a time. ``result`` is None, for the reason in ``setting``: for linear (HDR) pictures
        with alpha, beyond LARGEST_BLOCK_PX pixels, where not even one block fits, and where a
        package is missing.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    check_color_space("block_baselines", color_space)
    check_picture("block_baselines", "target", target)
    height, width, channels = target.shape
    large = height * width > LARGEST_BLOCK_PX
    linear = color_space == "linear"
    for codec in block_codecs(channels, _astc_sides(height, width, byte_count), linear=linear):
        obstacle = codec.obstacle
        if large:
            obstacle = f"not tried: more than {LARGEST_BLOCK_PX >> 20} megapixels"
        if obstacle:
            yield Baseline(codec.name, 0, None, obstacle, random_access=True)
            continue
        whole = codec.size(height, width)
        with part(f"compressing as {codec.name}"):
            result = codec.round_trip(unit_float(target).clip(0, codec.peak))
        setting = f"{codec.bits:.3g} bits per texel{codec.remark}"
        yield Baseline(codec.name, whole, result, setting, whole, random_access=True)
        if codec.reduced and whole > SAME_BYTES * byte_count:
            yield _reduced(codec, target, byte_count, alpha_weighted)


def _astc_sides(height: int, width: int, byte_count: int) -> list[int]:
    """Return the default block sizes, and the smallest whose texture fits the bytes."""
    most = SAME_BYTES * byte_count
    return sorted({*ASTC_SIDES, *squares_within(height, width, most)[:1]})


def _reduced(codec: BlockCodec, target: Pixels, byte_count: int, alpha_weighted: bool) -> Baseline:
    height, width = target.shape[:2]
    rows, cols = largest_within(height, width, lambda h, w: codec.size(h, w) <= byte_count)
    name = f"{codec.name}, reduced"
    if rows == 0:
        obstacle = f"not possible: one block needs {codec.block_bytes} bytes"
        return Baseline(name, 0, None, obstacle, random_access=True)
    texels = resample(target, rows, cols, Image.Resampling.BOX, alpha_weighted=alpha_weighted)
    shown = codec.round_trip(texels.clip(0, codec.peak))
    result = resample(shown, height, width, Image.Resampling.BILINEAR)
    size = codec.size(rows, cols)
    return Baseline(name, size, result, f"{cols} x {rows} texels, bilinear{codec.remark}", size,
                    random_access=True)  # fmt: skip


def _block_round_trip(form: TextureFormat, values: Floats) -> Floats:
    height, width, channels = values.shape
    shown = np.empty_like(values)
    rows = band_rows(width)
    for top in range(0, height, rows):
        band = values[top : top + rows]
        blocks = _blocks(stored_texels(band, form), form, opaque=channels == 3)
        decoded = decompress_blocks(blocks, form, len(band), width)
        shown[top : top + rows] = decoded[..., :channels]
    return shown


def _light_round_trip(values: Floats) -> Floats:
    """Return one or three channels of light after a BC6H round trip; one channel as three."""
    colors = np.broadcast_to(values, (*values.shape[:2], 3))
    return _block_round_trip(LINEAR, colors)[..., : values.shape[2]]


def _blocks(texels: NDArray[np.generic], form: TextureFormat, opaque: bool) -> bytes:
    if form.channels == 4 and opaque:  # alpha is not read
        return compress_bc7(block_tiles(texels), USUAL_LEVEL, exact_alpha=False).tobytes()
    return compress_blocks(texels, form)


def _astc_round_trip(side_px: int, values: Floats) -> Floats:
    height, width, channels = values.shape
    alpha = channels in (2, 4)
    colors = np.broadcast_to(values[..., : channels - alpha], (height, width, 3))
    last = values[..., -1:] if alpha else np.ones((height, width, 1), np.float32)
    texels = to_uint8(np.concatenate([colors, last], axis=2))
    shown = unit_float(astc_round_trip(texels, side_px))
    kept = [0, 1, 2][: channels - alpha] + [3] * alpha
    return shown[..., kept]
