"""neuralshade evaluate: quality of an asset, beside other formats at equal bytes."""

from collections.abc import Mapping
from typing import Any

from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Notice, ignore
from neuralshade.measure.table import Table


def evaluate(
    asset: AssetLike,
    picture: Any = None,
    *,
    values: Mapping[str, Any] | None = None,
    trust: bool = False,
    speed: bool = False,
    notice: Notice = ignore,
) -> Table:
    """Return the quality of an asset, of files and a thumbnail of its size, and of textures.

    Files are JPEG, WebP and, with Pillow 11.3 or newer, AVIF.

    Textures are those for shaders: BC1, BC7 and ASTC, for one channel BC4, for two BC5, each at
    full resolution and, except for ASTC, reduced to the same size. Pictures above four megapixels
    and HDR ones are not compared with textures; the rows state that.

    For mip levels, the error of each under held-out lights, beside a box filter, Toksvig's and LEAN
    mapping. For texture sets, the PSNR of every map and mip, beside BC7, BC5 and BC4 at full and
    half size, and beside picture files of equal size. For a user's task without a picture, its mean
    loss over held-out random numbers. Mip levels and tasks need a GPU, or software Vulkan.

    Args:
        asset: path of an asset, or the result of ``load``.
        picture: the reference: a file's path or pixels in memory as for ``load_picture``, which set
            the resolution; for mip levels a folder, a manifest or a TextureSet, the maps that they
            were trained from; for texture sets the source as for ``fit_textures``; for a task the
            reference of its render, or None.
        values, trust: of a user's task, as in ``render``; values also of a material's varied
            inputs.
        speed: of a material: also time its network on the present GPU, or software Vulkan, and
            beside it the material itself; the row's ``speed`` has the rows.
        notice: called with a line, before the work, where the picture is not the fitted one.

    Returns:
        A list of rows, dicts of plain JSON data, whose ``print`` shows them: name, setting,
        bytes (on disk), bits_per_pixel, psnr_db, ssim, flip, cropped, memory_bytes (of a GPU, as
        a shader reads it; None where unknown), random_access (whether a shader reads any texel
        of the stored data); the asset first. For a task also inputs: the pictures that it needs
        and does not contain, each with member, path, bytes (of its file) and memory_bytes. Rows
        of mip levels, texture sets, and tasks without a picture have other fields, see
        evaluate_mipmaps, evaluate_textures and evaluate_shader.

    Raises: AssetError, PictureError; ConfigError where a picture is missing, and for speed of
        other kinds than materials; of mip levels, tasks and speed also DeviceError.
    """
    with open_asset(asset, values, trust=trust) as opened:
        timed = opened.speed(picture, notice) if speed else None
        table = opened.evaluate(picture, ignore if speed else notice)  # once is enough
        if timed is not None:
            table[0]["speed"] = list(timed)
            table.lines = [*table.lines, *timed.lines]
        return table
