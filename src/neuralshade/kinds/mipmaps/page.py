"""Report page of a trained mip chain: levels beside those of other filters."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neuralshade.kinds.mipmaps.figures import map_rows, plane_rows
from neuralshade.kinds.mipmaps.level_charts import level_chart
from neuralshade.kinds.mipmaps.levels_table import over_best
from neuralshade.measure.curves import CurvePoint, curve_charts
from neuralshade.measure.display import exposure_stops
from neuralshade.measure.page import write_page
from neuralshade.measure.plane.lit_plane import Planes
from neuralshade.measure.plane.mip_filters import Maps

# Measures of a level's errors, the first one drawn, with the page's titles
MEASURES = {"symmetric": "Symmetric", "relative": "Relative", "log": "Log"}
CHART_LABEL = "symmetric error"
SUMMARY_LEVELS = 5  # for the mean ratios at the top
Judged = Mapping[str, Sequence[Mapping[str, float]]]  # of a chain, its levels 1 and on


@dataclass(frozen=True)
class MipmapsReport:
    """Content of the report, as plain data."""

    title: str
    base: Maps  # level 0
    chains: Mapping[
        str, Sequence[Maps]
    ]  # levels 1 and on, by name; the trained one and at most 4 others
    trained: str  # name of that chain
    # By directions, chain and level: MEASURES, and the means "color" and "reference"
    judged: Mapping[str, Judged]
    note: str = ""  # a sentence about the numbers of all chains
    planes: Planes | None = None  # of the same names
    kept: Sequence[str] = ()  # the source chain of each of the trained one's levels
    directions: Mapping[str, str] = field(default_factory=dict)  # captions of ``judged``, by key
    curve: Sequence[CurvePoint] = ()  # (step, seconds, loss, None)
    curve_note: str = ""  # a sentence about it
    facts: Sequence[tuple[str, str]] = ()  # (label, value): engine, device, seconds...
    notes: Sequence[str] = ()  # sentences about the maps, or about missing content
    recipe: Mapping[str, Any] = field(default_factory=dict)  # JSON types


def write_mipmaps_report(path: str | os.PathLike[str], data: MipmapsReport) -> None:
    """Write ``data`` as one self-contained HTML file, atomically.

    No script, style, font or picture is loaded from elsewhere. Pictures are lossless WebP,
    reduced if that keeps the page below 6 MB. A section without data is left out.

    Raises: OutputError if the file cannot be written.
    """
    write_page(path, "mipmaps.html.jinja", _content(data))


def _content(data: MipmapsReport) -> dict[str, Any]:
    height, width = data.base.roughness.shape
    planes, stops = data.planes, None
    if planes is not None:
        stops = exposure_stops(planes.reference)
    return {
        "title": data.title,
        "size": f"{width:,} x {height:,}",
        "level_count": len(data.chains[data.trained]),
        "trained": data.trained,
        "others": [name for name in data.chains if name != data.trained],
        "groups": [_group(data, name) for name in data.judged],
        "kept": data.kept,
        "note": data.note,
        "summary_levels": min(SUMMARY_LEVELS, len(data.chains[data.trained])),
        "planes": planes,
        # rounded before it is shown: -0.0 means no exposure
        "exposure": f"{stops:+.1f}" if stops is not None and abs(stops) >= 0.05 else "",
        "plane": plane_rows(planes, stops) if planes is not None and stops is not None else None,
        "maps": map_rows(data.chains, data.trained),
        "charts": [(name, svg) for name, svg in curve_charts(data.curve) if "loss" in name],
        "curve_note": data.curve_note,
        "facts": data.facts,
        "notes": data.notes,
        "recipe": json.dumps(data.recipe, indent=2) if data.recipe else "",
    }


def _group(data: MipmapsReport, directions: str) -> dict[str, Any]:
    """Return the page's section of errors under one kind of directions."""
    judged = {name: data.judged[directions][name] for name in data.chains}
    first = judged[data.trained][0]
    by_measure = {
        label: {name: [level[measure] for level in levels] for name, levels in judged.items()}
        for measure, label in MEASURES.items()
        if measure in first
    }
    biases = [level["color"] / level["reference"] if level["reference"] else 1.0
              for level in judged[data.trained]]  # fmt: skip
    tables = [
        (label, _rows(data, errors, () if i else biases))
        for i, (label, errors) in enumerate(by_measure.items())
    ]
    drawn = next(iter(by_measure.values()))
    return {
        "name": directions,
        "note": data.directions.get(directions, ""),
        "chart": level_chart(drawn, data.trained, CHART_LABEL),
        "summary": _ratios(drawn, data.trained),
        "tables": tables,
        "drift": {
            name: [
                level["color"] / level["reference"] - 1 if level["reference"] else 0.0
                for level in levels
            ]
            for name, levels in judged.items()
        },
    }


def _rows(
    data: MipmapsReport, errors: Mapping[str, Sequence[float]], biases: Sequence[float]
) -> list[dict[str, Any]]:
    """Return a table row for each level, the lowest error of each marked.

    ``biases`` of the trained chain; empty to hide them.
    """
    rows = []
    for index, maps in enumerate(data.chains[data.trained]):
        height, width = maps.roughness.shape
        values = {name: errors[name][index] for name in data.chains}
        others = [value for name, value in values.items() if name != data.trained]
        rows.append({
            "level": index + 1,
            "size": f"{width:,} x {height:,}",
            "kept": data.kept[index] if data.kept else "",
            "errors": values,
            "lowest": min(values.values()),
            "ratio": over_best(values[data.trained], others) if others else None,
            "bias": biases[index] if biases else None,
        })  # fmt: skip
    return rows


def _ratios(errors: Mapping[str, Sequence[float]], trained: str) -> list[tuple[str, float | None]]:
    """Return the trained chain's error over each other one's: the mean over SUMMARY_LEVELS.

    None if the other one has no error at all.
    """
    ratios: list[tuple[str, float | None]] = []
    for name in errors:
        pairs = list(zip(errors[trained], errors[name], strict=True))[:SUMMARY_LEVELS]
        found = [ours / theirs for ours, theirs in pairs if theirs > 0]
        if name != trained:
            ratios.append((name, sum(found) / len(found) if found else None))
    return ratios
