"""Why an upload is refused, and what it may be called."""

from __future__ import annotations

import re
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
