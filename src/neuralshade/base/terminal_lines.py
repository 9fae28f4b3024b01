"""Line breaking at spaces for terminals."""

from __future__ import annotations

import os
import re
import textwrap
from contextlib import suppress
from typing import TextIO

INDENT = 2  # of continuation lines
USUAL_COLUMNS = 80  # of a terminal that does not report its width
# text to copy, at the end of a line: no full stop follows
COMMAND = re.compile(r"(.*: |\s*(?:-> )?)((?:neuralshade|pip|sudo|echo) .*[^.])")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
KEPT_SPACE = "\0"  # stands for a space at which no line may end
GOES_ON = " \\"  # continues the command on the next line in a POSIX shell


def columns_of(stream: TextIO | None) -> int | None:
    """Return the width of the terminal behind ``stream``; None where it is no terminal."""
    if stream is None or not stream.isatty():
        return None
    with suppress(ValueError):  # COLUMNS first, as other programs do
        if (columns := int(os.environ.get("COLUMNS", ""))) > 0:
            return columns
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    return USUAL_COLUMNS


def broken(text: str, columns: int | None, indent: int | None = None) -> str:
    """Return ``text`` with lines longer than ``columns`` broken at spaces; unchanged for None.

    A command at the end of a line is broken so that a shell accepts the copied lines.

    Args:
        text: one line or more.
        columns: width of the terminal.
        indent: spaces before continuation lines; None: INDENT more than the line itself has.
    """
    if columns is None:
        return text
    return "\n".join(_broken(line, columns, indent) for line in text.split("\n"))


def _broken(line: str, columns: int, indent: int | None) -> str:
    if len(line) <= columns and "\t" not in line:
        return line
    line = line.expandtabs()
    spaces = len(line) - len(line.lstrip()) + INDENT if indent is None else indent
    found = COMMAND.fullmatch(line)
    if found is None or len(line) <= columns:
        return "\n".join(_filled(line, columns, "", " " * spaces))
    before, command = found.groups()
    if before.strip() in ("", "->"):
        return _command(command, columns, before, spaces)
    lines = _filled(before, columns, "", " " * spaces)
    if len(lines[-1]) + 1 + len(command) <= columns:
        lines[-1] += f" {command}"
        return "\n".join(lines)
    return "\n".join([*lines, _command(command, columns, " " * spaces, spaces + INDENT)])


def _command(command: str, columns: int, before: str, spaces: int) -> str:
    """Return a command as continued lines; on one line where the shell has no continuation."""
    if len(before) + len(command) <= columns or os.name == "nt":
        return before + command
    whole = QUOTED.sub(lambda quoted: quoted[0].replace(" ", KEPT_SPACE), command)
    lines = _filled(whole, columns - len(GOES_ON), before, " " * spaces)
    return f"{GOES_ON}\n".join(lines).replace(KEPT_SPACE, " ")


def _filled(text: str, columns: int, before: str, margin: str) -> list[str]:
    # a margin may leave no column on very narrow terminals
    return textwrap.wrap(text, max(columns, len(margin) + 1, len(before) + 1),
                         initial_indent=before, subsequent_indent=margin,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip
