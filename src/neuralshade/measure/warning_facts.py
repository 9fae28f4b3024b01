"""Warnings of a fit as facts of its page, which come before any picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

WARNING = "Warning"  # the label of such a fact
Fact = tuple[str, str]  # label, value


def warning_facts(lines: Iterable[str]) -> list[Fact]:
    """Return warnings as facts of a page."""
    return [(WARNING, line) for line in lines]


def split_warnings(content: dict[str, Any]) -> dict[str, Any]:
    """Return a page's content with its warnings separated from other facts.

    Facts carry them, so that kinds of other packages need no support for them. Notes with the
    same text are dropped.
    """
    facts: Sequence[Fact] = content.get("facts", ())
    lines = [value for label, value in facts if label == WARNING]
    others = [fact for fact in facts if fact[0] != WARNING]
    notes = [note for note in content.get("notes", ()) if note not in lines]
    return {**content, "warnings": lines, "facts": others, "notes": notes}
