"""Ledger of a bake: a JSON line for each job that ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from neuralshade.baking.job import Row, plain_data, row_of
from neuralshade.base.closeable import Closeable
from neuralshade.base.json_lines import json_line, json_lines, opened_to_append
from neuralshade.base.version import VERSION
from neuralshade.errors import OutputError

LEDGER = "ledger.jsonl"


class Ledger(Closeable):
    """The rows of a bake in ``folder``, written as jobs end, under the driver's lock.

    Each run begins with a line of its own, so that the file has all runs; ``run`` has this one.
    Lines are handed to the system one by one, so that a killed driver loses none.

    Raises: OutputError where the folder, which exists, cannot be written.
    """

    def __init__(self, folder: Path):
        self.path = folder / LEDGER
        self._file: IO[str] | None = opened_to_append(self.path, "the ledger of a bake")
        self.run = Run(self.path, self._file.tell())
        self._append({"run": VERSION})

    def write(self, row: Row) -> None:
        """Append a row. Raises OutputError where the disk is full."""
        self._append(plain_data(row))

    def _append(self, data: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(json_line(data))
            self._file.flush()
        except OSError as error:
            raise OutputError(f"{self.path}: got '{error.strerror}', need room for the ledger. "
                              "Free some space; the same command goes on.") from error  # fmt: skip

    def close(self) -> None:
        """Write no more."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()


@dataclass(frozen=True)
class Run:
    """Rows of one run in a ledger, in the order in which its jobs ended.

    They are read anew by each iteration, one at a time, from ``begin`` on: the bytes of the runs
    before. Later runs are left out.
    """

    path: Path
    begin: int

    def __iter__(self) -> Iterator[Row]:
        found = json_lines(self.path, self.begin)
        next(found, None)  # the line that begins it
        for data in found:
            if "run" in data:
                return
            yield row_of(data)
