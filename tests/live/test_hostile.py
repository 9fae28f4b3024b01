"""live/live: training goes on through whatever strangers send."""

import json
import socket
import threading
from contextlib import ExitStack, suppress
from dataclasses import replace

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

import neuralshade
from neuralshade.live.channel import MOST_CLIENTS

STEPS = 10  # that training must go on by, meanwhile
NONSENSE = [
    "", "{", "[]", "null", '{"type": []}', '{"type": "view"}', '{"type": "control"}', "[" * 5000,
    '{"type": "control", "action": "start", "picture": "../../etc/passwd"}',
    '{"type": "control", "action": "start", "preset": "no-such"}',
    '{"type": "control", "action": "rate", "rate_scale": 1e400}',
    '{"type": "overlay", "scene": 1, "name": "no-such"}',
    '{"type": "pick", "id": 1, "scene": 1, "u": 2, "v": 0}',
    '{"type": "received", "id": 2147483647}',
    '{"type": "view", "id": 1, "scene": 1, "width": 4096, "height": 4096}',
    '{"type": "view", "id": 1, "scene": 99, "width": 1, "height": 1}',
    '{"type": "view", "id": 1, "scene": 1, "width": 4, "height": 4, "panes": ["../x", "result"]}',
    "\ud7ff" * 1000, "x" * 60_000, b"\x00" * 1000,
]  # fmt: skip


@pytest.fixture
def address(live):
    return f"ws://127.0.0.1:{live.server.access.port}/events"


@pytest.fixture
def watched(fitting, look):
    """Give a page on a fit that runs; at the end, that fit must still have gone on."""
    fitting()
    page = look()
    page.reach(5)
    yield page
    page.reach(page.progress["step"] + STEPS)
    assert page.fit["id"] == 1 and page.fit["state"] == "running"
    page.frame()


@pytest.mark.slow  # a soak: the limit itself is in server/test_app_sockets.py
def test_two_hundred_pages_at_once(watched, address):
    admitted, turned_away = [], []
    with ExitStack() as open_ones:
        begin = watched.progress["step"]

        def come():
            page = open_ones.enter_context(connect(address, open_timeout=60, close_timeout=1,
                                                   max_queue=None))  # fmt: skip
            try:
                admitted.append(json.loads(page.recv(60)))
                page.send(json.dumps({"type": "view", "id": 1, "scene": 1, "width": 32,
                                      "height": 24, "panes": ["result"]}))  # fmt: skip
            except ConnectionClosed:
                turned_away.append(page.close_code)

        threads = [threading.Thread(target=come) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert all(message["type"] == "hello" for message in admitted)
        assert len(admitted) == MOST_CLIENTS - 1 and turned_away == [1013] * (200 - len(admitted))
        watched.reach(begin + STEPS)


@pytest.mark.slow
def test_thousands_of_malformed_messages(watched, address):
    for _ in range(12):
        with connect(address, open_timeout=30, close_timeout=1, max_queue=None) as page:
            with suppress(ConnectionClosed):
                for said in NONSENSE * 12:
                    page.send(said)
            with suppress(ConnectionClosed):  # a hundred refusals end a socket
                while page.recv(30):
                    pass
            assert page.close_code == 1008


@pytest.mark.slow  # a soak: thousands of messages
def test_floods_of_what_is_well_formed(watched, address):
    """More is asked for than is answered: some of it is refused, and nothing stops."""
    scene = watched.scene["id"]
    asked = [{"type": "pick", "id": 1, "scene": scene, "u": 0.5, "v": 0.5},
             {"type": "overlay", "scene": scene, "name": "grid 1"},
             {"type": "visible", "visible": True}]  # fmt: skip
    opening = connect(address, open_timeout=30, close_timeout=1, max_queue=None)
    with opening as page, suppress(ConnectionClosed):
        for number in range(3000):
            page.send(json.dumps(asked[number % 3]))


def test_large_uploads(watched, live):
    """Claimed sizes are refused at once; what is sent in spite of the limit is not kept."""
    place = ("127.0.0.1", live.server.access.port)
    memory = psutil.Process().memory_info().rss
    for path in ("/asset", "/picture", "/asset?into=fit"):
        status, body = ask_with_length(place, path, 2 * 2**30)
        assert status == 413 and b"need 268435456 at most" in body
    for path in ("/asset", "/picture"):
        status, _ = watched.ask(path, bytes(24 * 2**20))
        assert status in (409, 422)
    assert psutil.Process().memory_info().rss - memory < 300 * 2**20


def ask_with_length(place, path, length):
    """Send a request that claims a length, and the first megabyte of it."""
    with socket.create_connection(place, 30) as asking:
        head = f"POST {path} HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\nContent-Length: {length}"
        asking.sendall(head.encode() + b"\r\n\r\n")
        answer = asking.recv(2**16)
        while b"}" not in answer:
            answer += asking.recv(2**16)
        return int(answer.split()[1]), answer


def test_sockets_that_say_nothing_or_leave(watched, live, address):
    place = ("127.0.0.1", live.server.access.port)
    with ExitStack() as kept:
        for start in (b"", b"GET ", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", b"POST /asset HTTP/1.1"
                      b"\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nabc"):  # fmt: skip
            for _ in range(20):
                asking = kept.enter_context(socket.create_connection(place, 30))
                asking.sendall(start)
        watched.reach(watched.progress["step"] + STEPS)
    for _ in range(20):
        with suppress(WebSocketException), connect(address, open_timeout=30) as page:
            page.recv(30)
            page.socket.close()


@pytest.mark.slow
def test_a_page_that_never_reads(watched, address):
    with connect(address, open_timeout=30, close_timeout=1, max_queue=1) as page:
        page.recv(30)
        for number in range(2000):
            view = {"type": "view", "id": number, "scene": watched.scene["id"], "width": 32,
                    "height": 24, "panes": ["target", "result"]}  # fmt: skip
            page.send(json.dumps(view))
            page.send(json.dumps({"type": "received", "id": number}))


TINY = [[0, 0, 5e-324, 1], [0, 0, 1, 1e-300], [0.5, 0.5, 0.5 + 1e-16, 0.5 + 1e-16],
        [1 - 1e-16, 0, 1, 1], [0, 0, 1e-12, 1e-12], [0.3, 0.3, 0.3 + 1e-7, 0.3 + 1e-7]]  # fmt: skip


def ask_for_tiny_regions(page):
    """Ask for parts so small that numbers run out; each is drawn or refused."""

    def answered():
        return page.told["refused"] or (page.frames and page.frames[-1]["view"] == page.views)

    for region in TINY:
        for width, height in ((4096, 1024), (1, 1)):
            page.view(region=region, width=width, height=height)
            page.until(answered)
            page.told["refused"].clear()


def test_views_of_next_to_nothing(watched):
    ask_for_tiny_regions(watched)
    watched.control("pause")
    watched.state("paused")
    ask_for_tiny_regions(watched)
    watched.control("resume")
    watched.state("running")


@pytest.mark.slow  # planes are drawn on the CPU
def test_views_of_next_to_nothing_of_a_plane(device, live, background, look, waves, tmp_path,
                                             monkeypatch):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    background(live.run, neuralshade.fit_mipmaps, waves, tmp_path / "out", steps=10**6, pool=16,
               pairs=4)  # fmt: skip
    page = look()
    page.reach(2)
    ask_for_tiny_regions(page)
    page.reach(page.progress["step"] + 5)


def test_a_scene_that_cannot_be_drawn_does_not_end_the_fit(watched, live, monkeypatch, caplog):
    """Whatever goes wrong in drawing is said, and a page that wants something else gets it."""

    def fail(*given):
        raise ZeroDivisionError("no such picture")

    scene = live.renderer.scene
    live.renderer.scene = replace(scene, draw=fail)
    watched.view()
    assert "ZeroDivisionError" in watched.next("refused")["text"]
    watched.reach(watched.progress["step"] + STEPS)
    live.renderer.scene = scene
    assert "a view could not be drawn; the fit goes on." in caplog.text
