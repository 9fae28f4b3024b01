"""The page of a trained mip chain: what its levels show beside those of other filters."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neuralshade.kinds.mipmaps.choice import over_best
from neuralshade.kinds.mipmaps.figures import map_rows, plane_rows
from neuralshade.kinds.mipmaps.level_charts import level_chart
from neuralshade.measure.curves import CurvePoint, curve_charts
from neuralshade.measure.display import exposure_stops
from neuralshade.measure.page import write_page
from neuralshade.measure.plane.lit_plane import Planes
from neuralshade.measure.plane.mip_filters import Maps

# What a level's errors may be by, the first one drawn, as the page calls them
MEASURES = {"symmetric": "Symmetric", "relative": "Relative", "log": "Log"}
CHART_LABEL = "symmetric error"
SUMMARY_LEVELS = 5  # over which the ratios at the top are means
Judged = Mapping[str, Sequence[Mapping[str, float]]]  # of a chain, its levels 1 and on


@dataclass(frozen=True)
class MipmapsReport:
    """What the page tells; plain data."""

    title: str
    base: Maps  # level 0
    chains: Mapping[
        str, Sequence[Maps]
    ]  # levels 1 and on, by name; the trained one and 4 more at most
    trained: str  # name of that chain
    # By directions, chain and level: MEASURES, and the means "color" and "reference"
    judged: Mapping[str, Judged]
    told: str = ""  # a sentence about the numbers of all chains
    planes: Planes | None = None  # of the same names
    kept: Sequence[str] = ()  # which chain each of the trained one's levels is taken from
    directions: Mapping[str, str] = field(default_factory=dict)  # what ``judged`` goes by, told
    curve: Sequence[CurvePoint] = ()  # (step, seconds, loss, None)
    curve_note: str = ""  # a sentence about it
    facts: Sequence[tuple[str, str]] = ()  # (label, value): engine, device, seconds...
    notes: Sequence[str] = ()  # sentences about the maps, or about what was left out
    recipe: Mapping[str, Any] = field(default_factory=dict)  # JSON types


def write_mipmaps_report(path: str | os.PathLike[str], data: MipmapsReport) -> None:
    """Write ``data`` as one self-contained HTML file, whole or not at all.

    No script, style, font or picture is loaded from elsewhere. Pictures are lossless WebP,
    reduced where that keeps the page below 6 MB. A section without data is left out.

    Raises: OutputError where the file cannot be written.
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
        "told": data.told,
        "summary_levels": min(SUMMARY_LEVELS, len(data.chains[data.trained])),
        "planes": planes,
        # rounded before it is shown: -0.0 is no exposure
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
    """Return what the page shows of errors under one kind of directions."""
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
        "told": data.directions.get(directions, ""),
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
    """Return a row of the table for each level, the lowest error of each marked.

    ``biases`` of the trained chain; none where they are not shown.
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
    """Return the trained chain's error over that of each other one: the mean over first levels.

    SUMMARY_LEVELS of them. None where the other one has no error at all.
    """
    ratios: list[tuple[str, float | None]] = []
    for name in errors:
        pairs = list(zip(errors[trained], errors[name], strict=True))[:SUMMARY_LEVELS]
        found = [ours / theirs for ours, theirs in pairs if theirs > 0]
        if name != trained:
            ratios.append((name, sum(found) / len(found) if found else None))
    return ratios
