"""Transfer curves of tagged pictures: from stored values to light, and sRGB back."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Curve = Callable[[Doubles], Doubles]  # encoded, usually [0, 1] -> light, same shape

WHITE_NITS = 203.0  # of HDR, cd/m2: ITU-R BT.2408-7, section 2.1, reference white
PQ_PEAK_NITS = 10_000.0
HLG_PEAK_NITS, HLG_GAMMA = 1000.0, 1.2  # ITU-R BT.2100-2, table 5: the nominal display
LUMINANCE_2020 = (0.2627, 0.6780, 0.0593)  # ITU-R BT.2100-2, table 4


def srgb_curve(values: Doubles) -> Doubles:
    """Return light of sRGB values, in float64. Source: IEC 61966-2-1:1999, section 5.2."""
    size = np.abs(values)
    return np.copysign(np.where(size <= 0.04045, size / 12.92, ((size + 0.055) / 1.055) ** 2.4),
                       values)  # fmt: skip


def encode_srgb(light: Doubles) -> Doubles:
    """Return sRGB values of light at or above 0, in float64; the inverse of ``srgb_curve``."""
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def linear_curve(values: Doubles) -> Doubles:
    """Return the values unchanged."""
    return values


def gamma_curve(gamma: float) -> Curve:
    """Return the curve values**gamma, odd for values below 0."""
    return lambda values: np.copysign(np.abs(values) ** gamma, values)


def table_curve(table: npt.ArrayLike) -> Curve:
    """Return the curve through two or more values at even steps of [0, 1], linear between."""
    steps = np.asarray(table, np.float64)
    places = np.linspace(0, 1, len(steps))
    return lambda values: np.interp(values, places, steps)


def parametric_curve(kind: int, numbers: npt.ArrayLike) -> Curve:
    """Return an ICC parametric curve: (a x + b)**g + c above d, else a linear part.

    Args:
        kind: 0 to 4, as in the profile.
        numbers: g, a, b, c, d, e, f; by kind the first 1, 3, 4, 5 or 7.

    Source: ICC.1:2022, section 10.18, table 68.
    """
    g, a, b, c, d, e, f = (*np.asarray(numbers, np.float64), *[0.0] * 7)[:7]
    if kind == 0:
        return gamma_curve(float(g))
    if kind in (1, 2):  # constant c below -b / a
        offset = c if kind == 2 else 0.0
        return lambda x: np.maximum(a * x + b, 0) ** g + offset
    if kind == 3:
        return lambda x: np.where(x >= d, np.maximum(a * x + b, 0) ** g, c * x)
    return lambda x: np.where(x >= d, np.maximum(a * x + b, 0) ** g + e, c * x + f)


def pq_curve(values: Doubles) -> Doubles:
    """Return light of perceptually quantized values; 1 is WHITE_NITS.

    Source: SMPTE ST 2084:2014, equation 4.1, and its constants.
    """
    m1, m2 = 2610 / 16384, 2523 / 4096 * 128
    c1, c2, c3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    root = np.clip(values, 0, 1) ** (1 / m2)
    return (np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1) * (PQ_PEAK_NITS / WHITE_NITS)


def hlg_curve(values: Doubles) -> Doubles:
    """Return scene light of hybrid log-gamma values, [0, 1].

    Source: ITU-R BT.2100-2, table 5, inverse OETF.
    """
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * np.log(4 * a)
    x = np.clip(values, 0, 1)
    return np.where(x <= 0.5, x * x / 3, (np.exp((x - c) / a) + b) / 12)


def hlg_display(light: Doubles) -> Doubles:
    """Return display light of scene light, [..., 3] of BT.2020; 1 is WHITE_NITS.

    Source: ITU-R BT.2100-2, table 5, OOTF, for a peak of 1000 cd/m2.
    """
    luminance = (light @ np.array(LUMINANCE_2020))[..., None]
    return light * luminance ** (HLG_GAMMA - 1) * (HLG_PEAK_NITS / WHITE_NITS)
