"""Pictures that a page shows beside an asset: the source, and other codings of equal bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from neuralshade.errors import AssetError
from neuralshade.kinds.kind import Opened
from neuralshade.measure.baselines import Baseline, picture_file, spend_on_jpeg, to_uint8
from neuralshade.measure.block_baselines import block_baselines
from neuralshade.measure.pair import color_rgb, unit_float
from neuralshade.measure.quality import psnr_db
from neuralshade.source.color import linear_to_srgb

LARGEST_PX = 2**24  # of a picture that a page holds: browsers refuse textures of more a side
BLOCKS = ("BC7", "BC7, reduced", "BC1", "BC1, reduced", "BC4", "BC5")


@dataclass(frozen=True)
class PictureBeside:
    """A picture file in a page, sRGB-encoded."""

    title: str  # in a list
    about: str  # beside the border, with its bytes
    width: int
    height: int
    type: str  # of the file
    file: bytes


def pictures_beside(opened: Opened, source: Any, stops: float = 0.0) -> list[PictureBeside]:
    """Return the source of a picture, and JPEG and blocks of about the asset's bytes.

    Args:
        opened: the asset; source: what it was fitted to.
        stops: the exposure of a linear picture, which is then shown alone.

    Raises: AssetError for another picture, or one that is too large for a page; PictureError.
    """
    target = getattr(opened, "target", None)
    if target is None:
        raise AssetError(f"{opened.path}: got something beside an asset that has no source picture,"
                         " need a picture's. Leave --beside out.")  # fmt: skip
    picture = target(source)
    if picture.width * picture.height > LARGEST_PX:
        raise AssetError(f"{picture.name}: got {picture.width} x {picture.height} pixels beside an "
                         f"asset on a page, need at most {LARGEST_PX >> 20} megapixels. Leave "
                         "--beside out.")  # fmt: skip
    size = f"{picture.width} x {picture.height} pixels"
    if picture.color_space == "linear":
        shown = to_uint8(linear_to_srgb((unit_float(picture.pixels) * 2.0**stops).clip(0, 1)))
        return [_lossless("Source", f"source, {size}", shown)]
    pixels = to_uint8(picture.pixels)
    found = [_lossless("Source", f"source, {size}", pixels)]
    jpeg = spend_on_jpeg(pixels, opened.byte_count)
    if jpeg.result is not None:
        assert jpeg.file is not None
        found.append(PictureBeside("JPEG of equal bytes", _about(jpeg, pixels), picture.width,
                                   picture.height, "image/jpeg", jpeg.file))  # fmt: skip
    found += [_lossless(f"{one.name} of {one.byte_count:,} bytes", _about(one, pixels),
                        to_uint8(one.result))
              for one in _blocks(pixels, opened.memory_bytes or opened.byte_count)
              if one.result is not None]  # fmt: skip
    return found


def _blocks(pixels: npt.NDArray[np.uint8], byte_count: int) -> Iterator[Baseline]:
    """Yield the block formats that are nearest to the asset's bytes."""
    found = [one for one in block_baselines(pixels, "srgb", byte_count) if one.name in BLOCKS]
    names = {one.name for one in found if one.result is not None}
    for one in found:
        if f"{one.name}, reduced" not in names:  # else full size takes more bytes than the asset
            yield one


def _about(one: Baseline, pixels: npt.NDArray[np.uint8]) -> str:
    assert one.result is not None
    return (f"{one.name}, {one.byte_count:,} bytes, {psnr_db(pixels, one.result):.2f} dB, "
            f"{one.setting}")  # fmt: skip


def _lossless(title: str, about: str, pixels: npt.NDArray[np.uint8]) -> PictureBeside:
    """Return pixels as a file of WebP without loss; what is transparent lies over black."""
    height, width = pixels.shape[:2]
    colors = color_rgb(pixels)
    if pixels.shape[2] in (2, 4):
        alpha = unit_float(pixels[..., -1:])
        colors = to_uint8(unit_float(colors[..., :3]) * alpha)
    file = picture_file(Image.fromarray(np.ascontiguousarray(colors[..., :3])), "WEBP",
                        lossless=True, method=4)  # fmt: skip
    return PictureBeside(title, about, width, height, "image/webp", file)
