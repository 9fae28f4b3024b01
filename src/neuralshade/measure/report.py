"""Report page of a fit: one self-contained HTML file."""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neuralshade.measure.curves import CurvePoint, curve_charts
from neuralshade.measure.display import exposure_stops
from neuralshade.measure.figures import close_up, comparison, drawings, grid_pages, snapshot_strip
from neuralshade.measure.page import write_page
from neuralshade.measure.pair import (
    Pixels,
    check_color_space,
    check_pair,
    check_picture,
    peak_of,
)
from neuralshade.measure.quality import psnr_db
from neuralshade.measure.quality_rows import noted

log = logging.getLogger("neuralshade")
TITLES = {"table": "The same picture kept otherwise", "grids": "Feature grids"}


@dataclass(frozen=True)
class ReportData:
    """Content of the report, plain data. Pictures: floats, uint8 or uint16 [H, W, C], C in 1..4."""

    title: str
    target: Pixels
    result: Pixels  # [H, W, C], same shape as the target
    color_space: str  # of both, of snapshots and of rivals: "srgb" or "linear"
    byte_count: int  # size of the asset file
    alpha_weighted: bool = False  # color errors are weighted by alpha
    facts: Sequence[tuple[str, str]] = ()  # (label, value): engine, device, seconds...
    recipe: Mapping[str, Any] = field(default_factory=dict)  # JSON types
    curve: Sequence[CurvePoint] = ()  # (step, seconds, loss, PSNR in dB or None)
    curve_note: str = ""  # below the curve: how it was measured
    snapshots: Sequence[tuple[int, Pixels]] = ()  # (step, [h, w, C])
    grids: Sequence[tuple[str, Pixels]] = ()  # (title, float [h, w, c], any c >= 1)
    drawings: Sequence[tuple[str, Pixels]] = ()  # (title, as ``snapshots``): learned features
    table: Sequence[Mapping[str, Any]] = ()  # from rows_for
    rivals: Sequence[tuple[str, Pixels]] = ()  # (name, [H, W, C]): shown in the close-up
    titles: Mapping[str, str] = field(default_factory=dict)  # overrides for ``table``, ``grids``
    rated: bool = True  # show bits per pixel
    memory_bytes: int | None = None  # of a GPU, as shaders read the asset; None: unknown
    verdict: Sequence[str] = ()  # sentences below the table


def write_report(path: str | os.PathLike[str], data: ReportData) -> None:
    """Write ``data`` as one self-contained HTML file, whole or not at all.

    No script, style, font or picture is loaded from elsewhere. Pictures are lossless WebP,
    reduced to at most 1024 pixels a side, further where that keeps the page below 6 MB, with a
    note. Linear pictures are exposed and sRGB encoded. A section without data is omitted.

    Raises: ShapeError, PictureError for NaN or infinity, ConfigError for another color space,
        OutputError where the file cannot be written.
    """
    check_color_space("write_report", data.color_space)
    check_pair("write_report", data.target, data.result)
    for step, picture in data.snapshots:
        check_picture("write_report", f"snapshot {step}", picture)
    for _, rival in data.rivals:
        check_pair("write_report", data.target, rival)
    write_page(path, "report.html.jinja", _content(data))


def _content(data: ReportData) -> dict[str, Any]:
    height, width, channels = data.target.shape
    stops = exposure_stops(data.target) if data.color_space == "linear" else None
    if stops is not None:
        log.info("exposure: %+.2f stops, by the reference.", stops)
    panes, scale = comparison(data.target, data.result, stops)
    pictures = [("Target", data.target), ("Result", data.result), *data.rivals]
    return {
        "title": data.title,
        "size": f"{width:,} x {height:,}",
        "reduced": (panes[0].height, panes[0].width) != (height, width),
        "channels": channels,
        "byte_count": data.byte_count,
        "bits_per_pixel": data.byte_count * 8 / (width * height) if data.rated else None,
        "memory_bytes": data.memory_bytes,
        "memory_bits": None
        if data.memory_bytes is None
        else data.memory_bytes * 8 / (width * height),
        "verdict": data.verdict,
        "noted": noted(data.table),
        "psnr_db": psnr_db(
            data.target,
            data.result,
            peak_of(data.target, data.color_space),
            alpha_weighted=data.alpha_weighted,
        ),
        "stops": stops,
        "panes": panes,
        "error_scale": scale,
        "close_up": close_up(pictures, stops),
        "table": data.table,
        "of_light": any("log_psnr_db" in row for row in data.table),
        "charts": curve_charts(data.curve),
        "curve_note": data.curve_note,
        "snapshots": snapshot_strip(data.snapshots, stops),
        "grids": grid_pages(data.grids),
        "drawings": drawings(data.drawings, stops),
        "facts": data.facts,
        "titles": {**TITLES, **data.titles},
        "recipe": json.dumps(data.recipe, indent=2) if data.recipe else "",
    }
