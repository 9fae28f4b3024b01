"""Serving the page from a thread of its own."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading

import uvicorn

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.live.access import Access
from neuralshade.live.app import App
from neuralshade.live.channel import Channel
from neuralshade.live.uploads import Uploads

PORT = 8420
TRIED_PORTS = 20  # from the one asked for on
MESSAGE_BYTES = 64 * 1024  # that a page may say at once
CLOSING_SECONDS = 2  # that open connections are given at the end

log = logging.getLogger("neuralshade")


class Server:
    """Listens from when it is made; ``close`` ends it."""

    def __init__(self, channel: Channel, uploads: Uploads, host: str, port: int):
        self.socket = _listening(host, port)
        taken = self.socket.getsockname()[1]
        if port not in (0, taken):
            log.warning("live: port %d is in use; took %d.", port, taken)
        self.access = Access.of(host, taken)
        self.channel = channel
        config = uvicorn.Config(
            App(channel, self.access, uploads).asgi, log_config=None, access_log=False,
            lifespan="off", ws="websockets-sansio", ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False, server_header=False,
            timeout_graceful_shutdown=CLOSING_SECONDS,
        )  # fmt: skip
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self._run, name="neuralshade live", daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        """Return the address to open, token included."""
        return self.access.address

    def close(self) -> None:
        """Hang up on all pages and listen no more."""
        self.server.should_exit = True
        self.thread.join(2 * CLOSING_SECONDS)
        self.socket.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self.channel.bind(asyncio.get_running_loop())
        await self.server.serve(sockets=[self.socket])


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``port``, or on the next one that is free.

    Raises: ConfigError for a host that is not this machine's, DeviceError where none is free.
    """
    if not 0 <= port <= 65535:
        raise ConfigError(f"live.port: got {port}, need 0 to 65535. Leave it out.")
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
