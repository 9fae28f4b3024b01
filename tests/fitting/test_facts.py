"""fitting/facts: what is told of a fit: its curve, why it ended, what it reached."""

import math

import pytest

import neuralshade
from neuralshade import ConfigError
from neuralshade.fitting.facts import CurvePoints, ending_facts, result_facts
from neuralshade.fitting.loop import Progress, Restart


def test_losses_between_measurings_are_points():
    points, p = CurvePoints(), Progress(step=100, seconds=1.0, loss=0.5)
    assert points.fresh(p) == [[100, 1.0, 0.5, None]]
    p.step = 102  # two percent further at least
    assert points.fresh(p) == []
    p.step = 103
    assert points.fresh(p) == [[103, 1.0, 0.5, None]]
    p.curve = [[50, 0.5, 0.7, 20.0], [103, 1.0, 0.5, 30.0]]
    assert points.fresh(p) == p.curve
    assert points.fresh(p) == []


@pytest.mark.parametrize(
    "error, state, text",
    [
        (Restart({"action": "show", "path": "x"}), "stopped", "given up to show an asset"),
        (Restart({"action": "reset"}), "stopped", "given up for another fit"),
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
