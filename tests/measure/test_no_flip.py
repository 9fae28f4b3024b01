"""measure: where flip-evaluator has no wheel, all but FLIP is measured, and that is told."""

import sys

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import DeviceError
from neuralshade.measure.quality import flip, measure_quality, missing_flip, psnr_db, ssim
from neuralshade.measure.quality_rows import rows_for

LINE = (
    "flip: got no package flip-evaluator (import of flip_evaluator halted; None in sys.modules), "
    "need it to measure FLIP. Build it, which takes a C++ compiler: pip install flip-evaluator."
)


@pytest.fixture(autouse=True)
def _missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "flip_evaluator", None)


def test_flip_alone_is_missing(photo, refusal):
    assert missing_flip() == LINE
    assert refusal(DeviceError, flip, photo, photo) == LINE
    found = measure_quality(photo, photo * 0.9, "srgb")
    assert found.flip is None
    assert (found.psnr_db, found.ssim) == (psnr_db(photo, photo * 0.9), ssim(photo, photo * 0.9))


def test_tables_tell_why(photo, capsys):
    rows = rows_for(photo, photo * np.float32(0.9), 4000, "srgb")
    assert {row["flip"] for row in rows} == {None}
    rows.print()
    assert LINE in capsys.readouterr().out.splitlines()


def test_reports_have_what_there_is(fitted, tmp_path):
    neuralshade.report(fitted / "a.nsh", fitted / "a.png", tmp_path / "r.html")
    assert "FLIP" in (tmp_path / "r.html").read_text()
