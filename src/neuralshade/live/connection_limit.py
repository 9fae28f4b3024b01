"""Connection limit of the server: a maximum count, and timeouts for idle connections."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from neuralshade.live.cpu_budget import CpuBudget

MOST_CONNECTIONS = 256  # 32 pages with a WebSocket and six more connections each, and some
SHARE = 4  # connections may take one in SHARE of the process's descriptors
RESERVE = 64  # descriptors reserved for the fit, or one in SHARE where that is fewer
HEADER_SECONDS = 5.0  # timeout of a complete header, and of the next one on the same connection
STALLED_SECONDS = 20.0  # timeout of a peer that reads nothing of what was sent
HURRIED_SECONDS = {"header": 1.0, "sending": 5.0}  # the same when the limit is reached
CLOSING_SECONDS = 5.0  # timeout of closing
POLL_SECONDS = 0.25  # between two checks of every connection
FULL_SECONDS = 0.05  # between two checks for a free place
TROUBLE_SECONDS = 1.0  # pause after the system refused a connection

log = logging.getLogger("neuralshade.live")


@dataclass
class _Activity:
    """Last known activity of a connection, and its start time."""

    state: object
    since: float


class ConnectionLimit:
    """Accepts connections for a uvicorn server and closes idle ones.

    Args:
        connections: the server's current protocols.
        protocol: returns a new one.
    """

    def __init__(
        self,
        connections: Collection[Any],
        protocol: Callable[[], asyncio.Protocol],
        cpu_budget: CpuBudget,
    ):
        self.connections, self.protocol, self.cpu_budget = connections, protocol, cpu_budget
        self._activities: dict[Any, _Activity] = {}

    @property
    def is_full(self) -> bool:
        """Return whether new connections wait in the kernel's queue."""
        return len(self.connections) >= most_connections()

    async def admit(self, listening: socket.socket) -> None:
        """Accept connections forever."""
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        while True:
            await self.cpu_budget.wait()
            while self.is_full:
                await asyncio.sleep(FULL_SECONDS)
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError as error:  # no descriptors, or the peer closed before it was accepted
                log.warning("live: a connection was not taken: %s.", error.strerror)
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            if _is_of_the_reserve(connection):
                connection.close()
                log.warning("live: a connection was hung up on: descriptors are left to the fit.")
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            with suppress(OSError):  # the peer has disconnected
                await loop.connect_accepted_socket(self.protocol, connection)

    async def watch(self) -> None:
        """Close connections that hold a place without progress, forever."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self.check(time.monotonic())

    def check(self, now: float) -> None:
        """Abort connections whose activity has exceeded its timeout; ``now`` in seconds."""
        allowed = {"header": HEADER_SECONDS, "sending": STALLED_SECONDS, "closing": CLOSING_SECONDS}
        allowed |= HURRIED_SECONDS if self.is_full else {}
        activities: dict[Any, _Activity] = {}
        for connection in list(self.connections):
            state = _activity(connection)
            if state is None:
                continue
            before = self._activities.get(connection)
            same = before is not None and before.state == state
            activities[connection] = (
                before if before is not None and same else _Activity(state, now)
            )
            if now - activities[connection].since >= allowed[state[0]]:
                connection.transport.abort()
        self._activities = activities


def _activity(connection: Any) -> tuple[Any, ...] | None:
    """Return the activity of a connection that has a timeout; None where it has none.

    Equal to the previous value where the connection made no progress.
    """
    transport = connection.transport
    if transport.is_closing():
        return ("closing",)
    waiting = transport.get_write_buffer_size()
    if waiting:
        return "sending", waiting
    if not hasattr(connection, "cycle"):  # a WebSocket: pings check it
        return None if connection.handshake_complete else ("header", None)
    cycle = connection.cycle
    if cycle is None or cycle.response_complete:
        return "header", cycle
    return None


def most_connections() -> int:
    """Return the maximum number of connections."""
    limit = descriptor_limit()
    return MOST_CONNECTIONS if limit is None else max(1, min(MOST_CONNECTIONS, limit // SHARE))


def descriptor_limit() -> int | None:
    """Return the process's limit of open descriptors; None: unlimited."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _is_of_the_reserve(connection: socket.socket) -> bool:
    """Return whether fewer descriptors are free than the fit may need.

    A new descriptor is the smallest free number: all below it are in use.
    """
    limit = descriptor_limit()
    return limit is not None and connection.fileno() >= limit - min(RESERVE, limit // SHARE)
