"""Values of one map from a picture: a color, one number per texel, or normals."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from neuralshade.errors import PictureError
from neuralshade.source.map_entry import CHANNELS, MapFile
from neuralshade.source.normal_convention import detect_convention
from neuralshade.source.normal_map import SIGNED_BELOW, decode_normals
from neuralshade.source.picture import Picture

Floats = npt.NDArray[np.float32]

GREY_ALIKE = 0.02  # difference of channels that still counts as grey: JPEG's, not a packed map's
EDGE = 2 / 255  # around 0 and 1, where nearly all of a cutout's texels are
BETWEEN_SHARE = 0.1
FLAT_GREEN = 2 / 255  # range of green for which its direction makes no difference
CALLED = {"opengl": "OpenGL", "directx": "DirectX"}


def color_values(picture: Picture) -> Floats:
    """Return float32 [H, W, 1 or 3] without alpha, unassociated; integers in [0, 1]."""
    values = picture.as_float()
    if not picture.has_alpha:
        return values
    color, alpha = values[..., :-1].copy(), values[..., -1:]
    if picture.color_space == "linear":
        np.divide(color, alpha, out=color, where=alpha > 0)
    return color


def alpha_matters(picture: Picture) -> bool:
    """Return whether there is an alpha that is not 1 everywhere."""
    pixels = picture.pixels
    peak = 1 if pixels.dtype.kind == "f" else np.iinfo(pixels.dtype).max
    return picture.has_alpha and bool(pixels[..., -1].min() < peak)


def looks_like_height(picture: Picture) -> bool:
    """Return whether an alpha may be a height: it varies, and not only between 0 and 1."""
    alpha = picture.as_float()[..., -1]
    between = (alpha > EDGE) & (alpha < 1 - EDGE)
    return bool(np.ptp(alpha) > EDGE) and float(between.mean()) > BETWEEN_SHARE


def number_values(name: str, file: MapFile, picture: Picture) -> Floats:
    """Return a map of one number per texel, float32 [H, W], integers in [0, 1].

    From the channel of a packed picture, or from green where all channels are alike; inverted if
    ``file`` says so.

    Raises: PictureError for a picture in color, or one without that channel.
    """
    values = _numbers(name, file, picture)
    return 1 - values if file.inverted else values


def _numbers(name: str, file: MapFile, picture: Picture) -> Floats:
    if file.channel is not None:
        return _channel(name, file, picture)
    values = color_values(picture)
    if values.shape[2] == 3 and float(_channel_spread(values).mean()) > GREY_ALIKE:
        raise PictureError(
            f"{file.path}: got a picture in color for {name}, need a grey one. If it is a "
            "packed map, give it by its channels' order, such as arm=PATH."
        )
    return green(values)


def grey_everywhere(values: Floats) -> bool:
    """Return whether the channels of float32 [H, W, C] are equal at every texel, up to JPEG errors.

    Their mean would hide a few lamps in color.
    """
    return values.shape[2] == 1 or float(_channel_spread(values).max()) <= GREY_ALIKE


def green(values: Floats) -> Floats:
    """Return one channel [H, W] of float32 [H, W, C] that are alike."""
    # Green: JPEG and block compression keep it best.
    return np.ascontiguousarray(values[..., values.shape[2] // 2])


def clipped(name: str, values: Floats, notes: list[str], most: float | None = None) -> Floats:
    """Return ``values`` clipped to 0 and above, and to ``most``, with a note on their count."""
    beyond = values < 0
    if most is not None:
        beyond |= values > most
    count = int(np.count_nonzero(beyond))
    if count:
        counted = "1 value" if count == 1 else f"{count} values"
        where = "below 0" if most is None else f"beyond [0, {most:g}]"
        notes.append(f"{name}: {counted} {where} clipped.")
        return np.clip(values, 0, most)
    return values


def normal_values(path: Path, picture: Picture, said: str | None, notes: list[str]) -> Floats:
    """Return float32 [H, W, 3] unit normals, green up, from either convention.

    Args:
        said: "opengl" or "directx"; None: detected from the slopes.
        notes: gets a sentence for each detection or correction.

    Raises: PictureError for a picture that is no tangent-space normal map.
    """
    normal, mended = decode_normals(path, picture, _vectors(picture))
    notes += mended
    found = detect_convention(normal)
    measured = f"margin {abs(found.margin):.2f} of 1"
    seen = found.convention
    if said is None and np.abs(normal[..., 1]).max() > FLAT_GREEN:
        if seen is None:
            notes.append(
                "normal: taken as OpenGL (green up); neither its name nor its slopes say "
                f"({measured}). If light comes from the wrong side, say DirectX."
            )
        else:
            notes.append(f"normal: found to be {CALLED[seen]} by its slopes ({measured}).")
    elif said is not None and seen not in (None, said):
        assert seen is not None
        notes.append(
            f"normal: taken as {CALLED[said]} as it was said, but its slopes look like "
            f"{CALLED[seen]} ({measured}): check its green channel."
        )
    if (said or seen) == "directx":
        normal[..., 1] *= -1
        notes.append("normal: green flipped from DirectX to OpenGL.")
    return normal


def _vectors(picture: Picture) -> Floats:
    """Return the color of a normal map, divided by its alpha only where that makes unit vectors.

    Floats should be multiplied by their alpha, but a normal map's alpha may be a height.
    """
    color = color_values(picture)
    if not picture.has_alpha or picture.pixels.dtype.kind != "f" or picture.channels != 4:
        return color
    stored = picture.as_float()[..., :-1]
    return min(stored, color, key=_off_unit)


def _off_unit(color: Floats) -> float:
    """Return the deviation from length 1 of vectors in [-1, 1] or stored in [0, 1]."""
    vectors = color if float(color.min()) < SIGNED_BELOW else color * 2 - 1
    return float(np.abs(np.sqrt(np.square(vectors).sum(axis=-1)) - 1).mean())


def _channel_spread(values: Floats) -> Floats:
    return values.max(axis=-1) - values.min(axis=-1)


def _channel(name: str, file: MapFile, picture: Picture) -> Floats:
    assert file.channel is not None
    if file.channel == 3 and picture.has_alpha:
        return np.ascontiguousarray(picture.as_float()[..., -1])
    color = color_values(picture)
    if file.channel == 0 and picture.channels == 2:  # grey is red, with another map in alpha
        return np.ascontiguousarray(color[..., 0])
    if file.channel >= color.shape[2] or color.shape[2] == 1:
        got = ("grey", "grey and alpha", "RGB", "RGBA")[picture.channels - 1]
        raise PictureError(
            f"{file.path}: got a picture of {got}, need channel {CHANNELS[file.channel]} for "
            f"{name}. Give {name} a file of its own."
        )
    return np.ascontiguousarray(color[..., file.channel])
