"""The page as text, written with nothing but the standard library."""

from __future__ import annotations

from typing import Any

from neuralshade.base.message_text import plain

MARKS = {"ok": "ok     ", "missing": "MISSING", "wrong": "WRONG  ", "off": "-      "}
WIDE = 17  # columns of what a row is about


def page(found: dict[str, Any]) -> str:
    """Return what ``examine`` returned, for people; remedies stand below their rows."""
    lines: list[str] = []
    for title, rows in found["headings"].items():
        lines += [title] if not lines else ["", title]
        for row in rows:
            what = row["what"].ljust(WIDE)
            lines.append(f"  {MARKS[row['state']]}  {what}  {plain(row['found'])}".rstrip())
            if row["remedy"] is not None:
                lines.append(f"{'':{WIDE + 13}}-> {row['remedy']}")
    states = [row["state"] for rows in found["headings"].values() for row in rows]
    counts = {state: states.count(state) for state in ("missing", "wrong")}
    faults = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    told = f"{faults}: see the lines with ->." if faults else "Nothing is missing."
    return "\n".join([*lines, "", told])
