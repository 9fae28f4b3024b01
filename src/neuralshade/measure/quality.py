"""Image quality metrics: PSNR, SSIM and FLIP."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.base.optional import optional_module, why_missing
from neuralshade.errors import ConfigError
from neuralshade.measure.pair import (
    Pixels,
    check_color_space,
    check_pair,
    color_count,
    color_rgb,
    peak_of,
    unit_float,
)
from neuralshade.measure.picture_psnr import weighted_squares

BAND_VALUES = 1 << 20  # numbers that PSNR holds in float64 at a time
SSIM_WINDOW_PX = 11  # sigma 1.5 cut at 3.5 sigma: 2 * 5 + 1
# SSIM and FLIP take about 150 bytes a pixel and 1 s a megapixel; HDR-FLIP takes one FLIP per
# f-stop, up to 30 of them. Larger pictures than these squares are cropped to the smaller ones.
WHOLE_PX = {"srgb": 4096, "linear": 2048}
CROP_PX = {"srgb": 3072, "linear": 2048}
DARKEST_PEAK = 2.0**-20  # FLIP clamps the median to 2^-23 and ends the process below it


@dataclass(frozen=True)
class Quality:
    """Quality of a result against its target; ``None`` where a metric does not apply."""

    psnr_db: float  # higher is better, inf for equal; alpha included
    ssim: float | None  # 1 is equal; color only; None below 11 x 11 pixels
    flip: float | None  # mean error, 0 is equal, 1 the worst; color only, see missing_flip
    cropped: bool  # SSIM and FLIP are of the centered CROP_PX square only


def psnr_db(
    target: Pixels, result: Pixels, peak: float = 1.0, *, alpha_weighted: bool = False
) -> float:
    """Return the peak signal-to-noise ratio over all pixels and channels, alpha included.

    10 log10(peak^2 / mean((result - target)^2)), summed in float64 band by band, so that
    large pictures need no large temporaries.

    Args:
        target: floats (or uint8, uint16: these span [0, 1]) [H, W, C], C in 1..4, finite,
            any color space.
        result: [H, W, C], the same kinds.
        peak: the value of white, > 0. 1 for sRGB; for linear pictures the target's maximum.
        alpha_weighted: errors of color count by the target's alpha, its last channel, as 10 log10
            of peak^2 sum(w) / sum(w (result - target)^2); alpha itself counts in full.

    Returns:
        Decibel; higher is better, ``inf`` for equal pictures.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for a peak <= 0.
    """
    check_pair("psnr_db", target, result)
    if not peak > 0:
        raise ConfigError(f"psnr_db.peak: got {peak}, need > 0. Pass 1 or the target's maximum.")
    height = target.shape[0]
    rows = max(1, BAND_VALUES // (target.size // height))
    squares, counted = 0.0, 0.0
    for top in range(0, height, rows):
        band = slice(top, top + rows)
        expected = unit_float(target[band])
        error = unit_float(result[band]).astype(np.float64) - expected
        own, values = weighted_squares(error, expected, alpha_weighted)
        squares, counted = squares + own, counted + values
    return float("inf") if squares == 0 else float(10 * np.log10(peak**2 * counted / squares))


def ssim(target: Pixels, result: Pixels, peak: float = 1.0) -> float | None:
    """Return the mean structural similarity of the color channels; alpha does not count.

    Gaussian window of sigma 1.5, population covariance, as in the paper; color pictures are
    the mean over their channels. The measure was made for display values: on linear pictures
    with a bright peak it is close to 1 for nearly everything.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite.
        result: [H, W, C], the same kinds.
        peak: the value of white, > 0.

    Returns:
        1 for equal pictures, lower is worse; ``None`` if a side is below the 11-pixel window.

    Raises: ShapeError, PictureError for NaN or infinity.
    Source: Wang et al. 2004, Image Quality Assessment, section III.B; scikit-image computes it.
    """
    check_pair("ssim", target, result)
    if min(target.shape[:2]) < SSIM_WINDOW_PX:
        return None
    from skimage.metrics import structural_similarity  # loads SciPy, which takes a second

    similarity: Callable[..., Any] = structural_similarity  # has no annotations
    colors = color_count(target)
    reference, test = (unit_float(p[..., :colors]) / np.float32(peak) for p in (target, result))
    value = similarity(
        reference,
        test,
        channel_axis=2,
        data_range=1.0,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
    )
    return float(value)


def flip(target: Pixels, result: Pixels, hdr: bool = False) -> float | None:
    """Return the mean FLIP error of the color channels; alpha does not count.

    FLIP predicts what a viewer notices when flipping between the two, at 67 pixels per
    degree (a 4K display 0.7 m wide, 0.7 m away). Grey is repeated to RGB.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite; sRGB in [0, 1], or
            linear if ``hdr``.
        result: [H, W, C], the same kinds. Clamped to the range of its kind, as a display does.
        hdr: take the HDR variant, which covers the target's range of exposures.

    Returns:
        0 for equal pictures, at most 1; ``None`` for an HDR target darker than 2^-20
        everywhere: such a target gives HDR-FLIP no exposure to look at.

    Raises: ShapeError, PictureError for NaN or infinity; DeviceError as missing_flip says.
    Source: Andersson et al. 2020 and 2021; NVIDIA's flip-evaluator computes it.
    """
    check_pair("flip", target, result)
    evaluate = _evaluator().evaluate
    top = np.inf if hdr else 1.0
    reference, test = (
        np.ascontiguousarray(unit_float(color_rgb(p)).clip(0, top), np.float32)
        for p in (target, result)
    )
    if hdr and reference.max() < DARKEST_PEAK:
        return None
    kind = "HDR" if hdr else "LDR"
    _, mean, _ = evaluate(reference, test, kind, inputsRGB=True, applyMagma=False)
    return float(mean)


def flip_colors(target: Pixels, result: Pixels) -> NDArray[np.float32]:
    """Return FLIP's error of each pixel in the magma color map: float32 [H, W, 3], sRGB in [0, 1].

    Black is no error. Arguments, source and errors: as in ``flip``, for pictures in sRGB.
    """
    check_pair("flip_colors", target, result)
    pair = [
        np.ascontiguousarray(unit_float(color_rgb(p)).clip(0, 1), np.float32)
        for p in (target, result)
    ]
    colors, _, _ = _evaluator().evaluate(*pair, "LDR", inputsRGB=True, applyMagma=True)
    return np.asarray(colors, np.float32)


def missing_flip() -> str | None:
    """Return why FLIP cannot be measured here; None on most systems, where it can."""
    return why_missing(_evaluator)


def _evaluator() -> Any:
    remedy = "Build it, which takes a C++ compiler: pip install flip-evaluator."
    return optional_module("flip_evaluator", "flip-evaluator", "flip", "to measure FLIP", remedy)


def centered_crop(picture: Pixels, side_px: int) -> Pixels:
    """Return the middle ``side_px`` x ``side_px`` view, or less where the picture ends."""
    top, left = (max(0, (size - side_px) // 2) for size in picture.shape[:2])
    return picture[top : top + side_px, left : left + side_px]


def over_grey(picture: Pixels) -> NDArray[np.float32]:
    """Return the colors of ``picture`` [H, W, C], whose last channel is alpha, over 50 % grey."""
    values = unit_float(picture)
    alpha = values[..., -1:].clip(0, 1)
    shown: NDArray[np.float32] = values[..., :-1] * alpha + np.float32(0.5) * (1 - alpha)
    return shown


def measure_quality(
    target: Pixels, result: Pixels, color_space: str, *, alpha_weighted: bool = False
) -> Quality:
    """Return PSNR (all channels), SSIM and FLIP (color channels) of ``result``.

    SSIM and FLIP need many times the picture's memory. Above 4096^2 pixels they use only the
    centered 3072 x 3072 (linear: above 2048^2, 2048 x 2048), which ``cropped`` reports; PSNR uses
    all. FLIP is None where ``missing_flip`` has a reason.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite.
        result: [H, W, C], the same kinds.
        color_space: "srgb" (display values in [0, 1]) or "linear" (HDR; white is the maximum).
        alpha_weighted: pictures end in alpha and are compared as they look: PSNR weights color
            errors by the target's alpha, SSIM and FLIP use both over 50 % grey.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    check_color_space("measure_quality", color_space)
    check_pair("measure_quality", target, result)
    peak = peak_of(target, color_space)
    cropped = target.shape[0] * target.shape[1] > WHOLE_PX[color_space] ** 2
    seen = [centered_crop(p, CROP_PX[color_space]) if cropped else p for p in (target, result)]
    if alpha_weighted:
        seen = [over_grey(picture) for picture in seen]
    return Quality(
        psnr_db=psnr_db(target, result, peak, alpha_weighted=alpha_weighted),
        ssim=ssim(seen[0], seen[1], peak),
        flip=None if missing_flip() else flip(seen[0], seen[1], hdr=color_space == "linear"),
        cropped=cropped,
    )
