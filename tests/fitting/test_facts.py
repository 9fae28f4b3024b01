"""fitting/facts: what is told of a fit: its curve, why it ended, what it reached."""

import math

import pytest

import neuralshade
from neuralshade import ConfigError
from neuralshade.fitting.facts import CurvePoints, ending_facts, result_facts
from neuralshade.fitting.loop import Progress, Restart


def test_losses_between_measurings_are_points():
    points, p = CurvePoints(), Progress(step=100, seconds=1.0, loss=0.5)
    assert points.fresh(p) == []
    p.note(measured=False)
    p.step = 102  # two percent further at least
    p.note(measured=False)
    assert points.fresh(p) == [[100, 1.0, 0.5, None]]
    p.step = 103
    p.note(measured=False)
    assert points.fresh(p) == []
    p.step = 104
    assert points.fresh(p) == [[103, 1.0, 0.5, None]]
    assert points.fresh(p) == []


def test_a_step_that_is_measured_again_is_one_point():
    points, p = CurvePoints(), Progress(step=103, seconds=1.0, loss=0.5)
    p.note(measured=False)
    assert points.fresh(p) == []
    p.psnr_db = 30.0
    p.note(measured=True)
    assert points.fresh(p) == []
    p.psnr_db = 29.5  # of the file
    p.note(measured=True)
    assert points.fresh(p, ended=True) == [[103, 1.0, 0.5, 29.5]]
    assert points.fresh(p, ended=True) == []
    p.note(measured=False)
    assert p.curve == [[103, 1.0, 0.5, 29.5]]


def test_the_last_loss_of_a_fit_that_measures_nothing_is_told():
    points, p = CurvePoints(), Progress(step=100, seconds=1.0, loss=0.5)
    p.note(measured=False)
    p.step = 101
    assert points.fresh(p) == [[100, 1.0, 0.5, None]]
    p.loss = 0.25
    p.note(measured=False)
    assert points.fresh(p) == []
    assert points.fresh(p, ended=True) == [[101, 1.0, 0.25, None]]
    assert points.fresh(p, ended=True) == []


def test_a_long_curve_loses_half_of_its_losses_and_no_psnr(monkeypatch):
    monkeypatch.setattr("neuralshade.fitting.progress.MOST_ROWS", 64)
    points, p, told = CurvePoints(), Progress(loss=0.5, psnr_db=20.0), []
    for p.step in range(1, 1001):
        p.note(measured=p.step % 50 == 0)
        told += points.fresh(p, ended=p.step == 1000)
        assert len(p.curve) <= 64
    measured = [row[0] for row in p.curve if row[3] is not None]
    assert measured == list(range(50, 1001, 50))
    assert [row[0] for row in told if row[3] is not None] == measured
    steps = [row[0] for row in told]
    assert steps == sorted(set(steps))


@pytest.mark.parametrize(
    "error, state, text",
    [
        (Restart({"action": "show", "path": "x"}), "stopped", "stopped to show an asset"),
        (Restart({"action": "reset"}), "stopped", "stopped for another fit"),
        (KeyboardInterrupt(), "stopped", "interrupted."),
        (ConfigError("no."), "failed", "no."),
        (ZeroDivisionError("by 0"), "failed", "ZeroDivisionError: by 0"),
    ],
)
def test_reasons(error, state, text):
    assert ending_facts(error) == {"state": state, "text": text}


def test_results_are_plain():
    result = neuralshade.FitResult("x.nsh", "torch", "cpu", math.inf, *[1] * 7, True)
    assert result_facts(result)["seconds"] == math.inf  # null in the line
    assert isinstance(result_facts(result), dict)
