"""Handlers of page requests that run on the training thread."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import psutil

from neuralshade.base.interrupt import Interrupted
from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import AssetError, ConfigError, NeuralShadeError
from neuralshade.fitting.loop import Restart
from neuralshade.fitting.scene import Scene, Tone, View
from neuralshade.live.channel import BusyError, Channel, Request
from neuralshade.live.frame_encoding import on_screen, png
from neuralshade.live.messages import Control, Overlay, Pick
from neuralshade.live.page_renderer import PageRenderer

AGAIN = ("reset", "transform")  # actions that change the current fit
PATIENCE_SECONDS = 20.0  # longest wait of a page for an answer that is over budget
COPIES = 8  # float32 copies of a snapshot in memory at once, roughly
log = logging.getLogger("neuralshade.live")


class Subject(Protocol):
    """A running fit or a shown asset, as far as pages save and control it.

    ``control`` raises ConfigError for what is impossible now, and Restart. ``load`` takes an
    asset's file and returns a one-line report.
    """

    def save(self, path: Path) -> None: ...
    def report(self, path: Path) -> None: ...
    def control(self, message: Control) -> None: ...
    def load(self, path: Path, into_fit: bool) -> str: ...

    @property
    def name(self) -> str: ...


def answer(
    channel: Channel, renderer: PageRenderer, subject: Subject, *, hurried: bool = False
) -> None:
    """Answer all queued requests. Raises Restart after all others are answered.

    While a fit has priority (``hurried``), values and overlays are charged to the frame budget;
    requests beyond it wait.
    """
    restart: Restart | None = None
    for request in channel.take():
        if request.answer.cancelled():
            continue  # the client no longer waits
        if hurried and _is_put_off(channel, renderer, request):
            continue
        if not request.answer.set_running_or_notify_cancel():
            continue
        begin = time.perf_counter()
        try:
            found = _answered(request, renderer, subject)
        except Interrupted:
            _refuse(channel, request, ConfigError(f"{request.what}: got a fit that ends, need one "
                                                  "that goes on. Ask again then."))  # fmt: skip
            continue
        except Restart as error:
            restart, found = _together(restart, error), None
        except Exception as error:
            if not isinstance(error, NeuralShadeError):  # a request must never end a fit
                log.exception("live: a request failed; the fit goes on.")
                error = ConfigError(f"got {type(error).__name__}: {error}. This is a bug.")
            _refuse(channel, request, error)
            continue
        finally:
            if isinstance(request.what, str) and request.what in renderer.answers:
                renderer.answers[request.what].charge(time.perf_counter() - begin)
        request.answer.set_result(found)
    if restart is not None:
        raise restart


def _is_put_off(channel: Channel, renderer: PageRenderer, request: Request) -> bool:
    """Defer or refuse a request that is over budget while a fit has priority.

    A request that a page waits for is refused where the wait would be long.
    """
    if isinstance(request.what, (Pick, Overlay)):
        assert request.client is not None
        if renderer.may_draw(request.client):
            return False
    elif isinstance(request.what, str) and request.what in renderer.answers:
        seconds = renderer.answers[request.what].wait_seconds()
        if seconds == 0.0:
            return False
        if seconds > PATIENCE_SECONDS:
            if request.answer.set_running_or_notify_cancel():
                reason = (f"{request.what}: got a fit that goes first, need {seconds:.0f} s of it. "
                          "Pause it, or try again then.")  # fmt: skip
                request.answer.set_exception(BusyError(reason, seconds))
            return True
    else:
        return False
    channel.put_off(request)
    return True


def _together(first: Restart | None, then: Restart) -> Restart:
    """Merge restarts that were requested at once, for example a new seed and a new transform."""
    if first is None or then.settings["action"] not in AGAIN:
        return then
    return Restart({**first.settings, **then.settings, "action": first.settings["action"]})


def _answered(request: Request, renderer: PageRenderer, subject: Subject) -> Any:
    what, client, arguments = request.what, request.client, request.arguments
    if isinstance(what, Control):
        subject.control(what)
    elif isinstance(what, (Pick, Overlay)):
        assert client is not None
        if what.scene == renderer.number:
            renderer.draw_requested(client, what)
    elif what == "asset":
        return f"{Path(subject.name).stem}.nsh", _written(subject.save, "asset.nsh")
    elif what == "report":
        return f"{Path(subject.name).stem}.html", _written(subject.report, "report.html")
    elif what == "snapshot":
        return f"{Path(subject.name).stem}.png", _snapshot(renderer, **arguments)
    elif what == "load":
        return {"text": _loaded(subject, arguments["path"], arguments["into_fit"])}
    return None


def _loaded(subject: Subject, path: Path, into_fit: bool) -> str:
    try:
        return subject.load(path, into_fit)
    except AssetError as error:  # pages know the file by its name alone
        raise AssetError(str(error).replace(str(path), path.name)) from error


def _refuse(channel: Channel, request: Request, error: Exception) -> None:
    if request.client is None:
        request.answer.set_exception(error)
        return
    about = type(request.what).__name__.lower()
    channel.send(request.client, {"type": "refused", "text": str(error), "about": about})


def _written(write: Callable[[Path], None], name: str) -> bytes:
    with TempFolder() as folder:
        path = folder.path / name
        write(path)
        return path.read_bytes()


def _snapshot(renderer: PageRenderer, inputs: tuple[float, ...] = (), **tone: Any) -> bytes:
    scene = renderer.scene
    if scene is None:
        raise ConfigError("snapshot: got nothing to show, need a fit or an asset.")
    if scene.settled is not None:  # a path-traced scene would take too long
        raise ConfigError("snapshot: got a scene, need a fit or an asset. Use neuralshade scene.")
    _check_memory(scene)
    view = View(0, 0, width=scene.width, height=scene.height, inputs=inputs)
    return png(on_screen(scene.draw(scene.main, view), scene.linear, Tone(**tone)))


def _check_memory(scene: Scene) -> None:
    """Raise ConfigError where a snapshot exceeds free memory: an asset may claim any size."""
    needed = COPIES * 4 * scene.width * scene.height * scene.channels
    free = psutil.virtual_memory().available
    if needed > free:
        raise ConfigError(f"snapshot: got {scene.width} x {scene.height} pixels, need about "
                          f"{needed / 2**30:.1f} GB of memory for it where {free / 2**30:.1f} GB "
                          "are free. Use neuralshade render with --crop.")  # fmt: skip
