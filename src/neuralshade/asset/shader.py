"""A trained task in a file: its module's text, and what was trained of each member."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.file import (
    AssetFile,
    content_of,
    header_of,
    read_asset_file,
    write_asset_file,
)
from neuralshade.asset.image import thin

KIND = "shader"
CURVE_POINTS = 100  # of the training curve that are kept


@dataclass(frozen=True)
class ShaderHeader:
    """What such an asset says of itself, besides its numbers.

    ``recipe`` has all settings; ``module`` has ``text`` and ``name`` of the user's file, ``files``
    (text by name of those of the user's own that it takes in), ``values`` (numbers that members
    were given, and sizes of textures) and ``pictures`` (path and digest of those that they were
    given: the file holds none of them); ``picture`` is
    what the task renders, as an ImageHeader's, or None; ``training`` and ``quality`` as there,
    with ``loss`` in place of a PSNR.
    """

    recipe: dict[str, Any]
    module: dict[str, Any]
    picture: dict[str, Any] | None
    training: dict[str, Any]
    quality: dict[str, Any]


@dataclass(frozen=True)
class ShaderAsset:
    """Header and trained members, float32 each in its shape, and the file's size in bytes."""

    header: ShaderHeader
    tensors: dict[str, NDArray[Any]]
    byte_count: int
    path: str


def save_shader_asset(
    path: str | os.PathLike[str], header: ShaderHeader, members: dict[str, NDArray[np.float32]]
) -> int:
    """Write the asset whole or not at all; return its size in bytes. Raises OutputError."""
    content = content_of(header)
    content["training"] = {**header.training, "curve": thin(header.training["curve"], CURVE_POINTS)}
    return write_asset_file(path, AssetFile({"kind": KIND, **content}, members))


def load_shader_asset(path: str | os.PathLike[str]) -> ShaderAsset:
    """Read what ``save_shader_asset`` wrote; AssetError says why a file is refused."""
    return shader_asset(read_asset_file(path, KIND), path)


def shader_asset(file: AssetFile, path: str | os.PathLike[str]) -> ShaderAsset:
    """Return the asset of a file that was read; AssetError where its header is not whole."""
    header = header_of(ShaderHeader, file, path)
    return ShaderAsset(header, file.tensors, os.path.getsize(path), str(path))
