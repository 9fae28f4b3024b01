"""A fitted picture: its field, and what is known about it."""

import os
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from neuralshade.asset.file import AssetFile, header_of, read_asset_file, write_asset_file
from neuralshade.source.picture import Picture

KIND = "image"
CURVE_POINTS = 24  # of the training curve that are kept in an asset; it should stay small


@dataclass(frozen=True)
class ImageHeader:
    """What an image asset says of itself, besides its numbers.

    ``recipe`` makes it again; ``picture`` is the fitted picture's name, width and height in
    pixels, channels, color_space, dtype and digest; ``training`` has steps, seconds and curve
    (rows of step, seconds, loss, psnr_db); ``quality`` was measured on the stored numbers.
    """

    recipe: dict[str, Any]
    picture: dict[str, Any]
    training: dict[str, Any]
    quality: dict[str, Any]


@dataclass(frozen=True)
class ImageAsset:
    """Header and tensors of a fitted picture, and the size of its file in bytes."""

    header: ImageHeader
    tensors: dict[str, NDArray[Any]]
    byte_count: int
    path: str


def save_image_asset(
    path: str | os.PathLike[str], header: ImageHeader, tensors: dict[str, NDArray[Any]]
) -> int:
    """Write the asset whole or not at all; return its size in bytes. Raises OutputError."""
    return write_asset_file(path, image_file(header, tensors))


def image_file(header: ImageHeader, tensors: dict[str, NDArray[Any]]) -> AssetFile:
    """Return the asset as the file holds it, its curve thinned out."""
    curve = thin(header.training["curve"], CURVE_POINTS)
    content = {
        "kind": KIND,
        "recipe": header.recipe,
        "picture": header.picture,
        "training": {**header.training, "curve": curve},
        "quality": header.quality,
    }
    return AssetFile(content, tensors)


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


def load_image_asset(path: str | os.PathLike[str]) -> ImageAsset:
    """Read what ``save_image_asset`` wrote; AssetError says why a file is refused."""
    return image_asset(read_asset_file(path, KIND), path)


def image_asset(file: AssetFile, path: str | os.PathLike[str]) -> ImageAsset:
    """Return the asset of a file that was read; AssetError where its header is not whole."""
    header = header_of(ImageHeader, file, path)
    return ImageAsset(header, file.tensors, os.path.getsize(path), str(path))


def thin(curve: list[Any], count: int) -> list[Any]:
    """Return at most ``count`` rows, log-spaced from the first to the last."""
    if len(curve) <= count:
        return curve
    last = len(curve) - 1
    picked = {round((last + 1) ** (i / (count - 1))) - 1 for i in range(count)}
    return [curve[i] for i in sorted(picked | {last})]
