"""fit: when PSNR is measured on the way, what that costs, and what the curve keeps of it."""

import itertools
import json
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import neuralshade
from neuralshade import FitOptions
from neuralshade.fitting.loop import (
    FIRST_MEASURE_SECONDS,
    MEASURE_SHARE,
    MEASUREMENTS,
    TARGET_SHARE,
    Progress,
)


def measured(loop):
    """Return the rows of the curve that have a PSNR."""
    return [row for row in loop.progress.curve if row[3] is not None]


def measuring(clock, costs):
    """Return a measurement that takes the next of ``costs``, then the last; and what it took."""
    spent = []

    def measure():
        spent.append(costs[min(len(spent), len(costs) - 1)])
        clock.now += spent[-1]
        return 10.0

    return measure, spent


def test_measuring_takes_its_share_of_the_time(clock, loop_of):
    measure, spent = measuring(clock, [0.05])
    loop = loop_of(clock, seconds=60.0, measure=measure)
    loop.run()
    # above: the first one, the one that reaches the share, and that of the end
    assert 0.01 * 60 <= sum(spent) <= 0.02 * 60 + 3 * 0.05 + 1e-9
    steps = [row[0] for row in measured(loop)]
    assert steps == sorted(set(steps)) and len(steps) == len(spent)


def test_the_first_measuring_waits_for_some_training(clock, loop_of):
    loop = loop_of(clock, seconds=3.0)
    seen = []
    loop.observer = lambda p: seen.append((p.seconds, p.psnr_db))
    loop.run()
    assert all((psnr is None) == (seconds < 0.3) for seconds, psnr in seen)
    assert measured(loop)[0][1] == pytest.approx(0.3, abs=0.11)


def test_a_slow_first_measuring_does_not_put_off_the_second(clock, loop_of):
    """It loads and allocates; at 2 % of the time, 0.5 s would be paid off after 25 s."""
    measure, spent = measuring(clock, [0.5, 0.002])
    loop = loop_of(clock, seconds=4.0, measure=measure)
    loop.run()
    assert measured(loop)[1][1] < 1.1
    assert len(spent) > 10


def test_a_slow_measuring_is_made_all_the_same(clock, loop_of):
    """Each takes 0.2 s: 2 % of 8 s are not one, but one in ten seconds of them are."""
    measure, spent = measuring(clock, [0.2])
    loop = loop_of(clock, seconds=8.0, measure=measure)
    loop.run()
    assert 4 <= len(spent) == len(measured(loop)) and sum(spent[1:-1]) <= 0.1 * 8 + 0.2
    assert measured(loop)[-1][0] >= 0.95 * loop.progress.step
    assert 8.0 <= loop.progress.seconds < 8.4  # what comes after the training does not count


@pytest.mark.parametrize("ends", [{"seconds": 20.0}, {"steps": 2000}, {"seconds": 10.0}])
def test_ten_measurings_at_least_within_their_time(clock, loop_of, ends):
    """Where all pixels take too long, fewer are measured."""
    pixels = [1.0]

    def measure():
        clock.now += 0.3 * pixels[0]
        return 10.0

    def coarser(times):
        assert times > 1
        pixels[0] = max(1 / 64, pixels[0] / times)

    loop = loop_of(clock, measure=measure, **ends)
    loop.coarser = coarser
    loop.run()
    assert len(measured(loop)) >= 10 and pixels[0] < 0.2
    apart = [b[0] - a[0] for a, b in itertools.pairwise(measured(loop)[1:])]
    assert max(apart) <= 0.25 * loop.progress.step


def test_a_slow_second_measuring_does_not_put_off_the_third(clock, loop_of):
    """It finds out how few pixels can be afforded: a tenth of 10 s would have paid for it."""
    pixels = [1.0]

    def measure():
        clock.now += pixels[0]
        return 10.0

    def coarser(times):
        pixels[0] /= times

    loop = loop_of(clock, measure=measure, seconds=15.0)
    loop.coarser = coarser
    loop.run()
    seconds = [row[1] for row in measured(loop)]
    assert seconds[2] < seconds[1] + 3 and len(seconds) >= 10


def test_every_look_leaves_its_loss(clock, loop_of):
    """The engine's loss halves with every step: a row that was missed would be seen."""
    loop, looks = loop_of(clock, seconds=3.0, measure=measuring(clock, [0.2])[0]), []
    loop.observer = lambda p: looks.append((p.step, float(f"{p.loss:.4g}")))
    loop.run()
    assert [(row[0], row[2]) for row in loop.progress.curve] == sorted(set(looks))
    assert len(loop.progress.curve) > 2 * len(measured(loop))


def test_a_psnr_of_long_ago_is_stale_and_that_of_the_file_is_not(clock, loop_of):
    loop = loop_of(clock, steps=100)
    loop.run()
    p = loop.progress
    assert (p.psnr_db, p.psnr_step, p.about, p.stale) == (10.0, 100, 1, False)
    p.step = 126
    assert p.stale
    loop.settle(12.5)
    assert (p.psnr_db, p.psnr_step, p.about, p.stale) == (12.5, 126, 0, False)
    assert p.curve[-1][0] == 126 and p.curve[-1][3] == 12.5


@pytest.mark.parametrize("steps", [1, 20])
def test_a_fit_too_short_to_be_measured_is_measured_at_its_end(clock, loop_of, steps):
    loop = loop_of(clock, steps=steps)
    seen = []
    loop.observer = lambda p: seen.append(p.psnr_db)
    loop.run()
    assert [row[0] for row in measured(loop)] == [steps]
    assert seen[-1] == 10.0


def test_the_end_is_not_measured_twice(clock, loop_of):
    loop = loop_of(clock, seconds=8.0)
    loop.run()
    steps = [row[0] for row in measured(loop)]
    assert steps == sorted(set(steps)) and steps[-1] >= 0.95 * loop.progress.step


def test_a_resumed_fit_does_not_catch_up_on_measuring(clock, loop_of):
    measure, spent = measuring(clock, [0.05])
    progress = Progress(step=10_000, seconds=100.0, psnr_db=20.0)
    loop = loop_of(clock, seconds=101.0, measure=measure)
    loop.progress = progress
    loop.run()
    assert len(spent) <= 3


def test_every_surface_ends_with_the_number_of_the_file(tmp_path, save_smooth, few):
    """Terminal, events, the asset's curve, of which reports are drawn; and TensorBoard."""
    picture, events, logs = save_smooth(), tmp_path / "e.jsonl", tmp_path / "logs"
    seen, options = [], FitOptions(engine="torch", events=events, tensorboard=logs)
    result = neuralshade.fit_image(
        picture,
        tmp_path / "a.nsh",
        options=options,
        **few,
        observer=lambda p: seen.append([p.psnr_db, p.about]),
    )
    assert seen[-1] == [result.psnr_db, 0] and seen[-2][1] == 1
    told = [json.loads(line) for line in events.read_text().splitlines()]
    last = [one for one in told if one["type"] == "progress"][-1]
    assert (last["psnr_db"], last["psnr_about"]) == (result.psnr_db, False)
    points = [point for one in told if one["type"] == "curve" for point in one["points"]]
    assert points[-1] == neuralshade.load(result.asset).header.training["curve"][-1]
    assert points[-1][3] == result.psnr_db
    log = EventAccumulator(str(logs))
    log.Reload()
    assert log.Scalars("psnr_db")[-1].value == pytest.approx(result.psnr_db)


def test_a_psnr_of_more_than_two_seconds_ago_is_stale():
    p = Progress(step=1000, seconds=60.0)
    p.psnr_db, p.psnr_step, p.about = 30.0, 1000, 1
    p.note(measured=True)
    for seconds, stale in ((61.9, False), (62.1, True)):
        p.step, p.seconds = p.step + 1, seconds
        p.note(measured=False)
        assert p.stale == stale
    p.psnr_step = p.step
    assert not p.stale


@pytest.mark.parametrize("seconds, cost, fewest", [
    (0.25, 0.002, 0), (0.8, 0.002, 4), (2.0, 0.005, 8), (2.0, 0.02, 6), (6.0, 0.02, 10),
])  # fmt: skip
def test_short_fits_by_steps_have_as_many_measurings_as_docs_say(clock, loop_of, seconds, cost,
                                                                  fewest):  # fmt: skip
    measure, spent = measuring(clock, [cost])
    loop = loop_of(clock, steps=round(100 * seconds), measure=measure)  # of 0.01 s
    loop.run()
    on_the_way = [row for row in measured(loop) if row[0] < loop.progress.step]
    assert len(on_the_way) >= fewest and (seconds > FIRST_MEASURE_SECONDS or not on_the_way)
    assert sum(spent[1:-1]) <= TARGET_SHARE * loop.progress.seconds + cost


def test_docs_say_when_psnr_is_measured():
    said = (Path(__file__).parents[2] / "docs" / "watching.md").read_text()
    assert (f"first measured after {FIRST_MEASURE_SECONDS:g} s of training, then in "
            f"{100 * MEASURE_SHARE:g} % of the time, and in {100 * TARGET_SHARE:g} % of it as long "
            f"as that makes fewer than {MEASUREMENTS} measurings") in said  # fmt: skip
