"""Why an upload is refused, and what it may be called."""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path

LONGEST_NAME = 80


class RefusedError(Exception):
    """An upload that is refused: status and reason; ``again``: in so many seconds it may not be."""

    def __init__(self, status: int, reason: str, again: float | None = None):
        super().__init__(reason)
        self.status, self.reason, self.again = status, reason, again


def plain_name(name: str) -> str:
    """Return a file name out of what somebody calls a file: no folders, no odd characters."""
    plain = re.sub(r"[^\w.() -]", "_", Path(name.replace("\\", "/")).name, flags=re.ASCII)
    return plain.strip(". ")[-LONGEST_NAME:] or "upload"


def check_open(place: str, key: str, known: Container[str], fitted: str | None, anew: str) -> None:
    """Raise RefusedError where no more files can be added to the set ``key``.

    ``place``: what asks for it; ``known``: the sets that are kept; ``fitted``: the one that is
    fitted now; ``anew``: what to do instead.
    """
    if key not in known:
        raise RefusedError(404, f"{place}: got {plain_name(key)!r}, need a set that was begun and "
                           f"kept. {anew}")  # fmt: skip
    if key == fitted:
        raise RefusedError(409, f"{place}: got {key!r}, which is fitted, need another set. "
                           f"{anew}")  # fmt: skip
