"""A page's server, a fit that runs in a thread, and a program that looks on as a page does."""

import http.client
import io
import json
import struct
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, closing

import numpy as np
import pytest
from PIL import Image
from websockets.sync.client import connect

import neuralshade
from neuralshade.live.client import Client
from neuralshade.live.live import Live
from neuralshade.live.messages import Control
from neuralshade.measure.plane.plane_view import PlaneView
from neuralshade.source.texture_set import TextureSet

PATIENCE_SECONDS = 600  # what hangs is ended, not what is slow
failures = []  # of jobs of this test: who waits for them need not wait longer
SMALL = {"encoding": "dense_grid:width=12,height=8", "hidden_width": 8, "warmup": 0, "batch": 256}


class Page:
    """Looks on over the WebSocket; acknowledges frames as a page does, unless told not to."""

    def __init__(self, live, **options):
        self.port = live.server.access.port
        opening = connect(f"ws://127.0.0.1:{self.port}/events", max_size=None, open_timeout=30,
                          close_timeout=5, max_queue=None, **options)  # fmt: skip
        self.open = ExitStack()
        self.socket = self.open.enter_context(opening)
        self.acknowledges, self.expects_failure = True, False
        self.told = defaultdict(list)
        self.frames, self.pictures, self.overlays = [], {}, []
        self.curve = []
        self.hello = json.loads(self.socket.recv(30))
        assert self.hello["type"] == "hello"
        self.scene, self.fit, self.progress = (self.hello[n] for n in ("scene", "fit", "progress"))
        self.curve = self.hello["curve"]
        self.views = 0

    def close(self):
        self.open.close()

    def say(self, kind, /, **fields):
        self.socket.send(json.dumps({"type": kind} | fields))

    def control(self, action, /, **fields):
        self.say("control", action=action, **fields)

    def view(self, width=None, height=None, **fields):
        """Ask for the whole picture, at its own size unless told otherwise."""
        self.views += 1
        size = {"width": width or self.scene["width"], "height": height or self.scene["height"]}
        self.say("view", id=self.views, scene=self.scene["id"],
                 **{"panes": self.scene["panes"], **size, **fields})  # fmt: skip
        return self.views

    def until(self, reached):
        """Take in what comes until ``reached()``, and return that."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not (found := reached()):
            left = end - time.monotonic()
            assert left > 0, ("never", self.fit, self.progress, dict(self.told))
            failed = failures or (self.fit and self.fit["state"] == "failed" and self.fit["text"])
            assert self.expects_failure or not failed, failed
            try:
                self._take(self.socket.recv(min(left, 1.0)))
            except TimeoutError:
                continue
        return found

    def drain(self, seconds):
        """Take in what comes for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                self._take(self.socket.recv(left))
            except TimeoutError:
                return

    def next(self, kind):
        """Return the next message of a kind."""
        before = len(self.told[kind])
        return self.until(lambda: self.told[kind][before:])[0]

    def frame(self, **view):
        """Ask for a view; return the frame that answers it."""
        number = self.view(**view)
        return self.until(lambda: [f for f in self.frames if f["view"] == number])[-1]

    def reach(self, step, fit=None):
        """Wait until a fit, by default this one, has come so far."""
        self.until(lambda: self.scene and self.fit and self.progress)
        fit = fit or self.fit["id"]
        return self.until(lambda: self.fit["id"] == fit and self.progress["step"] >= step)

    def state(self, name):
        return self.until(lambda: self.fit and self.fit["state"] == name and self.fit)

    def _take(self, said):
        if isinstance(said, str):
            message = json.loads(said)
            kind = message["type"]
            self.told[kind].append(message)
            if kind in ("scene", "fit"):
                setattr(self, kind, message[kind])
            elif kind == "progress":
                self.progress = message
            elif kind == "curve":
                self.curve = [*([] if message["reset"] else self.curve), *message["points"]]
            return
        (size,) = struct.unpack_from("<I", said)
        header, rest = json.loads(said[4 : 4 + size]), said[4 + size :]
        if header["type"] == "overlay":
            self.overlays.append((header, rest))
            return
        self.frames.append(header)
        for image in header["images"]:
            file, rest = rest[: image["bytes"]], rest[image["bytes"] :]
            self.pictures[image["pane"]] = np.asarray(Image.open(io.BytesIO(file)))
        assert rest == b""
        if self.acknowledges:
            self.say("received", id=header["id"])

    def ask(self, path, body=None):
        """Return status and body of a request."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)) as connection:
            connection.request("GET" if body is None else "POST", path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()


@pytest.fixture
def one_device():
    """Leave each its own device: what one thread opened here, another one may draw with."""


@pytest.fixture
def live():
    with Live(port=0) as made:
        yield made


@pytest.fixture
def background(live, monkeypatch):
    """Give a function that runs another in a thread; at the end, fits are stopped."""
    ended, jobs = threading.Event(), []
    failures.clear()

    class Presses:
        """Stands in for Ctrl-C, which another thread than the main one cannot catch."""

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            pass

        @property
        def requested(self):
            return ended.is_set()

    class Job(threading.Thread):
        def __init__(self, call, *given, **settings):
            super().__init__()
            self.work, self.result, self.error = (call, given, settings), None, None

        def run(self):
            call, given, settings = self.work
            try:
                self.result = call(*given, **settings)
            except BaseException as error:
                self.error = error
                failures.append(error)

        def finish(self):
            """Wait for its end; return what it returned."""
            self.join(PATIENCE_SECONDS)
            assert not self.is_alive()
            if self.error is not None:
                raise self.error
            return self.result

    def background(call, *given, **settings):
        jobs.append(Job(call, *given, **settings))
        jobs[-1].start()
        return jobs[-1]

    monkeypatch.setattr("neuralshade.live.live.Interruption", Presses)
    yield background
    ended.set()
    end = time.monotonic() + PATIENCE_SECONDS
    while any(job.is_alive() for job in jobs) and time.monotonic() < end:
        live.channel.receive(Client(), Control("stop", {}))
        time.sleep(0.05)
    assert not any(job.is_alive() for job in jobs)


@pytest.fixture
def look(live):
    """Give a function that returns a page which looks on."""
    pages = []

    def look(**options):
        pages.append(Page(live, **options))
        return pages[-1]

    yield look
    for page in pages:
        page.close()


@pytest.fixture
def picture():
    """Give a smooth picture of 32 x 24 pixels."""
    row, col = np.mgrid[0:24, 0:32].astype(np.float32)
    pixels = np.stack([0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(3)], axis=2)
    return neuralshade.picture_from_array((pixels * 255).astype(np.uint8))


@pytest.fixture
def waves(monkeypatch):
    """Give the maps of a metal with waves, whose lit plane is small."""
    plane = PlaneView(width=48, height=27)
    monkeypatch.setattr(PlaneView, "showing", classmethod(lambda cls, base: plane))
    row, col = np.mgrid[:24, :36].astype(np.float32)
    normal = np.stack([np.sin(col), np.cos(row), np.full_like(row, 2)], axis=2)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    albedo, flat = np.full((24, 36, 3), 0.6, np.float32), np.ones((24, 36), np.float32)
    return TextureSet("waves", albedo, normal, 0.4 * flat, flat, None, {}, ())


@pytest.fixture
def small():
    """Give settings of a fit whose steps take little time."""
    return dict(SMALL)


@pytest.fixture
def fitting(live, background, picture, small, tmp_path):
    """Give a function that starts a fit which ends when it is told to."""

    def fitting(**settings):
        given = {"picture": picture, "output": tmp_path / "x.nsh", "steps": 10**8, **small}
        return background(live.run, neuralshade.fit_image, **given | settings)

    return fitting


@pytest.fixture
def as_png():
    """Give a function that returns the PNG file of pixels."""

    def write(pixels):
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "PNG")
        return file.getvalue()

    return write
