"""A clock that a test turns, and loops on it."""

import pytest

import neuralshade.fitting.loop
from neuralshade.fitting.loop import Loop
from neuralshade.kinds.image.recipe import ImageRecipe

STEP_SECONDS = 0.01


class Clock:
    """Stands in for time.perf_counter: time passes only where a step or a measuring does."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class FakeEngine:
    """Counts steps and keeps their rate factors; the loss halves with every step."""

    def __init__(self, clock, step_seconds=STEP_SECONDS):
        self.clock, self.step_seconds = clock, step_seconds
        self.factors, self.chunks = [], []

    def advance(self, factors):
        self.clock.now += self.step_seconds * len(factors)
        self.factors += factors
        self.chunks.append(len(factors))
        return 0.5 ** len(self.factors)


@pytest.fixture(scope="session")
def a_clock():
    """Give what makes a clock that stands still."""
    return Clock


@pytest.fixture
def clock(monkeypatch):
    stand_in = Clock()
    monkeypatch.setattr(neuralshade.fitting.loop.time, "perf_counter", stand_in)
    return stand_in


@pytest.fixture(scope="session")
def loop_of():
    """Give a function that makes a loop on a clock, of an engine whose steps take their time."""

    def loop_of(clock, *, measure=lambda: 10.0, step_seconds=STEP_SECONDS, **recipe):
        ends = {"steps": None, "seconds": None, "batch": 100} | recipe
        recipe = ImageRecipe(**ends)
        engine = FakeEngine(clock, step_seconds)
        return Loop(
            engine, recipe, measure, samples_per_step=recipe.batch, target_psnr=recipe.target_psnr
        )

    return loop_of
