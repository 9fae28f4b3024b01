"""Files of JSON lines that programs append to: the last line may have been cut off by a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from neuralshade.base.json_numbers import finite
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import OutputError


def opened_to_append(path: Path, use: str) -> IO[str]:
    """Open a file to append lines to; an incomplete last line is terminated.

    Raises: OutputError, naming its ``use``.
    """
    try:
        file = path.open("a", encoding="ascii", newline="\n")
        if path.stat().st_size:
            with path.open("rb") as before:
                before.seek(-1, os.SEEK_END)
                if before.read() != b"\n":
                    file.write("\n")
        return file
    except OSError as error:
        raise OutputError(f"{path}: got '{error.strerror}', need a file for {use}. Choose "
                          "another path.") from error  # fmt: skip


def json_line(data: Any) -> str:
    """Return plain JSON data on a line, with null for numbers that JSON lacks."""
    return json.dumps(finite(data), separators=(",", ":"), allow_nan=False) + "\n"


def json_lines(path: Path, begin: int = 0) -> Iterator[Any]:
    """Yield the data of each whole line; lines that are no JSON are left out.

    ``begin``: bytes before the first of them.
    """
    with path.open("rb") as file:
        file.seek(begin)
        for line in file:
            try:
                yield strict_json(line)
            except ValueError:  # cut off: its writer was killed
                continue
