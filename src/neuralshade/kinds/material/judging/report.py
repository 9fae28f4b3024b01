"""Report page of a fitted material: spheres and a plane beside its reference, and facts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import plural
from neuralshade.base.progress_scope import counted, counted_part, part
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.judging.evaluate import (
    FOOTNOTES,
    LEVELS_FOOTNOTE,
    Comparison,
    level_cells,
    measure_lines,
)
from neuralshade.kinds.material.judging.judge import on_screen
from neuralshade.kinds.material.judging.lit_surfaces import (
    Light,
    at_centers,
    held_out_lights,
    plane,
    sky,
    sphere,
)
from neuralshade.kinds.material.judging.varied_report import (
    ERROR_SCALE,
    compared_panes,
    swept_inputs,
)
from neuralshade.kinds.material.schema import level_sides
from neuralshade.measure.curves import curve_charts
from neuralshade.measure.display import PagePicture, feature_pages, shown
from neuralshade.measure.page import write_page

Floats = npt.NDArray[np.float32]
SPHERE_PX, PLANE_PX = 288, 384
SKY_LIGHTS = 64
PICKED = (3, 9, 14)  # of the held-out lights
MOST_TEXELS = 256  # a side of the feature map's picture


def report_material(
    opened: Any,
    reference: Any,
    output: str | os.PathLike[str],
    facts: Sequence[tuple[str, str]] = (),
    notice: Notice = ignore,
) -> None:
    """Write the report of a material's asset: one HTML file, written atomically.

    No script, style, font or picture is loaded from elsewhere. Pictures are lossless WebP.

    Args:
        opened: the asset, an OpenedMaterial.
        reference: what it was fitted to: a document, a Slang module or a ReferenceBsdf.
        output: the page.
        facts: (label, value) lines to add to the asset's own.
        notice: called with a line if the material has changed since the fit.

    Raises: AssetError for another material, OutputError; errors of ``load_reference``.
    """
    check_no_input(output, opened.path, reference)
    with part("writing the report", 3):
        with Comparison(opened, reference, notice) as compared:
            with counted_part("measuring"):
                row = compared.stored_row()
            with counted_part("drawing surfaces"):
                rows = _drawn(compared)
                varied = swept_inputs(compared)
        with counted_part("drawing charts"):
            content = {**_content(opened, row, rows, facts), "varied": varied}
            write_page(output, "material.html.jinja", content)


def _lightings() -> list[tuple[str, Sequence[Light] | None]]:
    """Return titles and lights of the spheres; None for the default light and a weak sky."""
    held_out = held_out_lights()
    single = [(f"Light {number}, held out", [held_out[number]]) for number in PICKED]
    return [("A light and a weak sky", None), *single, ("Sky", sky(SKY_LIGHTS))]


def _drawn(compared: Comparison) -> list[tuple[str, list[PagePicture]]]:
    """Return rows of reference, network and difference, by title."""
    spheres = sphere(SPHERE_PX, SPHERE_PX)
    surfaces = [(title, spheres, lights) for title, lights in _lightings()]
    surfaces.append(("Flat, from above", plane(PLANE_PX, PLANE_PX), None))
    rows = []
    for title, plain, lights in counted("drawing surfaces", surfaces, len(surfaces)):
        seen = plain.at(compared.opened.shares)
        target, predicted = (
            on_screen(seen.lit_by_default(at_centers(shade), compared.opened.sample)
                      if lights is None else seen.lit(shade, lights))
            for shade in (compared.reference.eval, compared.opened.eval)
        )  # fmt: skip
        rows.append((title, compared_panes(target, predicted)))
    return rows


def _content(
    opened: Any, row: dict[str, Any], rows: list[tuple[str, list[PagePicture]]],
    facts: Sequence[tuple[str, str]],
) -> dict[str, Any]:  # fmt: skip
    training, recipe, timed = opened.header.training, opened.recipe, opened.timed.lines
    return {
        "title": opened.material["name"],
        "side": opened.side,
        "features": recipe.features,
        "row": row,
        "rows": rows,
        "error_scale": ERROR_SCALE,
        "measures": measure_lines(row),
        "noted": FOOTNOTES,
        "levels": level_cells(row["levels"]),
        "levels_noted": LEVELS_FOOTNOTE,
        "speed": speed_cells(opened.timed),
        "speed_noted": [line.rstrip(":") for line in (*timed[:1], *timed[-2:])],
        "maps": _feature_maps(opened),
        "charts": curve_charts([tuple(point) for point in training["curve"]],
                               training.get("breaks", ())),
        "loss_parts": _loss_parts(recipe, training.get("breaks", ())),
        "facts": [
            *facts,
            ("Training", f"{training['seconds']:.1f} s, {plural(training['steps'], 'step')}"),
            ("Decoder", f"{recipe.hidden_layers} hidden layers of {recipe.hidden_width} neurons, "
                        f"{recipe.lobes} lobes, float16"),
        ],
        "notes": opened.material["notes"],
        "recipe": json.dumps(opened.header.recipe, indent=2),
    }  # fmt: skip


def speed_cells(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return cells for each way to evaluate a material: microseconds and quality.

    Times of a plane / scattered points, for one light and for four if timed; speed-up over the
    material itself; PSNR, L1 around highlights, mean SMAPE of the mip levels behind the finest, and
    bytes in a GPU's memory.
    """
    if not rows:
        return []
    lights, itself = list(rows[0]["plane_us"]), rows[1]
    found = []
    for row in rows:
        pairs = [(row[name], itself[name]) for name in ("plane_us", "scattered_us")]
        spent = [" / ".join(f"{us[n]:,.0f}" for us, _ in pairs) for n in lights]
        times = [" / ".join(f"{whole[n] / us[n]:.1f}" for us, whole in pairs) for n in lights]
        measured = {"psnr_db": ".2f", "l1_highlight": ".3f", "level_error": ".3f",
                    "memory_bytes": ",d"}  # fmt: skip
        worth = [f"{row[name]:{how}}" if name in row else "-" for name, how in measured.items()]
        found.append((row["what"], *spent, *times, *worth))
    count = [f"{n} light{'s' * (n != '1')}" for n in lights]
    head = ("", *(f"us, {one}" for one in count), *(f"times as fast, {one}" for one in count),
            "PSNR [dB]", "L1, highlights", "SMAPE, mip levels", "GPU bytes")  # fmt: skip
    return [head, *found]


def _loss_parts(recipe: Any, breaks: Sequence[int]) -> str:
    """Return the names of a broken curve's losses, in order; empty if it has one loss."""
    later = ["the mip levels"] if len(level_sides(recipe.size)) > 1 and recipe.mips else []
    later += ["the sampler"]
    return ", then of ".join(["map and decoder", *later[: len(breaks)]]) if breaks else ""


def _feature_maps(opened: Any) -> list[PagePicture]:
    """Return the feature map, three numbers a picture, cropped to a corner."""
    codes = encoding_of(opened.field).grid.level(0)[:MOST_TEXELS, :MOST_TEXELS]
    pages = feature_pages(codes.detach().cpu().numpy())
    return [shown(f"Numbers from {3 * number}", caption, picture)
            for number, (caption, picture) in enumerate(pages)]  # fmt: skip
