"""optimizer/schedule: start, end, warm-up and shape of every kind."""

import math
from itertools import pairwise

import pytest

from neuralshade.optimizer.schedule import SCHEDULES, rate_factor

FINAL = 0.01
FORMULAS = {
    "constant": lambda x: 1.0,
    "cosine": lambda x: FINAL + (1 - FINAL) * math.cos(math.pi * x / 2) ** 2,
    "exponential": lambda x: math.exp(x * math.log(FINAL)),
}


def without_warmup(kind: str, progress: float) -> float:
    return rate_factor(kind, progress, step=10**6, final=FINAL, warmup=0)


def test_every_registered_schedule_has_a_formula():
    assert set(FORMULAS) == set(SCHEDULES)


@pytest.mark.parametrize("kind", SCHEDULES)
def test_value_equals_the_formula(kind):
    for progress in (0.0, 0.1, 0.25, 0.5, 0.9, 1.0):
        wanted = FORMULAS[kind](progress)
        assert without_warmup(kind, progress) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("kind", SCHEDULES)
def test_starts_at_one_ends_at_final_and_never_rises(kind):
    factors = [without_warmup(kind, i / 50) for i in range(51)]
    assert factors[0] == 1.0
    assert factors[-1] == pytest.approx(1.0 if kind == "constant" else FINAL)
    assert all(a >= b for a, b in pairwise(factors))
    assert without_warmup(kind, 1.7) == factors[-1]  # past the end nothing changes


@pytest.mark.parametrize("kind", SCHEDULES)
def test_warmup_grows_linearly_to_one(kind):
    factors = [rate_factor(kind, 0.0, step, FINAL, warmup=5) for step in range(8)]
    assert factors == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0, 1.0, 1.0, 1.0])


def test_warmup_multiplies_the_schedule():
    got = rate_factor("exponential", 0.5, step=0, final=0.25, warmup=4)
    assert got == pytest.approx(0.25 * 0.5)
