"""Connected page: its current view, and the messages queued for it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from neuralshade.fitting.scene import View
from neuralshade.live.progressive_drawing import ProgressiveDrawing

MOST_LINES = 100  # queued for a page that does not read them; older ones are dropped
Json = dict[str, Any]
DrawnView = tuple[int, object]  # id of a view, and the state drawn for it


@dataclass
class Client:
    """A page. The channel's lock guards it; ``ready`` belongs to the server's event loop.

    Its memory is bounded: messages that replace each other (``latest``) and pictures are kept in
    their newest version only, the curve's history as a position.
    """

    ready: asyncio.Event = field(default_factory=asyncio.Event)
    view: View | None = None
    visible: bool = True
    in_flight: int | None = None  # frame that is on its way
    sent_at: float = 0.0  # time.perf_counter() of that
    slow: bool = True  # it was late with the last two frames, or has shown none
    late: bool = False  # it was late with the last frame
    is_new: bool = True  # no computed frame was sent yet
    drawn: DrawnView | None = None
    kept: dict[str, Any] = field(default_factory=dict)  # pane -> key of its current picture
    drawing: ProgressiveDrawing | None = (
        None  # progressive state of its panes while a fit has priority
    )
    latest: dict[str, Json] = field(default_factory=dict)
    greeting: Json | None = None  # hello, sent first
    lines: deque[Json] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    pictures: dict[str, bytes] = field(default_factory=dict)
    curve_from: int = 0  # points of the history that it has
    curve_of: int = 0  # id of the history

    def outgoing(self) -> tuple[list[Json], list[bytes]]:
        """Return and clear the queue: messages in order, then pictures."""
        greeting = [] if self.greeting is None else [self.greeting]
        messages = [*greeting, *self.latest.values(), *self.lines]
        pictures = list(self.pictures.values())
        self.greeting, self.latest, self.pictures = None, {}, {}
        self.lines.clear()
        return messages, pictures
