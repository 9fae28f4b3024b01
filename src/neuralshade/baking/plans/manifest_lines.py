"""Lines of a manifest's entries and keys, for messages: parsers of TOML and JSON keep none.

Only for text that was parsed: it is known to be valid.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

# Strings and comments come first: what looks like a header in one is none.
TOML_TOKENS = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' r"'''.*?'{3,5}|" r'#[^\n]*|"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'|"
    r"""^[ \t]*\[\[?[ \t]*["']?(?P<header>[A-Za-z]+)["']?[ \t]*\]\]?""",
    re.MULTILINE | re.DOTALL,
)  # fmt: skip
JSON_TOKENS = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\]]')


class Lines:
    """Finds the lines of a manifest's tables; ``path`` begins every place."""

    def __init__(self, path: str, text: str, table: str, count: int):
        """Scan ``text`` for the ``count`` entries of the list ``table``.

        Where another number is found, as of lists that are written otherwise, places are the
        entries' numbers.
        """
        self.path, self.text, self.table = path, text, table
        self.toml = not path.endswith(".json")
        found = _toml_tables(text) if self.toml else _json_tables(text)
        self.starts: list[int] = []  # of all tables, in the text
        self.entries: list[int] = []
        self.defaults: int | None = None
        for name, at in found:
            self.starts.append(at)
            if name == table:
                self.entries.append(at)
            else:
                self.defaults = at
        self.known = len(self.entries) == count
        self._breaks = [match.start() for match in re.finditer("\n", text)]

    def entry(self, index: int, key: str | None = None) -> str:
        """Return the place of an entry, or of one of its keys."""
        if not self.known:
            return f"{self.path}: {self.table} {index + 1}"
        return self._place(self.entries[index], key)

    def default(self, key: str | None = None) -> str:
        """Return the place of the defaults, or of one of their keys."""
        return self.path if self.defaults is None else self._place(self.defaults, key)

    def top(self, key: str) -> str:
        """Return the place of a table or a key at the top."""
        name = re.escape(key)
        form = rf"""^[ \t]*\[*[ \t]*(["']?){name}\1""" if self.toml else rf'"{name}"\s*:'
        match = re.compile(form, re.MULTILINE).search(self.text)
        return self.path if match is None else self._line(match.end() - 1)

    def _line(self, at: int) -> str:
        return f"{self.path}:{bisect_right(self._breaks, at - 1) + 1}"

    def _place(self, start: int, key: str | None) -> str:
        at = start
        if key is not None:
            after = bisect_right(self.starts, start)
            end = self.starts[after] if after < len(self.starts) else len(self.text)
            name = re.escape(key)
            form = rf"""^[ \t]*(["']?){name}\1[ \t]*[=.]""" if self.toml else rf'"{name}"\s*:'
            if match := re.compile(form, re.MULTILINE).search(self.text, start, end):
                at = match.end() - 1
        return self._line(at)


def _toml_tables(text: str) -> Iterator[tuple[str, int]]:
    """Yield name and place of each header of a table."""
    for match in TOML_TOKENS.finditer(text):
        if name := match["header"]:
            yield name, match.start("header")


def _json_tables(text: str) -> Iterator[tuple[str, int]]:
    """Yield name and place of each object of a list at the top, and of each object there."""
    depth, name = 0, ""
    for match in JSON_TOKENS.finditer(text):
        token = match[0]
        if token in ("{", "["):
            depth += 1
            if token == "{" and depth in (2, 3):
                yield name, match.start()
        elif token in ("}", "]"):
            depth -= 1
        elif depth == 1:
            name = token[1:-1]
