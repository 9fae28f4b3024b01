"""Tables of plain rows, printable to a terminal."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.base.message_text import decimals, plain

Row = dict[str, Any]
WHOLE_COLUMNS = 10_000  # without a terminal: rows stay whole lines
BETWEEN = 2  # spaces between columns


@dataclass(frozen=True)
class Column:
    """Column of a table: its title, the value that it shows of a row, and the number format."""

    title: str
    of: str | Callable[[Row], Any]  # a key of the row, or a function of it
    form: str = ""
    right: bool = True

    def cell(self, row: Row) -> str:
        """Return the text of one row's cell: a dash for None."""
        value = row[self.of] if isinstance(self.of, str) else self.of(row)
        if value is None:
            return "-"
        return plain(value) if isinstance(value, str) else format(value, self.form)


def bits_column(title: str, key: str, places: int) -> Column:
    """Return a column of bits per pixel; thousands, of tiny pictures, are whole numbers."""
    return Column(title, lambda row: None if row[key] is None else decimals(row[key], places))


class Table(list[Row]):
    """Rows of JSON data; ``print`` formats them.

    Args:
        rows: the data.
        columns: of the printed table; none where ``lines`` are enough.
        sections: headings, each with the headings of the rows below it.
        lines: printed below.
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
        """Print everything to standard output, no wider than the terminal."""
        for heading, rows in self.sections if self.columns else ():
            if heading:
                print_lines([heading])
            print_rows(self.columns, rows)
        print_lines(self.lines)


def print_lines(lines: Iterable[str]) -> None:
    """Print sentences to standard output; a terminal breaks them between words only."""
    for line in map(plain, lines):
        _print_broken(line, None if line.startswith(" ") else 0)


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values to standard output, one a line; breaks as in ``print_lines``."""
    shown = [(plain(name), plain(text)) for name, text in pairs]
    width = max(len(name) for name, _ in shown)
    for name, text in shown:
        _print_broken(f"{name:{width}}  {text}".rstrip(), width + BETWEEN)


def _print_broken(line: str, indent: int | None) -> None:
    from neuralshade.base.terminal_lines import broken, columns_of  # loaded when needed

    print(broken(line, columns_of(sys.stdout), indent))


def print_rows(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """Print a table to standard output; columns beyond the terminal's width go below."""
    from neuralshade.base.terminal_lines import columns_of

    cells = [[column.cell(row) for column in columns] for row in rows]
    room = columns_of(sys.stdout)
    if room is None:
        _print_part(columns, cells, WHOLE_COLUMNS)
        return
    for number, part in enumerate(_parts(columns, cells, room)):
        if number:
            print()
        _print_part([columns[i] for i in part], [[row[i] for i in part] for row in cells], room)


def _parts(columns: Sequence[Column], cells: Sequence[Sequence[str]], room: int) -> list[list[int]]:
    """Return the columns of each part that fits ``room``; the first one is in each part."""
    parts: list[list[int]] = [[0]]
    for index in range(1, len(columns)):
        longer = [*parts[-1], index]
        wide = least_width(
            [columns[i] for i in longer], [[row[i] for i in longer] for row in cells]
        )
        if wide <= room or len(longer) == 2:
            parts[-1] = longer
        else:
            parts.append([0, index])
    return parts


def _print_part(columns: Sequence[Column], cells: Sequence[Sequence[str]], room: int) -> None:
    from rich import table
    from rich.console import Console

    shown = table.Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        justify: Any = "right" if column.right else "left"
        least = least_width([column], [[row[index]] for row in cells])
        shown.add_column(column.title, justify=justify, no_wrap=column.right, min_width=least)
    for row in cells:
        shown.add_row(*row)
    width = max(room, least_width(columns, cells))
    # rich needs a height too: without it, it takes 80 columns where TERM is dumb
    Console(width=width, height=len(cells) + 1, markup=False).print(shown)


def least_width(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> int:
    """Return the least width of a table that breaks no number and no word.

    A narrower terminal breaks its lines, which is better than cutting off digits.
    """
    found = BETWEEN * (len(columns) - 1)
    for index, column in enumerate(columns):
        texts = [column.title, *(row[index] for row in cells)]
        parts = [part for text in texts for part in (text.splitlines() if column.right
                                                     else text.split())]  # fmt: skip
        found += max(map(len, parts), default=0)
    return found
