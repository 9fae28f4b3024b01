"""Text page of the doctor's findings; uses only the standard library."""

from __future__ import annotations

from typing import Any

from neuralshade.base.message_text import plain
from neuralshade.base.terminal_lines import broken

MARKS = {"ok": "ok     ", "missing": "MISSING", "wrong": "WRONG  ", "off": "-      "}
WIDE = 17  # columns of a row's subject
FOUND = WIDE + 13  # column of the finding
NARROW, FOUND_NARROW = 80, 13  # width below which lines continue further left, and at which column


def page(found: dict[str, Any], columns: int | None = None) -> str:
    """Return the result of ``examine`` as text; remedies stand below their rows.

    ``columns``: width of the terminal, at which lines break at spaces; None: unbroken lines.
    """
    lines: list[str] = []
    below = FOUND if columns is None or columns >= NARROW else FOUND_NARROW
    for title, rows in found["headings"].items():
        lines += [title] if not lines else ["", title]
        for row in rows:
            what = row["what"].ljust(WIDE)
            line = f"  {MARKS[row['state']]}  {what}  {plain(row['found'])}".rstrip()
            lines.append(broken(line, columns, below))
            if row["remedy"] is not None:
                lines.append(broken(f"{'':{below}}-> {row['remedy']}", columns, below + 3))
    summary = _ending([row for rows in found["headings"].values() for row in rows])
    return "\n".join([*lines, "", broken(summary, columns)])


def _ending(rows: list[dict[str, Any]]) -> str:
    """Return a summary of all faults, and of optional parts that could be installed."""
    states = [row["state"] for row in rows]
    counts = {state: states.count(state) for state in ("missing", "wrong")}
    faults = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    summary = "Nothing that a fit needs is missing."
    if faults:
        summary = f"{faults}: see the lines with ->."
    left_out = [row["what"] for row in rows if row["state"] == "off" and row["remedy"] is not None]
    if left_out:
        summary += f" Left out, each with its command above: {', '.join(left_out)}."
    return summary
