"""neuralshade info: what an asset is."""

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
