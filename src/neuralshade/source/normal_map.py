"""Decoder of normal maps: values to unit normals, with notes on corrections."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from neuralshade.errors import PictureError
from neuralshade.source.normal_swizzle import swizzled_normals
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.float32]

LENGTH_OFF = 0.1  # least noted deviation from length 1; 8 bits and JPEG stay well below
NOTED_SHARE = 0.01  # least share of texels with such lengths for a note
EMPTY_LENGTH = 0.1  # below it there is no direction: flat grey, only rounding
BLACK = 1.5 / 255  # all three below: not painted
FLATTEST_Z = 1e-3  # minimum of z: normals below the horizon are raised to it
BLUE_RIGHT = 0.02  # deviation of a constant blue that still matches red and green
UNUSED_BLUE = 0.1  # a mean below it, with hardly any spread: no z of upward normals
UNUSED_SPREAD = 6 / 255
SIGNED_BELOW = -0.05  # a float file with values below it stores -1..1 directly


def decode_normals(path: Path, picture: Picture, color: Floats) -> tuple[Floats, list[str]]:
    """Return unit normals from float32 [H, W, 3] ``color``, z > 0, and notes.

    n = 2 v - 1, also for 8 bits, where flat is stored as 128 and becomes 1/255. Centring at 128
    instead would tilt whole maps by as much: in photographed sets, the mean of red and green is
    127.5, not 128. Renderers do the same with the texture, and it keeps a flipped green (255 - v)
    exactly the opposite slope. Floats with negative values are directions already. A constant blue
    is rebuilt: z = sqrt(1 - x^2 - y^2).

    Normals in other channels are found by ``swizzled_normals``.

    Raises: PictureError for a grey picture, or one whose values cannot be tangent-space normals.
    """
    if swizzled := swizzled_normals(picture):
        normal, note = swizzled
        length = np.sqrt(np.square(normal).sum(axis=-1))
        return normal, [note, *_repaired(normal, length, np.zeros(length.shape, np.bool_))]
    if color.shape[2] != 3:
        raise PictureError(
            f"{path}: got a grey picture, need a normal map in color. "
            "If it is a height map, make normals of it first."
        )
    notes = []
    empty: npt.NDArray[np.bool_]
    if picture.pixels.dtype.kind == "f" and float(color.min()) < SIGNED_BELOW:
        normal = color.astype(np.float32)
        notes.append("normal: values below 0, so taken as directions in [-1, 1] already.")
        empty = np.zeros(color.shape[:2], np.bool_)
    else:
        normal = color * np.float32(2) - np.float32(1)
        empty = np.all(color < BLACK, axis=-1)
    rebuilt = _rebuild_z(normal, color[..., 2], empty)
    length = np.sqrt(np.square(normal).sum(axis=-1))
    empty |= length < EMPTY_LENGTH
    _check_tangent(path, normal[..., 2], empty)
    if rebuilt:
        notes.append("normal: blue is constant, so z is rebuilt from red and green.")
    notes += _repaired(normal, length, empty)
    return normal, notes


def make_unit(normal: Floats) -> None:
    """Normalise float32 [H, W, 3] ``normal``, without zero vectors, in place."""
    normal /= np.sqrt(np.square(normal).sum(axis=-1, keepdims=True))


def _rebuild_z(normal: Floats, blue: Floats, empty: npt.NDArray[np.bool_]) -> bool:
    """Rebuild z in place where blue is unused; return whether it did."""
    painted = blue[~empty]
    if not painted.size:
        return False
    # compression leaves noise in an unused blue, while a used one counts to the last bit
    spread = UNUSED_SPREAD if painted.mean() < UNUSED_BLUE else 0.0
    if painted.max() - painted.min() > spread:
        return False
    planar = np.square(normal[..., :2]).sum(axis=-1)
    z = np.sqrt(np.maximum(np.float32(1) - planar, np.float32(0)))
    # A constant blue that is right (a flat map, a single texel) stays as it was.
    if np.abs(normal[..., 2] - z)[~empty].max() <= BLUE_RIGHT:
        return False
    normal[..., 2] = np.where(empty, normal[..., 2], z)
    return True


def _check_tangent(path: Path, z: Floats, empty: npt.NDArray[np.bool_]) -> None:
    count = int(np.count_nonzero(~empty))
    if not count:
        raise PictureError(
            f"{path}: got black or flat grey everywhere, need a normal map. Export it again."
        )
    below = np.count_nonzero((z < 0) & ~empty) / count
    if below > 0.5:
        raise PictureError(
            f"{path}: got {below:.0%} of the normals pointing below the surface, need a "
            "tangent-space normal map. Bake it in tangent space, or name the right file."
        )


def _repaired(normal: Floats, length: Floats, empty: npt.NDArray[np.bool_]) -> list[str]:
    """Normalise every normal and make it point up, in place; return notes."""
    notes = []
    off = float(np.mean((np.abs(length - 1) > LENGTH_OFF) & ~empty))
    if off > NOTED_SHARE:
        notes.append(
            f"normal: {off:.0%} of the texels were more than {LENGTH_OFF:g} longer or shorter "
            "than 1; all are made unit."
        )
    if empty.any():
        notes.append(f"normal: {_texels(empty)} black or without direction, made flat.")
        normal[empty] = (0, 0, 1)
    below = normal[..., 2] <= 0
    if below.any():
        notes.append(f"normal: {_texels(below)} at or below the horizon, raised to it.")
    make_unit(normal)
    np.maximum(normal[..., 2], np.float32(FLATTEST_Z), out=normal[..., 2])
    straight_down = np.square(normal).sum(axis=-1) < EMPTY_LENGTH**2
    normal[straight_down] = (0, 0, 1)
    make_unit(normal)
    return notes


def _texels(mask: npt.NDArray[np.bool_]) -> str:
    count = int(np.count_nonzero(mask))
    return "1 texel is" if count == 1 else f"{count} texels are"
