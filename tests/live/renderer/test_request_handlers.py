"""live/request_handlers, live/page_renderer: no request and no failing frame harms a fit."""

from types import SimpleNamespace

import pytest

from neuralshade.base.interrupt import Interrupted
from neuralshade.errors import ConfigError
from neuralshade.fitting.loop import Restart
from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.scene import View
from neuralshade.live import page_renderer as module
from neuralshade.live.messages import Control, Overlay, Pick
from neuralshade.live.request_handlers import answer
from neuralshade.source.picture import PictureForm


def fail(error):
    raise error


def test_a_bug_is_told_and_the_fit_goes_on(channel, renderer, caplog, subject):
    client = channel.connect()
    channel.outgoing(client)
    asked = channel.ask("asset")
    channel.receive(client, Control("pause", {}))
    channel.receive(client, Pick(1, 0, 0.5, 0.5))
    channel.receive(client, Overlay(0, "x"))
    answer(channel, renderer, subject(lambda: fail(ZeroDivisionError("no"))))
    assert isinstance(asked.exception(), ConfigError)
    assert str(asked.exception()) == "got ZeroDivisionError: no. This is a bug."
    told = channel.outgoing(client)[0]
    assert [(said["type"], said["about"]) for said in told] == [
        ("refused", "control"), ("refused", "overlay")]  # fmt: skip
    assert "Traceback" in caplog.text


def test_a_snapshot_that_memory_has_no_room_for(
    channel, renderer, refusal, monkeypatch, subject, same_message
):
    form = PictureForm(40_000, 40_000, 3, "srgb", "a.png")
    renderer.show(picture_scene("image", form, lambda *given: 1 / 0, continuous=True))
    free = SimpleNamespace(available=64 * 2**30)
    monkeypatch.setattr("neuralshade.live.request_handlers.psutil.virtual_memory", lambda: free)
    asked = channel.ask("snapshot", exposure=0.0)
    answer(channel, renderer, subject(None))
    same_message(str(asked.exception()), "snapshot", "--crop")


def test_who_gave_up_waiting_is_passed_over(channel, renderer, subject):
    """A request that is answered too late must not end the fit."""
    done = []
    given_up, waits = channel.ask("asset"), channel.ask("asset")
    given_up.cancel()
    answer(channel, renderer, subject(lambda: done.append(1)))
    assert waits.result() == ("a.nsh", b"asset") and done == [1]


def test_a_request_given_up_while_it_is_answered(channel, renderer, subject):
    asked = channel.ask("asset")
    answer(channel, renderer, subject(asked.cancel))
    assert asked.result() == ("a.nsh", b"asset")


def test_a_report_is_given_up_where_the_fit_is_to_end(channel, renderer, subject, same_message):
    cut, other = channel.ask("report"), channel.ask("nothing")
    answer(channel, renderer, subject(lambda: fail(Interrupted())))
    same_message(str(cut.exception()), "report", "Ask")
    assert other.result() is None


def test_others_are_answered_before_a_fit_is_given_up(channel, renderer, subject):
    client = channel.connect()
    channel.receive(client, Control("reset", {}))
    asked = channel.ask("nothing")
    with pytest.raises(Restart):
        answer(channel, renderer, subject(lambda: fail(Restart({"seed": 1}))))
    assert asked.result() is None and channel.take() == []


def test_a_view_that_cannot_be_drawn_is_drawn_no_more(channel, renderer, picture, caplog, looks_on):
    def draw(width, height, crop):
        raise ZeroDivisionError("no")

    form = PictureForm(picture.width, picture.height, 3, "srgb", "a.png")
    renderer.show(picture_scene("image", form, draw, continuous=True))
    client = looks_on()
    channel.outgoing(client)
    renderer.draw(1, hurried=False)
    assert channel.outgoing(client)[0] == [
        {"type": "refused", "text": "view: got ZeroDivisionError: no.", "about": "view"}
    ]
    assert channel.ready_views(2) == [] and "Traceback" in caplog.text


def test_a_frame_that_cannot_be_encoded_is_not_waited_for(costly, channel, renderer, looks_on,
                                                          monkeypatch):  # fmt: skip
    def full(pixels):
        raise MemoryError("no room")

    client = looks_on(pixels=10)
    monkeypatch.setattr(module, "png", full)
    renderer.draw(1, hurried=False)
    refused = [said for said in channel.outgoing(client)[0] if said["type"] == "refused"]
    assert [said["text"] for said in refused] == ["view: got MemoryError: no room."]
    monkeypatch.undo()
    channel.receive(client, View(2, renderer.number, panes=("result",)))
    renderer.draw(2, hurried=False)
    assert len(channel.outgoing(client)[1]) == 1
