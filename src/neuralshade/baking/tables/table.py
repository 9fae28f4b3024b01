"""Table of a bake, a row an asset, as CSV or Parquet."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from neuralshade.baking.job import Row
from neuralshade.base.atomic import check_writable, whole_file
from neuralshade.base.message_text import plain
from neuralshade.base.optional import optional_module
from neuralshade.errors import ConfigError

COLUMNS = tuple(field.name for field in fields(Row))
WHOLE = ("attempts", "asset_bytes", "memory_bytes", "source_bytes", "gpu_bytes")
REAL = ("seconds", "psnr_db", "bits_per_pixel")  # the rest is text
BATCH_ROWS = 65_536


def check_table(path: str | os.PathLike[str]) -> None:
    """Raise ConfigError for a suffix that is none of a table, DeviceError where its package is
    missing, OutputError where it cannot be written: before anything is fitted."""
    writer_of(path)
    if Path(path).suffix.lower() == ".parquet":
        _pyarrow()
    check_writable(path)


def write_table(path: str | os.PathLike[str], rows: Iterable[Row]) -> None:
    """Write ``rows`` as .csv or .parquet, whole or not at all; memory does not grow with them.

    Numbers that are not known are empty. Raises as ``check_table``.
    """
    writer = writer_of(path)
    with whole_file(path) as unfinished:
        writer(unfinished, rows)


def writer_of(path: str | os.PathLike[str]) -> Callable[[Path, Iterable[Row]], None]:
    """Return the function that writes a table to such a path. Raises ConfigError."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise ConfigError(f"table: got {plain(str(path))}, need a name that ends in "
                          f"{' or '.join(WRITERS)}. Rename it.")  # fmt: skip
    return WRITERS[suffix]


def _write_csv(path: Path, rows: Iterable[Row]) -> None:
    # names of files that are no text are written as they are
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow(getattr(row, name) for name in COLUMNS)


def _write_parquet(path: Path, rows: Iterable[Row]) -> None:
    arrow = _pyarrow()
    from pyarrow import parquet

    types = {**dict.fromkeys(WHOLE, arrow.int64()), **dict.fromkeys(REAL, arrow.float64())}
    schema = arrow.schema([(name, types.get(name, arrow.string())) for name in COLUMNS])
    with parquet.ParquetWriter(path, schema) as table:
        for batch in _batches(rows):
            table.write_table(arrow.Table.from_pylist(batch, schema=schema))


def _batches(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    left = iter(rows)
    while batch := [_plain_row(row) for row in islice(left, BATCH_ROWS)]:
        yield batch


def _plain_row(row: Row) -> dict[str, Any]:
    """Return a row as Parquet takes it: its text is UTF-8."""
    values = {name: getattr(row, name) for name in COLUMNS}
    return {n: v.encode("utf-8", "backslashreplace").decode() if isinstance(v, str) else v
            for n, v in values.items()}  # fmt: skip


def _pyarrow() -> Any:
    return optional_module("pyarrow", "pyarrow", "table", "for Parquet",
                           "Install neuralshade[parquet], or write .csv.")  # fmt: skip


WRITERS: Mapping[str, Callable[[Path, Iterable[Row]], None]] = {
    ".csv": _write_csv, ".parquet": _write_parquet,
}  # fmt: skip
