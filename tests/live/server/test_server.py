"""live/server: listens where it is told to, or says where else, and ends."""

import logging
import socket
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.live.server import Server


def taken(port=0):
    """Return a socket that listens on a port of the loopback."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", port))
    listening.listen()
    return listening


def test_the_next_free_port_is_taken_and_said(channel, uploads, caplog):
    with taken() as other, caplog.at_level(logging.WARNING, "neuralshade"):
        port = other.getsockname()[1]
        server = Server(channel, uploads, "127.0.0.1", port)
        server.close()
    assert port < server.access.port < port + 20
    assert server.address == f"http://127.0.0.1:{server.access.port}/"
    assert caplog.messages == [f"live: port {port} is in use; took {server.access.port}."]


def test_no_free_port(channel, uploads, refusal, monkeypatch):
    monkeypatch.setattr("neuralshade.live.server.TRIED_PORTS", 1)
    with taken() as other:
        port = other.getsockname()[1]
        line = refusal(DeviceError, Server, channel, uploads, "127.0.0.1", port)
    assert line == (f"live.port: got no free port from {port} to {port}, need one. "
                    "Name another with --port.")  # fmt: skip


@pytest.mark.parametrize("port", [-1, 65536])
def test_no_port(channel, uploads, refusal, port):
    line = refusal(ConfigError, Server, channel, uploads, "127.0.0.1", port)
    assert line == f"live.port: got {port}, need 0 to 65535. Leave it out."


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "x" * 300])
def test_a_host_of_another_machine(channel, uploads, refusal, host):
    line = refusal(ConfigError, Server, channel, uploads, host, 0)
    assert line.startswith(f"live.host: got {host!r} (")
    assert line.endswith("), need an address of this machine. Write 0.0.0.0 for all of them.")


def test_the_loopback_is_all_that_is_listened_on(serve):
    port = serve().port
    with socket.socket() as other:
        other.bind(("127.0.0.2", port))  # free: the server does not have all addresses


def test_closed_hangs_up_and_leaves_no_thread(channel, uploads):
    before = set(threading.enumerate())
    server = Server(channel, uploads, "127.0.0.1", 0)
    place = ("127.0.0.1", server.access.port)
    with connect(f"ws://127.0.0.1:{place[1]}/events") as page:
        page.recv(20)
        begin = time.monotonic()
        server.close()
        assert time.monotonic() - begin < 5
        with pytest.raises(ConnectionClosed):
            page.recv(20)
    assert set(threading.enumerate()) == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(place, 5)
    channel.note("nobody listens")  # is no error
