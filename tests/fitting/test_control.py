"""fit: a control sees the loop, and steers it."""

import itertools
import math
import signal

import pytest

from neuralshade.base.interrupt import SIGNALS, Interruption
from neuralshade.fitting.loop import Restart


class Steered:
    """A control that keeps what it was shown and does what a test wants at a step."""

    def __init__(self, clock, **at):
        self.clock, self.at = clock, at
        self.rate_scale, self.ended, self.most_steps = 1.0, False, 2**30
        self.seen = []

    def attend(self, progress, interrupted):
        self.seen.append((progress.step, progress.seconds))
        if progress.step < self.at.get("step", 0):
            return 0.0
        if "restart" in self.at:
            raise Restart({"seed": 3})
        self.rate_scale = self.at.get("rate_scale", 1.0)
        self.ended = self.at.get("ended", False)
        paused, self.at["paused"] = self.at.get("paused", 0.0), 0.0
        self.clock.now += paused
        return paused


def steered(clock, loop_of, ends, **at):
    """Return a loop that ends by ``ends``, and its control."""
    loop = loop_of(clock, **ends)
    loop.control = Steered(clock, **at)
    return loop, loop.control


def test_a_control_sees_the_start_and_every_look(clock, loop_of):
    loop, control = steered(clock, loop_of, {"seconds": 5.0})
    looks = []
    loop.observer = lambda p: looks.append((p.step, p.seconds))
    assert loop.run()
    assert control.seen == [(0, 0.0), *looks]


def test_a_control_that_wants_nothing_changes_nothing(clock, loop_of):
    (with_one, _), without = steered(clock, loop_of, {"steps": 300}), loop_of(clock, steps=300)
    assert with_one.run() and without.run()
    assert with_one.engine.factors == without.engine.factors
    assert with_one.engine.chunks == without.engine.chunks


def test_seconds_of_a_pause_do_not_count(clock, loop_of):
    loop, control = steered(clock, loop_of, {"seconds": 5.0}, step=100, paused=1000.0)
    assert loop.run()
    assert 5.0 <= loop.progress.seconds <= 5.2 and clock.now > 2000
    assert loop.progress.step == pytest.approx(500, abs=21)
    assert max(b[1] - a[1] for a, b in itertools.pairwise(control.seen)) < 0.3
    assert all(row[1] < 5.3 for row in loop.progress.curve)


def test_a_pause_before_the_first_step(clock, loop_of):
    loop, _ = steered(clock, loop_of, {"seconds": 2.0}, paused=50.0)
    assert loop.run()
    assert 2.0 <= loop.progress.seconds < 2.3 and loop.progress.step > 150


def test_a_control_scales_every_step_from_then_on(clock, loop_of):
    loop, control = steered(
        clock, loop_of, {"steps": 200, "schedule": "cosine"}, step=50, rate_scale=0.5
    )
    usual = loop_of(clock, steps=200, schedule="cosine")
    assert loop.run() and usual.run()
    first = next(step for step, _ in control.seen if step >= 50)
    halved = [factor * (0.5 if i >= first else 1) for i, factor in enumerate(usual.engine.factors)]
    assert loop.engine.factors == pytest.approx(halved)


def test_a_control_ends_a_fit_as_if_it_were_done(clock, loop_of):
    loop, _ = steered(clock, loop_of, {"steps": 10**6}, step=50, ended=True)
    snapshots = []
    loop.snapshot = lambda p: snapshots.append(p.step)
    assert loop.run()
    step = loop.progress.step
    assert 50 <= step < 100 and loop.progress.curve[-1][0] == snapshots[-1] == step


def test_a_control_ends_a_fit_before_it_began(clock, loop_of):
    loop, _ = steered(clock, loop_of, {"steps": 100}, ended=True)
    assert loop.run()
    assert loop.progress.step == 0 and loop.engine.factors == []


@pytest.mark.parametrize("most", [1, 3])
def test_a_control_is_attended_to_after_so_many_steps(clock, loop_of, most):
    loop, control = steered(clock, loop_of, {"steps": 31})
    control.most_steps = most
    assert loop.run()
    chunks = loop.engine.chunks
    assert [step for step, _ in control.seen] == [0, *itertools.accumulate(chunks)]
    assert max(chunks) == most and sum(chunks) == 31


@pytest.fixture
def long_ago(monkeypatch):
    """Forget when a test before this one pressed Ctrl-C: for a second, keys are taken to bounce."""
    monkeypatch.setattr(Interruption, "_requested_at", -math.inf)


def test_a_control_gives_the_fit_up_for_another(clock, loop_of, long_ago):
    loop, _ = steered(clock, loop_of, {"steps": 1000}, step=50, restart=True)
    before = [signal.getsignal(s) for s in SIGNALS]
    with pytest.raises(Restart) as caught:
        loop.run()
    assert caught.value.settings == {"seed": 3} and 50 <= loop.progress.step < 100
    assert [signal.getsignal(s) for s in SIGNALS] == before


def test_a_control_hears_of_a_signal(clock, loop_of):
    """It may be pausing when Ctrl-C is pressed; it must be able to see that."""
    loop, control = steered(clock, loop_of, {"steps": 1000})
    heard = []

    def attend(progress, interrupted):
        if progress.step >= 20:
            signal.raise_signal(signal.SIGINT)
        heard.append(interrupted())
        return 0.0

    control.attend = attend
    assert not loop.run()
    assert heard[-1] is True and not any(heard[:-1])


def test_neither_pages_nor_a_measuring_come_before_the_end_that_a_signal_asks_for(clock, loop_of):
    done = []
    loop = loop_of(clock, steps=1000, measure=lambda: done.append("measured") or 10.0)
    loop.control = Steered(clock)
    advance = loop.engine.advance

    def signalled(factors):
        if loop.progress.step >= 100:
            done.append("signal")
            loop.control.attend = lambda *given: pytest.fail("pages were attended to")
            signal.raise_signal(signal.SIGINT)
        return advance(factors)

    loop.engine.advance = signalled
    assert not loop.run()
    assert "measured" in done and done[-1] == "signal"
    assert loop.progress.seconds == pytest.approx(loop.progress.step * 0.01)
