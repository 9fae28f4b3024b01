"""baking/table, summary: rows as CSV and Parquet; totals and what a page keeps."""

import csv
import math
import sys
from collections import Counter

import pytest

from neuralshade.baking.job import FAILED, KEPT, MADE, Row
from neuralshade.baking.tables import histogram, summary
from neuralshade.baking.tables.histogram import decibel_histogram, size_histogram, size_text
from neuralshade.baking.tables.summary import summary_of
from neuralshade.baking.tables.table import COLUMNS, check_table, write_table
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
    (bar,) = decibel_histogram(found.decibels).bars
    assert (bar.low, bar.high, bar.count, bar.share) == (31.0, 32.0, 1, 1.0)
    assert sum(bar.count for bar in size_histogram(found.sizes).bars) == 2


def test_a_page_keeps_what_failed_and_the_worst(monkeypatch):
    monkeypatch.setattr(summary, "MOST_ROWS", 4)
    rows = [Row(f"r{n}", "image", "", MADE, psnr_db=float(n), asset_bytes=2**n) for n in range(50)]
    found = summary_of([*rows, Row("bad", "image", "", FAILED)])
    assert [row.name for row in found.rows] == ["bad", "r0", "r1", "r2"]
    bars = decibel_histogram(found.decibels).bars
    assert found.left_out == 47 and sum(bar.count for bar in bars) == 50
    assert len(bars) <= histogram.MOST_BARS


@pytest.mark.parametrize("counts, across, upward", [
    ({37: 2, 41: 1}, ["37", "38", "39", "40", "41", "42"], ["0", "1", "2"]),
    ({27: 3, 36: 284, 45: 1}, ["30", "35", "40", "45"], ["0", "100", "200"]),
    ({-3: 1}, ["-3", "-2"], ["0", "1"]),
    ({20: 1_000_000, 90: 7}, ["20", "40", "60", "80"], ["0", "200,000", "400,000", "600,000",
                                                        "800,000", "1,000,000"]),
])  # fmt: skip
def test_axes_of_decibels_have_round_ticks_where_they_belong(counts, across, upward):
    found = decibel_histogram(Counter(counts))
    assert [tick.text for tick in found.across] == across
    assert [tick.text for tick in found.upward] == upward
    low, high = found.bars[0].low, found.bars[-1].high
    for tick in found.across:
        assert tick.share == pytest.approx((float(tick.text) - low) / (high - low))
        assert 0 <= tick.share <= 1
    most = max(bar.count for bar in found.bars)
    for tick in found.upward:
        assert tick.share == int(tick.text.replace(",", "")) / most


@pytest.mark.parametrize("sizes, across", [
    ([1500], ["1.45 kB", "2.05 kB"]),  # no round number between
    ([20_000, 90_000, 240_000], ["20 kB", "50 kB", "100 kB", "200 kB"]),
    ([10**3, 10**8], ["10 kB", "1 MB", "100 MB"]),
    ([1, 10**15], ["1 bytes", "10 kB", "100 MB", "1 TB"]),
])  # fmt: skip
def test_axes_of_bytes_have_units(sizes, across):
    rows = [Row("a", "image", "", MADE, asset_bytes=size) for size in sizes]
    found = size_histogram(summary_of(rows).sizes)
    assert [tick.text for tick in found.across] == across
    assert all(0 <= tick.share <= 1 for tick in found.across)
    assert found.bars[0].text == f"{size_text(found.bars[0].low)} to " + (
        f"{size_text(found.bars[0].high)}: 1 asset")  # fmt: skip


def test_nothing_measured_has_no_histogram():
    assert decibel_histogram(Counter()) is None and size_histogram(Counter()) is None


def test_lost_attempts_are_counted_and_the_first_are_named(monkeypatch):
    monkeypatch.setattr(summary, "MOST_LOST", 3)
    rows = [Row(name, "image", "", MADE, attempts=3, lost="was killed.\nran out.") for name in "ab"]
    found = summary_of(rows)
    assert found.lost == [("a", "was killed."), ("a", "ran out."), ("b", "was killed.")]
    assert found.lost_count == 4
