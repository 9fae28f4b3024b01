"""fitting/time_plan: --seconds are all of a fit, and one without an end runs a number of steps."""

import itertools
from types import SimpleNamespace

import pytest

from neuralshade.fitting import time_plan
from neuralshade.fitting.facts import ended, is_by_clock
from neuralshade.fitting.time_plan import (
    LEAST_STEPS,
    UNHURRIED,
    Clock,
    Deadline,
    clock_of,
    deadline_of,
    plan_text,
)
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe

USUAL = preset_recipe("grid", {})


@pytest.mark.parametrize("step_seconds, steps, seconds", [
    (0.01, 2000, 20.0),  # 20 s are enough for more than the least steps
    (0.1, LEAST_STEPS, 64.0),  # a slow machine goes on until it has run them
    (1.0, 180, 180.0),  # but not for ever
])  # fmt: skip
def test_a_fit_without_an_end_runs_a_number_of_steps(clock, loop_of, step_seconds, steps, seconds):
    """A busy laptop ended after 92 steps, at 16.5 dB."""
    loop = loop_of(clock, step_seconds=step_seconds, seconds=20.0)
    loop.clock = clock_of(USUAL, 0.0)
    assert loop.run()
    p = loop.progress
    assert p.step == pytest.approx(steps, rel=0.02) and p.seconds == pytest.approx(
        seconds, rel=0.02
    )
    factors = loop.engine.factors
    falling = [a >= b for a, b in itertools.pairwise(factors[20:])]
    assert all(falling) and factors[-1] < 0.05
    assert ended(p, loop.recipe) == f"{round(p.seconds)} s after {p.step:,} steps"


def test_the_search_has_a_share_of_the_seconds(clock, loop_of):
    loop = loop_of(clock, seconds=20.0)
    loop.clock = clock_of(loop.recipe, 2.0)
    assert loop.run()
    p = loop.progress
    assert p.seconds == pytest.approx(17.0, abs=0.2) and is_by_clock(p, loop.recipe)
    assert ended(p, loop.recipe).startswith("20 s after 1,7")
    assert loop.engine.factors[-1] < 0.05  # the schedule is through by then


def test_of_a_long_search_the_share_is_a_quarter():
    assert clock_of(ImageRecipe(seconds=20.0), 1e9) == Clock(5.0)
    assert clock_of(ImageRecipe(seconds=None, steps=5), 1e9) is UNHURRIED
    assert clock_of(USUAL, 0.0) == Clock(0.0, LEAST_STEPS)


def test_a_deadline_is_what_is_left_of_the_seconds(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time_plan.time, "perf_counter", lambda: now[0])
    recipe = ImageRecipe(seconds=20.0)
    assert deadline_of(recipe, Clock(3.0), 17.0).left == pytest.approx(3.0)
    assert deadline_of(recipe, Clock(3.0), 8.0).left == pytest.approx(12.0)  # it ended by steps
    assert deadline_of(USUAL, Clock(3.0, LEAST_STEPS), 100.0).left == pytest.approx(25.0)
    over = Deadline(3.0)
    assert not over()
    now[0] += 3.0
    assert over() and over.left == 0.0
    endless = deadline_of(ImageRecipe(seconds=None, steps=5), UNHURRIED, 8.0)
    now[0] = 1e9
    assert not endless()


@pytest.mark.parametrize("recipe, clock, reported, text", [
    (USUAL, Clock(2.0, 640), False, "fit: trains until more steps gain little: 20 s, or longer for "
     "640 steps, 180 s at most, 2 s of them for code refinement. Reading and compiling come on "
     "top."),
    (ImageRecipe(seconds=60.0), Clock(), True,
     "fit: takes 60 s. Reading and compiling come on top, and the report."),
    (ImageRecipe(seconds=1.0), Clock(), True, None),
    (ImageRecipe(seconds=None, steps=99), Clock(), True, None),
])  # fmt: skip
def test_how_long_it_takes_is_said_before(recipe, clock, reported, text):
    assert plan_text(recipe, clock, reported=reported) == text


def test_it_is_said_to_people(caplog):
    caplog.set_level("INFO", "neuralshade")
    job = SimpleNamespace(recipe=USUAL, options=SimpleNamespace(report=None),
                          loop=SimpleNamespace(clock=Clock(0.0, LEAST_STEPS)))  # fmt: skip
    time_plan.log_plan(job)
    (record,) = caplog.records
    assert record.levelname == "INFO" and record.message.startswith("fit: trains until")
