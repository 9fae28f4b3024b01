"""Rows of plain data that know how they are printed."""

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.base.message_text import decimals, plain

Row = dict[str, Any]
WHOLE_COLUMNS = 10_000  # where there is no terminal: rows are lines, and no name is cut
BETWEEN = 2  # spaces from column to column


@dataclass(frozen=True)
class Column:
    """One column: its title, what it shows of a row, and how numbers are written."""

    title: str
    of: str | Callable[[Row], Any]  # a key of the row, or what makes the cell of it
    form: str = ""
    right: bool = True

    def cell(self, row: Row) -> str:
        """Return the text of one row's cell: a dash for None."""
        value = row[self.of] if isinstance(self.of, str) else self.of(row)
        if value is None:
            return "-"
        return plain(value) if isinstance(value, str) else format(value, self.form)


def bits_column(title: str, key: str, places: int) -> Column:
    """Return a column of bits per pixel: those of a tiny picture are thousands, and whole."""
    return Column(title, lambda row: None if row[key] is None else decimals(row[key], places))


class Table(list[Row]):
    """Rows of JSON data; ``print`` shows them to people.

    Args:
        rows: all of them.
        columns: how they are shown; none where ``lines`` say it all.
        sections: headings, each with those of the rows that stand below it.
        lines: to print below.
    """

    def __init__(
        self,
        rows: Iterable[Row],
        columns: Sequence[Column] = (),
        *,
        sections: Sequence[tuple[str, Sequence[Row]]] | None = None,
        lines: Sequence[str] = (),
    ):
        super().__init__(rows)
        self.columns, self.lines = columns, lines
        self.sections = [("", list(self))] if sections is None else sections

    def print(self) -> None:
        """Print everything to standard output, no wider than the terminal but for numbers."""
        for heading, rows in self.sections if self.columns else ():
            if heading:
                print(plain(heading))
            print_rows(self.columns, rows)
        print_lines(self.lines)


def print_lines(lines: Iterable[str]) -> None:
    """Print sentences to standard output; in a terminal they break between words alone."""
    for line in lines:
        text = plain(line)
        if _is_terminal():
            columns = shutil.get_terminal_size().columns
            text = textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
        print(text)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def print_rows(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """Print a table to standard output."""
    from rich import table
    from rich.console import Console

    shown, width = table.Table(box=None, pad_edge=False), WHOLE_COLUMNS
    cells = [[column.cell(row) for column in columns] for row in rows]
    for column in columns:
        justify: Any = "right" if column.right else "left"
        shown.add_column(column.title, justify=justify, no_wrap=column.right)
    for row in cells:
        shown.add_row(*row)
    if _is_terminal():
        width = max(shutil.get_terminal_size().columns, least_width(columns, cells))
    Console(width=width, markup=False).print(shown)


def least_width(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> int:
    """Return the least width of a table in which every number and every word is whole.

    A narrower terminal breaks its lines: digits that are cut off are worse.
    """
    found = BETWEEN * (len(columns) - 1)
    for index, column in enumerate(columns):
        texts = [column.title, *(row[index] for row in cells)]
        parts = [part for text in texts for part in (text.splitlines() if column.right
                                                     else text.split())]  # fmt: skip
        found += max(map(len, parts), default=0)
    return found
