"""neuralshade render: pictures of an asset at any resolution."""

import numbers
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import psutil
from numpy.typing import NDArray

from neuralshade.asset.asset import check_drawn
from neuralshade.base.atomic import check_writable
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Opened
from neuralshade.source.crop import WHOLE, Crop
from neuralshade.source.image_output import LINEAR, check_suffix, save_picture
from neuralshade.verbs.area_filter import draw_area, samples_of
from neuralshade.verbs.pane_drawing import PaneDrawing, PaneRequest
from neuralshade.verbs.sizes import Size, drawn_size, whole_pixels
from neuralshade.verbs.tone_mapping import AUTO, check_tone, tone_map

FILTERS = ("area", "point")
# Limit of pixels by the file's own size: at the lowest bit rate of a fit, 0.001 bits a pixel, and
# at least those of a large photograph.
PIXELS_PER_BYTE, FREE_PIXELS = 8_000, 2**25


def render(
    asset: AssetLike,
    output: str | os.PathLike[str] | None = None,
    *,
    size: Size | None = None,
    scale: float | None = None,
    stretch: bool = False,
    filter: str = "area",
    crop: Crop = WHOLE,
    exposure: float | Literal["auto"] | None = None,
    tonemap: str = "clip",
    values: Mapping[str, Any] | None = None,
    trust: bool = False,
    show: str | None = None,
    reference: Any = None,
    light: Sequence[float] | None = None,
    turn: Sequence[float] | None = None,
    level: int = 0,
) -> NDArray[Any]:
    """Return the asset's picture at any resolution, and save it where there is an ``output``.

    Args:
        asset: path of an asset, or the result of ``load``.
        output: .png, .jpg, .ppm, .pgm, .webp, .tif, .exr or .hdr file.
        size: the longer side in pixels, or width and height, one of which may be None to keep the
            aspect. By default the fitted size (of the crop).
        scale: of the fitted size, instead of ``size``.
        stretch: allow a size with another aspect.
        filter: where the size is smaller than the fitted one, "area" takes the mean of what a
            pixel covers, of at most 16 x 16 samples, and "point" the value at its center. Lit
            planes and users' tasks are not filtered.
        crop: u0, v0, u1, v1: the part to draw, u to the right and v down, the whole is
            0, 0, 1, 1. Grids clamp beyond it.
        exposure: of linear pictures, in stops; "auto" scales the 99th percentile of the drawing
            to 1, as reports, movies and the live page do. By default auto for an HDR picture in
            a display format, otherwise 0.
        tonemap: of linear pictures: "clip" leaves values above 1 to the file format, "reinhard"
            compresses them.
        values: for the members of a user's task, by name, instead of its own: pictures, numbers,
            NAME.size, and numbers of trained members, as in ``fit_shader``. For a material,
            numbers for its varied inputs, instead of their defaults.
        trust: run Slang code that came with the asset and that no fit of yours had, and code of a
            MaterialX document that is the ``reference``.
        show: a pane of its live page instead of its own picture: "sphere" or "plane" of a
            material, "lit" or "map:roughness" of maps, "box" or "reference" of mip levels; with
            a ``reference`` "given:PANE", that pane of the reference, and "difference" of the
            first pane or "difference:PANE": four times around grey, in sRGB.
        reference: source of the asset.
        light: of a lit pane: azimuth and elevation in degrees, as on the live page, or a
            direction towards it: x right, y up and z to the eye; over receding planes y away
            and z up.
        turn: of a sphere, degrees: to the right, and its top to the eye.
        level: mip level of maps.

    Returns:
        float32 [height, width, channels] in the fitted picture's colour space; sRGB values
        are clamped to [0, 1]. Lit maps are sRGB, and linear with an exposure or tonemap.

    Raises: AssetError, PictureError, OutputError; ConfigError for a size or crop without pixels,
        a size of another aspect, an unknown filter or tonemap, a tone for a picture that is not
        linear, values without a member, or an unknown pane, light or level.
    """
    opened: Opened | PaneDrawing = open_asset(asset, values, trust=trust)
    pane = PaneRequest(show, reference, _angles("light", light, (2, 3)),
                       _angles("turn", turn, (2,)), level)  # fmt: skip
    if pane != PaneRequest() and isinstance(opened, Opened):
        opened = PaneDrawing(opened, pane)
    if output is not None:
        check_suffix(output)
        check_writable(output)
    exposure = _usual_exposure(opened, output) if exposure is None else exposure
    if isinstance(opened, PaneDrawing) and (exposure != 0 or tonemap != "clip"):
        opened.as_light()
    check_tone(exposure, tonemap, opened.color_space)
    u0, v0, u1, v1 = crop = _numbers("crop", crop, 4, numbers.Real, "u0, v0, u1, v1")
    if not (0 <= u0 < u1 <= 1 and 0 <= v0 < v1 <= 1):
        raise ConfigError(f"crop: got {u0:g},{v0:g},{u1:g},{v1:g}, need u0 < u1 and v0 < v1 "
                          "in [0, 1]. The whole picture is 0,0,1,1.")  # fmt: skip
    if filter not in FILTERS:
        raise ConfigError(f"filter: got {shown(filter)}, need one of {list(FILTERS)}."
                          f"{did_you_mean(str(filter), FILTERS)}")  # fmt: skip
    fitted = _fitted_size(opened, crop)
    if size is None and scale is None:
        _check_justified(opened, fitted)
    target = drawn_size(size, scale, fitted, any_aspect=stretch or opened.draws_view)
    width, height = target
    _check_memory(width, height, int(opened.picture["channels"]))
    averaged = filter == "area" and not opened.draws_view
    samples = samples_of(target, whole_pixels(*fitted)) if averaged else (1, 1)
    with opened:
        if samples == (1, 1):
            drawn = _drawn(opened, width, height, crop)
        else:
            drawn = draw_area(partial(_drawn, opened), target, crop, samples,
                              opened.color_space == "srgb")  # fmt: skip
    linear = opened.color_space == "linear"
    pixels = np.ascontiguousarray(
        tone_map(drawn, exposure, tonemap) if linear else drawn.clip(0, 1)
    )
    if output is not None:
        save_picture(output, pixels, opened.color_space)
    return pixels


def _usual_exposure(opened: Opened | PaneDrawing, output: Any) -> float | Literal["auto"]:
    """Return the default exposure."""
    for_screen = output is not None and check_suffix(output) not in LINEAR
    hdr = isinstance(opened, Opened) and opened.kind.subject.picture
    return AUTO if for_screen and hdr and opened.color_space == "linear" else 0.0


def _angles(name: str, value: Sequence[float] | None, counts: tuple[int, ...]) -> Any:
    """Return that many finite numbers, or None; ConfigError otherwise."""
    if value is None:
        return None
    try:
        found = tuple(float(number) for number in value)
    except (TypeError, ValueError):
        found = ()
    if len(found) not in counts or not np.isfinite(found).all():
        need = " or ".join(str(count) for count in counts)
        raise ConfigError(f"{name}: got {shown(value)}, need {need} finite numbers.")
    return found


def _drawn(opened: Opened | PaneDrawing, width: int, height: int, crop: Crop) -> NDArray[Any]:
    """Return the drawing; AssetError for values that are not finite, before any mean."""
    drawn = opened.draw(width, height, crop)
    check_drawn(opened.path, drawn)
    return drawn


def _numbers(name: str, value: Any, count: int, kind: type, need: str) -> Any:
    """Return that many numbers as a tuple; ConfigError otherwise."""
    whole = isinstance(value, (tuple, list, np.ndarray)) and len(value) == count
    if not whole or not all(isinstance(n, kind) and not isinstance(n, bool) for n in value):
        raise ConfigError(f"{name}: got {shown(value)}, need {count} numbers: {need}. Leave it out "
                          "for the whole picture as it was fitted.")  # fmt: skip
    return tuple(value)


def _check_memory(width: int, height: int, channels: int) -> None:
    """Raise ConfigError where the pixels and two copies exceed free memory."""
    needed, free = 3 * 4 * width * height * channels, psutil.virtual_memory().available
    if needed > free:
        raise ConfigError(f"size: got {width}x{height}, need about {needed / 2**30:.1f} GB of "
                          f"memory for it where {free / 2**30:.1f} GB are free. Draw it in "
                          "parts with crop.")  # fmt: skip


def _fitted_size(opened: Opened | PaneDrawing, crop: Crop) -> tuple[float, float]:
    """Return the fitted width and height of a part, in pixels and fractions."""
    (width, height), (u0, v0, u1, v1) = opened.size, crop
    return width * (u1 - u0), height * (v1 - v0)


def _check_justified(opened: Opened | PaneDrawing, fitted: tuple[float, float]) -> None:
    """Raise ConfigError where the asset claims more pixels than its bytes justify."""
    if fitted[0] * fitted[1] > FREE_PIXELS + PIXELS_PER_BYTE * opened.byte_count:
        width, height = opened.size
        raise ConfigError(f"size: got none for {opened.path}, which tells of {width} x {height} "
                          f"pixels in {opened.byte_count:,} bytes, need one for so many. Write "
                          "for example 1920x1080.")  # fmt: skip
