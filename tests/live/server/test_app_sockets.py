"""live/app: the WebSocket bears whatever is said, or not said."""

import json
import struct
import time
from contextlib import suppress
from socket import SHUT_RDWR

import pytest
from websockets.exceptions import ConnectionClosed

from neuralshade.live import app as module
from neuralshade.live.messages import FrameShown


def heard(socket, kind):
    """Return the next message of a kind."""
    while True:
        said = socket.recv(20)
        if isinstance(said, str) and json.loads(said)["type"] == kind:
            return json.loads(said)


def test_malformed_messages_are_refused_and_the_next_is_taken(ask, channel):
    with ask.socket() as socket:
        for text, about in (("{", "message"), ("[]", "message"), ('{"type": []}', "[]"),
                            (b"\x00\x01", "message"), ('{"type": "view"}', "view"),
                            ('{"type": "control", "action": 3}', "control")):  # fmt: skip
            socket.send(text)
            said = heard(socket, "refused")
            assert said["about"] == about and said["text"].count("\n") == 0
        socket.send('{"type": "pick", "id": 1, "scene": 1, "u": 0, "v": 0}')
        socket.send("!")
        heard(socket, "refused")
        assert [request.what.id for request in channel.take()] == [1]


def test_a_hundred_refusals_end_a_socket(ask, channel):
    with ask.socket() as socket, ask.socket() as other:
        for _ in range(module.MOST_REFUSALS):
            socket.send("{")
        refusals = []
        with suppress(ConnectionClosed):
            while True:
                refusals.append(json.loads(socket.recv(20)))
        assert socket.close_code == module.POLICY_VIOLATION
        assert 1 <= sum(said["type"] == "refused" for said in refusals) <= module.MOST_REFUSALS
        channel.note("the others are told")
        assert heard(other, "note")["text"] == "the others are told"
        other.send("{")
        assert heard(other, "refused")


def test_a_message_longer_than_64_kib_ends_a_socket(ask):
    with ask.socket() as socket:
        long = json.dumps({"type": "overlay", "scene": 1, "name": "x", "more": "y" * 65_400})
        assert len(long) <= 65_536
        socket.send(long)
        socket.send("{")
        assert heard(socket, "refused")["about"] == "message"
        socket.send("x" * 65_537)
        with pytest.raises(ConnectionClosed):
            socket.recv(20)
        assert socket.close_code == 1009


def test_more_pages_than_are_served_are_told_to_try_later(ask, channel, monkeypatch):
    monkeypatch.setattr("neuralshade.live.channel.MOST_CLIENTS", 2)
    with ask.socket() as first, ask.socket():
        heard(first, "hello")
        with ask.socket() as third:
            with pytest.raises(ConnectionClosed):
                third.recv(20)
            assert third.close_code == module.TRY_LATER
        assert len(channel.clients) == 2


def test_a_page_that_leaves_is_forgotten(ask, channel):
    with ask.socket() as socket, ask.socket() as other:
        heard(socket, "hello")
        socket.socket.shutdown(SHUT_RDWR)  # no farewell
        other.send("{")
        heard(other, "refused")
        for _ in range(100):
            if len(channel.clients) == 1:
                break
            time.sleep(0.05)
        assert len(channel.clients) == 1


@pytest.mark.slow
def test_a_page_that_never_reads_is_not_buffered_for(ask, channel, view):
    """It asks for frames and claims to have seen them: what waits for it stays bounded."""
    with ask.socket(max_queue=1, close_timeout=1) as socket:
        heard(socket, "hello")
        (client,) = channel.clients
        channel.receive(client, view())
        content = bytes(2**20)
        for mark in range(120):
            number = channel.reserve([(client, view())], mark)
            channel.send_picture(client, {"type": "frame", "id": number}, [content])
            channel.receive(client, FrameShown(number))
            time.sleep(0.01)
        assert frames_until(socket, number) < 60  # the newest comes in any case


def frames_until(socket, last):
    """Return how many frames come until the one of that id does."""
    count = 0
    while True:
        said = socket.recv(20)
        if isinstance(said, bytes):
            count += 1
            (size,) = struct.unpack_from("<I", said)
            if json.loads(said[4 : 4 + size])["id"] == last:
                return count
