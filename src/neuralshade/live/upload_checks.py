"""Checks of uploads: names, limits of a set, and the number of kept sets."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Container
from pathlib import Path
from typing import Any

LONGEST_NAME = 80
MOST_SETS = 4  # of a session and a type of set; the oldest is deleted


class RefusedError(Exception):
    """A refused upload: status and reason; ``again``: seconds until a retry makes sense."""

    def __init__(self, status: int, reason: str, again: float | None = None):
        super().__init__(reason)
        self.status, self.reason, self.again = status, reason, again


def plain_name(name: str) -> str:
    """Return a safe file name: no folders, no special characters."""
    plain = re.sub(r"[^\w.() -]", "_", Path(name.replace("\\", "/")).name, flags=re.ASCII)
    return plain.strip(". ")[-LONGEST_NAME:].lstrip(". ") or "upload"


def check_open(
    place: str, key: str, known: Container[str], fitted: str | None, remedy: str
) -> None:
    """Raise RefusedError where the set ``key`` takes no more files.

    ``place``: name of the request's argument; ``known``: the sets that are kept; ``fitted``: the
    one that is fitted now; ``anew``: remedy.
    """
    if key not in known:
        raise RefusedError(404, f"{place}: got {plain_name(key)!r}, need a set that was begun and "
                           f"kept. {remedy}")  # fmt: skip
    if key == fitted:
        raise RefusedError(409, f"{place}: got {key!r}, which is fitted, need another set. "
                           f"{remedy}")  # fmt: skip


def check_place(name: str, known: Collection[str], most: int, what: str) -> None:
    """Raise RefusedError where a file of that name cannot join the files ``known`` of a set."""
    # some file systems ignore case
    if name.lower() in (other.lower() for other in known):
        raise RefusedError(409, f"{name}: got a second {what} of that name, need each once. "
                           "Rename it.")  # fmt: skip
    if len(known) >= most:
        raise RefusedError(413, f"{name}: got more than {most} {what}s of a set, need fewer. "
                           "Leave it out.")  # fmt: skip


def forget_oldest(sets: dict[str, Any], *kept: str | None) -> None:
    """Delete the oldest of more than MOST_SETS with its ``place``, but none of ``kept``."""
    if len(sets) > MOST_SETS:
        others = [old for old in sets if old not in kept]
        shutil.rmtree(sets.pop(others[0]).place)
