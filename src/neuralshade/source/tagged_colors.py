"""Color management: tagged pictures to sRGB, or to linear light where they are brighter."""

from __future__ import annotations

import io
import logging
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.source.channels import multiply_by_alpha
from neuralshade.source.decoded import ColorTag
from neuralshade.source.file_tags import light_of
from neuralshade.source.picture import BLOCK_ROWS, Picture
from neuralshade.source.transfer_curve import encode_srgb, hlg_display

OUTSIDE = 1e-3  # least distance of light from [0, 1] that counts as outside sRGB
log = logging.getLogger("neuralshade")


def apply_tag(picture: Picture, place: str) -> Picture:
    """Return a picture with colors converted by its file's tag, and log what changed.

    Integers keep their bits and become sRGB; brighter light (PQ, HLG) and floats become linear
    light of sRGB's primaries. Colors outside sRGB are clipped. Without a conversion they stay.
    """
    tag = picture.tag
    if tag is None:
        return picture
    name, pixels = f"{place}: its colors ({tag.name})", picture.pixels
    floats = pixels.dtype.kind == "f"
    color = picture.channels - picture.has_alpha
    if not tag.curves:
        by_cms = _by_cms(pixels, tag) if pixels.dtype == np.uint8 and color == 3 else None
        if by_cms is None:
            as_what = "linear" if floats else "sRGB"
            log.warning("%s are of a kind that is not converted, and taken as %s. Convert the "
                        "picture to sRGB first.", name, as_what)  # fmt: skip
            return replace(picture, tag=None)
        log.warning("%s were converted to sRGB.", name)
        return replace(picture, pixels=by_cms, tag=None)
    linear = floats or tag.bright
    made, outside = _converted(pixels, tag, color, linear)
    if tag.bright and not floats and picture.has_alpha:
        multiply_by_alpha(made)
    share = outside / (picture.width * picture.height)
    clipped = f" {share:.1%} of the pixels lay outside sRGB and were clipped." if outside else ""
    log.warning("%s were converted to %s.%s", name, "linear light" if linear else "sRGB", clipped)
    return replace(picture, pixels=made, color_space="linear" if linear else "srgb", tag=None)


def _converted(
    pixels: npt.NDArray[Any], tag: ColorTag, color: int, linear: bool
) -> tuple[npt.NDArray[Any], int]:
    """Return the pixels and the count of clipped ones; alpha, after ``color``, is unchanged."""
    floats = pixels.dtype.kind == "f"
    peak = 1.0 if floats else float(np.iinfo(pixels.dtype).max)
    kept = pixels.dtype if floats or not linear else np.dtype(np.float32)
    made, outside = np.empty(pixels.shape, kept), 0
    for top in range(0, pixels.shape[0], BLOCK_ROWS):
        block = pixels[top : top + BLOCK_ROWS].astype(np.float64) / peak
        into = made[top : top + BLOCK_ROWS]
        scale: Any = 1.0
        if floats and color < pixels.shape[2]:  # associated; color under alpha 0 is emission
            scale = np.where(block[..., color:] > 0, block[..., color:], 1)
        before = block[..., :color] / scale
        light = light_of(tag, before)
        if tag.hlg:
            light = hlg_display(light if color == 3 else light.repeat(3, axis=-1))[..., :color]
        inside = (before >= 0).all(axis=-1, keepdims=True)  # a file may have negative light
        below = (light < 0) & inside
        outside += int(np.count_nonzero(
            ((light < -OUTSIDE) & inside).any(axis=-1)
            if linear else ((light < -OUTSIDE) | (light > 1 + OUTSIDE)).any(axis=-1)
        ))  # fmt: skip
        light = np.where(below, 0, light)
        if not linear:
            light = np.rint(encode_srgb(np.clip(light, 0, 1)) * peak)
        into[..., :color] = light * scale
        alpha = block[..., color:]
        into[..., color:] = alpha if linear else np.rint(alpha * peak)
    return made, outside


def _by_cms(pixels: npt.NDArray[np.uint8], tag: ColorTag) -> npt.NDArray[np.uint8] | None:
    """Return 8-bit RGB, with or without alpha, converted by littleCMS; None if it cannot."""
    from PIL import Image  # few pictures need it

    if tag.profile is None or tag.inks:
        return None
    colors = converted_image(Image.fromarray(np.ascontiguousarray(pixels[..., :3])), tag.profile)
    return None if colors is None else np.concatenate([colors, pixels[..., 3:]], axis=2)


def converted_image(image: Any, profile: bytes) -> npt.NDArray[np.uint8] | None:
    """Return a PIL image, RGB or CMYK, as sRGB [H, W, 3] by its ICC profile; None if it fails.

    Relative colorimetric, with black point compensation, as in image editors.
    """
    from PIL import ImageCms

    try:
        transform = ImageCms.buildTransform(
            io.BytesIO(profile), ImageCms.createProfile("sRGB"), image.mode, "RGB",
            ImageCms.Intent.RELATIVE_COLORIMETRIC, ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )  # fmt: skip
        return np.array(ImageCms.applyTransform(image, transform))
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
