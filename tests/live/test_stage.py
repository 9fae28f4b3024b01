"""live/stage, live_answers: what frames may cost, and that no request harms a fit."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.fitting.loop import Restart
from neuralshade.fitting.scene import Scene, View, picture_scene
from neuralshade.live import stage as module
from neuralshade.live.answers import answer
from neuralshade.live.channel import BusyError, Channel
from neuralshade.live.messages import Control, Overlay, Pick, Received
from neuralshade.live.stage import (
    ANSWER_SAVED_SECONDS,
    ANSWER_SHARES,
    SHARE,
    SLOW_SHARE,
    Pace,
    Stage,
)
from neuralshade.source.picture import PictureForm


class Clock:
    """Stands in for time.perf_counter: time passes where a test says so."""

    def __init__(self):
        self.now = time.perf_counter()  # a pace begins by the true one

    def __call__(self):
        return self.now


class AtOnce:
    """Encodes in the thread that draws, so that a test knows when."""

    def submit(self, work, *given):
        work(*given)
        return self

    def done(self):
        return True

    def shutdown(self, **how):
        pass


@pytest.fixture
def clock(monkeypatch):
    stand_in = Clock()
    monkeypatch.setattr(module.time, "perf_counter", stand_in)
    return stand_in


@pytest.fixture
def channel():
    return Channel()


@pytest.fixture
def stage(channel, monkeypatch):
    monkeypatch.setattr(module, "ThreadPoolExecutor", lambda *given: AtOnce())
    made = Stage(channel)
    yield made
    made.close()


@pytest.fixture
def costly(stage, clock):
    """Put on a scene that takes a second a million pixels; return the seconds of each frame."""
    spent = []

    def draw(width, height, crop):
        spent.append(width * height / 1e6)
        clock.now += spent[-1]
        return np.zeros((height, width, 3), np.float32)

    form = PictureForm(1000, 1000, 3, "srgb", "a.png")
    stage.show(picture_scene("image", form, draw, continuous=True))
    return spent


def looks_on(channel, stage, pixels=1000, **state):
    client = channel.connect()
    view = View(1, stage.number, width=pixels, height=pixels, panes=("result",))
    channel.hear(client, view)
    for name, value in state.items():
        setattr(client, name, value)
    return client


def train(channel, stage, clock, seconds, clients=(), *, slow=False, look=0.1):
    """Let a fit go on for so long, whose pages show each frame at once, and are slow or not."""
    end, step = clock.now + seconds, 0
    while clock.now < end:
        clock.now += look
        step += 1
        stage.draw(step, hurried=True)
        for client in clients:
            if client.in_flight is not None:
                channel.hear(client, Received(client.in_flight))
                client.slow = slow


@pytest.mark.parametrize("slow, share", [(False, SHARE), (True, SLOW_SHARE)])
def test_frames_take_their_share_of_the_time_and_no_more(costly, channel, stage, clock, slow,
                                                         share):  # fmt: skip
    clients = [looks_on(channel, stage, slow=slow) for _ in range(3)]
    train(channel, stage, clock, 60.0, clients, slow=slow)
    assert len(costly) > 3
    first = 0.0625  # s, before it is known what a frame costs
    assert 0.5 * share * 60 < sum(costly) < 1.1 * share * 60 + first


def test_a_page_that_never_answers_is_drawn_for_once(costly, channel, stage, clock):
    looks_on(channel, stage)
    train(channel, stage, clock, 30.0)
    assert len(costly) == 1


def test_a_hidden_page_is_not_drawn_for(costly, channel, stage, clock):
    looks_on(channel, stage, visible=False)
    train(channel, stage, clock, 30.0)
    assert costly == []


def test_pages_that_want_the_same_share_a_frame(costly, channel, stage, clock):
    clients = [looks_on(channel, stage) for _ in range(8)]
    train(channel, stage, clock, 0.3)
    assert len(costly) == 1
    assert len({client.in_flight for client in clients}) == 1


def test_frames_get_smaller_where_they_are_costly(clock):
    pace = Pace(0.1)
    assert pace.reduction(2**14) == 1 and pace.reduction(2**20) == 8  # nothing is known yet
    pace.spend(1.0, 2**20)
    assert pace.reduction(2**20) > 4 and pace.reduction(2**10) == 1
    pace.spend(0.0, 2**20)
    pace.spend(0.0, 2**20)
    assert pace.reduction(2**20) == 3


def test_what_another_thread_did_is_paid_for(clock):
    pace = Pace(0.1)
    clock.now += 5.0
    assert pace.may_draw()
    pace.owe(1.0)
    assert not pace.may_draw()
    clock.now += 8.0
    assert not pace.may_draw()
    clock.now += 3.0
    assert pace.may_draw()


def test_nobody_saves_up_for_long(clock):
    pace = Pace(0.1)
    clock.now += 10_000.0
    assert pace.may_draw()
    assert pace.credit <= 0.1


@pytest.fixture
def scene(picture):
    def build(width=32, height=24, continuous=True):
        return Scene("image", "a", width, height, 3, False, False, continuous, {}, None)

    return build


@pytest.mark.parametrize("region", [(0, 0, 1, 1), (0.25, 0.5, 0.75, 1), (0.3, 0.1, 0.31, 0.12)])
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("by", [1, 2, 5])
def test_samples_lie_on_centers_of_pixels(scene, region, continuous, by):
    view = View(1, 1, region, 8, 6)
    fitted = scene(continuous=continuous).fitted(view, by)
    if fitted is view:  # finer than pixels are
        assert continuous and by == 1
        return
    for low, high, count, size in ((0, 2, fitted.width, 32), (1, 3, fitted.height, 24)):
        first, last = fitted.region[low], fitted.region[high]
        at = (first + (np.arange(count) + 0.5) / count * (last - first)) * size
        np.testing.assert_allclose(at % 1, 0.5, atol=1e-6)
        assert at.min() > region[low] * size - 1 and at.max() < region[high] * size + 1


def test_more_than_its_pixels_only_where_there_is_more_to_see(scene):
    view = View(1, 1, (0, 0, 1, 1), 640, 480)
    assert scene().fitted(view, 1) is view
    coarse = scene(continuous=False).fitted(view, 1)
    assert (coarse.width, coarse.height) == (32, 24)
    assert scene(3000, 2000).fitted(View(1, 1, width=3000, height=1000), 1).width < 3000
    own = scene(1500, 1000).fitted(View(1, 1, width=1500, height=1000), 1)
    assert (own.width, own.height, own.region) == (1500, 1000, (0, 0, 1, 1))


class Subject:
    """Does what a test says, where something is asked of it."""

    name = "a.nsh"

    def __init__(self, does):
        self.does = does

    def control(self, wanted):
        self.does()

    def save(self, path):
        self.does()
        path.write_bytes(b"asset")

    report = save

    def load(self, path, into_fit):
        self.does()
        return "loaded"


def fail(error):
    raise error


def test_a_bug_is_told_and_the_fit_goes_on(channel, stage, caplog):
    client = channel.connect()
    channel.outgoing(client)
    asked = channel.ask("asset")
    channel.hear(client, Control("pause", {}))
    channel.hear(client, Pick(1, 0, 0.5, 0.5))
    channel.hear(client, Overlay(0, "x"))
    answer(channel, stage, Subject(lambda: fail(ZeroDivisionError("no"))))
    assert isinstance(asked.exception(), ConfigError)
    assert str(asked.exception()) == "got ZeroDivisionError: no. This is a bug."
    told = channel.outgoing(client)[0]
    assert [(said["type"], said["about"]) for said in told] == [
        ("refused", "control"), ("refused", "overlay")]  # fmt: skip
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("slow, share", [(False, SHARE), (True, SLOW_SHARE)])
def test_a_flood_of_points_takes_the_share_of_frames_and_no_more(costly, channel, stage, clock,
                                                                 slow, share):  # fmt: skip
    def slow_values(pane, view):
        clock.now += 0.01
        return np.zeros((1, 1, 3), np.float32)

    stage.scene = replace(stage.scene, draw=slow_values)
    client, answered, begun = channel.connect(), 0, clock.now
    assert client.slow  # until it has shown a frame
    client.slow = slow
    for look in range(600):
        clock.now += 0.1
        for number in range(50):
            channel.hear(client, Pick(50 * look + number, stage.number, 0.5, 0.5))
        answer(channel, stage, Subject(None), hurried=True)
        told = channel.outgoing(client)[0]
        answered += sum(said["type"] == "values" for said in told)
    spent = 0.01 * answered
    assert 0.5 * share * 60 < spent < 1.2 * share * (clock.now - begun)
    channel.hear(client, Pick(1, stage.number, 0.5, 0.5))
    answer(channel, stage, Subject(None))  # nothing to hold up
    assert [said["type"] for said in channel.outgoing(client)[0]] == ["values"]


@pytest.mark.parametrize("what", ["asset", "report", "snapshot", "load"])
def test_what_costs_much_takes_a_share_of_the_time_and_no_more(costly, channel, stage, clock,
                                                               what):  # fmt: skip
    """Whoever asks for it over and over again is answered, and told how long to wait."""
    given = {"load": {"path": Path("a.nsh"), "into_fit": True}, "snapshot": {"exposure": 0.0}}

    def takes_half_a_second():
        clock.now += 0.5

    begun, answered, refused, asked = clock.now, 0, [], None
    while clock.now < begun + 600:
        clock.now += 0.1
        asked = asked or channel.ask(what, **given.get(what, {}))
        answer(channel, stage, Subject(takes_half_a_second), hurried=True)
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
    answer(channel, stage, Subject(lambda: None), hurried=True)
    assert asked.result()  # its share is its own
    asked = channel.ask(what, **given.get(what, {}))
    answer(channel, stage, Subject(takes_half_a_second))  # nothing to hold up
    assert asked.result()


def test_a_snapshot_that_memory_has_no_room_for(channel, stage, refusal, monkeypatch):
    form = PictureForm(40_000, 40_000, 3, "srgb", "a.png")
    stage.show(picture_scene("image", form, lambda *given: 1 / 0, continuous=True))
    free = SimpleNamespace(available=64 * 2**30)
    monkeypatch.setattr("neuralshade.live.answers.psutil.virtual_memory", lambda: free)
    asked = channel.ask("snapshot", exposure=0.0)
    answer(channel, stage, Subject(None))
    assert str(asked.exception()) == (
        "snapshot: got 40000 x 40000 pixels, need about 143.1 GB of memory for it where 64.0 GB "
        "are free. Use neuralshade render with --crop.")  # fmt: skip


def test_who_gave_up_waiting_is_passed_over(channel, stage):
    """A request that is answered too late must not end the fit."""
    done = []
    given_up, waits = channel.ask("asset"), channel.ask("asset")
    given_up.cancel()
    answer(channel, stage, Subject(lambda: done.append(1)))
    assert waits.result() == ("a.nsh", b"asset") and done == [1]


def test_a_request_given_up_while_it_is_answered(channel, stage):
    asked = channel.ask("asset")
    answer(channel, stage, Subject(asked.cancel))
    assert asked.result() == ("a.nsh", b"asset")


def test_others_are_answered_before_a_fit_is_given_up(channel, stage):
    client = channel.connect()
    channel.hear(client, Control("reset", {}))
    asked = channel.ask("nothing")
    with pytest.raises(Restart):
        answer(channel, stage, Subject(lambda: fail(Restart({"seed": 1}))))
    assert asked.result() is None and channel.take() == []


def test_a_view_that_cannot_be_drawn_is_drawn_no_more(channel, stage, picture, caplog):
    def draw(width, height, crop):
        raise ZeroDivisionError("no")

    form = PictureForm(picture.width, picture.height, 3, "srgb", "a.png")
    stage.show(picture_scene("image", form, draw, continuous=True))
    client = looks_on(channel, stage)
    channel.outgoing(client)
    stage.draw(1, hurried=False)
    assert channel.outgoing(client)[0] == [
        {"type": "refused", "text": "view: got ZeroDivisionError: no.", "about": "view"}
    ]
    assert channel.wanted(2) == [] and "Traceback" in caplog.text


def test_a_frame_that_cannot_be_encoded_is_not_waited_for(costly, channel, stage, monkeypatch):
    def full(pixels):
        raise MemoryError("no room")

    client = looks_on(channel, stage, pixels=10)
    monkeypatch.setattr(module, "png", full)
    stage.draw(1, hurried=False)
    refused = [said for said in channel.outgoing(client)[0] if said["type"] == "refused"]
    assert [said["text"] for said in refused] == ["view: got MemoryError: no room."]
    monkeypatch.undo()
    channel.hear(client, View(2, stage.number, panes=("result",)))
    stage.draw(2, hurried=False)
    assert len(channel.outgoing(client)[1]) == 1
