"""Many connections to a live page at once, none of which means well."""

import asyncio
import base64
import itertools
import json
import os
import random
import struct
import tempfile
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np

import neuralshade
from neuralshade.asset.file import read_asset_file, to_bytes

REST_SECONDS = 0.5  # after a connection that was hung up on, before the next one
SAY_SECONDS = 1.0  # between two things that one says
MANNERS = {"idle": 40, "loris": 20, "unread": 12, "deaf": 8, "talker": 8, "upload": 8, "asker": 4}
SAID = [
    "", "{", "[]", "null", "[" * 30_000, '{"type": []}', '{"type": "view"}', '{"type": "control"}',
    '{"type": "control", "action": "rate", "rate_scale": NaN}', "\x00", "x" * 60_000,
    '{"type": "control", "action": "rate", "rate_scale": 1e999}',
    '{"type": "control", "action": "start", "picture": "../../etc/passwd"}',
    '{"type": "control", "action": "start", "preset": "\\ud800"}',
    '{"type": "pick", "id": 1, "scene": 1, "u": 0.5, "v": 0.5}',
    '{"type": "pick", "id": ' + "9" * 5000 + ', "scene": 1, "u": 2, "v": -Infinity}',
    '{"type": "overlay", "scene": 1, "name": "no-such"}', '{"type": "received", "id": 2147483647}',
    '{"type": "view", "id": 1, "scene": 1, "width": 4096, "height": 1024, "panes": ["result"]}',
    '{"type": "view", "id": 1, "scene": 1, "width": 1, "height": 1, "region": [0, 0, 1e-8, 1]}',
    '{"type": "view", "type": "view", "id": 1, "id": -1, "scene": 1, "width": 1e9, "height": 1}',
]  # fmt: skip
Manner = Callable[["Besieger", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def hostile_files(chance: random.Random) -> list[tuple[str, bytes]]:
    """Return what is uploaded, with its address: none of it is an asset or a picture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.nsh"
        noise = np.random.default_rng(0).integers(0, 255, (16, 16, 3), np.uint8)
        neuralshade.fit_image(neuralshade.picture_from_array(noise), path, steps=2,
                              hidden_width=8, encoding="dense_grid:width=8,height=8")  # fmt: skip
        good, file = path.read_bytes(), read_asset_file(path)
    damaged = bytearray(good)
    damaged[-9] ^= 1
    deep = dict(file.header, recipe=json.loads('{"a":' * 200 + "1" + "}" * 200))
    forged = [
        good[: chance.randrange(len(good))], good[:20], bytes(damaged), b"", b"\x80\x04." * 1000,
        struct.pack("<Q", 2**62) + good[8:],
        to_bytes(type(file)(dict(file.header, recipe=5), file.tensors)),
        to_bytes(type(file)(deep, file.tensors)), to_bytes(type(file)(file.header, {})),
    ]  # fmt: skip
    pictures = [boast(40_000, 40_000), boast(2**31 - 1, 2**31 - 1), boast(15_000, 15_000),
                b"GIF89a" + bytes(999), b"\x89PNG\r\n\x1a\n"]  # fmt: skip
    addresses = ("/asset?into=fit&name=x.nsh", "/asset?name=../../x.nsh")
    return [*itertools.product(addresses, forged), *(("/picture?name=a.png", p) for p in pictures)]


def boast(width: int, height: int) -> bytes:
    """Return a PNG of a few kB that claims any size, and unpacks to megabytes of zeros."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(bytes(2**24))) + chunk(b"IEND", b""))  # fmt: skip


class Besieger:
    """Keeps ``count`` connections to 127.0.0.1 at ``port``, each anew when it is hung up on."""

    def __init__(self, port: int, count: int):
        self.port, self.count, self.chance = port, count, random.Random(0)
        self.host = f"127.0.0.1:{port}"
        self.files = hostile_files(self.chance)
        self.tried = 0

    async def run(self) -> None:
        """Besiege, without an end."""
        named: dict[str, Manner] = {name: getattr(Besieger, name) for name in MANNERS}
        manners = self.chance.choices(list(MANNERS), list(MANNERS.values()), k=self.count)
        await asyncio.gather(self._tell(), *(self._again_and_again(named[n]) for n in manners))

    async def _tell(self) -> None:
        while self.tried < self.count:
            await asyncio.sleep(REST_SECONDS)
        print("all have come", flush=True)

    async def _again_and_again(self, manner: Manner) -> None:
        while True:
            await asyncio.sleep(REST_SECONDS * (0.5 + self.chance.random()))
            self.tried += 1
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                continue
            try:
                await manner(self, reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                pass
            finally:
                writer.close()

    def _head(self, path: str, method: str = "GET", more: str = "") -> bytes:
        return f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n{more}\r\n".encode()

    async def idle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say nothing."""
        await reader.read(1)

    async def loris(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say a header that never ends, or a body."""
        length = "Content-Length: 99999999\r\n"
        start = self._head("/asset", "POST", length) if self.chance.random() < 0.5 else b"GET / HT"
        writer.write(start)
        while not reader.at_eof():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(SAY_SECONDS)

    async def unread(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Ask for a lot, and take nothing in."""
        writer.transport.pause_reading()  # type: ignore[attr-defined] # of streams it has it
        writer.write(self._head("/page/main.js") * 500)
        while not writer.transport.is_closing():
            writer.write(self._head("/state"))
            await asyncio.wait_for(writer.drain(), 60)
            await asyncio.sleep(SAY_SECONDS)

    async def _upgrade(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(self._head("/events", more="Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                "Sec-WebSocket-Version: 13\r\n"
                                f"Sec-WebSocket-Key: {key}\r\n"))  # fmt: skip
        return b" 101 " in await reader.readuntil(b"\r\n\r\n")

    async def deaf(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Be a page that wants to see all and reads nothing."""
        if await self._upgrade(reader, writer):
            writer.write(frame(SAID[-3]))
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            while not writer.transport.is_closing():
                writer.write(frame(b"x" * 100, 0x89))
                await asyncio.wait_for(writer.drain(), 60)
                await asyncio.sleep(SAY_SECONDS)

    async def talker(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say what makes no sense, as fast as it is taken."""
        if await self._upgrade(reader, writer):
            while not reader.at_eof():
                writer.write(frame(self.chance.choice(SAID)))
                writer.write(frame(os.urandom(50), 0x82))
                await writer.drain()
                await asyncio.wait_for(reader.read(2**16), SAY_SECONDS)

    async def upload(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send a file that is none."""
        path, content = self.chance.choice(self.files)
        length = len(content) + (10**6 if self.chance.random() < 0.2 else 0)
        writer.write(self._head(path, "POST", f"Content-Length: {length}\r\n") + content)
        await reader.readuntil(b"\r\n\r\n")

    async def asker(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Ask for what costs the fit something."""
        path = self.chance.choice(["/report", "/snapshot.png", "/asset", "/state", "/nothing"])
        more = "Sec-Fetch-Site: cross-site\r\n" if self.chance.random() < 0.5 else ""
        writer.write(self._head(path, more=more))
        while await reader.read(2**16):
            pass


def frame(said: str | bytes, start: int = 0x81) -> bytes:
    """Return a frame of a WebSocket, masked with zeros."""
    content = said if isinstance(said, bytes) else said.encode()
    if len(content) < 126:
        length = struct.pack("!B", 0x80 | len(content))
    else:
        length = struct.pack("!BH", 0xFE, len(content))
    return bytes([start]) + length + bytes(4) + content


def besiege(port: int, count: int) -> None:
    """Besiege until this process is ended."""
    asyncio.run(Besieger(port, count).run())
