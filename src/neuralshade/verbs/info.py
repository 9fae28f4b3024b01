"""neuralshade info: what an asset is."""

import os
from typing import Any

from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike


def info(asset: AssetLike) -> dict[str, Any]:
    """Return what the asset says of itself, as plain JSON data.

    Keys: path, kind, format, bytes (on disk), bits_per_pixel (of the file, for a pixel or a texel
    of the largest level; None where there are none), memory_bytes (in a GPU's memory, as a shader
    reads it, mip levels in the formats of their files; None of a user's task), parameters, picture
    (None where there is none), recipe, training, quality (measured when it was fitted), tensors
    (name -> dtype and shape); and what only its kind has: of Gaussians cloud, of mip levels maps,
    of a family's network family, of a user's task module; plugins, where other packages brought an
    encoding, loss or kind.

    Raises: AssetError.
    """
    return open_asset(asset).facts()


def unopened_facts(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return what the header of an asset says whose package is missing; None of any other.

    Keys: path, kind, bytes, and the header's: plugins, recipe, training, quality.

    Raises: AssetError where the file is not whole.
    """
    from neuralshade.asset.brought import PART, missing_package
    from neuralshade.asset.file import read_asset_file

    file = read_asset_file(path)
    if missing_package(os.fspath(path), file.header) is None:
        return None
    parts = (PART, "recipe", "training", "quality")
    return {"path": os.fspath(path), "kind": file.header["kind"], "bytes": os.stat(path).st_size,
            **{name: file.header[name] for name in parts if name in file.header}}  # fmt: skip
