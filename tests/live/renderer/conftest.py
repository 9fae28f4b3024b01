"""A stage whose scene costs what a test says, on a clock that a test turns."""

import time
from dataclasses import replace

import numpy as np
import pytest

from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.scene import View
from neuralshade.live import page_renderer as module
from neuralshade.live.channel import Channel
from neuralshade.live.messages import FrameShown
from neuralshade.live.page_renderer import PageRenderer
from neuralshade.source.picture import PictureForm, picture_from_array


class Clock:
    """Stands in for time's clocks: time passes where a test says so."""

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


@pytest.fixture
def clock(monkeypatch):
    stand_in = Clock()
    monkeypatch.setattr(module.time, "perf_counter", stand_in)
    # that of encoding, too: true milliseconds would change what a slow machine may draw
    monkeypatch.setattr(module.time, "thread_time", stand_in)
    return stand_in


@pytest.fixture
def channel():
    return Channel()


@pytest.fixture
def renderer(channel, monkeypatch):
    monkeypatch.setattr(module, "ThreadPoolExecutor", lambda *given: AtOnce())
    made = PageRenderer(channel)
    yield made
    made.close()


@pytest.fixture
def costly(renderer, clock):
    """Put on a scene that takes a second a million pixels; return the seconds of each frame."""
    spent = []

    def draw(width, height, crop):
        if width * height > 1:  # one is drawn before the first frame, to see what is ready
            spent.append(width * height / 1e6)
            clock.now += spent[-1]
        return np.zeros((height, width, 3), np.float32)

    form = PictureForm(1000, 1000, 3, "srgb", "a.png")
    renderer.show(picture_scene("image", form, draw, continuous=True))
    return spent


@pytest.fixture
def looks_on(channel, renderer):
    """Give a function that returns a page which wants to see the scene."""

    def looks_on(pixels=1000, **state):
        client = channel.connect()
        view = View(1, renderer.number, width=pixels, height=pixels, panes=("result",))
        channel.receive(client, view)
        for name, value in state.items():
            setattr(client, name, value)
        return client

    return looks_on


@pytest.fixture
def train(channel, renderer, clock):
    """Give a function that lets a fit go on for so long, from step ``begun``.

    Its pages show each frame at once, and are slow or not.
    """

    def train(seconds, clients=(), *, slow=False, look=0.1, begun=0):
        end, step = clock.now + seconds, begun
        while clock.now < end - 1e-6:  # what steps add up to is rounded, by how late it is
            clock.now += look
            step += 1
            renderer.draw(step, hurried=True)
            for client in clients:
                if client.in_flight is not None:
                    channel.receive(client, FrameShown(client.in_flight))
                    client.slow = slow

    return train


@pytest.fixture(scope="session")
def subject():
    """Give what is asked in place of a fit."""
    return Subject


@pytest.fixture
def looking(channel, renderer, request):
    """Let a page see both panes, by bands; as large as SIDE of the test's module has it."""

    def looking(side=request.module.SIDE, **asked):
        client = channel.connect()
        view = View(1, renderer.number, width=side, height=side, panes=("target", "result"),
                    parts=True, **asked)  # fmt: skip
        channel.receive(client, view)
        return client

    return looking


@pytest.fixture
def frames(renderer, clock, monkeypatch, request):
    """Put on a picture that costs a second a frame, beside its reference; collect the frames."""
    side = request.module.SIDE
    row, col = np.mgrid[:side, :side]
    pixels = np.stack([row, col, row + col], axis=2) % 256
    picture = picture_from_array(pixels.astype(np.uint8))
    scene = picture_scene("image", picture, lambda *form: None, continuous=False)

    def draw(pane, view):
        if pane == "target":
            return scene.draw(pane, view)
        clock.now += view.width * view.height / side**2
        return np.zeros((view.height, view.width, 3), np.float32)

    sent = []
    monkeypatch.setattr(
        renderer, "_send", lambda header, panes, *rest: sent.append((header, panes))
    )
    renderer.show(replace(scene, draw=draw))
    return sent
