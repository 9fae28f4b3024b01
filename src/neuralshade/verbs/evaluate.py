"""neuralshade evaluate: an asset against its picture, and what others make of the bytes."""

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
    """Return the quality of an asset, of JPEG, WebP and a thumbnail of its size, and of textures.

    Textures are what a shader samples: BC1, BC7 and ASTC, for one channel BC4, for two BC5, each at
    full resolution and, but for ASTC, reduced to as many bytes. Pictures above four megapixels and
    HDR ones are not compared with textures; the rows say so.

    Of mip levels, the error of each under lights that no fit has seen, beside those of a box
    filter, Toksvig's and LEAN mapping. Of texture sets, the PSNR of every map and mip, beside BC7,
    BC5 and BC4 at full and half size, and beside picture files of as many bytes. Of a user's task,
    without a picture: its mean loss over random numbers that its fit has not seen. Mip levels and
    tasks take a GPU, or software Vulkan.

    Args:
        asset: path of an asset, or what ``load`` returned.
        picture: the picture to compare with, a file's path or pixels in memory as ``load_picture``
            takes them, at whose resolution the asset is drawn; of mip levels a folder, a manifest
            or a TextureSet, the maps that they were trained from; of texture sets what
            ``fit_textures`` takes; of a task what it renders, or None.
        values, trust: of a user's task, as ``render`` takes them; values also of what a material
            varies.
        speed: of a material: time its network on the GPU at hand, or software Vulkan, and beside it
            the material itself; the row's ``speed`` has the rows.
        notice: called with a line, before the work, where that is not what it was fitted to.

    Returns:
        A list of rows, dicts of plain JSON data, whose ``print`` shows them: name, setting,
        bytes (on disk), bits_per_pixel, psnr_db, ssim, flip, cropped, memory_bytes (of a GPU, as
        a shader reads it; None where not known), random_access (whether a shader reads any texel
        of what lies on disk); the asset first. Of a task also inputs: the pictures that it is
        drawn from and does not hold, each with member, path, bytes (of its file) and
        memory_bytes. Those of mip levels, of texture sets, and of a task without a picture,
        have other fields, as evaluate_mipmaps, evaluate_textures and evaluate_shader say.

    Raises: AssetError, PictureError; ConfigError where a picture is missing, and for speed of
        other kinds than materials; of mip levels, tasks and speed also DeviceError.
    """
    with open_asset(asset, values, trust=trust) as opened:
        timed = opened.speed(picture, notice) if speed else None
        table = opened.evaluate(picture, ignore if speed else notice)  # it is told once
        if timed is not None:
            table[0]["speed"] = list(timed)
            table.lines = [*table.lines, *timed.lines]
        return table
