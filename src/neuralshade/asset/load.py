"""Reading an asset of whatever kind."""

import os
from collections.abc import Callable

from neuralshade.asset.file import CHECKPOINT, AssetFile, read_asset_file
from neuralshade.asset.image import KIND as IMAGE
from neuralshade.asset.image import ImageAsset, image_asset
from neuralshade.asset.mip_family import KIND as MIP_FAMILY
from neuralshade.asset.mip_family import MipFamilyAsset, mip_family_asset
from neuralshade.asset.shader import KIND as SHADER
from neuralshade.asset.shader import ShaderAsset, shader_asset
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.asset import KIND as MIPMAPS
from neuralshade.kinds.mipmaps.asset import MipmapsAsset, mipmaps_asset
from neuralshade.kinds.splats.asset import KIND as SPLATS
from neuralshade.kinds.splats.asset import SplatsAsset, splats_asset

Asset = ImageAsset | MipFamilyAsset | MipmapsAsset | ShaderAsset | SplatsAsset
KINDS: dict[str, Callable[[AssetFile, str | os.PathLike[str]], Asset]] = {
    IMAGE: image_asset,
    MIP_FAMILY: mip_family_asset,
    MIPMAPS: mipmaps_asset,
    SHADER: shader_asset,
    SPLATS: splats_asset,
}


def load_asset(path: str | os.PathLike[str]) -> Asset:
    """Read what a fit wrote; AssetError says why a file is refused."""
    file = read_asset_file(path)
    kind = file.header["kind"]
    if kind in KINDS:
        return KINDS[kind](file, path)
    remedy = "Upgrade neuralshade."
    if kind.removesuffix(CHECKPOINT) in KINDS:
        remedy = "Finish it with neuralshade fit --resume."
    raise AssetError(f"{path}: got an asset of kind {kind!r}, need one of {list(KINDS)}. {remedy}")
