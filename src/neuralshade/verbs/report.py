"""neuralshade report: one page that shows what a fit learned."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.fitting.facts import MOST_SHOWN
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.fitting.snapshots import load_snapshots
from neuralshade.kinds.image.field import GLANCE_SIDE
from neuralshade.kinds.mipmaps.report import report_mipmaps
from neuralshade.kinds.shader.opened import OpenedShader
from neuralshade.measure.baselines import baselines
from neuralshade.measure.report import ReportData, write_report
from neuralshade.measure.rows import rows_for
from neuralshade.source.texture_set import TextureSet
from neuralshade.verbs.opened_mipmaps import OpenedMipmaps, picture_for
from neuralshade.verbs.opening import AssetLike, Notice, Opened, PictureLike, ignore, open_asset
from neuralshade.verbs.render import render

Snapshot = tuple[int, NDArray[Any]]
FILE_NOTE = "The number at the top is that of the file, on every pixel."
CURVE_NOTES = {
    "image": f"PSNR as it was measured while training, on {GLANCE_SIDE} x {GLANCE_SIDE} evenly "
    f"spread pixels at most. {FILE_NOTE}",
    "shader": "The mean loss over the threads of a step.",
    "splats": f"PSNR of the picture as it would have been stored at that time. {FILE_NOTE}",
}


def report(
    asset: AssetLike,
    picture: PictureLike | TextureSet,
    output: str | os.PathLike[str],
    *,
    snapshots: str | os.PathLike[str] | Sequence[Snapshot] = (),
    facts: Sequence[tuple[str, str]] = (),
    values: Mapping[str, Any] | None = None,
    notice: Notice = ignore,
) -> None:
    """Write one self-contained HTML page: target, result, error, grids, curves, table.

    Args:
        asset: path of an asset, or what ``load`` returned.
        picture: the picture it was fitted to, at whose resolution it is shown; of mip levels
            a folder, a manifest or a TextureSet, the maps that they were trained from; of a
            user's task what its render is to look like.
        output: the page.
        snapshots: the folder that ``fit_image`` filled, or (step, float32 [h, w, C]) pairs.
        facts: (label, value) lines to add to those that the asset tells.
        values: for the members of a user's task, as ``render`` takes them.
        notice: called with a line where the picture is not of the size it was fitted at.

    Raises: AssetError, PictureError, OutputError; of tasks also ConfigError, DeviceError.
    """
    check_no_input(output, asset, picture)
    opened = open_asset(asset, values)
    if isinstance(opened, OpenedMipmaps):
        report_mipmaps(opened, picture, output, facts)
        return
    told = ignore if isinstance(opened, OpenedShader) else notice  # a task is of no size
    target = opened.target(picture_for(opened, picture), told)
    pixels = target.as_float()
    result = render(opened.asset, size=(target.width, target.height), values=values)
    byte_count, header = opened.asset.byte_count, opened.asset.header
    own = isinstance(opened, OpenedShader)  # drawn by text of any size: bytes say nothing
    rivals = [] if own else list(baselines(pixels, opened.color_space, byte_count))
    taken = load_snapshots(snapshots) if isinstance(snapshots, (str, os.PathLike)) else snapshots
    training = header.training
    data = ReportData(
        title=opened.facts["name"],
        target=pixels,
        result=result,
        color_space=opened.color_space,
        byte_count=byte_count,
        facts=[*facts, *_reached(opened),
               ("Training", f"{training['seconds']:.1f} s, {training['steps']:,} steps"),
               ("Numbers", f"{opened.numbers:,}"), *_members(opened)],
        recipe=header.recipe,
        curve=[tuple(row) for row in training["curve"]],
        curve_note=CURVE_NOTES[opened.kind],
        snapshots=taken,
        grids=opened.grids(),
        drawings=opened.drawings(),
        table=rows_for(pixels, result, byte_count, opened.color_space, rivals=rivals),
        rivals=[(r.name, r.result) for r in rivals if r.result is not None],
        titles={"table": "Quality", "grids": "Trained textures"} if own else {},
        rated=not own,
    )  # fmt: skip
    write_report(output, data)


def _reached(opened: Opened) -> list[tuple[str, str]]:
    if isinstance(opened, OpenedShader):
        return [("Loss in its last step", f"{opened.asset.header.quality['loss']:.4g}")]
    return [("Fitted at", f"{opened.size[0]:,} x {opened.size[1]:,} pixels")]


def _members(opened: Opened) -> list[tuple[str, str]]:
    """Return a task's trained members: the numbers of small ones, the shapes of others."""
    if not isinstance(opened, OpenedShader):
        return []
    return [
        (name, np.array2string(array, precision=6, separator=", ")
         if array.size <= MOST_SHOWN else f"{array.dtype} {list(array.shape)}")
        for name, array in opened.asset.tensors.items()
    ]  # fmt: skip
