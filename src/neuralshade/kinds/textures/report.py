"""Report page of a texture set: its maps beside the reference, and the alternatives."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from neuralshade.base.message_text import plural
from neuralshade.base.progress_scope import counted_part, part
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.textures.charts import mips_chart, rate_chart
from neuralshade.kinds.textures.engine import latent_grids
from neuralshade.kinds.textures.evaluate import MEAN_NOTED, NOTED, Comparison, compare, table_of
from neuralshade.kinds.textures.figures import (
    CLOSE_UP_PX,
    ERROR_SCALE,
    close_up,
    close_up_titles,
    map_rows,
    mip_strip,
    sphere_row,
)
from neuralshade.kinds.textures.reference import TexturesAsset
from neuralshade.kinds.textures.verdict import points, verdict
from neuralshade.measure.curves import curve_charts
from neuralshade.measure.display import PagePicture, feature_pages, shown
from neuralshade.measure.figures import within_bytes
from neuralshade.measure.map_psnr import db_text
from neuralshade.measure.page import write_page
from neuralshade.model.block_grid import BlockGrid
from neuralshade.model.latent_grid import LatentGrid

LATENTS = ((256, 192, 128, 96, 64), 500_000)  # texels a side to try, and bytes of data URI


def report_textures(
    opened: TexturesAsset,
    reference: Any,
    output: str | os.PathLike[str],
    facts: Sequence[tuple[str, str]] = (),
    notice: Notice = ignore,
) -> None:
    """Write the page of an asset that fit textures made: one HTML file, atomically.

    No script, style, font or picture is loaded from elsewhere. Pictures are lossless WebP,
    reduced where that keeps the page below 6 MB.

    Args:
        opened: the asset.
        reference: a folder, a manifest, files of maps or a MaterialSet: the maps of the fit.
        output: the page.
        facts: (label, value) lines in addition to the asset's.
        notice: called first where the maps differ.

    Raises: AssetError for other maps, OutputError; what ``load_material_set`` raises.
    """
    with part("writing the report", 2):
        with counted_part("comparing"):
            found = compare(opened, reference, notice)
        paths = [one.path for one in found.textures.maps if one.path is not None]
        check_no_input(output, opened.path, *paths)
        with counted_part("drawing pictures and charts"):
            write_page(output, "textures.html.jinja", _content(opened, found, facts))


def _content(
    opened: TexturesAsset, found: Comparison, facts: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    (width, height), table = opened.sizes[0], table_of(opened, found)
    place, close_ups = close_up(found)
    maps = map_rows(found)
    return {
        "title": opened.textures["name"],
        "size": f"{width:,} x {height:,}",
        "mip_count": len(opened.sizes),
        "map_names": [coding.name for coding in opened.codings],
        "channels": sum(coding.count for coding in opened.codings),
        "ours": table.methods[0],
        "verdict": verdict(found),
        "spheres": sphere_row(found),
        "maps": maps,
        "shown_px": maps[0]["pictures"][0].width,
        "reduced": maps[0]["pictures"][0].width < width,
        "error_scale": ERROR_SCALE,
        "place": place,
        "close_up": close_ups,
        "close_up_px": CLOSE_UP_PX,
        "close_up_titles": close_up_titles(found),
        "strip": mip_strip(found),
        "names": table.names,
        "ways": table.methods,
        "mips": table.mips,
        "noted": NOTED,
        "mean_noted": MEAN_NOTED,
        "db_text": db_text,
        "rate_chart": rate_chart(points(found)),
        "mips_chart": mips_chart(found.psnr_db),
        "charts": curve_charts([tuple(row) for row in opened.header.training["curve"]]),
        "latents": _latents(opened),
        "facts": [*facts, *_facts(opened)],
        "notes": [*opened.textures["notes"], *table.lines],
        "recipe": json.dumps(opened.header.recipe, indent=2),
    }  # fmt: skip


def _facts(opened: TexturesAsset) -> list[tuple[str, str]]:
    """Return lines on the fit, and on the file's contents for shaders."""
    training = opened.header.training
    lines = [("Training", f"{training['seconds']:.1f} s, {plural(training['steps'], 'step')}")]
    for grid in latent_grids(opened.field):
        width, height = grid.sizes[0]
        levels = f"; {len(grid.sizes)} levels" if len(grid.sizes) > 1 else ""
        kind = f"x {grid.features}, {grid.bits} bits"
        if isinstance(grid, BlockGrid):
            kind = f"in {grid.textures} BC1 texture{'s' * (grid.textures > 1)}"
        lines.append(("Latents", f"{width} x {height} {kind}{levels}"))
    recipe = opened.recipe
    layers = f"{recipe.hidden_layers} hidden layers of {recipe.hidden_width} neurons, float16"
    return [*lines, ("Decoder", layers)]


def _storage(grid: LatentGrid | BlockGrid) -> str:
    return "BC1" if isinstance(grid, BlockGrid) else f"{grid.bits} bits"


def _latents(opened: TexturesAsset) -> list[PagePicture]:
    """Return the finest level of each grid, three features a picture, cut to its corner."""

    def draw(side: int) -> list[PagePicture]:
        return [
            shown(f"{grid.sizes[0][0]} x {grid.sizes[0][1]}", _storage(grid), picture)
            for grid in latent_grids(opened.field)
            for _, picture in feature_pages(grid.level(0)[:side, :side].cpu().numpy())
        ]

    return within_bytes(LATENTS, draw)
