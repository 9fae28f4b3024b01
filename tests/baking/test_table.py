"""baking/table, summary: rows as CSV and Parquet; totals and what a page keeps."""

import csv
import math
import sys

import pytest

from neuralshade.baking import summary
from neuralshade.baking.job import FAILED, KEPT, MADE, Row
from neuralshade.baking.summary import decibel_bars, size_bars, summary_of
from neuralshade.baking.table import COLUMNS, check_table, write_table
from neuralshade.errors import ConfigError, DeviceError

ROWS = [
    Row("a/one", "image", "a/one.nsh", MADE, seconds=1.5, psnr_db=31.25, asset_bytes=1000,
        source_bytes=4000, bits_per_pixel=2.5, worker="host:7"),
    Row("two", "textures", "two.nsh", FAILED, 'two: got "x, y"\nand more', attempts=3, seconds=2.0),
    Row("thr\udce9e", "image", "thr\udce9e.nsh", KEPT, seconds=9.0, psnr_db=math.inf,
        asset_bytes=1500, source_bytes=6000),
]  # fmt: skip


def test_csv_has_every_field(tmp_path):
    write_table(tmp_path / "rows.csv", ROWS)
    with (tmp_path / "rows.csv").open(newline="", errors="surrogateescape") as file:
        found = list(csv.DictReader(file))
    assert tuple(found[0]) == COLUMNS and len(found) == 3
    assert found[0]["psnr_db"] == "31.25" and found[0]["memory_bytes"] == ""
    assert found[1]["message"] == ROWS[1].message and found[2]["name"] == ROWS[2].name


def test_parquet_has_types(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path / "rows.parquet", ROWS)
    found = parquet.read_table(tmp_path / "rows.parquet")
    assert tuple(found.column_names) == COLUMNS and found.num_rows == 3
    assert found["psnr_db"].to_pylist() == [31.25, None, math.inf]
    assert found["asset_bytes"].to_pylist() == [1000, None, 1500]
    assert str(found.schema.field("attempts").type) == "int64"


def test_a_table_is_refused_before_anything_runs(tmp_path, monkeypatch, same_message):
    with pytest.raises(ConfigError) as error:
        check_table("rows.xlsx")
    same_message(str(error.value), "table", ".csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DeviceError) as error:
        check_table(tmp_path / "rows.parquet")
    same_message(str(error.value), "table", "neuralshade[parquet]")


def test_totals_and_order():
    found = summary_of(iter(ROWS))
    assert found.states == {MADE: 1, FAILED: 1, KEPT: 1}
    assert (found.seconds, found.asset_bytes, found.source_bytes) == (3.5, 2500, 10_000)
    assert [row.name for row in found.rows] == ["two", "a/one", ROWS[2].name]
    assert [row.name for row in found.worst] == ["a/one", ROWS[2].name]
    (bar,) = decibel_bars(found)
    assert (bar.low, bar.high, bar.count, bar.share) == (31.0, 32.0, 1, 1.0)
    assert sum(bar.count for bar in size_bars(found)) == 2


def test_a_page_keeps_what_failed_and_the_worst(monkeypatch):
    monkeypatch.setattr(summary, "MOST_ROWS", 4)
    rows = [Row(f"r{n}", "image", "", MADE, psnr_db=float(n), asset_bytes=2**n) for n in range(50)]
    found = summary_of([*rows, Row("bad", "image", "", FAILED)])
    assert [row.name for row in found.rows] == ["bad", "r0", "r1", "r2"]
    assert found.left_out == 47 and sum(bar.count for bar in decibel_bars(found)) == 50
    assert len(decibel_bars(found)) <= summary.MOST_BARS
