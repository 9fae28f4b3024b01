"""live/cpu_budget: what is asked may take a share of a core, and no more."""

import asyncio

import pytest

from neuralshade.live import cpu_budget as module
from neuralshade.live.cpu_budget import SAVED_SECONDS, SHARE, CpuBudget

SLEEP = asyncio.sleep


class Clock:
    """Stands in for both clocks: a test says what passes and what is computed."""

    def __init__(self):
        self.now = self.used = 0.0

    async def sleep(self, seconds):
        self.now += seconds
        await SLEEP(0)

    def compute(self, seconds):
        self.now += seconds
        self.used += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(module.time, "perf_counter", lambda: made.now)
    monkeypatch.setattr(module.time, "thread_time", lambda: made.used)
    monkeypatch.setattr(module.asyncio, "sleep", made.sleep)
    return made


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_flood_takes_its_share(clock, elsewhere):
    cpu_budget, spent = CpuBudget(), 0.0

    async def flood():
        nonlocal spent
        while clock.now < 100:
            await cpu_budget.wait()
            if elsewhere:
                clock.now += 0.01
                cpu_budget.charge(0.01)
            else:
                clock.compute(0.01)
            spent += 0.01

    asyncio.run(flood())
    assert 0.9 * SHARE * 100 < spent < SHARE * 100 + SAVED_SECONDS + 0.1


def test_what_is_asked_now_and_then_does_not_wait(clock):
    cpu_budget = CpuBudget()

    async def now_and_then():
        for _ in range(1000):
            before = clock.now
            await cpu_budget.wait()
            assert clock.now == before
            clock.compute(0.2 * SHARE)
            clock.now += 0.8

    asyncio.run(now_and_then())


def test_who_came_first_is_first(clock):
    cpu_budget, order = CpuBudget(), []
    cpu_budget.charge(10.0)

    async def one(number):
        await cpu_budget.wait()
        clock.compute(0.01)
        order.append(number)

    async def many():
        await asyncio.gather(*(one(number) for number in range(50)))

    asyncio.run(many())
    assert order == list(range(50))
