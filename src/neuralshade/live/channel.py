"""Between the thread that trains and draws, and the server's: neither waits for the other."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from neuralshade.base.json_numbers import finite
from neuralshade.fitting.scene import View
from neuralshade.live.client import Client, Json
from neuralshade.live.frame_encoding import packed
from neuralshade.live.messages import (
    Control,
    Message,
    Overlay,
    Pick,
    Received,
    Visible,
)

PROTOCOL = 1
MOST_CLIENTS = 32
SLOW_SECONDS = 1.0  # from a frame's drawing to its being shown; a page that takes longer is late
MOST_REQUESTS = 256  # that wait for the thread that trains; more are refused
KNOWN: Json = {name: None for name in ("scene", "fit", "progress", "quality", "preparing")}
KNOWN["measuring"] = []  # of all these pages are told the newest; so they begin
MOST_CURVE = 20_000  # points of a history; then every other one of them is dropped


@dataclass(frozen=True)
class Request:
    """Something that only the thread that trains can do; ``answer`` is waited for elsewhere."""

    what: Any  # Control, Pick, Overlay, or a call's name
    client: Client | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    answer: Future[Any] = field(default_factory=Future)


class TooManyPagesError(Exception):
    """As many pages as are served are connected already."""


class BusyError(Exception):
    """What was asked for costs more than there is time for; ``seconds`` until there is."""

    def __init__(self, reason: str, seconds: float):
        super().__init__(reason)
        self.seconds = seconds


class Channel:
    """What every page is told, what each wants to see, and what they ask for.

    Methods of the first group are called by the thread that trains, of the second by the server's.
    """

    def __init__(self) -> None:
        self.session = secrets.token_hex(4)
        self.lock = threading.Lock()
        self.clients: list[Client] = []
        self.requests: deque[Request] = deque()
        self.known = dict(KNOWN)
        self.fixed: Json = {}  # of hello, besides
        self.curve: list[Sequence[Any]] = []
        self.curve_id = 0
        self.awake = threading.Event()  # something was asked for, or wants to be drawn
        self._loop: asyncio.AbstractEventLoop | None = None
        self._frames = 0

    # -- of the thread that trains

    def publish(self, name: str, value: Any) -> None:
        """Tell every page the new value of one of KNOWN, and hello."""
        value = finite(value)
        with self.lock:
            self.known[name] = value
            for client in self.clients:
                client.latest[name] = _told(name, value)
                if name == "scene":
                    client.view, client.drawn, client.kept, client.sweep = None, None, {}, None
        self._notify()

    def note(self, text: str) -> None:
        """Tell every page a line for people."""
        with self.lock:
            for client in self.clients:
                client.lines.append({"type": "note", "text": text})
        self._notify()

    def add_curve(self, points: Sequence[Sequence[Any]]) -> None:
        """Add (step, seconds, loss, psnr_db) to the history."""
        with self.lock:
            self.curve.extend(finite([list(point) for point in points]))
            if len(self.curve) > MOST_CURVE:
                self.curve = self.curve[::2]
                self.curve_id += 1
        self._notify()

    def new_curve(self, points: Sequence[Sequence[Any]] = ()) -> None:
        """Begin another history."""
        with self.lock:
            self.curve = finite([list(point) for point in points])
            self.curve_id += 1
        self._notify()

    def wanted(self, mark: object) -> list[tuple[Client, View]]:
        """Return which pages are ready for a frame and have none of ``mark``, and their views."""
        with self.lock:
            return [
                (client, client.view)
                for client in self.clients
                if client.view is not None
                and client.visible
                and client.in_flight is None
                and client.drawn != (client.view.id, mark)
            ]

    @property
    def is_looked_at(self) -> bool:
        """Return whether there is a page that is not hidden."""
        with self.lock:
            return any(client.visible for client in self.clients)

    @property
    def is_awaited(self) -> bool:
        """Return whether a frame is on its way to a page."""
        with self.lock:
            return any(client.in_flight is not None for client in self.clients)

    @property
    def frame_count(self) -> int:
        """Return how many frames were drawn so far."""
        return self._frames

    def reserve(self, clients: Sequence[tuple[Client, View]], mark: object) -> int:
        """Mark a frame as on its way to ``clients``; return its id."""
        with self.lock:
            self._frames += 1
            for client, view in clients:
                client.in_flight, client.drawn = self._frames, (view.id, mark)
                client.sent_at = time.perf_counter()
        return self._frames

    def hold(self, clients: Sequence[tuple[Client, View]], mark: object) -> None:
        """Mark something as drawn for ``clients`` that is sent when more of it is there."""
        with self.lock:
            for client, view in clients:
                client.drawn, client.sent_at = (view.id, mark), time.perf_counter()

    def refuse_views(self, clients: Sequence[tuple[Client, View]], text: str) -> None:
        """Tell pages that what they want to see cannot be drawn, and draw it no more."""
        with self.lock:
            for client, view in clients:
                client.lines.append({"type": "refused", "text": text, "about": "view"})
                client.in_flight, client.kept, client.sweep = None, {}, None
                if client.view is view:
                    client.view = None
        self._notify()

    def send(self, client: Client, message: Json) -> None:
        """Tell one page something."""
        with self.lock:
            client.lines.append(finite(message))
        self._notify()

    def send_picture(self, client: Client, header: Json, payloads: Sequence[bytes]) -> None:
        """Send one page a frame or an overlay."""
        message = packed(finite(header), payloads)
        with self.lock:
            client.pictures[f"{header['type']} {header.get('name', '')}"] = message
        self._notify()

    def take(self) -> list[Request]:
        """Return what was asked for since the last time."""
        self.awake.clear()
        with self.lock:
            taken = list(self.requests)
            self.requests.clear()
        return taken

    def put_off(self, request: Request) -> None:
        """Ask for ``request`` again the next time, unless its page asks for another one by then."""
        with self.lock:
            self._replace(request, late=True)

    def wait(self, seconds: float) -> None:
        """Return when something is asked for or wants to be drawn, or after ``seconds``."""
        self.awake.wait(seconds)

    # -- of the server

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Name the event loop that sends."""
        self._loop = loop

    def connect(self) -> Client:
        """Return a new page's; TooManyPagesError where there are enough."""
        with self.lock:
            if len(self.clients) >= MOST_CLIENTS:
                raise TooManyPagesError
            client = Client(greeting=self._hello())
            client.curve_of, client.curve_from = self.curve_id, len(self.curve)
            client.ready.set()
            self.clients.append(client)
            return client

    def disconnect(self, client: Client) -> None:
        """Forget a page."""
        with self.lock:
            if client in self.clients:
                self.clients.remove(client)

    def hello(self) -> Json:
        """Return all that there is to know."""
        with self.lock:
            return self._hello()

    def _hello(self) -> Json:
        return {"type": "hello", "protocol": PROTOCOL, "session": self.session, **self.fixed,
                **self.known, "curve": list(self.curve)}  # fmt: skip

    def outgoing(self, client: Client) -> tuple[list[Json], list[bytes]]:
        """Take what waits for a page."""
        with self.lock:
            messages, pictures = client.outgoing()
            fresh = client.curve_of != self.curve_id
            points = self.curve if fresh else self.curve[client.curve_from :]
            if fresh or points:
                messages.append({"type": "curve", "reset": fresh, "points": list(points)})
            client.curve_of, client.curve_from = self.curve_id, len(self.curve)
            return messages, pictures

    def hear(self, client: Client, message: Message) -> bool:
        """Take in what a page said; False where too much waits already."""
        with self.lock:
            if isinstance(message, View):
                scene = self.known["scene"]
                if scene is not None and message.scene == scene["id"]:
                    client.view = message
            elif isinstance(message, Received):
                if client.in_flight == message.id:
                    client.in_flight = None
                    late = time.perf_counter() - client.sent_at > SLOW_SECONDS
                    # once may be the machine's fault, which is no page's
                    client.slow, client.late = late and (client.slow or client.late), late
            elif isinstance(message, Visible):
                client.visible = message.visible
            elif len(self.requests) >= MOST_REQUESTS:
                return False
            else:
                assert isinstance(message, (Pick, Overlay, Control))
                self._replace(Request(message, client))
        self.awake.set()
        return True

    def _replace(self, request: Request, *, late: bool = False) -> None:
        """Add a request; of values and overlays only the newest of a page waits."""
        if isinstance(request.what, (Pick, Overlay)):
            for index, waiting in enumerate(self.requests):
                same = waiting.client is request.client
                if same and type(waiting.what) is type(request.what):
                    if not late:
                        self.requests[index] = request
                    return
        self.requests.append(request)

    def ask(self, what: str, **arguments: Any) -> Future[Any] | None:
        """Ask the thread that trains for something; None where too much waits already."""
        request = Request(what, None, arguments)
        with self.lock:
            if len(self.requests) >= MOST_REQUESTS:
                return None
            self.requests.append(request)
        self.awake.set()
        return request.answer

    def _notify(self) -> None:
        if self._loop is not None and self.clients:
            try:
                self._loop.call_soon_threadsafe(self._ready_all)
            except RuntimeError:  # the server has ended
                self._loop = None

    def _ready_all(self) -> None:
        with self.lock:
            for client in self.clients:
                client.ready.set()


def _told(name: str, value: Any) -> Json:
    """Return the message that tells ``value``; progress is its own fields."""
    return {"type": name, **value} if name == "progress" and value else {"type": name, name: value}
