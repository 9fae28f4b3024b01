"""Asset: header and tensors of a fit's file, the same for all kinds."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.file import AssetFile, read_asset_file, to_bytes, write_asset_file
from neuralshade.asset.plugin_provenance import PART, plugin_notes
from neuralshade.asset.rules import ASSET
from neuralshade.asset.schema import Form, ObjectOf, Rule, check_forms, check_header, check_numbers
from neuralshade.errors import AssetError
from neuralshade.source.picture import Picture

CURVE_POINTS = 24  # rows of the training curve in an asset, which should stay small
REMEDY = "Fit it again."
FILE_FACTS = ("checksum", "format", "kind")  # of the file itself


@dataclass(frozen=True)
class Header:
    """Header of an asset, besides its numbers: plain JSON data.

    ``recipe`` makes it again; ``training`` has steps, seconds and curve (rows of step, seconds,
    loss, psnr_db); ``quality`` was measured on the stored numbers; ``picture`` is the name, width
    and height in pixels, channels, color_space, dtype and perhaps digest of the fitted picture,
    None for other assets. ``own`` holds the entries that only this kind has, by name.
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
    """Return an asset in its stored form, its curve thinned out to ``curve_points``."""
    training = dict(header.training)
    if "curve" in training:
        training["curve"] = thin(training["curve"], curve_points)
    shown = {} if header.picture is None else {"picture": header.picture}
    content = {"kind": kind, "recipe": header.recipe, **shown, "training": training,
               "quality": header.quality, **header.own}  # fmt: skip
    if note := plugin_notes([("kind", kind)]):
        content[PART] = note[PART] + content.get(PART, [])
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
    """Read a file of ``save_asset``; AssetError where it is refused.

    ``kind``: the kind it has to be of; None for any.
    """
    return asset_of(read_asset_file(path, kind), path)


def asset_of(file: AssetFile, path: str | os.PathLike[str]) -> Asset:
    """Return the asset of a parsed file.

    Raises: AssetError where its header breaks a rule that all kinds share, or a tensor is not
        finite.
    """
    check_header(str(path), file.header, ASSET, "asset", REMEDY)
    check_numbers(str(path), file.tensors, REMEDY)
    parts = {name: value for name, value in file.header.items() if name not in FILE_FACTS}
    recipe, training, quality = (parts.pop(name) for name in ("recipe", "training", "quality"))
    header = Header(recipe, training, quality, parts.pop("picture", None), parts)
    return Asset(
        file.header["kind"], header, file.tensors, os.path.getsize(path), os.fspath(path)
    )  # fmt: skip


def check_own(asset: Asset, rules: Mapping[str, Rule]) -> None:
    """Raise AssetError where parts of the header break the rules of its kind."""
    parts = {**asset.header.own, "training": asset.header.training,
             "quality": asset.header.quality}  # fmt: skip
    check_header(asset.path, parts, ObjectOf(rules), "asset", REMEDY)


def check_tensors(asset: Asset, forms: Mapping[str, Form] | None) -> None:
    """Raise AssetError unless the tensors have these ``forms``; None allows any."""
    if forms is not None:
        check_forms(asset.path, asset.tensors, forms, REMEDY)


def check_drawn(path: str, drawn: NDArray[Any]) -> None:
    """Raise AssetError where a drawn picture has NaN or infinity."""
    if not np.isfinite(drawn).all():
        raise AssetError(f"{path}: got NaN or infinity in what it draws, need finite colors. Its "
                         "numbers are too large: fit it again.")  # fmt: skip


def picture_facts(picture: Picture, digest: str | None = None) -> dict[str, Any]:
    """Return the header's entry for the fitted picture.

    ``digest`` saves reading every pixel where any will do.
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
    """Return at most ``count`` rows of a training curve; two thirds of them have a PSNR.

    Rows with and without one are each log-spaced from the first to the last.
    """
    measured = [i for i, row in enumerate(curve) if row[3] is not None]
    if len(curve) <= count or count < 6 or not 0 < len(measured) < len(curve):
        return log_spaced(curve, count)
    alone = [i for i, row in enumerate(curve) if row[3] is None]
    kept = log_spaced(measured, max(count - len(alone), 2 * count // 3))
    return [curve[i] for i in sorted(kept + log_spaced(alone, count - len(kept)))]


def log_spaced(curve: list[Any], count: int) -> list[Any]:
    """Return at most ``count`` items, log-spaced from the first to the last."""
    if len(curve) <= count:
        return curve
    last = len(curve) - 1
    picked = {round((last + 1) ** (i / (count - 1))) - 1 for i in range(count)}
    return [curve[i] for i in sorted(picked | {last})]
