"""An asset: what a fit left, as every kind's file holds it."""

import os
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from neuralshade.asset.file import AssetFile, read_asset_file, to_bytes, write_asset_file
from neuralshade.errors import AssetError
from neuralshade.source.picture import Picture

CURVE_POINTS = 24  # of the training curve that are kept in an asset; it should stay small
NEEDED = ("recipe", "training", "quality")  # in every header
FILE_FACTS = ("checksum", "format", "kind")  # of the file itself


@dataclass(frozen=True)
class Header:
    """What an asset says of itself, besides its numbers; all of it is plain JSON data.

    ``recipe`` makes it again; ``training`` has steps, seconds and curve (rows of step, seconds,
    loss, psnr_db); ``quality`` was measured on the stored numbers; ``picture`` is the name, width
    and height in pixels, channels, color_space, dtype and perhaps digest of what it shows, None
    where it shows no picture. ``own`` holds what only assets of its kind have, by name.
    """

    recipe: dict[str, Any]
    training: dict[str, Any]
    quality: dict[str, Any]
    picture: dict[str, Any] | None = None
    own: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Asset:
    """Header and tensors of a file that a fit wrote, its size in bytes and its path."""

    kind: str
    header: Header
    tensors: dict[str, NDArray[Any]]
    byte_count: int = 0  # 0 where there is no file yet
    path: str = ""


def asset_file(
    kind: str, header: Header, tensors: dict[str, NDArray[Any]], curve_points: int = CURVE_POINTS
) -> AssetFile:
    """Return an asset as its file holds it, its curve thinned out to ``curve_points``."""
    training = dict(header.training)
    if "curve" in training:
        training["curve"] = thin(training["curve"], curve_points)
    shown = {} if header.picture is None else {"picture": header.picture}
    content = {"kind": kind, "recipe": header.recipe, **shown, "training": training,
               "quality": header.quality, **header.own}  # fmt: skip
    return AssetFile(content, tensors)


def save_asset(
    path: str | os.PathLike[str],
    kind: str,
    header: Header,
    tensors: dict[str, NDArray[Any]],
    curve_points: int = CURVE_POINTS,
) -> int:
    """Write an asset whole or not at all; return its size in bytes. Raises OutputError."""
    return write_asset_file(path, asset_file(kind, header, tensors, curve_points))


def asset_size(
    kind: str, header: Header, tensors: dict[str, NDArray[Any]], curve_points: int = CURVE_POINTS
) -> int:
    """Return how many bytes ``save_asset`` would write."""
    return len(to_bytes(asset_file(kind, header, tensors, curve_points)))


def read_asset(path: str | os.PathLike[str], kind: str | None = None) -> Asset:
    """Read what ``save_asset`` wrote; AssetError says why a file is refused.

    ``kind``: the one that it must be of, where it matters.
    """
    return asset_of(read_asset_file(path, kind), path)


def asset_of(file: AssetFile, path: str | os.PathLike[str]) -> Asset:
    """Return the asset of a file that was read; AssetError where its header is not whole."""
    asset = Asset(str(file.header["kind"]), Header({}, {}, {}), file.tensors,
                  os.path.getsize(path), str(path))  # fmt: skip
    parts = {name: value for name, value in file.header.items() if name not in FILE_FACTS}
    check_parts(asset, parts, NEEDED)
    recipe, training, quality = (parts.pop(name) for name in NEEDED)
    return replace(
        asset, header=Header(recipe, training, quality, parts.pop("picture", None), parts)
    )


def check_parts(asset: Asset, parts: Any, needed: tuple[str, ...]) -> None:
    """Raise AssetError naming the first of ``needed`` that is not among ``parts``."""
    for name in needed:
        if name not in parts:
            raise AssetError(f"{asset.path}: got no {name!r} in the header, need a whole asset. "
                             "Fit it again.")  # fmt: skip


def picture_facts(picture: Picture, digest: str | None = None) -> dict[str, Any]:
    """Return what an asset says of the picture it was fitted to.

    ``digest`` spares reading every pixel where the right one does not matter.
    """
    return {
        "name": picture.name,
        "width": picture.width,
        "height": picture.height,
        "channels": picture.channels,
        "color_space": picture.color_space,
        "dtype": picture.pixels.dtype.name,
        "digest": picture.digest if digest is None else digest,
    }


def thin(curve: list[Any], count: int) -> list[Any]:
    """Return at most ``count`` rows, log-spaced from the first to the last."""
    if len(curve) <= count:
        return curve
    last = len(curve) - 1
    picked = {round((last + 1) ** (i / (count - 1))) - 1 for i in range(count)}
    return [curve[i] for i in sorted(picked | {last})]
