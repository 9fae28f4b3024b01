"""Green direction of a normal map, detected from the map's slopes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.base.cores import map_on_cores, rows_on_cores

Floats = npt.NDArray[np.float32]

SCALES = 3  # full size, half, quarter: at full size 8-bit steps mask small slopes
SIDE_MIN_PX = 8  # at the coarsest scale
BLOCKS = 16  # per side, whose agreement gives the evidence
STEEPEST_Z = 0.1  # slopes above about 10 count as 10, or one cliff would dominate
# Independent random slopes of white to 1/f spectra never passed both, and for crops of real maps of
# 32 texels and more the result was never wrong; atlases of small charts stay below the first.
MARGIN_MIN = 0.1
EVIDENCE_MIN = 5.0


@dataclass(frozen=True)
class Detection:
    """Evidence for the direction of a normal map's green channel."""

    margin: float  # [-1, 1]: relative difference of the curls; > 0 OpenGL, < 0 DirectX
    evidence: float  # the margin in its standard errors, from 16 x 16 parts of the map

    @property
    def convention(self) -> str | None:
        """ "opengl" or "directx", or None where it is undecided."""
        if abs(self.margin) < MARGIN_MIN or abs(self.evidence) < EVIDENCE_MIN:
            return None
        return "opengl" if self.margin > 0 else "directx"


def detect_convention(normal: Floats) -> Detection:
    """Return whether ``normal`` looks like OpenGL's (green up) or DirectX's (green down).

    Slopes of a height field have no curl: with p = -nx / nz and q = -ny / nz, dp/dy = dq/dx.
    With inverted green, q has the wrong sign, and the curl is dp/dy + dq/dx instead.
    margin = (E- - E+) / (E- + E+) with E the squared curl of each sign summed over the map,
    wrapping around, and averaged over three scales.

    Args:
        normal: float32 [H, W, 3], unit, row 0 at the top, as if it were OpenGL's.

    Returns: margin 0 and evidence 0 for a map without any slopes or below 8 x 8.
    Source: ours.
    """
    p, q = np.empty((2, *normal.shape[:2]), np.float32)

    def fill(rows: slice) -> None:
        z = np.maximum(normal[rows, :, 2], np.float32(STEEPEST_Z))
        for axis, slope in enumerate((p, q)):
            np.divide(-normal[rows, :, axis], z, out=slope[rows])

    rows_on_cores(fill, *p.shape)
    scales = [scale for scale in range(SCALES) if min(p.shape) >> scale >= SIDE_MIN_PX]
    if not scales:
        return Detection(0.0, 0.0)
    parts = [min(BLOCKS, side >> scales[-1]) for side in p.shape]
    slopes = [(p, q)]
    for _ in scales[1:]:
        slopes.append((_half(slopes[-1][0]), _half(slopes[-1][1])))
    total = np.zeros(parts)
    for found in map_on_cores(lambda pair: _agreement(*pair, parts), slopes):
        total += found / len(scales)
    spread = float(np.sqrt(np.square(total).sum()))
    margin = float(total.sum())
    return Detection(margin, margin / spread if spread else 0.0)


def _agreement(p: Floats, q: Floats, parts: list[int]) -> npt.NDArray[np.float64]:
    """Return each part's share of the margin: 2 (dp/dy) (dq/dx) over the sum of both squares.

    Both derivatives are at the corner between four texels. y points up, rows go down.
    """
    dp_dy: Floats = p - np.roll(p, -1, 0)
    dp_dy += np.roll(dp_dy, -1, 1)
    dq_dx: Floats = np.roll(q, -1, 1) - q
    dq_dx += np.roll(dq_dx, -1, 0)
    energy = float(np.vdot(dp_dy, dp_dy)) + float(np.vdot(dq_dx, dq_dx))
    if not energy:
        return np.zeros(parts)
    product: npt.NDArray[np.float64] = np.multiply(dp_dy, dq_dx, dtype=np.float64)
    for axis, count in enumerate(parts):
        edges = np.arange(count) * p.shape[axis] // count
        product = np.add.reduceat(product, edges, axis)
    product *= 2 / energy
    return product


def _half(values: Floats) -> Floats:
    """Return the mean of each 2 x 2; an odd last row or column is dropped."""
    height, width = (side // 2 * 2 for side in values.shape)
    even = values[:height, :width]
    total: Floats = even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]
    return total * np.float32(0.25)
