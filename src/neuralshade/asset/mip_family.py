"""The network of a family of PBR sets in a file: what fit mipmaps --share trains and takes."""

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

KIND = "mip_family"


@dataclass(frozen=True)
class MipFamilyHeader:
    """What such an asset says of itself, besides its numbers.

    ``recipe`` has the settings of the fits that it learned from; ``family`` has ``sets`` (name,
    width and height of each) and ``network``, how that was trained; ``training`` its ``steps``
    and ``seconds``; ``quality`` has ``left``, by set: the share of the trained texels'
    corrections that the network misses.
    """

    recipe: dict[str, Any]
    family: dict[str, Any]
    training: dict[str, Any]
    quality: dict[str, Any]

    @property
    def picture(self) -> None:
        """Return None: a network is no picture."""
        return None


@dataclass(frozen=True)
class MipFamilyAsset:
    """Header, and float32 parameters of a MipCorrection by their names there."""

    header: MipFamilyHeader
    tensors: dict[str, NDArray[Any]]
    byte_count: int
    path: str


def save_mip_family(
    path: str | os.PathLike[str], header: MipFamilyHeader, tensors: dict[str, NDArray[np.float32]]
) -> int:
    """Write the asset whole or not at all; return its size in bytes. Raises OutputError."""
    content = content_of(header)
    return write_asset_file(path, AssetFile({"kind": KIND, **content}, tensors))


def load_mip_family(path: str | os.PathLike[str]) -> MipFamilyAsset:
    """Read what ``save_mip_family`` wrote; AssetError says why a file is refused."""
    return mip_family_asset(read_asset_file(path, KIND), path)


def mip_family_asset(file: AssetFile, path: str | os.PathLike[str]) -> MipFamilyAsset:
    """Return the asset of a file that was read; AssetError where its header is not whole."""
    header = header_of(MipFamilyHeader, file, path)
    return MipFamilyAsset(header, file.tensors, os.path.getsize(path), str(path))
