"""fitting/plateau, fitting/loop: a fit ends where more steps gain little, and settles first."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.fitting.early_end import rising
from neuralshade.fitting.loop import Loop
from neuralshade.fitting.plateau import (
    CONSTANT_SHARE,
    FEWEST_STEPS,
    Plateau,
    gain_per_doubling,
)


def curve_of(psnr, steps):
    """Return the rows of a curve that has ``psnr`` (step) at ``steps``."""
    return [[step, 0.01 * step, 0.1, psnr(step)] for step in steps]


@given(st.floats(0.01, 5), st.integers(8, 20))
def test_the_gain_is_that_of_a_doubling(gain, last):
    steps = [round(2 ** (exponent / 4)) for exponent in range(4 * last - 12, 4 * last + 1)]
    curve = curve_of(lambda step: 20 + gain * math.log2(step), steps)
    losses = [[step + 1, 1.0, 0.1, None] for step in steps]
    mixed = sorted(curve + losses, key=lambda row: row[0])
    assert gain_per_doubling(mixed) == pytest.approx(gain)


@pytest.mark.parametrize("steps", [[], [1000], [900, 950, 990, 1000], [100, 500, 1000]])
def test_of_few_measurings_nothing_is_concluded(steps):
    assert gain_per_doubling(curve_of(lambda step: 30.0, steps)) is None
    assert not Plateau(1.0).reached(curve_of(lambda step: 30.0, steps))


def test_a_flat_beginning_is_no_plateau():
    early = [FEWEST_STEPS // 8 * share for share in range(4, 8)]
    assert gain_per_doubling(curve_of(lambda step: 7.0, early)) == 0.0
    assert not Plateau(1.0).reached(curve_of(lambda step: 7.0, early))


# kodim23 at one bit per pixel on a CPU: PSNR with step sizes as they were. It gained 0.6 dB a
# doubling on, and wavered by 0.2.
WAVERING = [(352, 30.545), (406, 30.783), (467, 30.802), (553, 31.074), (646, 31.161),
            (753, 31.186), (871, 31.131), (1013, 30.973)]  # fmt: skip


def test_a_curve_that_wavers_is_no_plateau():
    """Its last rows say -0.1 dB a doubling, by chance; what it gained before says more."""
    steps = [(173, 29.227), (200, 29.667), (230, 30.033), (266, 30.287), (306, 30.393), *WAVERING]
    curve = curve_of(dict(steps).get, dict(steps))
    assert gain_per_doubling(curve) < 0 < 0.4 < gain_per_doubling(curve, doublings=2)
    assert not Plateau(0.25).reached(curve) and Plateau(0.5).reached(curve)


def test_one_measuring_that_is_off_is_no_plateau():
    curve = curve_of(
        lambda step: 30 + 0.6 * math.log2(step), [round(1.15**i) for i in range(30, 60)]
    )
    *_, last = curve
    last[3] -= 1.5
    assert gain_per_doubling(curve) < 0.25 and not Plateau(0.25).reached(curve)


@pytest.mark.parametrize("share", [0.6, 0.75, 0.9])
def test_a_smooth_curve_waits_for_nothing_more(share):
    """Its plateau is found where the last doubling gained little, at two measurings in turn."""
    steps = [round(128 * 1.15**i) for i in range(80)]
    curve = curve_of(lambda step: 30 + 2 * share ** math.log2(step / 512) / math.log(share), steps)
    whole = [i for i in range(1, 81) if (gain_per_doubling(curve[:i]) or 1) < 0.25]
    found = [i for i in range(1, 81) if Plateau(0.25).reached(curve[:i])]
    assert found == whole[1:]


def test_rows_of_other_pixels_do_not_count():
    curve = curve_of(lambda step: 20.0 if step <= 800 else 30.0, range(500, 1001, 50))
    assert gain_per_doubling(curve) > 5 and gain_per_doubling(curve, since=800) is None


def test_the_last_part_goes_through_the_whole_schedule():
    assert [
        Plateau(0.25).settled(share, 0, None)
        for share in (0.0, CONSTANT_SHARE, (1 + CONSTANT_SHARE) / 2, 1.0)
    ] == pytest.approx([0.0, 0.0, 0.5, 1.0])
    assert [Plateau(0.25).settled(0.1, step, 1000) for step in (1000, 1125, 1250)] == [
        0.0,
        0.5,
        1.0,
    ]
    assert Plateau(0.25).settled(0.95, 1025, 1000) == pytest.approx(
        0.75
    )  # the given end comes first


def saturating(loop, gain, flat_from):
    """Return what measures a fit that gains ``gain`` a doubling, and nothing from a step on."""
    return lambda: 20.0 + gain * math.log2(min(max(1, loop.progress.step), flat_from))


@pytest.fixture
def plateau_loop(clock, loop_of):
    """Give a function that makes a loop until a plateau of a PSNR that stops to rise at a step."""

    def plateau_loop(flat_from, gain=2.0, plateau_db=0.25, **ends):
        loop = loop_of(clock, until="plateau", plateau_db=plateau_db, **ends)
        loop.measure, loop.plateau = saturating(loop, gain, flat_from), Plateau(plateau_db)
        return loop

    return plateau_loop


def test_a_plateau_ends_it_and_rates_fall_after_it(plateau_loop):
    loop = plateau_loop(flat_from=1000, seconds=1000.0)
    assert loop.run()
    found, factors = loop.progress.plateau_step, loop.engine.factors
    assert 1500 <= found <= 3000 and loop.progress.share == 1.0  # two doublings, mostly
    assert loop.progress.step == Plateau(0.25).end(found) == len(factors)
    assert factors[20:found] == [1.0] * (found - 20)
    assert factors[found:] == sorted(factors[found:], reverse=True) and factors[-1] < 0.02
    assert rising(loop, loop.recipe) is None


@pytest.mark.parametrize("ends", [{"seconds": 8.0}, {"steps": 800}])
def test_a_given_end_that_comes_first_is_told(plateau_loop, ends):
    loop = plateau_loop(flat_from=10**9, **ends)
    assert loop.run()
    factors = loop.engine.factors
    assert loop.progress.plateau_step is None and factors[-1] < 0.05
    assert factors[int(0.7 * len(factors))] == 1.0
    by_clock = "seconds" in ends
    steps = f"{loop.progress.step} steps"
    end, more = (f"8 s after {steps}", "seconds 24") if by_clock else (steps, "steps 2400")
    assert rising(loop, loop.recipe) == (
        f"fit: still improving when it ended at its {end}: the last doubling of its steps, before "
        f"step sizes fell, gave 2.0 dB. Try --{more} --until plateau."
    )


def test_what_comes_as_step_sizes_fall_is_no_gain_of_a_doubling(plateau_loop):
    """It comes once: a fit of four times the seconds has it once, too."""
    loop = plateau_loop(flat_from=10**9, gain=1.0, steps=2000)
    before, p = loop.measure, loop.progress
    loop.measure = lambda: before() + 20 * max(0, p.step / 2000 - CONSTANT_SHARE)
    assert loop.run() and gain_per_doubling(p.curve) > 3
    assert ", before step sizes fell, gave 1.0 dB." in rising(loop, loop.recipe)


@pytest.mark.parametrize("gain, ends, steep", [
    (4.0, {"seconds": 8.0}, True),
    (2.0, {"seconds": 8.0}, False),
    (4.0, {"steps": 800}, False),  # they were asked for
    (4.0, {"seconds": 6.0}, False),  # so few steps are told whatever they gave
])  # fmt: skip
def test_a_clock_is_told_where_much_was_still_gained(clock, loop_of, gain, ends, steep):
    """No plateau was looked for."""
    loop = loop_of(clock, until="end", **ends)
    loop.measure = saturating(loop, gain, flat_from=10**9)
    assert loop.run() and loop.plateau is None
    told, said = rising(loop, loop.recipe), ": the last doubling of its steps gave 4.0 dB. "
    assert (told is not None) == steep and said in (told or said)


def test_what_a_search_adds_is_no_gain_of_the_steps(clock, loop_of):
    """The last row of the curve is the file's, whose codes were searched."""
    loop = loop_of(clock, until="end", seconds=8.0)
    loop.measure = saturating(loop, 4.0, flat_from=10**9)
    assert loop.run()
    told = rising(loop, loop.recipe)
    loop.settle(loop.progress.psnr_db + 3.0)
    assert rising(loop, loop.recipe, 3.0) == told != rising(loop, loop.recipe)


def test_too_few_measurings_are_told(plateau_loop):
    loop = plateau_loop(flat_from=10**9, steps=700)
    assert loop.run()
    del loop.progress.curve[:-2]
    assert "PSNR was measured too seldom to tell what more would give" in rising(loop, loop.recipe)


def test_a_higher_bound_ends_it_sooner(plateau_loop):
    ended = []
    for bound in (0.1, 0.5, 1.9):
        loop = plateau_loop(flat_from=1000, plateau_db=bound, seconds=1000.0)
        loop.run()
        ended.append(loop.progress.step)
    assert ended == sorted(ended, reverse=True) and ended[-1] < ended[0]


@pytest.mark.slow
def test_how_fast_the_machine_is_changes_no_plateau_by_much(plateau_loop):
    found = []
    for step_seconds in (0.0002, 0.01, 0.05):
        loop = plateau_loop(flat_from=2000, seconds=10_000.0)
        loop.engine.step_seconds = step_seconds
        loop.run()
        found.append(loop.progress.plateau_step)
    assert max(found) <= 1.35 * min(found)


def test_a_fit_without_a_plateau_is_as_it_was(clock, loop_of):
    """Flat from the start, and run to its end by its schedule."""
    loop = loop_of(clock, steps=3000)
    loop.run()
    assert loop.progress.step == 3000 and loop.progress.plateau_step is None
    assert rising(loop, loop.recipe) is None


def test_a_resumed_fit_settles_where_it_had_begun_to(plateau_loop):
    whole, parted = (plateau_loop(flat_from=1000, seconds=1000.0) for _ in range(2))
    whole.run()
    parted.run()
    found = whole.progress.plateau_step
    p = parted.progress
    p.step, p.share = found + 100, 0.5
    p.plateau_step = found
    rest = Loop(parted.engine, parted.recipe, parted.measure, progress=p, plateau=parted.plateau)
    del parted.engine.factors[found + 100 :]
    rest.run()
    assert rest.engine.factors == pytest.approx(whole.engine.factors)
