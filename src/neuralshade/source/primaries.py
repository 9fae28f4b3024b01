"""Conversion matrices between sets of primaries, adapted to sRGB's white."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]  # [3, 3], for column vectors

D65 = (0.3127, 0.3290)
REC709 = (0.64, 0.33, 0.30, 0.60, 0.15, 0.06)  # x and y of red, green and blue
REC2020 = (0.708, 0.292, 0.170, 0.797, 0.131, 0.046)
ADOBE_RGB = (0.64, 0.33, 0.21, 0.71, 0.15, 0.06)
D50_XYZ = (0.9642, 1.0, 0.8249)  # of ICC's connection space
BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367],
                     [0.0389, -0.0685, 1.0296]])  # fmt: skip
# by the number of CICP: name, primaries, white. Source: ITU-T H.273 (2024), table 2.
CICP_PRIMARIES = {
    1: ("BT.709", REC709, D65),
    4: ("BT.470 System M", (0.67, 0.33, 0.21, 0.71, 0.14, 0.08), (0.310, 0.316)),
    5: ("BT.601 625", (0.64, 0.33, 0.29, 0.60, 0.15, 0.06), D65),
    6: ("BT.601 525", (0.630, 0.340, 0.310, 0.595, 0.155, 0.070), D65),
    7: ("SMPTE 240M", (0.630, 0.340, 0.310, 0.595, 0.155, 0.070), D65),
    8: ("film", (0.681, 0.319, 0.243, 0.692, 0.145, 0.049), (0.310, 0.316)),
    9: ("BT.2020", REC2020, D65),
    10: ("XYZ", (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), (1 / 3, 1 / 3)),
    11: ("DCI-P3", (0.680, 0.320, 0.265, 0.690, 0.150, 0.060), (0.314, 0.351)),
    12: ("Display P3", (0.680, 0.320, 0.265, 0.690, 0.150, 0.060), D65),
    22: ("EBU 3213", (0.630, 0.340, 0.295, 0.605, 0.155, 0.077), D65),
}


def to_rec709(primaries: Sequence[float], white: Sequence[float] = D65) -> Matrix | None:
    """Return the matrix from light of ``primaries`` to sRGB's; None where they are degenerate.

    Args:
        primaries: x and y of red, green and blue, by CIE 1931.
        white: x and y; adapted to D65 by Bradford's method.

    Source: SMPTE RP 177-1993; ICC.1:2022, annex E.3, for the adaptation.
    """
    ours = _to_xyz(REC709, D65)
    theirs = _to_xyz(primaries, white)
    if ours is None or theirs is None:
        return None
    if tuple(white) != D65:
        theirs = _adaptation(_xyz(white), _xyz(D65)) @ theirs
    return np.linalg.inv(ours) @ theirs


def from_d50(colorants: Matrix) -> Matrix:
    """Return the matrix from a profile's light to sRGB's, from its colorants' XYZ in D50."""
    ours = _to_xyz(REC709, D65)
    assert ours is not None
    return np.linalg.inv(_adaptation(_xyz(D65), np.array(D50_XYZ)) @ ours) @ colorants


def _xyz(chromaticity: Sequence[float]) -> npt.NDArray[np.float64]:
    x, y = chromaticity
    return np.array([x / y, 1.0, (1 - x - y) / y])


def _to_xyz(primaries: Sequence[float], white: Sequence[float]) -> Matrix | None:
    """Return the matrix to XYZ in which (1, 1, 1) is the white."""
    numbers = np.array([*primaries, *white], np.float64)
    if not np.isfinite(numbers).all() or not 1e-3 < numbers[7] <= 1 or np.abs(numbers).max() > 10:
        return None
    x, y = numbers[:6:2], numbers[1:6:2]
    columns = np.stack([x, y, 1 - x - y])
    if abs(np.linalg.det(columns)) < 1e-4:
        return None
    return columns * np.linalg.solve(columns, _xyz(white))


def _adaptation(source: npt.NDArray[np.float64], target: npt.NDArray[np.float64]) -> Matrix:
    """Return Bradford's matrix from XYZ in one white to XYZ in another."""
    scale = (BRADFORD @ target) / (BRADFORD @ source)
    return np.linalg.inv(BRADFORD) @ (scale[:, None] * BRADFORD)
