"""Baselines at equal bytes: JPEG, WebP, AVIF, and a bilinearly enlarged thumbnail."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralshade.base.progress_scope import part
from neuralshade.errors import ShapeError
from neuralshade.measure.pair import Pixels, check_color_space, check_picture, unit_float
from neuralshade.measure.quality import psnr_db
from neuralshade.measure.quality_search import highest_quality, sample_of
from neuralshade.measure.resample import largest_within, resample

LARGEST_PX = 1 << 25  # beyond it the search for a quality takes minutes, and is skipped
JPEG_SIDE_PX, WEBP_SIDE_PX, AVIF_SIDE_PX = 65_535, 16_383, 65_536  # limits of the formats
LARGEST_AVIF_PX = 1 << 23  # of AVIF, whose search takes ten times as long
AVIF_SPEED, DRAFT_SPEED = 6, 9  # the latter's sizes are within about 10 %, in a tenth of the time
FINE_BPP = 1.0  # of an AVIF file, from where on its colors have a sample for every pixel
MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
SUBSAMPLINGS = {"4:2:0": 2, "4:4:4": 0}  # Pillow's numbers


@dataclass(frozen=True)
class Baseline:
    """Result of another format for the same picture with the same bytes."""

    name: str
    byte_count: int  # of the actual file; 0 where there is none
    result: NDArray[np.float32] | None  # [H, W, C]; None: see ``setting`` for the reason
    setting: str
    memory_bytes: int | None = None  # of a GPU texture without mips
    random_access: bool = False  # whether any texel can be read from the data as stored
    file: bytes | None = None  # the file itself, where it is one


def plain_bytes(height: int, width: int, channels: int, number_bytes: int = 1) -> int:
    """Return the GPU memory of uncompressed texels; three channels take the space of four."""
    return height * width * (4 if channels == 3 else channels) * number_bytes


def spend_on_jpeg(target: NDArray[np.uint8], byte_count: int) -> Baseline:
    """Return the best JPEG file of at most ``byte_count`` bytes.

    The highest quality that fits, with and without chroma subsampling, whichever has the higher
    PSNR; Huffman tables optimized, sequential or progressive, whichever is smaller.

    Args:
        target: uint8 [H, W, C], C in 1..4, sRGB.
        byte_count: the budget for the whole file.

    Returns:
        ``result`` is None where even quality 1 does not fit, with alpha (JPEG has none), and
        for pictures beyond JPEG's 65,535 pixels a side or LARGEST_PX pixels.

    Raises: ShapeError for another dtype or shape.
    """
    _check_bytes("spend_on_jpeg", target)
    obstacle = _obstacle(target, JPEG_SIDE_PX)
    if target.shape[2] in (2, 4):
        obstacle = "not possible: JPEG has no alpha"
    if obstacle:
        return Baseline("JPEG", 0, None, obstacle)
    kinds = SUBSAMPLINGS if target.shape[2] == 3 else {"grey": 0}
    encoders = {k: partial(jpeg_file, _pillow(target), kinds[k]) for k in kinds}
    fits: list[tuple[float, Baseline]] = []
    for kind, encode in encoders.items():
        sample = sample_of([_pillow(target)], partial(_jpeg_size, kinds[kind]))
        quality, file = highest_quality(encode, byte_count, sample=sample)
        if file is not None:
            result = file_pixels(file, target.shape[2])
            spent = Baseline("JPEG", len(file), result, f"quality {quality}, {kind}",
                             plain_bytes(*target.shape), file=file)  # fmt: skip
            fits.append((psnr_db(target, result), spent))
    if fits:
        return max(fits, key=lambda fit: fit[0])[1]
    smallest = min(len(encode(1)) for encode in encoders.values())
    return Baseline("JPEG", 0, None, f"not possible: quality 1 needs {smallest:,} bytes")


def spend_on_webp(
    target: NDArray[np.uint8], byte_count: int, *, alpha_weighted: bool = False
) -> Baseline:
    """Return the best WebP file of at most ``byte_count`` bytes: lossless if that fits.

    Otherwise the highest lossy quality that fits; method 6, alpha kept without loss, colors
    under transparent pixels kept unless ``alpha_weighted``.

    Args:
        target: uint8 [H, W, C], C in 1..4, sRGB.
        byte_count: the budget for the whole file.
        alpha_weighted: color under alpha 0 does not count.

    Returns:
        ``result`` is None where even quality 0 does not fit, and for pictures beyond WebP's
        16,383 pixels a side or LARGEST_PX pixels.

    Raises: ShapeError for another dtype or shape.
    """
    _check_bytes("spend_on_webp", target)
    obstacle = _obstacle(target, WEBP_SIDE_PX)
    if obstacle:
        return Baseline("WebP", 0, None, obstacle)
    picture = _pillow(target).convert("RGBA" if target.shape[2] in (2, 4) else "RGB")

    exact = not alpha_weighted
    encode = partial(_webp_file, picture, exact=exact)
    sample = sample_of([picture], lambda parts, quality: len(_webp_file(parts[0], quality, exact)))
    quality, file = highest_quality(encode, byte_count, 0, sample=sample)
    setting = f"quality {quality}"
    if file is None:
        return Baseline("WebP", 0, None, f"not possible: quality 0 needs {len(encode(0)):,} bytes")
    if quality == 100:
        lossless = picture_file(picture, "WEBP", lossless=True, method=6, exact=exact)
        if len(lossless) <= byte_count:
            file, setting = lossless, "lossless"
    result = file_pixels(file, target.shape[2])
    return Baseline("WebP", len(file), result, setting, plain_bytes(*target.shape))


def spend_on_avif(target: NDArray[np.uint8], byte_count: int) -> Baseline:
    """Return the best AVIF file of at most ``byte_count`` bytes: the highest quality that fits.

    Chroma subsampled (4:2:0) below FINE_BPP bits per pixel, else not.

    Args:
        target: uint8 [H, W, C], C in 1..4, sRGB.
        byte_count: the budget for the whole file.

    Returns:
        ``result`` is None where even quality 0 does not fit, where the installed Pillow is older
        than 11.3, and for pictures beyond 65,536 pixels a side or LARGEST_AVIF_PX pixels.

    Raises: ShapeError for another dtype or shape.
    """
    _check_bytes("spend_on_avif", target)
    obstacle = _obstacle(target, AVIF_SIDE_PX, LARGEST_AVIF_PX)
    Image.init()
    if "AVIF" not in Image.SAVE:
        obstacle = "not possible: Pillow writes it from 11.3 on"
    if obstacle:
        return Baseline("AVIF", 0, None, obstacle)
    height, width, channels = target.shape
    kind = "4:4:4" if byte_count * 8 >= FINE_BPP * height * width else "4:2:0"
    kind = "4:0:0" if channels == 1 else kind
    picture = _pillow(target) if channels != 2 else _pillow(target).convert("RGBA")
    encode = partial(avif_file, picture, kind)
    sample = sample_of([picture], lambda parts, q: len(avif_file(parts[0], kind, q, DRAFT_SPEED)))
    quality, file = highest_quality(encode, byte_count, 0, sample=sample)
    if file is None:
        return Baseline("AVIF", 0, None, f"not possible: quality 0 needs {len(encode(0)):,} bytes")
    result = file_pixels(file, channels)
    setting = f"quality {quality}, {'grey' if channels == 1 else kind}"
    return Baseline("AVIF", len(file), result, setting, plain_bytes(*target.shape))


def spend_on_thumbnail(
    target: Pixels, byte_count: int, color_space: str, *, alpha_weighted: bool = False
) -> Baseline:
    """Return the picture reduced to at most ``byte_count`` raw bytes and enlarged bilinearly.

    Texels are area means of the stored values (no change of color space), kept as 8 bits a
    channel, or as half floats if linear; the largest grid of about the picture's aspect that
    fits. This is what a GPU's bilinear sampler shows of an uncompressed texture.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite; sRGB in [0, 1] or linear.
        byte_count: the budget for the texels.
        color_space: "srgb" or "linear".
        alpha_weighted: means of color are by alpha, the last channel.

    Returns:
        ``result`` is None where not even one texel fits, and beyond LARGEST_PX pixels.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    check_color_space("spend_on_thumbnail", color_space)
    check_picture("spend_on_thumbnail", "target", target)
    obstacle = _obstacle(target)
    if obstacle:
        return Baseline("Thumbnail", 0, None, obstacle)
    height, width, channels = target.shape
    half = color_space == "linear"
    texel_bytes = channels * (2 if half else 1)
    rows, cols = largest_within(height, width, lambda h, w: h * w * texel_bytes <= byte_count)
    if rows == 0:
        return Baseline("Thumbnail", 0, None, f"not possible: one texel needs {texel_bytes} bytes")
    texels = resample(target, rows, cols, Image.Resampling.BOX, alpha_weighted=alpha_weighted)
    kept = texels.clip(-65504, 65504).astype(np.float16) if half else to_uint8(texels)
    restored = kept.astype(np.float32) / (1 if half else 255)
    enlarged = resample(restored, height, width, Image.Resampling.BILINEAR)
    setting = f"{cols} x {rows} texels, {'half float' if half else '8 bit'}, bilinear"
    memory = plain_bytes(rows, cols, channels, kept.itemsize)
    return Baseline("Thumbnail", kept.nbytes, enlarged, setting, memory, random_access=True)


def baselines(
    target: Pixels, color_space: str, byte_count: int, alpha_weighted: bool = False
) -> Iterator[Baseline]:
    """Yield JPEG, WebP, AVIF and the thumbnail, each with at most ``byte_count`` bytes.

    Lazy, so that one result at a time is in memory. The files see the picture in 8 bits;
    for linear (HDR) pictures they do not apply, and their ``result`` is None.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite; sRGB in [0, 1] or linear.
        color_space: "srgb" or "linear".
        byte_count: the budget of each.
        alpha_weighted: color under alpha 0 need not be kept; means of color are by alpha.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    check_color_space("baselines", color_space)
    check_picture("baselines", "target", target)
    webp = partial(spend_on_webp, alpha_weighted=alpha_weighted)
    for name, spend in (("JPEG", spend_on_jpeg), ("WebP", webp), ("AVIF", spend_on_avif)):
        if color_space == "linear":
            yield Baseline(name, 0, None, "not possible: 8 bits do not hold HDR")
        else:
            with part(f"searching for the best {name} file"):
                found = spend(to_uint8(target), byte_count)
            yield found
    yield spend_on_thumbnail(target, byte_count, color_space, alpha_weighted=alpha_weighted)


def to_uint8(picture: Pixels) -> NDArray[np.uint8]:
    """Return [0, 1] as the nearest of 0..255; other values are clamped, uint8 is unchanged."""
    if picture.dtype == np.uint8:
        return picture
    rounded: NDArray[np.uint8] = np.rint(unit_float(picture).clip(0, 1) * 255).astype(np.uint8)
    return rounded


def _check_bytes(place: str, target: Pixels) -> None:
    check_picture(place, "target", target)
    if target.dtype != np.uint8:
        raise ShapeError(
            f"{place}: got target {target.dtype}, need uint8. Convert it with to_uint8."
        )


def _obstacle(target: Pixels, side_px: int = LARGEST_PX, largest_px: int = LARGEST_PX) -> str:
    height, width = target.shape[:2]
    if max(height, width) > side_px:
        return f"not possible: at most {side_px:,} pixels a side"
    if height * width > largest_px:
        return f"not tried: more than {largest_px >> 20} megapixels"
    return ""


def _pillow(target: NDArray[np.uint8]) -> Image.Image:
    return Image.fromarray(target[..., 0] if target.shape[2] == 1 else target)


def _webp_file(picture: Image.Image, quality: int, exact: bool) -> bytes:
    return picture_file(picture, "WEBP", quality=quality, method=6, exact=exact)


def avif_file(
    picture: Image.Image, subsampling: str, quality: int, speed: int = AVIF_SPEED
) -> bytes:
    """Return an AVIF file; Pillow older than 11.3 writes none."""
    return picture_file(picture, "AVIF", quality=quality, speed=speed, subsampling=subsampling)


def _jpeg_size(subsampling: int, pictures: Sequence[Image.Image], quality: int) -> int:
    return sum(len(jpeg_file(picture, subsampling, quality)) for picture in pictures)


def jpeg_file(picture: Image.Image, subsampling: int, quality: int) -> bytes:
    """Return the smaller of the sequential and the progressive file; they hold equal pixels."""
    files = (
        picture_file(
            picture, "JPEG", quality=quality, subsampling=subsampling, optimize=True, progressive=p
        )
        for p in (False, True)
    )
    return min(files, key=len)


def picture_file(picture: Image.Image, format_name: str, **how: int | str) -> bytes:
    """Return a picture's file as Pillow writes it."""
    file = io.BytesIO()
    picture.save(file, format_name, **how)
    return file.getvalue()


def file_pixels(file: bytes, channels: int) -> NDArray[np.float32]:
    """Return float32 [H, W, C], [0, 1], of an 8-bit file."""
    picture = Image.open(io.BytesIO(file)).convert(MODES[channels])
    shape = (picture.height, picture.width, channels)
    return unit_float(np.asarray(picture, np.uint8).reshape(shape))
