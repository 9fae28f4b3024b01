"""Halving of maps: a box filter with exact area weights."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def halved(values: npt.NDArray[np.floating]) -> Floats:
    """Return ``values`` [H, W, ...] at half the size, each texel the mean of what it covers.

    Sizes become max(1, size // 2). For an odd size, a texel covers a little more than two source
    texels, and neighbors share those between them by area, which preserves the overall mean. Equal
    values stay exactly equal. Computed in float32.
    """
    for axis in range(2):
        values = halved_along(values, axis)
    return values.astype(np.float32, copy=False)


def halved_by_weight(
    values: npt.NDArray[np.floating], weights: npt.NDArray[np.floating]
) -> tuple[Floats, Floats]:
    """Return ``values`` and their ``weights`` at half the size, weighted by weight and area.

    Args:
        values: [H, W, C], finite.
        weights: [H, W], >= 0.

    Returns:
        float32 [h, w, C] and the mean weights [h, w], of the sizes of ``halved``. Values of weight
        0 have no effect beside others; where all weights are 0 the plain mean is used. Equal
        values stay exactly equal, whatever those of weight 0 are.
    """
    for axis in range(2):
        values, weights = _halved_by_weight_along(values, weights, axis)
    return values.astype(np.float32, copy=False), weights.astype(np.float32, copy=False)


def halved_counted(
    values: npt.NDArray[np.floating], weights: npt.NDArray[np.floating] | None
) -> tuple[Floats, Floats | None]:
    """Return ``halved_by_weight`` of values [H, W, ...]; ``halved`` where weights are None."""
    if weights is None:
        return halved(values), None
    found, weights = halved_by_weight(values.reshape(*weights.shape, -1), weights)
    return found.reshape(*weights.shape, *values.shape[2:]), weights


def _halved_by_weight_along(
    values: npt.NDArray[np.floating], weights: npt.NDArray[np.floating], axis: int
) -> tuple[Floats, Floats]:
    plain, total = halved_along(values, axis), halved_along(weights, axis)
    rows = np.moveaxis(values, axis, 0).astype(np.float32, copy=False)
    counts = np.moveaxis(weights, axis, 0).astype(np.float32, copy=False)
    if len(rows) == 1:
        return plain, total
    half = len(rows) // 2
    parts = [slice(start, start + 2 * half - 1, 2) for start in range(2 + len(rows) % 2)]
    shares = _area_shares(half, counts.ndim) if len(rows) % 2 else (np.float32(0.5),) * 2
    # By differences from the one of largest weight: equal values stay exactly equal.
    ours = [counts[part] * share for part, share in zip(parts, shares, strict=True)]
    most, base = ours[0], rows[parts[0]]
    for part, own in zip(parts[1:], ours[1:], strict=True):
        base = np.where((own > most)[..., None], rows[part], base)
        most = np.maximum(own, most)
    shares_of_all = np.float32(1) / np.where(most > 0, sum(ours), 1)
    mean = base.copy()
    for part, own in zip(parts, ours, strict=True):
        mean += (rows[part] - base) * (own * shares_of_all)[..., None]
    found = np.moveaxis(mean, 0, axis)
    return np.where((total > 0)[..., None], found, plain).astype(np.float32, copy=False), total


def halved_along(values: npt.NDArray[np.floating], axis: int) -> Floats:
    """Return ``values`` at half the size along one axis; see ``halved``."""
    values = np.moveaxis(values, axis, 0).astype(np.float32, copy=False)
    if len(values) > 1:
        values = _thirds(values) if len(values) % 2 else _pairs(values)
    return np.ascontiguousarray(np.moveaxis(values, 0, axis))


def _pairs(values: Floats) -> Floats:
    mean = values[0::2] + values[1::2]
    mean *= np.float32(0.5)
    return mean


def _thirds(values: Floats) -> Floats:
    """Return the means along the first axis, of odd size n = 2 m + 1.

    Texel i covers n / m source texels from i n / m on: m - i parts of texel 2 i, m of 2 i + 1
    and i + 1 of 2 i + 2, each part 1 / n of the whole.
    """
    before, _, after = _area_shares(len(values) // 2, values.ndim)
    middle = values[1::2]
    # By differences from the middle one: equal values stay exactly equal.
    mean = (values[0:-1:2] - middle) * before
    mean += (values[2::2] - middle) * after
    mean += middle
    return mean


def _area_shares(half: int, dimensions: int) -> tuple[Floats, Floats, Floats]:
    """Return the weights of texels 2 i to 2 i + 2 in texel i of ``half``: [half, 1, ...]."""
    size = 2 * half + 1
    place = np.arange(half).reshape(-1, *[1] * (dimensions - 1))
    before = ((half - place) / size).astype(np.float32)
    after = ((place + 1) / size).astype(np.float32)
    return before, np.full_like(before, half / size), after
