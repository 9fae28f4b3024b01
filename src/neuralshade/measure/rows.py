"""The table of quality at equal bytes, as plain rows."""

from collections.abc import Iterable

from neuralshade.measure.baselines import Baseline, baselines
from neuralshade.measure.pair import Pixels
from neuralshade.measure.quality import measure_quality, missing_flip
from neuralshade.measure.table import Column, Row, Table

COLUMNS = (
    Column("", "name", right=False),
    Column("bytes", "bytes", ",d"),
    Column("bits/pixel", "bits_per_pixel", ".3f"),
    Column("PSNR dB", "psnr_db", ".2f"),
    Column("SSIM", "ssim", ".4f"),
    Column("FLIP", "flip", ".4f"),
    Column("setting", "setting", right=False),
)
CROPPED = "SSIM and FLIP: centre of the picture only"


def quality_row(
    target: Pixels, result: Pixels, byte_count: int, color_space: str, name: str
) -> Row:
    """Return one row: name, setting, bytes, bits_per_pixel, psnr_db, ssim, flip, cropped.

    ``psnr_db`` is ``inf`` for equal pictures; ``ssim`` and ``flip`` are None where they do not
    apply or cannot be measured (see measure_quality). ``setting`` is empty.
    """
    quality = measure_quality(target, result, color_space)
    pixels = target.shape[0] * target.shape[1]
    return {
        "name": name,
        "setting": "",
        "bytes": byte_count,
        "bits_per_pixel": byte_count * 8 / pixels,
        "psnr_db": quality.psnr_db,
        "ssim": quality.ssim,
        "flip": quality.flip,
        "cropped": quality.cropped,
    }


def rows_for(
    target: Pixels,
    result: Pixels,
    byte_count: int,
    color_space: str,
    name: str = "neuralshade",
    rivals: Iterable[Baseline] | None = None,
) -> Table:
    """Return the quality table: ``result`` first, then what others make of the same bytes.

    Args:
        target: floats, uint8 or uint16 [H, W, C], C in 1..4, finite; sRGB in [0, 1] or linear.
        result: [H, W, C], the same kinds.
        byte_count: size of the file behind ``result``, and the budget of the others.
        color_space: "srgb" or "linear".
        name: of the first row.
        rivals: measured instead of ``baselines(target, color_space, byte_count)``.

    Returns:
        Rows as quality_row describes. A rival that is not possible has None in every number,
        and ``setting`` says why.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space.
    """
    rows = [quality_row(target, result, byte_count, color_space, name)]
    for rival in baselines(target, color_space, byte_count) if rivals is None else rivals:
        if rival.result is None:
            row: Row = dict.fromkeys(rows[0]) | {"name": rival.name, "cropped": False}
        else:
            row = quality_row(target, rival.result, rival.byte_count, color_space, rival.name)
        rows.append(row | {"setting": rival.setting})
    cropped = CROPPED if any(row["cropped"] for row in rows) else None
    return Table(rows, COLUMNS, lines=[line for line in (cropped, missing_flip()) if line])
