"""neuralshade report: one page that shows what a fit learned."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from neuralshade.fitting.output_checks import check_no_input, check_page
from neuralshade.kinds import open_asset
from neuralshade.kinds.kind import AssetLike, Notice, ignore

Snapshot = tuple[int, NDArray[Any]]


def report(
    asset: AssetLike,
    picture: Any,
    output: str | os.PathLike[str],
    *,
    snapshots: str | os.PathLike[str] | Sequence[Snapshot] = (),
    facts: Sequence[tuple[str, str]] = (),
    values: Mapping[str, Any] | None = None,
    trust: bool = False,
    notice: Notice = ignore,
) -> None:
    """Write one self-contained HTML page: target, result, error, grids, curves, table.

    Args:
        asset: path of an asset, or what ``load`` returned.
        picture: the picture it was fitted to, at whose resolution it is shown; of mip levels
            a folder, a manifest or a TextureSet, the maps that they were trained from; of
            texture sets what ``fit_textures`` takes; of a user's task what its render is to look
            like.
        output: the page.
        snapshots: the folder that ``fit_image`` filled, or (step, float32 [h, w, C]) pairs.
        facts: (label, value) lines to add to those that the asset tells.
        values, trust: of a user's task, as ``render`` takes them; values also of what a material
            varies.
        notice: called with a line where the picture is not of the size it was fitted at.

    Raises: AssetError, PictureError, OutputError; of tasks also ConfigError, DeviceError.
    """
    check_no_input(output, asset, picture)
    check_page(output)
    with open_asset(asset, values, trust=trust) as opened:
        opened.report(picture, output, snapshots=snapshots, facts=facts, notice=notice)
