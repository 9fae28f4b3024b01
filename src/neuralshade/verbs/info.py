"""neuralshade info: what an asset is."""

from typing import Any

from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike


def info(asset: AssetLike) -> dict[str, Any]:
    """Return what the asset says of itself, as plain JSON data.

    Keys: path, kind, format, bytes (on disk), bits_per_pixel (None where what is shown is of any
    size, or nothing is), memory_bytes (of pictures, Gaussians and texture sets: in a GPU's memory,
    as a shader reads them), parameters, picture (None where there is none), recipe, training,
    quality (measured when it was fitted), tensors (name -> dtype and shape); and what only its
    kind has: of Gaussians cloud, of mip levels maps, of a family's network family, of a
    user's task module; plugins, where other packages brought an encoding, loss or kind.

    Raises: AssetError.
    """
    return open_asset(asset).facts()
