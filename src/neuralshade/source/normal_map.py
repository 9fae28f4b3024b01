"""Decoder of normal maps: values to unit normals, with notes on corrections."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from neuralshade.base.cores import rows_on_cores
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
        length = np.sqrt(squared_length(normal))
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
        normal, empty = _stretched(color)
    rebuilt = _rebuild_z(normal, color[..., 2], empty)
    length = np.empty(empty.shape, np.float32)

    def measure(rows: slice) -> None:
        np.sqrt(squared_length(normal[rows]), out=length[rows])

    rows_on_cores(measure, *empty.shape)
    empty |= length < EMPTY_LENGTH
    _check_tangent(path, normal[..., 2], empty)
    if rebuilt:
        notes.append("normal: blue is constant, so z is rebuilt from red and green.")
    notes += _repaired(normal, length, empty)
    return normal, notes


def make_unit(normal: Floats) -> None:
    """Normalise float32 [H, W, 3] ``normal``, without zero vectors, in place."""
    _divide(normal, np.sqrt(squared_length(normal)))


def squared_length(vectors: Floats) -> Floats:
    """Return the squared lengths of [..., 3]: long runs, where a sum over three is slow."""
    found: Floats = np.square(vectors[..., 0])
    for component in (1, 2):
        found += np.square(vectors[..., component])
    return found


def _divide(vectors: Floats, length: Floats) -> None:
    for component in range(3):
        vectors[..., component] /= length


def _stretched(color: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return [0, 1] as [-1, 1], and where all three are black."""
    normal, empty = np.empty_like(color), np.empty(color.shape[:2], np.bool_)

    def stretch(rows: slice) -> None:
        np.multiply(color[rows], np.float32(2), out=normal[rows])
        normal[rows] -= np.float32(1)
        black = color[rows] < BLACK
        np.logical_and(black[..., 0], black[..., 1] & black[..., 2], out=empty[rows])

    rows_on_cores(stretch, color.shape[0], color.shape[1])
    return normal, empty


def _rebuild_z(normal: Floats, blue: Floats, empty: npt.NDArray[np.bool_]) -> bool:
    """Rebuild z in place where blue is unused; return whether it did."""
    painted = blue[~empty] if empty.any() else blue.reshape(-1)
    if not painted.size or np.ptp(painted) > UNUSED_SPREAD:  # the usual one
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
        normal[empty], length[empty] = (0, 0, 1), 1
    below = normal[..., 2] <= 0
    if below.any():
        notes.append(f"normal: {_texels(below)} at or below the horizon, raised to it.")
    rows_on_cores(lambda rows: _raise(normal[rows], length[rows]), *length.shape)
    return notes


def _raise(normal: Floats, length: Floats) -> None:
    """Make vectors of ``length`` unit, and point up, in place."""
    _divide(normal, length)
    np.maximum(normal[..., 2], np.float32(FLATTEST_Z), out=normal[..., 2])
    squares = squared_length(normal)
    straight_down = squares < EMPTY_LENGTH**2
    if straight_down.any():
        normal[straight_down], squares[straight_down] = (0, 0, 1), 1
    _divide(normal, np.sqrt(squares))


def _texels(mask: npt.NDArray[np.bool_]) -> str:
    count = int(np.count_nonzero(mask))
    return "1 texel is" if count == 1 else f"{count} texels are"
