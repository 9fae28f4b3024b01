"""live/connection_limit: connections are limited before their first byte; idle ones are closed."""

import errno
import socket
import time
from asyncio.selector_events import BaseSelectorEventLoop
from contextlib import ExitStack, closing, suppress

import pytest
from websockets.exceptions import ConnectionClosed

from neuralshade.live import connection_limit as module
from neuralshade.live import server as server_module

PATIENCE_SECONDS = 20
SILENT = [b"", b"GET ", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01"]
UPGRADE = (
    "GET /events HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PING = b"\x89\xfd" + bytes(4) + b"x" * 125  # as a page sends it, masked with zeros


@pytest.fixture
def hurried(monkeypatch):
    """Give connections little time."""
    for name in ("HEADER_SECONDS", "STALLED_SECONDS", "CLOSING_SECONDS"):
        monkeypatch.setattr(module, name, 0.3)
    monkeypatch.setattr(module, "HURRIED_SECONDS", {"header": 0.3})
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(module, "TROUBLE_SECONDS", 0.01)


@pytest.fixture
def kept():
    """Give what closes sockets at the end."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def come(ask, kept):
    """Give a function that connects, and says ``start``."""

    def come(start=b""):
        made = kept.enter_context(closing(socket.socket()))
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.settimeout(PATIENCE_SECONDS)
        made.connect(("127.0.0.1", ask.port))
        made.sendall(start)
        return made

    return come


@pytest.fixture
def held(ask):
    """Give the connections that the server has."""
    return ask.server.server.server_state.connections


def ends(connection):
    """Wait until the other side hung up; what it said before is left out."""
    with suppress(ConnectionError):
        while connection.recv(2**16):
            pass


def says_in_vain(connection, parts, seconds=0.01):
    """Return whether the other side hangs up before all ``parts`` are said, one at a time."""
    try:
        for part in parts:
            connection.sendall(part)
            time.sleep(seconds)
    except ConnectionError:
        return True
    return False


def until(reached):
    """Wait until ``reached()``."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_more_than_have_a_place_wait_at_the_door(hurried, come, monkeypatch, held):
    monkeypatch.setattr(module, "most_connections", lambda: 8)
    waiting = [come() for _ in range(40)]
    until(lambda: len(held) == 8)
    ends(waiting[0])  # in its time, those behind it come in
    assert len(held) <= 8


@pytest.mark.parametrize("start", SILENT)
def test_who_sends_no_header_is_hung_up_on(hurried, come, start):
    ends(come(start))


def test_a_header_that_never_ends(hurried, come):
    asking = come(b"GET / HTTP/1.1\r\n")
    lines = (b"x-%d: y\r\n" % number for number in range(100 * PATIENCE_SECONDS))
    assert says_in_vain(asking, lines)


def test_a_second_header_that_never_ends(hurried, come, ask):
    asking = come(f"GET /state HTTP/1.1\r\nHost: {ask.host}\r\n\r\nGET /".encode())
    assert asking.recv(15) == b"HTTP/1.1 200 OK"
    ends(asking)


def test_a_body_that_nobody_reads_and_that_never_ends(hurried, come, ask):
    head = f"GET / HTTP/1.1\r\nHost: {ask.host}\r\nContent-Length: 100000\r\n\r\n"
    asking = come(head.encode())
    assert says_in_vain(asking, [b"x"] * 100 * PATIENCE_SECONDS)


class Cycle:
    """Stands in for a request, which was answered or is not yet."""

    def __init__(self, response_complete):
        self.response_complete = response_complete


class Connection:
    """Stands in for one of uvicorn's: what it does, a test says."""

    def __init__(self):
        self.cycle, self.transport, self.unread = None, self, 0
        self.is_gone = False

    def is_closing(self):
        return False

    def get_write_buffer_size(self):
        return self.unread

    def abort(self):
        self.is_gone = True


def test_who_asks_again_or_reads_on_is_given_the_time_anew():
    asks, reads, stands = Connection(), Connection(), Connection()
    reads.unread, stands.unread = 2**30, 2**20
    limit = module.ConnectionLimit([asks, reads, stands], None, None)
    for now in range(0, 100, 4):
        asks.cycle = Cycle(True)
        reads.unread -= 1
        limit.check(now)
    assert not asks.is_gone and not reads.is_gone and stands.is_gone
    limit.check(now + module.HEADER_SECONDS)
    assert asks.is_gone and not reads.is_gone
    limit.check(now + module.STALLED_SECONDS)
    assert reads.is_gone


def test_who_waits_for_an_answer_is_not_hung_up_on():
    waits = Connection()
    waits.cycle = Cycle(False)
    limit = module.ConnectionLimit([waits], None, None)
    for now in range(0, 1000, 10):
        limit.check(now)
    assert not waits.is_gone


def test_less_patience_while_others_wait(monkeypatch):
    monkeypatch.setattr(module, "most_connections", lambda: 1)
    silent, reads_nothing = Connection(), Connection()
    reads_nothing.unread = 5
    limit = module.ConnectionLimit([silent, reads_nothing], None, None)
    limit.check(0)
    limit.check(module.HURRIED_SECONDS["header"])
    assert silent.is_gone and not reads_nothing.is_gone
    limit.check(module.HURRIED_SECONDS["sending"])
    assert reads_nothing.is_gone


def test_an_answer_that_is_not_read(hurried, come, ask, reference_kernel, held):
    reference_kernel(lambda request: request.answer.set_result(("a.nsh", bytes(2**24))))
    come(f"GET /asset HTTP/1.1\r\nHost: {ask.host}\r\n\r\n".encode())
    until(lambda: len(held) == 1)
    until(lambda: len(held) == 0)


def test_a_page_that_answers_no_ping(hurried, come, ask, channel, held):
    server = ask.server.server
    server.config.ws_ping_interval = server.config.ws_ping_timeout = 0.1
    come(UPGRADE.format(ask.host).encode())
    until(lambda: len(channel.clients) == 1)
    until(lambda: channel.clients == [] and len(held) == 0)


def test_a_page_that_is_pinged_in_vain_and_reads_nothing(hurried, come, ask, channel, held):
    """What it was sent is not waited for: the farewell neither."""
    server = ask.server.server
    server.config.ws_ping_interval = server.config.ws_ping_timeout = 0.1
    come(UPGRADE.format(ask.host).encode())
    until(lambda: len(channel.clients) == 1)
    channel.send_picture(channel.clients[0], {"type": "frame", "id": 1}, [bytes(2**24)])
    until(lambda: channel.clients == [] and len(held) == 0)


def test_a_page_that_pings_and_does_not_read_the_echo(come, ask, monkeypatch):
    monkeypatch.setattr(server_module, "MOST_UNREAD", 1000)
    pinging = come(UPGRADE.format(ask.host).encode())
    assert says_in_vain(pinging, [PING * 2**8] * 2**10, seconds=0)


def test_a_message_in_too_many_parts(ask):
    with ask.socket(close_timeout=1) as page:
        page.recv(PATIENCE_SECONDS)
        with suppress(ConnectionClosed):  # while it is sent, or after
            page.send(iter(["x"] * 10 * server_module.MOST_FRAGMENTS))
        with pytest.raises(ConnectionClosed):
            page.recv(PATIENCE_SECONDS)


def test_the_fit_keeps_a_reserve_of_descriptors(hurried, come, ask, monkeypatch, caplog):
    """As many as pages may have are held, whatever else the process has opened."""
    limit = 20  # fewer than are taken already
    taken = [socket.socket() for _ in range(limit)]
    with ExitStack() as stack:
        for one in taken:
            stack.enter_context(closing(one))
        with monkeypatch.context() as patch:
            patch.setattr(module, "descriptor_limit", lambda: limit)
            for _ in range(3):
                ends(come())
        assert ask("/state").status == 200
    line = "live: a connection was hung up on: descriptors are left to the fit."
    assert caplog.messages.count(line) == 1


def test_no_descriptor_is_left_for_a_connection(hurried, ask, monkeypatch, caplog):
    """The system refuses hundreds: a line says so once, and then they are taken again."""
    accept, refused = BaseSelectorEventLoop.sock_accept, []

    async def fail(self, listening):
        if len(refused) < 50:
            refused.append(1)
            raise OSError(errno.EMFILE, "Too many open files")
        return await accept(self, listening)

    monkeypatch.setattr(BaseSelectorEventLoop, "sock_accept", fail)
    assert ask("/state").status == 200  # taken by the call that is under way
    until(lambda: len(refused) == 50)
    assert ask("/state").status == 200
    assert caplog.messages.count("live: a connection was not taken: Too many open files.") == 1


@pytest.mark.parametrize("limit, most", [(None, 256), (1024, 256), (256, 64), (64, 16), (2, 1)])
def test_how_many_have_a_place(monkeypatch, limit, most):
    monkeypatch.setattr(module, "descriptor_limit", lambda: limit)
    assert module.most_connections() == most
