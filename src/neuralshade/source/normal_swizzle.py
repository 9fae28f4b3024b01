"""Swizzled normal maps: DXT5nm and two-channel files, with x and y in other channels."""

import numpy as np
import numpy.typing as npt

from neuralshade.source.normal_convention import detect_convention
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.float32]

ALIKE = 6 / 255  # difference of equal or constant channels after block compression
EXTREME = 0.05  # a constant red this close to 0 or 1 is no x of upward normals
LONGEST = 1.05  # of (x, y)
LONGER_SHARE = 0.05  # share of longer texels up to which they may be normals


def swizzled_normals(picture: Picture) -> tuple[Floats, str] | None:
    """Return unit normals [H, W, 3] of a picture with x or y in its alpha, and a note.

    DXT5nm has x in alpha and y in green, with red constant or equal to green. A picture of two
    channels has x in the first and y in the second, or swapped where only that has the slopes of a
    surface. None for every other picture.
    """
    if not picture.has_alpha or picture.pixels.dtype.kind == "f":
        return None
    values = picture.as_float()
    alpha, green = values[..., -1], values[..., 1 if picture.channels == 4 else 0]
    if alpha.min() == 1:
        return None
    pairs = {"alpha and y in green": (alpha, green)}
    if picture.channels == 2:
        pairs = {"grey and y in alpha": (green, alpha), "alpha and y in grey": (alpha, green)}
    elif not _empty_red(values[..., 0]):
        if np.ptp(values[..., :3], axis=-1).max() > ALIKE:
            return None
        pairs["green and y in alpha"] = (green, alpha)
    found = {said: _unit(*pair) for said, pair in pairs.items()}
    likely = {said: normal for said, normal in found.items() if normal is not None}
    if not likely:
        return None
    said = _most_even(likely)
    return likely[said], f"normal: x is in {said}, so z is rebuilt from both."


def _empty_red(red: Floats) -> bool:
    """Return whether red is constant, and no x of upward normals."""
    mean = float(red.mean())
    return bool(np.ptp(red) <= ALIKE) and not EXTREME < mean < 1 - EXTREME


def _unit(x: Floats, y: Floats) -> Floats | None:
    """Return normals from x and y in [0, 1]; None where these are too long."""
    planar = np.stack([x, y], axis=-1) * np.float32(2) - np.float32(1)
    square = np.square(planar).sum(axis=-1, keepdims=True)
    if float(np.mean(square > LONGEST**2)) > LONGER_SHARE:
        return None
    z = np.sqrt(np.maximum(np.float32(1) - square, np.float32(0)))
    return np.concatenate([planar, z], axis=-1)


def _most_even(found: dict[str, Floats]) -> str:
    """Return the candidate with the slopes of a surface, the first where none is clear."""
    seen = {said: detect_convention(normal) for said, normal in found.items()}
    clear = [said for said, one in seen.items() if one.convention is not None]
    return max(clear, key=lambda said: abs(seen[said].margin)) if clear else next(iter(found))
