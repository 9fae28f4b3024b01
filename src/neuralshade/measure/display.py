"""Display preparation of pictures: tone, error around grey, features, data URIs."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralshade.base.cores import map_on_cores
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.pair import Pixels, check_pair, color_count, color_rgb, unit_float
from neuralshade.measure.resample import fit_within, resample
from neuralshade.source.color import linear_to_srgb

ERROR_SCALES = (1, 2, 4, 8, 16, 32, 64)
FEATURE_PERCENTILES = (1, 99)
THIN = 40  # ratio of sides from which a browser would show only a few rows


@dataclass(frozen=True)
class PagePicture:
    """A picture of a page."""

    title: str
    caption: str
    uri: str  # data URI
    width: int  # pixels in the file behind ``uri``
    height: int

    @property
    def is_thin(self) -> bool:
        """Return whether it is visible only when stretched."""
        return is_thin(self.height, self.width)


def is_thin(height: int, width: int) -> bool:
    """Return whether one side is more than THIN times the other."""
    return max(height, width) > THIN * min(height, width)


def error_picture(target: Pixels, result: Pixels, scale: float) -> NDArray[np.float32]:
    """Return the signed error around grey: 0.5 + scale * (result - target), clamped to [0, 1].

    A perfect fit is 0.5 everywhere, which is 128 in 8 bits. Lighter: the result is too bright.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite.
        result: [H, W, C], the same kinds.
        scale: how much an error is enlarged.

    Returns:
        float32 [H, W, C] in [0, 1], alpha's error included.

    Raises: ShapeError, PictureError for NaN or infinity.
    """
    check_pair("error_picture", target, result)
    error = np.subtract(unit_float(result), unit_float(target), dtype=np.float32)
    shifted: NDArray[np.float32] = (np.float32(0.5) + np.float32(scale) * error).clip(0, 1)
    return shifted


def error_scale(target: Pixels, result: Pixels) -> int:
    """Return the largest of ERROR_SCALES that clamps at most one percent of the errors."""
    error = np.abs(unit_float(result) - unit_float(target))
    typical = float(np.quantile(error, 0.99))
    return max((s for s in ERROR_SCALES if s * typical <= 0.5), default=ERROR_SCALES[0])


def exposure_stops(target: Pixels) -> float:
    """Return the exposure, in f-stops, that brings the 99th percentile of a linear target to 1.

    Per pixel the brightest color channel counts; 0 for a target that is black up to there.
    """
    height, width = fit_within(target.shape[0], target.shape[1], 1024)
    small = resample(target, height, width, Image.Resampling.BOX)
    bright = float(np.quantile(small[..., : color_count(small)].max(axis=2), 0.99))
    return -float(np.log2(bright)) if bright > 0 else 0.0


def on_screen(picture: Pixels, side: int, stops: float | None) -> NDArray[np.float32]:
    """Return ``picture`` in sRGB [0, 1], its longer side at most ``side``.

    ``stops`` is None for sRGB pictures; linear ones are exposed by it, reduced, and encoded.
    Alpha stays the last channel, unassociated, which is how browsers read it.
    """
    height, width = fit_within(picture.shape[0], picture.shape[1], side)
    same = (height, width) == picture.shape[:2]
    how = Image.Resampling.BILINEAR
    straight = stops is None and picture.shape[2] in (2, 4)
    small = unit_float(picture) if same else resample(picture, height, width, how,
                                                      alpha_weighted=straight)  # fmt: skip
    if stops is not None:
        colors = color_count(small)
        alpha = small[..., colors:].clip(0, 1)
        # linear pictures have premultiplied color; 1e-6 avoids a division by 0
        light = small[..., :colors] / (np.maximum(alpha, 1e-6) if alpha.size else 1)
        encoded = linear_to_srgb(np.minimum(light * np.float32(2**stops), 1))
        small = np.concatenate([encoded, alpha], axis=2)
    return small.clip(0, 1)


def preview_png(picture: Pixels, *, linear: bool) -> bytes:
    """Return ``picture`` as a screen shows it, as a PNG file: HDR at the exposure of reports."""
    finite = np.nan_to_num(picture, nan=0.0, posinf=3e38, neginf=0.0)
    stops = exposure_stops(finite) if linear else None
    pixels = to_uint8(color_rgb(on_screen(finite, max(finite.shape[:2]), stops)))
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def feature_pages(grid: Pixels) -> list[tuple[str, NDArray[np.float32]]]:
    """Return a feature grid as pictures of up to three features each, with captions.

    One feature: grey. Two: red and green on a blue of 0.5. Each feature is stretched on its
    own from its 1st..99th percentile to [0, 1]; a constant feature is 0.5.

    Args:
        grid: float [h, w, c], c >= 1, any range.

    Returns:
        (caption with the ranges, float32 [h, w, 3] in [0, 1]) per page of three.
    """
    pages = []
    for first in range(0, grid.shape[2], 3):
        page = grid[..., first : first + 3].astype(np.float32)
        low, high = np.percentile(page, FEATURE_PERCENTILES, axis=(0, 1)).astype(np.float32)
        span = np.where(high > low, high - low, 1)
        stretched = np.where(high > low, (page - low) / span, 0.5).clip(0, 1).astype(np.float32)
        shown = color_rgb(stretched) if page.shape[2] == 1 else _with_blue(stretched)
        names = ("grey",) if page.shape[2] == 1 else ("red", "green", "blue")
        ranges = zip(names[: page.shape[2]], low, high, strict=True)
        caption = ", ".join(
            f"{name} #{first + index}: {lo:.3g} .. {hi:.3g}"
            for index, (name, lo, hi) in enumerate(ranges)
        )
        pages.append((caption, shown))
    return pages


def all_shown(pictures: Sequence[tuple[str, str, NDArray[np.float32]]]) -> list[PagePicture]:
    """Return ``shown`` of each (title, caption, picture), encoded on all cores."""
    return list(map_on_cores(lambda each: shown(*each), pictures))


def shown(title: str, caption: str, picture: NDArray[np.float32]) -> PagePicture:
    """Return ``picture`` (sRGB [0, 1], C in 1..4) as a lossless WebP data URI."""
    rgb = to_uint8(color_rgb(picture))
    if picture.shape[2] in (2, 4):
        rgb = np.concatenate([rgb, to_uint8(picture[..., -1:])], axis=2)
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "WEBP", lossless=True, quality=50, method=2, exact=True)
    uri = "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode("ascii")
    return PagePicture(title, caption, uri, width=picture.shape[1], height=picture.shape[0])


def _with_blue(page: NDArray[np.float32]) -> NDArray[np.float32]:
    if page.shape[2] == 3:
        return page
    blue = np.full((*page.shape[:2], 1), 0.5, np.float32)
    return np.concatenate([page, blue], axis=2)
