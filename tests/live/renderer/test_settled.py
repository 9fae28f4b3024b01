"""live/page_renderer: refining views are drawn until sharp, only for pages that wait."""

import dataclasses

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.scene import View
from neuralshade.live.messages import FrameShown
from neuralshade.live.request_handlers import answer
from neuralshade.source.picture import PictureForm

FRAMES = 3  # until a view is settled


@pytest.fixture
def drawn(renderer):
    """Put on a scene whose views are settled after so many frames; give how many each has had."""
    frames = {}

    def key(view):
        return view.region, view.width

    def draw(pane, view):
        frames[key(view)] = frames.get(key(view), 0) + 1
        return np.zeros((view.height, view.width, 3), np.float32)

    scene = picture_scene("scene", PictureForm(40, 30, 3, "srgb", "a"), None, continuous=True,
                          changes=())  # fmt: skip
    renderer.show(dataclasses.replace(
        scene, draw=draw, settled=lambda pane, view: frames.get(key(view), 0) >= FRAMES
    ))  # fmt: skip
    return frames


def shown(channel, client):
    """Let a page show the frame that it was sent; return whether there was one."""
    if client.in_flight is None:
        return False
    channel.receive(client, FrameShown(client.in_flight))
    return True


def test_until_it_is_settled_and_no_longer(channel, renderer, drawn, looks_on):
    client, count = looks_on(40), 0
    for _ in range(10):
        renderer.draw(None, hurried=False)
        count += shown(channel, client)
    assert count == FRAMES and list(drawn.values()) == [FRAMES]


def test_a_page_that_has_it_all_is_left_alone_while_another_waits(
    channel, renderer, drawn, looks_on
):
    first, second = looks_on(40), channel.connect()
    for _ in range(5):
        renderer.draw(None, hurried=False)
        shown(channel, first)
    sent = renderer.channel._frames
    channel.receive(second, View(1, renderer.number, (0, 0, 0.5, 0.5), 20, 15, ("result",)))
    for _ in range(5):
        renderer.draw(None, hurried=False)
        assert first.in_flight is None
        shown(channel, second)
    assert renderer.channel._frames - sent == FRAMES


def test_who_comes_later_gets_what_is_there(channel, renderer, drawn, looks_on):
    first = looks_on(40)
    for _ in range(5):
        renderer.draw(None, hurried=False)
        shown(channel, first)
    later = looks_on(40)
    renderer.draw(None, hurried=False)
    assert shown(channel, later) and not shown(channel, first)
    renderer.draw(None, hurried=False)
    assert not shown(channel, later)


def test_a_rough_look_says_so_and_is_not_compared(channel, renderer, drawn, looks_on, monkeypatch):
    """Its pixels are as many as it has, not as were asked for."""
    scene, sent = renderer.scene, []
    look = np.zeros((3, 4, 3), np.float32)
    renderer.scene = dataclasses.replace(
        scene, rough=lambda pane, view: not drawn,
        draw=lambda pane, view: look if not sent else scene.draw(pane, view),
    )  # fmt: skip
    monkeypatch.setattr(
        renderer, "_send", lambda header, panes, *rest: sent.append((header, panes))
    )
    client = looks_on(40)
    for _ in range(2):
        renderer.draw(None, hurried=False)
        shown(channel, client)
    told = [(header["sharp"], header["draft"], panes["result"].shape) for header, panes in sent]
    assert told == [(False, True, (3, 4, 3)), (True, False, (30, 40, 3))]


def test_a_snapshot_of_it_is_refused(channel, renderer, drawn, subject):
    asked = channel.ask("snapshot")
    answer(channel, renderer, subject(lambda: None))
    assert isinstance(asked.exception(), ConfigError)
    assert "Use neuralshade scene." in str(asked.exception())
