"""Channel between the training thread and the server thread; neither blocks the other."""

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
    FrameShown,
    Message,
    Overlay,
    Pick,
    Visible,
)

PROTOCOL = 1
MOST_CLIENTS = 32
SLOW_SECONDS = 1.0  # from drawing a frame to its acknowledgement; a page that takes longer is late
MOST_REQUESTS = 256  # queued for the training thread; more are refused
INITIAL_STATE: Json = {name: None for name in ("scene", "fit", "progress", "quality", "preparing")}
INITIAL_STATE["measuring"] = []  # pages get the newest value of each; these are the initial ones
MOST_CURVE = 20_000  # points of a history; then every other one is dropped


@dataclass(frozen=True)
class Request:
    """A request to the training thread; another thread waits for ``answer``."""

    what: Any  # Control, Pick, Overlay, or the name of a call
    client: Client | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    answer: Future[Any] = field(default_factory=Future)


class TooManyPagesError(Exception):
    """The maximum number of pages is connected."""


class BusyError(Exception):
    """A request exceeds the budget; ``seconds`` until it fits."""

    def __init__(self, reason: str, seconds: float):
        super().__init__(reason)
        self.seconds = seconds


class Channel:
    """State published to pages, their views, and their requests.

    The first group of methods belongs to the training thread, the second to the server's.
    """

    def __init__(self) -> None:
        self.session = secrets.token_hex(4)
        self.lock = threading.Lock()
        self.clients: list[Client] = []
        self.requests: deque[Request] = deque()
        self.state = dict(INITIAL_STATE)
        self.fixed: Json = {}  # further fields of hello
        self.curve: list[Sequence[Any]] = []
        self.curve_id = 0
        self.awake = threading.Event()  # set when there is a request, or something to draw
        self._loop: asyncio.AbstractEventLoop | None = None
        self._frames = 0

    # -- training thread

    def publish(self, name: str, value: Any) -> None:
        """Publish a new value of one of KNOWN to every page, and in hello."""
        value = finite(value)
        with self.lock:
            self.state[name] = value
            for client in self.clients:
                client.latest[name] = _message(name, value)
                if name == "scene":
                    client.view, client.drawn, client.kept, client.drawing = None, None, {}, None
        self._notify()

    def note(self, text: str) -> None:
        """Send every page a line of text."""
        with self.lock:
            for client in self.clients:
                client.lines.append({"type": "note", "text": text})
        self._notify()

    def add_curve(self, points: Sequence[Sequence[Any]]) -> None:
        """Append (step, seconds, loss, psnr_db) to the history."""
        with self.lock:
            self.curve.extend(finite([list(point) for point in points]))
            if len(self.curve) > MOST_CURVE:
                self.curve = self.curve[::2]
                self.curve_id += 1
        self._notify()

    def new_curve(self, points: Sequence[Sequence[Any]] = ()) -> None:
        """Start another history."""
        with self.lock:
            self.curve = finite([list(point) for point in points])
            self.curve_id += 1
        self._notify()

    def ready_views(self, mark: object) -> list[tuple[Client, View]]:
        """Return the pages that are ready for a frame and lack that of ``mark``, with views."""
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
    def is_visible(self) -> bool:
        """Return whether any page is visible."""
        with self.lock:
            return any(client.visible for client in self.clients)

    @property
    def is_awaited(self) -> bool:
        """Return whether a frame is on its way to a page."""
        with self.lock:
            return any(client.in_flight is not None for client in self.clients)

    @property
    def frame_count(self) -> int:
        """Return the number of frames drawn."""
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
        """Mark a frame as drawn for ``clients`` that is sent once it is complete."""
        with self.lock:
            for client, view in clients:
                client.drawn, client.sent_at = (view.id, mark), time.perf_counter()

    def refuse_views(self, clients: Sequence[tuple[Client, View]], text: str) -> None:
        """Report to pages that their view cannot be drawn, and drop it."""
        with self.lock:
            for client, view in clients:
                client.lines.append({"type": "refused", "text": text, "about": "view"})
                client.in_flight, client.kept, client.drawing = None, {}, None
                if client.view is view:
                    client.view = None
        self._notify()

    def send(self, client: Client, message: Json) -> None:
        """Send one page a message."""
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
        """Return and clear the queued requests."""
        self.awake.clear()
        with self.lock:
            taken = list(self.requests)
            self.requests.clear()
        return taken

    def put_off(self, request: Request) -> None:
        """Queue ``request`` again, unless its page has made a newer one of that type."""
        with self.lock:
            self._replace(request, late=True)

    def wait(self, seconds: float) -> None:
        """Block until there is a request or something to draw, or for ``seconds``."""
        self.awake.wait(seconds)

    # -- server thread

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the event loop that sends."""
        self._loop = loop

    def connect(self) -> Client:
        """Return a new client; TooManyPagesError where the maximum is reached."""
        with self.lock:
            if len(self.clients) >= MOST_CLIENTS:
                raise TooManyPagesError
            client = Client(greeting=self._hello())
            client.curve_of, client.curve_from = self.curve_id, len(self.curve)
            client.ready.set()
            self.clients.append(client)
            return client

    def disconnect(self, client: Client) -> None:
        """Remove a page."""
        with self.lock:
            if client in self.clients:
                self.clients.remove(client)

    def hello(self) -> Json:
        """Return the complete state."""
        with self.lock:
            return self._hello()

    def _hello(self) -> Json:
        return {"type": "hello", "protocol": PROTOCOL, "session": self.session, **self.fixed,
                **self.state, "curve": list(self.curve)}  # fmt: skip

    def outgoing(self, client: Client) -> tuple[list[Json], list[bytes]]:
        """Return and clear what is queued for a page."""
        with self.lock:
            messages, pictures = client.outgoing()
            fresh = client.curve_of != self.curve_id
            points = self.curve if fresh else self.curve[client.curve_from :]
            if fresh or points:
                messages.append({"type": "curve", "reset": fresh, "points": list(points)})
            client.curve_of, client.curve_from = self.curve_id, len(self.curve)
            return messages, pictures

    def receive(self, client: Client, message: Message) -> bool:
        """Process a message of a page; False where the queue is full."""
        with self.lock:
            if isinstance(message, View):
                scene = self.state["scene"]
                if scene is not None and message.scene == scene["id"]:
                    client.view = message
            elif isinstance(message, FrameShown):
                if client.in_flight == message.id:
                    client.in_flight = None
                    late = time.perf_counter() - client.sent_at > SLOW_SECONDS
                    # one delay may be the machine's fault, not the page's
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
        """Queue a request; of values and overlays only a page's newest is kept."""
        if isinstance(request.what, (Pick, Overlay)):
            for index, waiting in enumerate(self.requests):
                same = waiting.client is request.client
                if same and type(waiting.what) is type(request.what):
                    if not late:
                        self.requests[index] = request
                    return
        self.requests.append(request)

    def ask(self, what: str, **arguments: Any) -> Future[Any] | None:
        """Queue a request to the training thread; None where the queue is full."""
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


def _message(name: str, value: Any) -> Json:
    """Return the message that carries ``value``; progress is inlined."""
    return {"type": name, **value} if name == "progress" and value else {"type": name, name: value}
