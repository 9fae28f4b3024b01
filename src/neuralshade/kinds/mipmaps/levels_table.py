"""Tables and summary lines of mip levels: errors beside other filters'."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from neuralshade.fitting.scene import MeasuredTable
from neuralshade.kinds.mipmaps.asset import ENVIRONMENT, KEPT, STORED
from neuralshade.measure.table import Column, Row, Table

LEAST = 1e-4  # errors up to this are rounding of 8 bits
FILTERS = {"box": "box", "toksvig": "Toksvig", "lean": "LEAN"}
LIGHTS = {"mirror": "one at a time, near where a mirror reflects it to the eye",
          "cosine": "one at a time, anywhere above, by the cosine",
          ENVIRONMENT: "a sun and a sky together"}  # fmt: skip
BIAS = ("bias: mean of the result over mean of the reference, 1 is right; a highlight that is "
        "missing shows there")  # fmt: skip
ERROR = ("error: mean of 2 |x - y| / (x + y + 0.01), from 0 (equal) to 2; every column as stored, "
         "in 8 bits")  # fmt: skip
TIMES = ("times best: error of what is kept over the least of the three filters under the same "
         "lights; below 1 is better")  # fmt: skip
BESIDE = ("held-out error of each kept level by kind of lights, 0 to 2, and below it that of the "
          "best filter")  # fmt: skip


def over_best(error: float, others: Iterable[float]) -> float:
    """Return an error over the least of others, for notes, tables and pages.

    Errors up to LEAST count as none, as in ``choice.ratios``.
    """
    best = min(others)
    none = LEAST if best < LEAST else 0.0
    return (error + none) / (best + none)


COLUMNS = (
    Column("level", "level", "d"),
    Column("size", lambda row: f"{row['width']} x {row['height']}"),
    Column("kept", lambda row: FILTERS.get(row["kept"], row["kept"]), right=False),
    Column("kept\nerror", "ours", ".4f"),
    *(Column(f"{title}\nerror", name, ".4f") for name, title in FILTERS.items()),
    Column("times\nbest", lambda row: over_best(row["ours"], [row[f] for f in FILTERS]), ".2f"),
    Column("kept\nbias", "bias", ".3f"),
    *(Column(f"{title}\nbias", f"{name}_bias", ".3f") for name, title in FILTERS.items()),
)

MEANS = (
    Column("ours", "ours", ".4f"),
    *(Column(title, name, ".4f") for name, title in FILTERS.items()),
    Column("ours / best", lambda row: over_best(row["ours"], [row[f] for f in FILTERS]), ".2f"),
)


class LevelsTable(Table):
    """Symmetric errors: a table for each kind of lights, a row for each level."""

    def __init__(self, rows: Sequence[Row]):
        sections = [
            (f"held-out error, {light} lights: {text}",
             [row for row in rows if row["light"] == light])
            for light, text in LIGHTS.items()
        ]  # fmt: skip
        super().__init__(rows, COLUMNS, sections=sections, lines=(ERROR, TIMES, BIAS))


class LightsTable(Table):
    """Mean symmetric error of all levels: a row for each kind of lights."""

    def __init__(self, errors: Mapping[str, Mapping[str, Sequence[float]]]):
        rows = [
            {"light": light, "ours": fmean(found[KEPT]),
             **{name: fmean(found[STORED[name]]) for name in FILTERS}}
            for light, found in errors.items()
        ]  # fmt: skip
        super().__init__(rows, (Column("mean error under", "light", right=False), *MEANS))


def level_summary(maps: Mapping[str, Any], quality: Mapping[str, Any]) -> dict[str, str]:
    """Return summary lines: the maps' name, notes, and each level."""
    lines = {"maps": str(maps["name"])}
    lines |= {f"  note {i + 1}": note for i, note in enumerate(maps["notes"])}
    lines["levels"] = f"{len(maps['sizes'])}; {held_out(quality)}"
    for i, (width, height) in enumerate(maps["sizes"]):
        line = f"{width} x {height}"
        if i:
            lit = [_errors(quality[light], i - 1) for light in quality]
            kept = maps["kept"][i - 1]
            line += f", {FILTERS.get(kept, kept)}: {'; '.join(lit)}"
        lines[f"  {i}"] = line
    return lines


def held_out(quality: Mapping[str, Any]) -> str:
    """Return the caption of a level's errors."""
    lights = ", ".join(quality)
    return f"held-out errors of what is kept and of a box filter beside, under {lights} lights"


def error_table(maps: Mapping[str, Any], quality: Mapping[str, Any]) -> MeasuredTable:
    """Return a narrow table of each level's error by kind of lights, and the best filter's."""
    rows = []
    for index, kept in enumerate(maps["kept"]):
        width, height = maps["sizes"][index + 1]
        level = (f"{index + 1}: {FILTERS.get(kept, kept)}", f"{width} x {height}")
        rows.append((level, *(_beside_best(errors, index) for errors in quality.values())))
    return MeasuredTable(("level", *quality), tuple(rows))


def _beside_best(errors: Mapping[str, Any], index: int) -> tuple[str, str]:
    kept = errors[KEPT][index]["symmetric"]
    others = {title: errors[STORED[name]][index]["symmetric"] for name, title in FILTERS.items()}
    best = min(others, key=lambda title: float(others[title]))
    return f"{kept:.4f}", f"{best} {others[best]:.4f}"


def _errors(errors: Mapping[str, Any], index: int) -> str:
    kept, box = (errors[name][index]["symmetric"] for name in (KEPT, STORED["box"]))
    return f"{kept:.4f}, box {box:.4f}"
