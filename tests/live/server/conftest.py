"""A channel, a server of it, and what asks it."""

import http.client
import io
import json
import struct
import threading
import zlib
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from websockets.sync.client import connect

from neuralshade.fitting.scene import View
from neuralshade.live.channel import Channel
from neuralshade.live.guard import POLICY
from neuralshade.live.server import Server
from neuralshade.live.uploads import Uploads

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture
def channel():
    """Give a channel with a scene on, as a fit publishes it."""
    made = Channel()
    made.fixed = {"version": "1", "presets": ["grid"], "transforms": ["identity"]}
    made.publish("scene", {"id": 1, "name": "a.png"})
    return made


@pytest.fixture
def uploads():
    made = Uploads()
    yield made
    made.close()


@pytest.fixture
def serve(channel, uploads):
    """Give a function that serves the channel on ``host``, at any port."""
    opened = []

    def serve(host="127.0.0.1"):
        opened.append(Server(channel, uploads, host, 0))
        return Asking(opened[-1])

    yield serve
    for server in opened:
        server.close()


class Asking:
    """Asks a server, with nothing tidied up on the way."""

    def __init__(self, server):
        self.server, self.access = server, server.access
        self.port = self.access.port
        self.host = f"127.0.0.1:{self.port}"

    def __call__(self, path="/", body=None, method=None, **headers):
        """Return the answer: status, headers and body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)) as connection:
            way = method or ("GET" if body is None else "POST")
            connection.putrequest(way, path, skip_host=True, skip_accept_encoding=True)
            for name, value in ({"host": self.host} | named).items():
                connection.putheader(name, value)
            if body is not None and not named.keys() & {"content-length", "transfer-encoding"}:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return SimpleNamespace(status=answer.status, headers=answer.headers,
                                   body=answer.read())  # fmt: skip

    def refused(self, *arguments, **named):
        """Return status and reason of a request that must be refused."""
        answer = self(*arguments, **named)
        assert 400 <= answer.status < 600
        return answer.status, json.loads(answer.body)["refused"]

    def socket(self, query="", **options):
        """Return a WebSocket."""
        options = {"max_size": None, "open_timeout": 20, "close_timeout": 5} | options
        return connect(f"ws://{self.host}/events{query}", **options)


@pytest.fixture
def ask(serve):
    """Give what asks a server on the loopback."""
    return serve()


@pytest.fixture(scope="session")
def checked():
    """Give a function that sees that an answer has the headers that every one has, once each."""

    def checked(answer, policy=POLICY):
        for name, value in {**HEADERS, "content-security-policy": policy}.items():
            assert answer.headers.get_all(name) == [value], name
        opener = None if "sandbox" in policy else ["same-origin"]  # together they are refused
        assert answer.headers.get_all("cross-origin-opener-policy") == opener
        return answer

    return checked


@pytest.fixture
def reference_kernel(channel):
    """Give a function that answers what is asked of the thread that trains, as ``reply`` does."""
    threads, ended = [], threading.Event()

    def reference_kernel(reply):
        def work():
            while not ended.is_set():
                channel.wait(0.05)
                for request in channel.take():
                    reply(request)

        threads.append(threading.Thread(target=work))
        threads[-1].start()

    yield reference_kernel
    ended.set()
    for thread in threads:
        thread.join()


@pytest.fixture
def view():
    """Give a function that returns a view of the channel's scene."""

    def build(number=1, **settings):
        return View(number, 1, panes=("result",), **settings)

    return build


@pytest.fixture
def png_file():
    """Give a function that returns the file of a small picture."""

    def build(width=5, height=3):
        file = io.BytesIO()
        Image.fromarray(np.full((height, width, 3), 90, np.uint8)).save(file, "PNG")
        return file.getvalue()

    return build


@pytest.fixture
def boast():
    """Give a function that returns a small PNG whose header claims any size."""

    def build(width, height):
        def chunk(kind, content):
            body = kind + content
            return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b""))  # fmt: skip

    return build
