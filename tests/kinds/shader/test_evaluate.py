"""kinds/shader/evaluate: a task's mean loss over random numbers of no fit, and how sure it is."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.shader.evaluate import STEPS

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    float b = 2;
    float sum = 1;
    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float drawn = thread.random.next_uniform().x;
        float d = a - b * drawn;
        return BODY;
    }
}
"""
MANY = {"steps": 5, "threads": "8x8"}


@pytest.fixture
def fitted_task(tmp_path):
    """Return what fits a task with such a loss, and returns the asset."""

    def fit(body="d * d", **settings):
        path = tmp_path / "t.slang"
        path.write_text(TASK.replace("BODY", body))
        neuralshade.fit_shader(path, tmp_path / "x.nsh", **{**MANY, **settings})
        return tmp_path / "x.nsh"

    return fit


def test_the_mean_and_its_error_are_those_of_the_integral(fitted_task):
    asset = fitted_task()
    a = float(neuralshade.load(asset).tensors["a"])
    (row,) = neuralshade.evaluate(asset)
    assert (row["name"], row["steps"], row["threads"]) == ("t.slang", STEPS, 64)
    wanted = a * a - 2 * a + 4 / 3  # the mean of (a - 2 u)^2
    squares = [(a - 2 * u) ** 2 for u in (np.arange(10_000) + 0.5) / 10_000]
    deviation = np.std(squares) / np.sqrt(STEPS * 64)
    assert row["loss"] == pytest.approx(wanted, abs=4 * deviation)
    assert row["standard_error"] == pytest.approx(deviation, rel=0.4)  # of 64 means: 9 % usually
    assert neuralshade.evaluate(asset) == [row]  # the same ones each time


def test_the_numbers_are_of_no_fit(fitted_task):
    """Nor are those of the steps that a longer fit of the same seed would have made."""
    body = "(thread.step == 1u ? drawn : 0) + 0 * a"
    longer = neuralshade.load(fitted_task(body, steps=2)).header.quality["loss"]
    (row,) = neuralshade.evaluate(fitted_task(body, steps=1))
    assert 0.3 < longer < 0.7 and 0.3 < row["loss"] * STEPS < 0.7
    assert row["loss"] * STEPS != pytest.approx(longer, rel=1e-4)
    (other,) = neuralshade.evaluate(fitted_task(body, steps=1, seed=1))
    assert other["loss"] != pytest.approx(row["loss"], rel=1e-4)


def test_steps_go_on_from_the_fit(fitted_task):
    (row,) = neuralshade.evaluate(fitted_task("a * 0 + thread.step", steps=7))
    assert row["loss"] == 7 + (STEPS - 1) / 2


def test_values_may_be_others(fitted_task):
    """And a loss without random numbers is sure."""
    asset = fitted_task("a * 0 + b * sum")
    (row,) = neuralshade.evaluate(asset)
    assert (row["loss"], row["standard_error"]) == (2, pytest.approx(0, abs=1e-9))
    assert neuralshade.evaluate(asset, values={"b": 3, "sum": "0.5"})[0]["loss"] == 1.5


def test_what_is_refused(fitted_task, fitted, refusal, same_message):
    asset = fitted_task("thread.step < 5u ? a * a : log(-1 - a * a)")
    same_message(refusal(ConfigError, neuralshade.evaluate, asset), asset, "Guard")
    image = fitted / "a.nsh"
    same_message(refusal(ConfigError, neuralshade.evaluate, image), image, "Give")
