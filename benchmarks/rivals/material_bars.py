"""What a fitted material must reach and what is its goal, beside what was measured.

PSNR and FLIP are of spheres under 16 lights that no step has seen; see
kinds/material/judging/measures.py for the rest. Errors of 1 are 100 %.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]
# title of a column: the measure, digits; what 32x2 must reach, its goal, the goal of 64x3
COLUMNS: dict[str, tuple[str, int, float, float, float]] = {
    "PSNR [dB]": ("psnr_db", 2, 33.0, 35.0, 37.0),
    "worst light": ("worst_db", 2, 31.5, 33.5, 35.0),
    "sky": ("sky_db", 2, 36.0, 38.0, 40.0),
    "FLIP": ("flip", 4, 0.060, 0.045, 0.035),
    "SMAPE x 2": ("smape_uniform", 3, 0.070, 0.055, 0.040),
    "SMAPE x 2 in highlights": ("smape_highlight", 3, 0.105, 0.085, 0.065),
    "L1": ("l1_uniform", 3, 0.12, 0.09, 0.09),
    "L1 in highlights": ("l1_highlight", 3, 0.14, 0.10, 0.10),
    "bias": ("bias", 4, 0.02, 0.01, 0.01),
    "albedo's error": ("albedo_mean", 4, 0.04, 0.025, 0.025),
    "of 95 %": ("albedo_p95", 4, 0.10, 0.06, 0.06),
}
BARS = ("must, 32x2", "goal, 32x2", "goal, 64x3")
SHARP_BARS = {"must": 0.22, "goal": 0.12}  # L1 around highlights under a varnish of alpha 0.02
TRAY = "copper tray, 1024 x 1024"
SMAPE_SCALE = 2.0  # measures.py divides by the sum of both values, the bars' by their mean
LEADS = (("PBR maps", 5.0, 9.0), ("frames", 2.0, 4.0))  # dB: a rival, must, goal
OURS = ("fit material", "lobes")


def bar_rows() -> list[Row]:
    """Return what must be reached, as rows like ``quality_row``'s."""
    found = []
    for index, bar in enumerate(BARS):
        values = {title: about[2 + index] for title, about in COLUMNS.items()}
        found.append({"graph": TRAY, "what": bar, **values})
    for bar, value in SHARP_BARS.items():
        empty = dict.fromkeys(COLUMNS, "")
        found.append({"graph": f"{TRAY}, varnish of alpha 0.02", "what": bar, **empty,
                      "L1 in highlights": value})  # fmt: skip
    return found


def quality_row(graph: str, what: str, measured: Mapping[str, float]) -> Row:
    """Return a row of what was measured; where something could not be, "" stands."""
    row: Row = {"graph": graph, "what": what}
    for title, (name, digits, *_) in COLUMNS.items():
        scale = SMAPE_SCALE if name.startswith("smape") else 1.0
        row[title] = round(scale * measured[name], digits) if name in measured else ""
    return row


def missed(row: Row, bar: str) -> str:
    """Return the titles of what is worse in ``row`` than ``bar`` asks, with commas between."""
    found = []
    for title, about in COLUMNS.items():
        had, wanted = row[title], about[2 + BARS.index(bar)]
        worse = had != "" and (had < wanted if about[0].endswith("_db") else abs(had) > wanted)
        found += [title] if worse else []
    return ", ".join(found)


def lead_rows(rows: Sequence[Row]) -> list[Row]:
    """Return by how many dB each of ours leads the best maps, and frames of its size, of a graph.

    And which bars of the tray it misses. Where a graph has none of a rival, "" stands.
    """
    found = []
    for row in rows:
        what, size = row["what"].rpartition(" ")[::2]
        if what not in OURS:
            continue
        line: Row = {"graph": row["graph"], "what": row["what"], "PSNR [dB]": row["PSNR [dB]"]}
        for rival, must, goal in LEADS:
            names = f"frames {size}" if rival == "frames" else rival
            theirs = [r["PSNR [dB]"] for r in rows if r["what"].startswith(names)]
            title = f"over {rival} (must {must:g}, goal {goal:g})"
            line[title] = round(row["PSNR [dB]"] - max(theirs), 2) if theirs else ""
        goal = "goal, 64x3" if size == "64x3" else "goal, 32x2"
        line |= {"below must": missed(row, BARS[0]), "below goal": missed(row, goal)}
        found.append(line)
    return found
