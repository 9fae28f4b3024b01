"""fit: the loop ends where it was told to, and tells what it does."""

import itertools
import math
import signal
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuralshade.fitting.loop
import neuralshade.fitting.progress
from neuralshade.base.interrupt import SIGNALS, Interruption
from neuralshade.fitting.loop import Loop, Progress
from neuralshade.optimizer.schedule import rate_factor


@pytest.mark.parametrize("steps", [1, 2, 7, 1000])
def test_steps_end_it_exactly(clock, loop_of, steps):
    loop = loop_of(clock, steps=steps)
    assert loop.run()
    assert len(loop.engine.factors) == loop.progress.step == steps
    assert loop.progress.share == 1.0


def test_seconds_end_it_within_one_look(clock, loop_of):
    loop = loop_of(clock, seconds=5.0)
    assert loop.run()
    assert 5.0 <= loop.progress.seconds <= 5.0 + 2 * neuralshade.fitting.progress.CALLBACK_SECONDS
    assert loop.progress.step == pytest.approx(500, abs=21)


class CompilingEngine:
    """An engine whose first call of a session compiles for 10 s."""

    def __init__(self, engine):
        self.engine, self.compiled = engine, False

    def advance(self, factors):
        self.engine.clock.now += 0.0 if self.compiled else 10.0
        self.compiled = True
        return self.engine.advance(factors)


def test_what_is_compiled_in_the_first_step_does_not_count(clock, loop_of):
    loop = loop_of(clock, seconds=5.0)
    loop.engine = CompilingEngine(loop.engine)
    seen = []
    loop.observer = lambda p: seen.append((p.seconds, p.samples_per_second))
    assert loop.run()
    assert loop.progress.step == pytest.approx(500, abs=21) and 5.0 <= loop.progress.seconds <= 5.2
    assert [seconds for seconds, _ in seen] == sorted(seconds for seconds, _ in seen)
    assert max(speed for _, speed in seen) <= 100 / 0.01 * 1.01


def test_the_first_step_has_seconds_in_the_curve_and_no_speed(clock, loop_of):
    loop = loop_of(clock, steps=5, step_seconds=3.0, measure=None)
    loop.engine = CompilingEngine(loop.engine)
    speeds = []

    def look(p):
        speeds.append(p.samples_per_second)
        clock.now += 0.002  # so long a look takes

    loop.observer = look
    assert loop.run()
    assert [row[0] for row in loop.progress.curve] == [1, 2, 3, 4, 5]
    assert [row[1] for row in loop.progress.curve] == pytest.approx([3, 6, 9, 12, 15], abs=0.1)
    assert speeds[0] == 0.0 and max(speeds) <= 100 / 3.0 * 1.01


def test_the_curve_of_one_call_has_its_seconds(clock, loop_of):
    loop = loop_of(clock, steps=1, step_seconds=3.0, measure=None)
    assert loop.run()
    assert [row[:2] for row in loop.progress.curve] == [[1, 3.0]]


def test_a_resumed_fit_compiles_beside_the_clock_too(clock, loop_of):
    loop = loop_of(clock, seconds=5.0)
    loop.engine, loop.progress = CompilingEngine(loop.engine), Progress(step=400, seconds=4.0)
    assert loop.run()
    assert loop.progress.step == pytest.approx(500, abs=21)


def test_a_fit_of_one_step_takes_what_that_took(clock, loop_of):
    loop = loop_of(clock, steps=1, step_seconds=3.0)
    assert loop.run()
    assert loop.progress.seconds == pytest.approx(3.0)
    assert loop.progress.samples_per_second == pytest.approx(100 / 3)


@pytest.mark.parametrize("steps, seconds, ended_by", [(50, 100.0, 50), (10**6, 0.5, 50)])
def test_the_first_of_two_ends_counts(clock, loop_of, steps, seconds, ended_by):
    loop = loop_of(clock, steps=steps, seconds=seconds)
    assert loop.run()
    assert loop.progress.step == pytest.approx(ended_by, abs=11)


def test_target_ends_it_early(clock, loop_of):
    reached = iter(range(0, 100, 5))
    loop = loop_of(clock, steps=10**6, target_psnr=30.0, measure=lambda: float(next(reached)))
    assert loop.run()
    assert loop.progress.psnr_db == 30.0
    assert loop.progress.step < 10_000


def test_target_alone_is_an_end(clock, loop_of):
    reached = iter(range(0, 100, 5))
    loop = loop_of(clock, target_psnr=12.0, measure=lambda: float(next(reached)))
    assert loop.run()
    assert loop.progress.psnr_db == 15.0 and loop.progress.share == 0.0


def test_observer_is_called_about_ten_times_a_second(clock, loop_of):
    seen = []
    loop = loop_of(clock, seconds=10.0, step_seconds=0.001)
    loop.observer = lambda p: seen.append((p.step, p.seconds, p.share, p.samples_per_second))
    loop.run()
    assert 90 <= len(seen) <= 130
    assert seen == sorted(seen)
    for step, seconds, share, rate in seen:
        assert share == pytest.approx(min(1.0, seconds / 10.0))
        # of the first step it is not known yet what of it was compiling
        assert rate == pytest.approx(step * 100 / seconds if step > 1 else 0.0)
    assert seen[-1][2] == 1.0


def test_slow_steps_are_looked_at_one_by_one(clock, loop_of):
    loop = loop_of(clock, steps=5, step_seconds=3.0)
    loop.run()
    assert loop.engine.chunks == [1] * 5


def test_samples_are_counted_as_they_are_drawn(clock, loop_of):
    loop = loop_of(clock, steps=50, batch=100)
    loop.samples_per_step = 91
    loop.run()
    assert loop.progress.samples_per_second == pytest.approx(91 / loop.engine.step_seconds)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 300), st.sampled_from(["constant", "cosine", "exponential"]),
       st.integers(0, 400))  # fmt: skip
def test_the_schedule_sees_every_step_whatever_the_chunks(
    a_clock, loop_of, steps, schedule, warmup
):
    """What is learned must not depend on how fast the machine is."""
    clock = a_clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neuralshade.fitting.loop.time, "perf_counter", clock)
        loop = loop_of(clock, steps=steps, schedule=schedule, warmup=warmup)
        loop.run()
    expected = [rate_factor(schedule, i / steps, i, 0.01, warmup) for i in range(steps)]
    assert loop.engine.factors == pytest.approx(expected)


def snapshot_steps(clock, loop_of, **recipe):
    taken = []
    loop = loop_of(clock, **recipe)
    loop.snapshot = lambda p: taken.append(p.step)
    loop.run()
    return taken, loop.progress.step


def test_snapshots_are_log_spaced(clock, loop_of):
    taken, _ = snapshot_steps(clock, loop_of, steps=1024)
    assert taken[:10] == [1, 2, 3, 4, 5, 6, 8, 11, 16, 23] and taken[-1] == 1024
    ratios = [b / a for a, b in itertools.pairwise(taken[3:])]
    assert min(ratios) > 1.15 and max(ratios) <= 1.5
    assert len(taken) <= 2 * 10 + 3  # two per doubling


@pytest.mark.parametrize("ends", [{"steps": 1000}, {"seconds": 3.0}, {"target_psnr": 5.0}])
def test_the_last_snapshot_is_the_end(clock, loop_of, ends):
    reached = itertools.count()
    taken, last = snapshot_steps(clock, loop_of, **ends, measure=lambda: float(next(reached)))
    assert taken[-1] == last and taken == sorted(set(taken))


def test_snapshots_do_not_change_the_rates(clock, loop_of):
    with_snapshots, without = loop_of(clock, steps=100), loop_of(clock, steps=100)
    with_snapshots.snapshot = lambda p: None
    assert with_snapshots.run() and without.run()
    assert with_snapshots.engine.factors == without.engine.factors


@pytest.fixture(params=SIGNALS)
def number(request):
    """Give a signal that is not ignored: these tests may run under nohup."""
    before = signal.signal(request.param, signal.default_int_handler)
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_stops_it_between_two_steps(clock, loop_of, number):
    loop = loop_of(clock, steps=1000)
    loop.observer = lambda p: p.step >= 20 and signal.raise_signal(number)
    assert not loop.run()
    assert 20 <= loop.progress.step == len(loop.engine.factors) < 1000


def test_interrupted_loop_goes_on_where_it_stopped(clock, loop_of):
    whole, parted = loop_of(clock, steps=200), loop_of(clock, steps=200)
    whole.run()
    parted.observer = lambda p: 50 <= p.step < 150 and signal.raise_signal(signal.SIGINT)
    assert not parted.run()
    rest = Loop(parted.engine, parted.recipe, parted.measure, progress=parted.progress)
    clock.now += 1e6  # the break does not count
    assert rest.run()
    assert rest.engine.factors == whole.engine.factors
    assert rest.progress.seconds == pytest.approx(whole.progress.seconds)


def test_signal_before_the_first_step(clock, loop_of):
    """Nothing has been learned, so there is no loss, and the caller must cope with that."""
    loop = loop_of(clock, steps=10)
    enter = Interruption.__enter__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Interruption, "__enter__", lambda self: vars(enter(self)).update(
            requested=True) or self)  # fmt: skip
        assert not loop.run()
    assert loop.progress.step == 0 and math.isnan(loop.progress.loss)


def test_other_threads_may_train():
    problems = []

    def work():
        try:
            with Interruption() as interruption:
                assert not interruption.requested
        except Exception as error:
            problems.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert problems == []


def test_progress_starts_empty():
    first, second = Progress(), Progress()
    first.curve.append([1, 0.0, 0.1, 10.0])
    assert second.curve == [] and second.psnr_db is None


def test_a_signal_in_the_last_step_is_heard(clock, loop_of, number):
    """What follows the steps, a search of codes, say, may take long."""
    loop = loop_of(clock, steps=5)
    advance = loop.engine.advance

    def signalled(factors):
        if loop.progress.step + len(factors) == 5:
            signal.raise_signal(number)
        return advance(factors)

    loop.engine.advance = signalled
    assert not loop.run()
    assert loop.progress.step == 5 and loop.is_over()


def test_a_fit_that_reached_its_target_is_over_though_its_file_has_less(clock, loop_of):
    loop = loop_of(clock, steps=500, measure=lambda: 30.0)
    loop.target_psnr = 29.0
    assert loop.run() and loop.progress.step < 500
    loop.settle(28.9)
    assert loop.is_over()
