"""base/cores: work is spread over the cores that may be used, and comes back in order."""

import os
import threading

import pytest

from neuralshade.base import cores
from neuralshade.base.cores import core_count, map_on_cores, rows_on_cores


@pytest.mark.parametrize("limit, count", [("1", 1), ("3", 3), ("99", 6), ("0", 1), ("", 6),
                                          ("4,2", 6)])  # fmt: skip
def test_a_limit_of_libraries_is_kept(monkeypatch, limit, count):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(6), raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert core_count() == count


def test_where_cores_are_not_told_apart_all_count(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for found, count in ((5, 5), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda found=found: found)
        assert core_count() == count


@pytest.mark.parametrize("count", [1, 2, 9])
def test_results_come_in_order(monkeypatch, count):
    monkeypatch.setattr(cores, "core_count", lambda: count)
    assert list(map_on_cores(lambda number: number**2, range(5))) == [0, 1, 4, 9, 16]
    assert list(map_on_cores(lambda number: number, [])) == []


def test_as_many_run_at_a_time_as_there_are_cores(monkeypatch):
    monkeypatch.setattr(cores, "core_count", lambda: 3)
    met = threading.Barrier(3, timeout=300)
    assert len(list(map_on_cores(lambda _: met.wait(), range(6)))) == 6


def test_an_error_comes_out_and_ends_the_rest(monkeypatch):
    monkeypatch.setattr(cores, "core_count", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        list(map_on_cores(lambda number: 1 // number, [1, 0, 1]))


@pytest.mark.parametrize("height, width", [(1, 1), (7, 3), (6, 3), (2, 20)])
def test_rows_are_covered_once(monkeypatch, height, width):
    monkeypatch.setattr(cores, "BAND_TEXELS", 9)
    seen = [0] * height

    def count(rows):
        for row in range(*rows.indices(height)):
            seen[row] += 1

    rows_on_cores(count, height, width)
    assert seen == [1] * height
