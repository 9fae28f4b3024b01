"""ASTC by Arm's encoder, for comparisons: blocks of any size in 16 bytes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.base.optional import optional_module, why_missing

BLOCK_BYTES = 16
# Of 0 ... 100: half the time of 60 (the encoder's "medium"), for 0.2 dB less on photographs.
EFFORT = 30
CHANNELS = "RGBA"
ASTC_SQUARES = (4, 5, 6, 8, 10, 12)  # sides of all square blocks: 8 to 0.89 bits per texel

Bytes = NDArray[np.uint8]


def astc_size(height: int, width: int, side_px: int) -> int:
    """Return the bytes of a level in blocks of ``side_px`` x ``side_px`` texels."""
    return -(-height // side_px) * -(-width // side_px) * BLOCK_BYTES


def squares_within(height: int, width: int, most_bytes: float) -> list[int]:
    """Return the sides of square blocks in which a level fits into the bytes, the finest first."""
    return [side for side in ASTC_SQUARES if astc_size(height, width, side) <= most_bytes]


def astc_round_trip(texels: Bytes, side_px: int) -> Bytes:
    """Return ``texels`` after an ASTC round trip, as a sampler reads them.

    Args:
        texels: uint8 [H, W, 4]; values without a color curve.
        side_px: of a block: 4, 5, 6, 8, 10 or 12.

    Returns:
        uint8 [H, W, 4].

    Raises: DeviceError if astc-encoder-py is not installed.
    """
    astc = _encoder()
    height, width = texels.shape[:2]
    config = astc.ASTCConfig(astc.ASTCProfile.LDR, side_px, side_px, 1, EFFORT, 0)
    context, order = astc.ASTCContext(config), astc.ASTCSwizzle.from_str(CHANNELS)
    # the encoder does not check this size
    assert texels.dtype == np.uint8 and texels.shape[2] == len(CHANNELS), texels.shape
    image = astc.ASTCImage(astc.ASTCType.U8, width, height, data=texels.tobytes())
    blocks = context.compress(image, order)
    assert len(blocks) == astc_size(height, width, side_px), (len(blocks), texels.shape, side_px)
    shown = astc.ASTCImage(astc.ASTCType.U8, width, height)
    context.decompress(blocks, shown, order)
    return np.frombuffer(shown.data, np.uint8).reshape(texels.shape)


def missing_astc() -> str | None:
    """Return why ASTC cannot be encoded here; None where it can."""
    return why_missing(_encoder)


def _encoder() -> Any:
    remedy = "Run: pip install astc-encoder-py."
    return optional_module("astc_encoder", "astc-encoder-py", "astc", "to encode ASTC", remedy)
