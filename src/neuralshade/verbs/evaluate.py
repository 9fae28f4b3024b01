"""neuralshade evaluate: an asset against its picture, and what others make of the bytes."""

from neuralshade.measure.rows import Row, rows_for
from neuralshade.verbs.opening import AssetLike, Notice, PictureLike, ignore, open_asset
from neuralshade.verbs.render import render


def evaluate(asset: AssetLike, picture: PictureLike, *, notice: Notice = ignore) -> list[Row]:
    """Return the quality of an asset and of JPEG, WebP and a thumbnail of the same size.

    Args:
        asset: path of an asset, or what ``load`` returned.
        picture: the picture to compare with, at whose resolution the asset is drawn.
        notice: called with a line where that is not the resolution it was fitted at.

    Returns:
        Rows with name, setting, bytes, bits_per_pixel, psnr_db, ssim, flip, cropped; the
        asset first. See rows_for.

    Raises: AssetError, PictureError.
    """
    opened = open_asset(asset)
    target = opened.target(picture, notice)
    result = render(opened.asset, size=(target.width, target.height))
    return rows_for(target.as_float(), result, opened.asset.byte_count, opened.color_space)
