"""live/page_renderer: what is drawn for one page is sent to all that look at the same place."""

from dataclasses import replace

import numpy as np
import pytest

from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.live.frame_budget import FIRST_PIXELS
from neuralshade.live.frame_cache import MOST_KEPT, MOST_OF_BANDS
from neuralshade.live.messages import FrameShown
from neuralshade.live.page_renderer import SHARE, SLOW_SHARE
from neuralshade.source.picture import picture_from_array

SIDE = 300
OTHER = (0.0, 0.0, 0.5, 0.5)


@pytest.fixture
def spent(renderer, clock):
    """Put on a fit of a picture, a second a frame; return the seconds of each that was drawn."""
    picture = picture_from_array(np.zeros((SIDE, SIDE, 3), np.uint8))
    scene = picture_scene("image", picture, lambda *form: None, continuous=False)
    seconds, hiccups = [], [2.5]  # the first one meets with another program

    def draw(pane, view):
        if view.width * view.height > 1 and pane == "result":
            seconds.append(view.width * view.height / SIDE**2 + (hiccups.pop() if hiccups else 0))
            clock.now += seconds[-1]
        return np.full((view.height, view.width, 3), clock.now % 1, np.float32)

    renderer.show(replace(scene, draw=draw))
    return seconds


@pytest.mark.parametrize("side", [SIDE, SIDE // 2])
def test_who_comes_later_has_at_once_what_another_page_was_sent(
    spent, looking, train, channel, clock, side
):
    """However little may be drawn: the first frame left nothing for a quarter of an hour."""
    train(0.3, [looking()])
    assert len(spent) == 1
    client = looking(side)
    train(0.3, [client])
    assert len(spent) == 1 and client.drawing.panes.keys() == {"target", "result"}
    assert len(client.pictures) == 1


def test_the_reference_is_sharp_within_a_second_whatever_the_result_costs(
    spent, looking, train, renderer, clock
):
    """It is a picture, and waits for nothing that the fit has to draw."""
    one = looking()
    train(0.3, [one])
    for budget in renderer.budgets.values():
        budget.credit = -2.0  # half a minute of what pages that keep up may have
    for region in (OTHER, (0.5, 0.5, 1.0, 1.0)):
        client = looking(region=region)
        train(1.1, [client])
        assert client.drawing.panes["target"].by == 1 and client.drawing.is_whole("target")
    assert renderer.budgets[False].credit > -2.0  # what that takes is paid for, and is little


def test_a_page_that_pans_has_the_result_by_turns(spent, looking, train, channel, renderer):
    client, got = looking(), []
    train(60.0, [client])
    for number in range(60):
        view = replace(client.view, id=number, region=(0.0, 0.0, 1 - number / 100, 1.0))
        channel.receive(client, view)
        train(0.1, [client])
        got.append(tuple(client.drawing.panes))
    assert any("target" in panes for panes in got[5:])
    assert any("result" in panes for panes in got[5:])


@pytest.mark.parametrize("slow", [False, True])
def test_a_first_frame_of_another_place_does_not_wait_for_the_hundredth(
    spent, looking, train, slow, clock, renderer
):
    one, begun = looking(), clock.now
    train(0.3, [one], slow=slow)
    assert renderer.budgets[slow].credit < -2
    client = looking(region=OTHER)
    train(1.0, [client])
    assert client.drawing is not None and "target" in client.drawing.panes  # it is at hand
    assert "result" in client.drawing.panes
    train(60.0, [one, client], slow=slow)
    assert sum(spent) < (SHARE + SLOW_SHARE) * (clock.now - begun) + spent[0] + 0.2


def test_pages_of_the_same_view_go_on_with_the_same_bands(spent, looking, train, renderer, clock):
    """One that came later costs nothing once it has caught up."""
    pages = [looking()]
    train(45.0, pages)
    pages.append(looking())
    train(45.0, pages, begun=450)  # its reference becomes sharp meanwhile
    sent = []
    send, renderer._send = renderer._send, lambda *given: (sent.append(given), send(*given))
    begun, before = clock.now, sum(spent)
    train(60.0, pages, begun=900)
    results = [group for header, panes, *_, group, budget in sent if "result" in panes]
    assert results and all(len(group) == 2 for group in results)
    assert sum(spent) - before < 1.1 * SHARE * (clock.now - begun) + 0.1
    pages.append(looking())


def test_a_slow_page_goes_on_with_the_bands_of_one_that_keeps_up(
    spent, looking, train, renderer, channel, clock
):
    pages = [looking(), looking()]
    train(60.0, pages)
    sent = []
    send, renderer._send = renderer._send, lambda *given: (sent.append(given), send(*given))
    for step in range(1000, 1600):
        pages[1].slow = True
        clock.now += 0.1
        renderer.draw(step, hurried=True)
        for client in pages:
            if client.in_flight is not None:
                channel.receive(client, FrameShown(client.in_flight))
    results = [group for header, panes, *_, group, budget in sent if "result" in panes]
    assert len(results) > 2 and all(len(group) == 2 for group in results)


def test_what_is_kept_is_what_was_seen_last(spent, looking, train, renderer):
    client = looking()
    train(60.0, [client])
    for seen in renderer.cache.of(renderer.scene, client.view, ("result",)):
        assert seen.step > 100 and len(np.unique(seen.values)) > 1  # bands of several steps
        assert seen.values.size <= 3 * MOST_OF_BANDS
        assert seen.file(False) is seen.file(False)  # encoded once, however many come


@pytest.fixture
def first_result(renderer, channel, clock, looking, train, spent):
    """Return what gives the cached result, and the first one that a later page is sent."""

    def first_result(credit, kept_step=None):
        one = looking()
        train(120.0, [one])
        (kept,) = renderer.cache.of(renderer.scene, one.view, ("result",))
        channel.disconnect(one)
        kept.step = kept_step or kept.step
        for budget in renderer.budgets.values():
            budget.credit, budget.earned_at = credit, clock.now
        sent, client = [], looking()
        send, renderer._send = renderer._send, lambda *given: (sent.append(given), send(*given))
        for step in (1201, 1202):  # the reference comes first
            clock.now += 1e-4
            renderer.draw(step, hurried=True)
            if client.in_flight is not None:
                channel.receive(client, FrameShown(client.in_flight))
        found = [panes["result"] for _, panes, _, _, group, _ in sent
                 if "result" in panes and group[0][0] is client]  # fmt: skip
        return one, client, found[0]

    return first_result


@pytest.mark.parametrize("credit", [-5.0, 1e-3])
def test_a_later_page_starts_at_the_size_that_was_drawn_last(first_result, credit):
    """Where its own first frame has to wait, and where it would be drawn, but coarser."""
    one, client, found = first_result(credit)
    last = one.drawing.panes["result"].by
    assert SIDE / last > FIRST_PIXELS**0.5 + 20
    assert (found.by, found.values.shape) == (last, (SIDE // last, SIDE // last, 3))
    assert client.drawing.panes["result"].by == last


def test_an_old_picture_is_not_sent_where_a_new_one_can_be_drawn(first_result):
    *_, found = first_result(1e-3, kept_step=600)
    assert isinstance(found, np.ndarray)


def test_little_is_kept(spent, looking, train, renderer):
    for number in range(2 * MOST_KEPT):
        edge = (number + 1) / 100
        train(1.0, [looking(region=(0.0, 0.0, edge, edge))])
    assert len(renderer.cache._kept) <= MOST_KEPT


def test_a_page_is_slow_that_is_late_twice(spent, channel, clock, looking):
    client = looking()
    for seconds, slow in [(0.1, False), (3.0, False), (3.0, True), (0.1, False), (3.0, False)]:
        number = channel.reserve([(client, client.view)], None)
        clock.now += seconds
        channel.receive(client, FrameShown(number))
        assert client.slow is slow


def test_the_first_frame_is_small_whatever_the_size_of_the_window(spent, looking, train, clock):
    """What is drawn counts, which are a picture's own pixels, and looks that lie far apart."""
    train(6.0, look=2.0)
    client = looking(SIDE // 3)
    train(0.1, look=2.0)
    assert not spent  # its reference, which is at hand
    train(2.1, [client], look=2.0)
    train(2.1, [client], look=2.0)
    assert spent[0] - 2.5 <= FIRST_PIXELS / SIDE**2
