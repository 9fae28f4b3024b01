"""neuralshade evaluate: an asset against its picture, and what others make of the bytes."""

from collections.abc import Mapping
from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.kinds.mipmaps.evaluate import evaluate_mipmaps
from neuralshade.kinds.shader.evaluate import evaluate_shader
from neuralshade.kinds.shader.opened import OpenedShader
from neuralshade.measure.rows import Row, rows_for
from neuralshade.source.texture_set import TextureSet
from neuralshade.verbs.opened_mipmaps import OpenedMipmaps, picture_for
from neuralshade.verbs.opening import AssetLike, Notice, PictureLike, ignore, open_asset
from neuralshade.verbs.render import render


def evaluate(
    asset: AssetLike,
    picture: PictureLike | TextureSet | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    notice: Notice = ignore,
) -> list[Row]:
    """Return the quality of an asset and of JPEG, WebP and a thumbnail of the same size.

    Of mip levels, the error of each under lights that no fit has seen, beside those of a box
    filter, Toksvig's and LEAN mapping. Of a user's task, without a picture: its mean loss over
    random numbers that its fit has not seen. Both take a GPU, or software Vulkan.

    Args:
        asset: path of an asset, or what ``load`` returned.
        picture: the picture to compare with, at whose resolution the asset is drawn; of mip
            levels a folder, a manifest or a TextureSet, the maps that they were trained from; of
            a task what it renders, or None.
        values: for the members of a user's task, as ``render`` takes them.
        notice: called with a line where that is not the resolution it was fitted at.

    Returns:
        Rows with name, setting, bytes, bits_per_pixel, psnr_db, ssim, flip, cropped; the
        asset first. See rows_for. Of mip levels, see evaluate_mipmaps; of a task without a
        picture, see evaluate_shader.

    Raises: AssetError, PictureError; ConfigError where a picture is missing; of mip levels and
        tasks also ConfigError, DeviceError.
    """
    opened = open_asset(asset, values)
    if picture is None:
        if isinstance(opened, OpenedShader):
            return evaluate_shader(opened)
        raise ConfigError(f"{opened.asset.path}: got no picture, need the one to compare with. "
                          "Give it as the second argument.")  # fmt: skip
    if isinstance(opened, OpenedMipmaps):
        return evaluate_mipmaps(opened, picture)
    target = opened.target(picture_for(opened, picture), notice)
    result = render(opened.asset, size=(target.width, target.height), values=values)
    return rows_for(target.as_float(), result, opened.asset.byte_count, opened.color_space)
