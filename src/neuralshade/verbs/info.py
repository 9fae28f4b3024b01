"""neuralshade info: what an asset is."""

from typing import Any

from neuralshade.asset.file import FORMAT
from neuralshade.asset.mip_family import MipFamilyAsset
from neuralshade.asset.shader import ShaderAsset
from neuralshade.kinds.mipmaps.asset import MipmapsAsset
from neuralshade.kinds.splats.asset import SplatsAsset
from neuralshade.verbs.opening import AssetLike, open_asset


def info(asset: AssetLike) -> dict[str, Any]:
    """Return what the asset says of itself, as plain JSON data.

    Keys: path, kind, format, bytes, bits_per_pixel, parameters, picture, recipe, training,
    quality (measured when it was fitted), tensors (name -> dtype and shape); of Gaussians also
    cloud, see SplatsHeader; of a user's task also module, see ShaderHeader, bits_per_pixel is None
    (it renders at any size), and so is picture where it renders nothing; of mip levels both are
    None, and maps, see MipmapsHeader, tells of the levels; of a family's network too, and family,
    see MipFamilyHeader, tells of its sets.

    Raises: AssetError.
    """
    opened = open_asset(asset)
    file = opened.asset
    pixels = None  # that the numbers stand for
    if file.header.picture and not isinstance(file, ShaderAsset):
        pixels = opened.size[0] * opened.size[1]
    facts = {
        "path": file.path,
        "kind": opened.kind,
        "format": FORMAT,
        "bytes": file.byte_count,
        "bits_per_pixel": None if pixels is None else file.byte_count * 8 / pixels,
        "parameters": opened.numbers,
        "picture": file.header.picture,
        "recipe": file.header.recipe,
        "training": file.header.training,
        "quality": file.header.quality,
        "tensors": {n: f"{t.dtype} {list(t.shape)}" for n, t in file.tensors.items()},
    }
    if isinstance(file, SplatsAsset):
        facts["cloud"] = file.header.cloud
    if isinstance(file, ShaderAsset):
        facts["module"] = file.header.module
    if isinstance(file, MipmapsAsset):
        facts["maps"] = file.header.maps
    if isinstance(file, MipFamilyAsset):
        facts["family"] = file.header.family
    return facts
