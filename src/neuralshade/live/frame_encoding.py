"""Encoding of frames for a page: tone mapping, PNG, and packing into one binary message."""

import io
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from neuralshade.fitting.scene import Tone
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.pair import color_count, color_rgb
from neuralshade.source.color import linear_to_srgb

PNG_LEVEL = 1  # of zlib: each frame is shown once
Floats = npt.NDArray[np.float32]


def on_screen(values: Floats, linear: bool, tone: Tone) -> npt.NDArray[np.uint8]:
    """Return values as displayed: uint8 [h, w, 3], or [h, w, 4] with alpha.

    Args:
        values: float32 [h, w, C], C in 1..4, in the scene's color space, not clamped.
        linear: whether they are linear light; sRGB values stay as they are.
        tone: exposure and gamma of linear values.
    """
    finite = np.nan_to_num(values, nan=0.0, posinf=3e38, neginf=0.0)
    colors = color_count(finite)
    if linear:
        alpha = finite[..., colors:].clip(0, 1)
        with np.errstate(over="ignore"):  # values beyond float32 become white
            light = finite[..., :colors] / (np.maximum(alpha, 1e-6) if alpha.size else 1)
            light = np.clip(light * np.float32(2.0**tone.exposure), 0, 1)
        shown = linear_to_srgb(light) if tone.gamma is None else light ** (1 / tone.gamma)
        finite = np.concatenate([shown.astype(np.float32), alpha], axis=2)
    pixels = to_uint8(color_rgb(finite))
    if values.shape[2] in (2, 4):
        pixels = np.concatenate([pixels, to_uint8(finite[..., -1:])], axis=2)
    return pixels


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return uint8 [h, w, 3 or 4] as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=PNG_LEVEL)
    return file.getvalue()


def packed(header: Mapping[str, Any], payloads: Sequence[bytes]) -> bytes:
    """Return a binary message: length of the header (uint32, little-endian), header, payloads."""
    text = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([struct.pack("<I", len(text)), text, *payloads])
