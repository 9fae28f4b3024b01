"""Page of a bake, bake.html: totals, histograms, the worst assets, a table that can be sorted."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from neuralshade.baking.job import FAILED, KEPT, MADE, Row
from neuralshade.baking.progress import time_text
from neuralshade.baking.tables.histogram import decibel_histogram, size_histogram, size_text
from neuralshade.baking.tables.summary import Summary, summary_of
from neuralshade.baking.tables.worst import worst_pairs
from neuralshade.measure.page import write_page

# key of a row, title, and the decimals of a number; None: text
COLUMNS = (
    ("name", "Name", None), ("kind", "Kind", None), ("state", "State", None),
    ("psnr_db", "dB", 2), ("asset_bytes", "Bytes", 0),
    ("bits_per_pixel", "Bits per pixel or texel", 2), ("memory_bytes", "Bytes in a GPU", 0),
    ("seconds", "Seconds", 1), ("attempts", "Attempts", 0), ("worker", "Worker", None),
    ("message", "Message", None),
)  # fmt: skip


def write_bake_page(path: str | os.PathLike[str], rows: Iterable[Row], *, title: str,
                    folder: Path | None = None,
                    subjects: Mapping[str, tuple[str, ...]] | None = None) -> None:  # fmt: skip
    """Write the page of a bake, self-contained, whole or not at all.

    Of more than ``summary.MOST_ROWS`` rows, totals and histograms count all; the table has those
    that failed and the worst.

    Args:
        rows: of all assets, read once.
        title: of the page.
        folder: has the assets; None where no folder here does: then nothing is drawn.
        subjects: sources by the assets' names, to be drawn beside them.

    Raises: OutputError.
    """
    summary = summary_of(rows)
    pairs = [] if folder is None else worst_pairs(summary.worst, folder, subjects or {})
    write_page(path, "bake.html.jinja", {
        "title": title, "numbers": _numbers(summary), "left_out": summary.left_out,
        "count": summary.count, "pairs": pairs,
        "histograms": [found for found in (decibel_histogram(summary.decibels),
                                           size_histogram(summary.sizes)) if found is not None],
        "lost": summary.lost, "lost_count": summary.lost_count,
        "columns": [list(column) for column in COLUMNS], "rows": _script_json(_table(summary)),
        "facts": (), "recipe": "",
    })  # fmt: skip


def _numbers(summary: Summary) -> list[tuple[str, str, str]]:
    """Return the figures at the top: label, value, and what stands behind it in small."""
    states = summary.states
    numbers = [("Made", f"{states[MADE]:,}", ""), ("Kept", f"{states[KEPT]:,}", ""),
               ("Failed", f"{states[FAILED]:,}", ""),
               ("Sources", size_text(summary.source_bytes), ""),
               ("Assets", size_text(summary.asset_bytes), _share(summary))]  # fmt: skip
    if summary.memory_bytes:
        numbers.append(("In GPU memory", size_text(summary.memory_bytes), ""))
    return [*numbers, ("Time of workers", time_text(summary.seconds), "")]


def _share(summary: Summary) -> str:
    if not summary.source_bytes or not summary.asset_bytes:
        return ""
    return f"{100 * summary.asset_bytes / summary.source_bytes:.2g} % of the sources"


def _table(summary: Summary) -> list[list[Any]]:
    return [[_cell(getattr(row, key)) for key, *_ in COLUMNS] for row in summary.rows]


def _cell(value: Any) -> Any:
    """Return a value as JSON has it: infinity is text."""
    if isinstance(value, float):
        return round(value, 4) if math.isfinite(value) else "\N{INFINITY}"
    return value


def _script_json(data: Any) -> str:
    """Return JSON that may stand in an element of HTML: it has no character that ends one."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
