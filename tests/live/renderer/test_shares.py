"""live/page_renderer, live/request_handlers: frames and answers stay within their share of time."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from neuralshade.live.channel import BusyError
from neuralshade.live.frame_budget import LONGEST_INTERVAL, WHOLE, divided_by
from neuralshade.live.messages import Pick
from neuralshade.live.page_renderer import (
    ANSWER_SAVED_SECONDS,
    ANSWER_SHARES,
    SHARE,
    SLOW_SHARE,
    FrameBudget,
)
from neuralshade.live.request_handlers import answer


@pytest.mark.parametrize("slow, share", [(False, SHARE), (True, SLOW_SHARE)])
def test_frames_take_their_share_of_the_time_and_no_more(costly, slow, share, looks_on, train):
    clients = [looks_on(slow=slow) for _ in range(3)]
    train(60.0, clients, slow=slow)
    assert len(costly) > 3
    first = 0.0625  # s, before it is known what a frame costs
    assert 0.5 * share * 60 < sum(costly) < 1.1 * share * 60 + first


def test_a_page_that_never_answers_is_drawn_for_once(costly, looks_on, train):
    looks_on()
    train(30.0)
    assert len(costly) == 1


def test_a_hidden_page_is_not_drawn_for(costly, looks_on, train):
    looks_on(visible=False)
    train(30.0)
    assert costly == []


def test_pages_that_want_the_same_share_a_frame(costly, looks_on, train):
    clients = [looks_on() for _ in range(8)]
    train(0.3)
    assert len(costly) == 1
    assert len({client.in_flight for client in clients}) == 1


def test_frames_get_smaller_where_they_are_costly(clock):
    budget = FrameBudget(0.1)

    def by(pixels):
        return divided_by(pixels, budget.pixels())

    assert by(2**14) == 1 and by(2**20) == 8  # nothing is known yet
    budget.spend(1.0, 2**20)
    assert by(2**20) > 4 and by(2**10) == 1
    budget.spend(0.0, 2**20)
    budget.spend(0.0, 2**20)
    assert by(2**20) == 2


def test_what_a_look_costs_at_all_is_told_by_sizes_that_differ(clock):
    budget = FrameBudget(0.1)
    for pixels in (1000, 4000, 1000, 2000):
        budget.spend(0.03 + 1e-6 * pixels, pixels)
    cost = budget.costs[WHOLE]
    assert cost.start == pytest.approx(0.03) and cost.pixel == pytest.approx(1e-6)
    assert budget.pixels() == pytest.approx(30_000)  # of 0.05 s less would pay for 20,000
    assert budget.band_pixels(WHOLE, 10.0, 30_000) == pytest.approx(500_000)
    for _ in range(8):
        budget.spend(0.02, 1000)  # faster of late
    assert cost.seconds(1000) == pytest.approx(0.02) and cost.start <= 0.02


def test_a_frame_that_met_with_another_program_tells_nothing_of_the_next(clock):
    budget = FrameBudget(0.1)
    for seconds in (0.01, 0.5, 0.01, 0.01):
        budget.spend(seconds, 10_000)
    assert budget.costs[WHOLE].pixel < 20e-6  # the mean is 13 times the usual
    assert budget.credit < -0.5  # and it is paid for


@pytest.mark.parametrize("before, least, by", [
    (8, 1, 4), (4, 1, 2), (3, 1, 1), (2, 1, 1), (1, 1, 1),  # by halves, the last step a larger one
    (8, 6, 6), (6, 4, 4),  # as fine as is paid for
    (2, 3, 2), (4, 6, 4), (3, 8, 3), (1, 4, 4), (3, 12, 12),  # coarser again, if worth it
    (None, 6, 6),
])  # fmt: skip
def test_by_what_a_picture_is_divided(before, least, by):
    assert divided_by(2**20, 2**20 / least**2, before) == by


def test_what_is_needed_once_is_told_and_is_no_cost_of_a_frame(costly, renderer, clock, looks_on):
    """Tables that a first look makes, kernels that it compiles."""
    drawn, needed = renderer.scene.draw, [3.0]

    def draw(pane, view):
        clock.now += needed.pop() if needed else 0.0
        return drawn(pane, view)

    renderer.scene = replace(renderer.scene, draw=draw)
    looks_on(100)
    clock.now += 1.0
    assert renderer.draw(1, hurried=True) == pytest.approx(3.0)
    assert renderer.budgets[True].costs[WHOLE].pixel == pytest.approx(1e-6)
    clock.now += 1000.0
    assert renderer.draw(2, hurried=True) == 0.0


def test_a_fit_of_long_steps_has_larger_frames(costly, looks_on, train, renderer):
    client = looks_on(slow=False)
    train(40.0, [client], look=2.0)
    assert SHARE * 40 * 0.5 < sum(costly) < SHARE * 40 * 1.1
    assert max(costly[1:]) > 1.5 * SHARE * 0.5
    train(4.0, [client], look=100.0)
    assert renderer.budgets[False].frame_seconds == LONGEST_INTERVAL


def test_what_another_thread_did_is_paid_for(clock):
    budget = FrameBudget(0.1)
    clock.now += 5.0
    assert budget.may_draw()
    budget.charge(1.0)
    assert not budget.may_draw()
    clock.now += 8.0
    assert not budget.may_draw()
    clock.now += 3.0
    assert budget.may_draw()


def test_nobody_saves_up_for_long(clock):
    budget = FrameBudget(0.1)
    clock.now += 10_000.0
    assert budget.may_draw()
    assert budget.credit <= 0.1


@pytest.mark.parametrize("slow, share", [(False, SHARE), (True, SLOW_SHARE)])
def test_a_flood_of_points_takes_the_share_of_frames_and_no_more(costly, channel, renderer, clock,
                                                                 slow, share, subject):  # fmt: skip
    def slow_values(pane, view):
        clock.now += 0.01
        return np.zeros((1, 1, 3), np.float32)

    renderer.scene = replace(renderer.scene, draw=slow_values)
    client, answered, begun = channel.connect(), 0, clock.now
    assert client.slow  # until it has shown a frame
    client.slow = slow
    for look in range(600):
        clock.now += 0.1
        for number in range(50):
            channel.receive(client, Pick(50 * look + number, renderer.number, 0.5, 0.5))
        answer(channel, renderer, subject(None), hurried=True)
        told = channel.outgoing(client)[0]
        answered += sum(said["type"] == "values" for said in told)
    spent = 0.01 * answered
    assert 0.5 * share * 60 < spent < 1.2 * share * (clock.now - begun)
    channel.receive(client, Pick(1, renderer.number, 0.5, 0.5))
    answer(channel, renderer, subject(None))  # nothing to hold up
    assert [said["type"] for said in channel.outgoing(client)[0]] == ["values"]


@pytest.mark.parametrize("what", ["asset", "report", "snapshot", "load"])
def test_what_costs_much_takes_a_share_of_the_time_and_no_more(
    costly, channel, renderer, clock, what, subject
):
    """Whoever asks for it over and over again is answered, and told how long to wait."""
    given = {"load": {"path": Path("a.nsh"), "into_fit": True}, "snapshot": {"exposure": 0.0}}

    def takes_half_a_second():
        clock.now += 0.5

    begun, answered, refused, asked = clock.now, 0, [], None
    while clock.now < begun + 600:
        clock.now += 0.1
        asked = asked or channel.ask(what, **given.get(what, {}))
        answer(channel, renderer, subject(takes_half_a_second), hurried=True)
        if asked.done() and asked.exception() is None:
            answered += 1
        elif asked.done():
            refused.append(asked.exception())
        asked = None if asked.done() else asked
    spent = (1.0 if what == "snapshot" else 0.5) * answered  # a snapshot has a million pixels
    most = ANSWER_SAVED_SECONDS + ANSWER_SHARES.get(what, ANSWER_SHARES["asset"]) * 600
    assert most - 1.0 < spent < most + 1.0
    assert all(isinstance(error, BusyError) for error in refused)
    longest = max(refused, key=lambda error: error.seconds)
    assert str(longest) == (f"{what}: got a fit that goes first, need {longest.seconds:.0f} s of "
                            "it. Pause it, or try again then.")  # fmt: skip
    other = "asset" if what == "report" else "report"
    asked = channel.ask(other)
    answer(channel, renderer, subject(lambda: None), hurried=True)
    assert asked.result()  # its share is its own
    asked = channel.ask(what, **given.get(what, {}))
    answer(channel, renderer, subject(takes_half_a_second))  # nothing to hold up
    assert asked.result()
