"""Reading an asset of whatever kind."""

import os
from collections.abc import Callable

from neuralshade.asset.file import CHECKPOINT, read_asset_file
from neuralshade.asset.image import KIND as IMAGE
from neuralshade.asset.image import ImageAsset, load_image_asset
from neuralshade.asset.splats import KIND as SPLATS
from neuralshade.asset.splats import SplatsAsset, load_splats_asset
from neuralshade.errors import AssetError

Asset = ImageAsset | SplatsAsset
LOADERS: dict[str, Callable[[str | os.PathLike[str]], Asset]] = {
    IMAGE: load_image_asset,
    SPLATS: load_splats_asset,
}


def load_asset(path: str | os.PathLike[str]) -> Asset:
    """Read what a fit wrote; AssetError says why a file is refused."""
    kind = read_asset_file(path).header["kind"]
    if kind in LOADERS:
        return LOADERS[kind](path)
    remedy = "Upgrade neuralshade."
    if kind.removesuffix(CHECKPOINT) in LOADERS:
        remedy = "Finish it with neuralshade fit --resume."
    raise AssetError(
        f"{path}: got an asset of kind {kind!r}, need one of {list(LOADERS)}. {remedy}"
    )
