"""HTTP server of the page, in its own thread."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.live.access import Access
from neuralshade.live.app import App
from neuralshade.live.channel import Channel
from neuralshade.live.connection_limit import ConnectionLimit
from neuralshade.live.cpu_budget import CpuBudget
from neuralshade.live.log_rate_limit import RateLimitedLogs
from neuralshade.live.port import check_port
from neuralshade.live.uploads import Uploads

PORT = 8420
TRIED_PORTS = 20  # from the requested one on
MESSAGE_BYTES = 64 * 1024  # of one message from a page
MOST_FRAGMENTS = 64  # of a message
MOST_UNREAD = 2**20  # bytes queued for a page that does not read its pongs
CLOSING_SECONDS = 1  # timeout of open connections at exit: SIGTERM allows two in all

log = logging.getLogger("neuralshade")


class PageSocket(WebSocketsSansIOProtocol):
    """WebSocket of a page, aborted where its buffers would grow without limit."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.close_timeout = float(CLOSING_SECONDS)

    def handle_cont(self, event: Frame) -> None:
        """Process a fragment; empty ones count as well."""
        if len(self.frames) >= MOST_FRAGMENTS:
            self.transport.abort()
            return
        super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer a ping, unless the page does not read."""
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            self.transport.abort()
            return
        super().handle_ping()


class _LimitedServer(uvicorn.Server):
    """uvicorn's server behind a connection limit."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket, cpu_budget: CpuBudget):
        super().__init__(config)
        self._listening, self._cpu_budget = listening, cpu_budget
        self._tasks: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])
        self._cpu_budget.begin()
        limit = ConnectionLimit(self.server_state.connections, self._protocol, self._cpu_budget)
        self._tasks = [asyncio.create_task(limit.admit(self._listening)),
                       asyncio.create_task(limit.watch())]  # fmt: skip
        for task in self._tasks:
            task.add_done_callback(_log_end)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._listening.close()
        await super().shutdown(sockets=[])
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    def _protocol(self) -> asyncio.Protocol:
        return H11Protocol(self.config, self.server_state, app_state={})


class Server:
    """Listens from construction until ``close``."""

    def __init__(self, channel: Channel, uploads: Uploads, host: str, port: int):
        self.socket = _listening(host, port)
        taken = self.socket.getsockname()[1]
        if port not in (0, taken):
            log.warning("live: port %d is in use; took %d.", port, taken)
        self.access = Access.of(host, taken)
        self.channel = channel
        cpu_budget = CpuBudget()
        config = uvicorn.Config(
            App(channel, self.access, uploads, cpu_budget).asgi, log_config=None, access_log=False,
            lifespan="off", http=H11Protocol, ws=PageSocket, ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False, server_header=False,
            timeout_graceful_shutdown=CLOSING_SECONDS,
        )  # fmt: skip
        self.server = _LimitedServer(config, self.socket, cpu_budget)
        self.thread = threading.Thread(target=self._run, name="neuralshade live", daemon=True)
        self.log_limits = RateLimitedLogs()
        self.thread.start()
        self.log_limits.start(self.thread)

    @property
    def address(self) -> str:
        """Return the address to open, token included."""
        return self.access.address

    @property
    def addresses(self) -> list[str]:
        """Return every address to open, token included."""
        return self.access.addresses

    def close(self) -> None:
        """Disconnect all pages and stop listening."""
        self.server.should_exit = True
        self.thread.join(2 * CLOSING_SECONDS)
        self.socket.close()
        self.log_limits.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self.channel.bind(asyncio.get_running_loop())
        await self.server.serve(sockets=[])


def _log_end(task: asyncio.Task[None]) -> None:
    """Log the end of a task that must not end by itself."""
    if not task.cancelled():
        log.error("live: the page is not served any more: %r.", task.exception())


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``port``, or on the next free one.

    Raises: ConfigError for a host that is not this machine's, DeviceError without a free port.
    """
    check_port(port)
    if not isinstance(host, str):
        raise ConfigError(f"live.host: got {shown(host)}, need an address as text, such as "
                          "'127.0.0.1'. Leave it out.")  # fmt: skip
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise _no_host(host, error) from error
    for tried in range(port, min(port + TRIED_PORTS, 65536)):
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((place[0], tried, *place[2:]))
            listening.listen(128)
        except OSError as error:
            listening.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise _no_host(host, error) from error
        return listening
    raise DeviceError(f"live.port: got no free port from {port} to {tried}, need one. "
                      "Name another with --port.")  # fmt: skip


def _no_host(host: str, error: Exception) -> ConfigError:
    reason = getattr(error, "strerror", None) or str(error)
    return ConfigError(f"live.host: got {host!r} ({reason}), need an address of this machine. "
                       "Write 0.0.0.0 for all of them.")  # fmt: skip
