"""One page that is connected: what it wants to see, and what waits to be sent to it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from neuralshade.fitting.scene import View
from neuralshade.live.progressive_drawing import Sweep

MOST_LINES = 100  # that wait for a page which does not read them; older ones are dropped
Json = dict[str, Any]
DrawnView = tuple[int, object]  # id of a view, and what was drawn for it


@dataclass
class Client:
    """A page. The channel's lock guards it; ``ready`` is the server's event loop's.

    Bounded, whatever a page does: of what replaces its kind (``latest``) only the newest waits,
    of pictures the newest one, and the history of the curve by its place.
    """

    ready: asyncio.Event = field(default_factory=asyncio.Event)
    view: View | None = None
    visible: bool = True
    in_flight: int | None = None  # frame that it was sent, or that is on its way
    sent_at: float = 0.0  # time.perf_counter() of that
    slow: bool = True  # it took long to show the last two, or has shown none
    late: bool = False  # it took long to show the last one
    is_new: bool = True  # it was sent nothing yet that had to be drawn
    drawn: DrawnView | None = None
    kept: dict[str, Any] = field(default_factory=dict)  # pane -> what its picture was made from
    sweep: Sweep | None = None  # how far its panes have come while a fit goes first
    latest: dict[str, Json] = field(default_factory=dict)
    greeting: Json | None = None  # hello, which comes before all else
    lines: deque[Json] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    pictures: dict[str, bytes] = field(default_factory=dict)
    curve_from: int = 0  # points of the history that it has
    curve_of: int = 0  # which history

    def outgoing(self) -> tuple[list[Json], list[bytes]]:
        """Take what waits: messages in order, then pictures."""
        greeting = [] if self.greeting is None else [self.greeting]
        messages = [*greeting, *self.latest.values(), *self.lines]
        pictures = list(self.pictures.values())
        self.greeting, self.latest, self.pictures = None, {}, {}
        self.lines.clear()
        return messages, pictures
