"""Who comes in: at most so many connections at once, and none that says nothing."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from neuralshade.live.cpu_budget import Turns

MOST_CONNECTIONS = 256  # 32 pages with a WebSocket and six more connections each, and some
SHARE = 4  # connections are one in so many of the descriptors that the process may have, at most
RESERVE = 64  # descriptors that are left to the fit, or one in SHARE where that is fewer
HEADER_SECONDS = 5.0  # that a connection is given for a whole header, also for its next one
STALLED_SECONDS = 20.0  # in which a page must take in some of what it was sent
HURRIED_SECONDS = {"header": 1.0, "sending": 5.0}  # the same while others wait for a place
CLOSING_SECONDS = 5.0  # that are given to a farewell
LOOK_SECONDS = 0.25  # between two looks at every connection
FULL_SECONDS = 0.05  # between two looks at whether there is a place
TROUBLE_SECONDS = 1.0  # of patience where the system refuses a connection

log = logging.getLogger("neuralshade.live")


@dataclass
class _Seen:
    """What a connection did when it was last looked at, and since when it does that."""

    doing: object
    since: float


class Door:
    """Admits connections to a server of uvicorn, and looks after those that it has.

    Args:
        connections: the protocols that are connected, kept by the server.
        protocol: returns a new one.
    """

    def __init__(
        self, connections: Collection[Any], protocol: Callable[[], asyncio.Protocol], turns: Turns
    ):
        self.connections, self.protocol, self.turns = connections, protocol, turns
        self._seen: dict[Any, _Seen] = {}

    @property
    def is_full(self) -> bool:
        """Return whether another connection must wait, in the kernel's queue."""
        return len(self.connections) >= most_connections()

    async def admit(self, listening: socket.socket) -> None:
        """Take in connections, without an end."""
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        while True:
            await self.turns.wait()
            while self.is_full:
                await asyncio.sleep(FULL_SECONDS)
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError as error:  # no descriptors, or somebody left before he came in
                log.warning("live: a connection was not taken: %s.", error.strerror)
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            if _is_of_the_reserve(connection):
                connection.close()
                log.warning("live: a connection was hung up on: descriptors are left to the fit.")
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            with suppress(OSError):  # it has left again
                await loop.connect_accepted_socket(self.protocol, connection)

    async def watch(self) -> None:
        """Hang up on connections that keep a place for nothing, without an end."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Hang up on connections that have done the same for too long; ``now`` in seconds."""
        allowed = {"header": HEADER_SECONDS, "sending": STALLED_SECONDS, "closing": CLOSING_SECONDS}
        allowed |= HURRIED_SECONDS if self.is_full else {}
        seen: dict[Any, _Seen] = {}
        for connection in list(self.connections):
            doing = _doing(connection)
            if doing is None:
                continue
            before = self._seen.get(connection)
            same = before is not None and before.doing == doing
            seen[connection] = before if before is not None and same else _Seen(doing, now)
            if now - seen[connection].since >= allowed[doing[0]]:
                connection.transport.abort()
        self._seen = seen


def _doing(connection: Any) -> tuple[Any, ...] | None:
    """Return what a connection does that it may not do for long, None where it does nothing such.

    Equal to what it was before where nothing has come of it meanwhile.
    """
    transport = connection.transport
    if transport.is_closing():
        return ("closing",)
    waiting = transport.get_write_buffer_size()
    if waiting:
        return "sending", waiting
    if not hasattr(connection, "cycle"):  # a WebSocket, which is asked with pings
        return None if connection.handshake_complete else ("header", None)
    cycle = connection.cycle
    if cycle is None or cycle.response_complete:
        return "header", cycle
    return None


def most_connections() -> int:
    """Return how many connections are held at once."""
    limit = descriptor_limit()
    return MOST_CONNECTIONS if limit is None else max(1, min(MOST_CONNECTIONS, limit // SHARE))


def descriptor_limit() -> int | None:
    """Return how many descriptors this process may have, None where that is not limited."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _is_of_the_reserve(connection: socket.socket) -> bool:
    """Return whether fewer descriptors are free than the fit may need.

    A new one is the least number that is free: all below it are taken.
    """
    limit = descriptor_limit()
    return limit is not None and connection.fileno() >= limit - min(RESERVE, limit // SHARE)
