"""neuralshade info: what an asset is."""

from typing import Any

from neuralshade.asset.file import FORMAT
from neuralshade.asset.mipmaps import MipmapsAsset
from neuralshade.asset.shader import ShaderAsset
from neuralshade.asset.splats import SplatsAsset
from neuralshade.verbs.opening import AssetLike, open_asset


def info(asset: AssetLike) -> dict[str, Any]:
    """Return what the asset says of itself, as plain JSON data.

    Keys: path, kind, format, bytes, bits_per_pixel, parameters, picture, recipe, training,
    quality (measured when it was fitted), tensors (name -> dtype and shape); of Gaussians also
    cloud, see SplatsHeader; of a user's task also module, see ShaderHeader, and picture and
    bits_per_pixel are None where it renders nothing; of mip levels they are None, and maps, see
    MipmapsHeader, tells of the levels.

    Raises: AssetError.
    """
    opened = open_asset(asset)
    file = opened.asset
    width, height = opened.size if file.header.picture else (1, 1)
    facts = {
        "path": file.path,
        "kind": opened.kind,
        "format": FORMAT,
        "bytes": file.byte_count,
        "bits_per_pixel": file.byte_count * 8 / (width * height) if file.header.picture else None,
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
    return facts
