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
from neuralshade.baking.summary import Bar, Summary, decibel_bars, size_bars, summary_of
from neuralshade.baking.worst import worst_pairs
from neuralshade.measure.page import write_page

# key of a row, title, and whether it is a number
COLUMNS = (
    ("name", "Name", False), ("kind", "Kind", False), ("state", "State", False),
    ("psnr_db", "dB", True), ("asset_bytes", "Bytes", True),
    ("bits_per_pixel", "Bits per pixel", True), ("seconds", "Seconds", True),
    ("attempts", "Attempts", True), ("worker", "Worker", False), ("message", "Message", False),
)  # fmt: skip
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


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
        "histograms": [(name, bars) for name, bars in (
            ("PSNR in dB", _labelled(decibel_bars(summary), "{:g}".format)),
            ("Bytes of an asset", _labelled(size_bars(summary), size_text)),
        ) if bars],
        "columns": [list(column) for column in COLUMNS], "rows": _script_json(_table(summary)),
        "facts": (), "recipe": "",
    })  # fmt: skip


def size_text(count: float) -> str:
    """Return a number of bytes with its unit: 1.25 MB."""
    power = 0 if count < 1000 else min(len(UNITS) - 1, int(math.log10(count) / 3))
    return f"{count / 1000**power:.3g} {UNITS[power]}"


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


def _labelled(bars: list[Bar], text: Any) -> list[dict[str, Any]]:
    """Return bars for the template."""
    return [{"low": text(bar.low), "high": text(bar.high), "count": bar.count,
             "share": round(100 * bar.share, 2)} for bar in bars]  # fmt: skip


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
