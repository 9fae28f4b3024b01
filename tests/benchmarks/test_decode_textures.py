"""benchmarks/decode_textures: a small set through every table."""

import json
import sys

import decode_textures
import pytest
from shared import results


def test_the_network_is_timed_on_what_was_asked_for(fitted_set):
    row = decode_textures.network_row(fitted_set.asset, "cpu", 2)
    assert (row["size"], row["channels"], row["device"]) == ("24 x 16", 10, "cpu")
    assert row["M texels per CPU second"] > 0


@pytest.mark.slow  # two processes that import PyTorch
def test_a_run_writes_both_tables(fitted_set, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    words = ["--devices", "cpu", "--runs", "1", "--name", "here"]
    monkeypatch.setattr(sys, "argv", ["decode_textures.py", str(fitted_set.asset), *words])
    decode_textures.main()
    told = json.loads((tmp_path / "decode_textures_here.json").read_text())
    assert [len(told[table]) for table in ("Network", "The verb")] == [1, 1]
    row = told["The verb"][0]
    assert row["decoded on"] == "cpu"
    assert row["bytes, BC7 + BC5 + BC4"] < row["bytes, plain"]
