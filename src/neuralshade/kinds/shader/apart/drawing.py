"""A stranger's task, drawn in a process of its own with limits: what that does is one line here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil

from neuralshade.base.held import ScratchFolder
from neuralshade.base.interrupt import is_interrupted
from neuralshade.base.message_text import plain, plain_lines, shown
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import (
    AssetError,
    ConfigError,
    DeviceError,
    KernelError,
    NeuralShadeError,
    PictureError,
)
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.shader.apart.wire import Array, BrokenError, receive, send
from neuralshade.kinds.shader.drawing import Wanted
from neuralshade.source.crop import Crop
from neuralshade.source.picture import Picture

START_SECONDS = 120.0  # to begin, and to compile
PIECE_SECONDS = 60.0  # for each PIECE_PIXELS that are begun
PIECE_PIXELS = 2**20
ROW_SECONDS = 300.0  # for the mean loss
MOST_BYTES = 4 * 2**30  # of memory, besides those of what is drawn
BYTES_PER_PIXEL = 64  # of what is drawn: float4 there, copied once or twice
LOOK_SECONDS = 0.05  # between two looks at time, memory and Ctrl-C
ANSWER_JSON = 2**16  # bytes
MODULE = "neuralshade.kinds.shader.apart.process"
ERRORS = {e.__name__: e for e in (AssetError, ConfigError, DeviceError, KernelError, PictureError)}
UNKEPT = {  # no cache of a driver has what came of a stranger's text
    "MESA_SHADER_CACHE_DISABLE": "true", "CUDA_CACHE_DISABLE": "1",
    "__GL_SHADER_DISK_CACHE": "0",
}  # fmt: skip


class DrawnApart:
    """Draws in another process: see Drawing.

    Raises: AssetError where that process ends, takes too long, too much memory, or says what is
        no answer; what it raises itself.
    """

    def __init__(self, wanted: Wanted):
        self.wanted = wanted
        self._folder = ScratchFolder()
        self._reader = ThreadPoolExecutor(1, "neuralshade apart")
        self._process = _started(str(self._folder.path))
        try:
            self._ask(*_order(wanted), seconds=START_SECONDS)
        except BaseException:
            self.close()
            raise

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[np.float32]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped."""
        pixels = width * height
        asked = {"ask": "draw", "width": width, "height": height, "crop": list(crop)}
        seconds = START_SECONDS + PIECE_SECONDS * -(-pixels // PIECE_PIXELS)
        _, arrays = self._ask(asked, (), seconds=seconds, pixels=pixels)
        shape = (height, width, self.wanted.channels)
        if [(array.dtype.name, array.shape) for array in arrays] != [("float32", shape)]:
            raise self._odd("another picture than was asked for")
        return arrays[0]

    def row(self) -> dict[str, Any]:
        """Return what ``loss_row`` finds."""
        found, _ = self._ask({"ask": "row"}, (), seconds=ROW_SECONDS)
        row = found.get("row")
        kinds = {"loss": float, "standard_error": float, "steps": int, "threads": int}
        if not isinstance(row, dict) or any(type(row.get(n)) is not k for n, k in kinds.items()):
            raise self._odd("no mean loss")
        return {"name": self.wanted.source.name, **{name: row[name] for name in kinds}}

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._reader.shutdown()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):  # what was not sent yet goes nowhere
                stream.close()
        self._folder.close()

    def _ask(self, asked: dict[str, Any], arrays: tuple[Array, ...], *, seconds: float,
             pixels: int = 0) -> tuple[dict[str, Any], list[Array]]:  # fmt: skip
        most = MOST_BYTES + BYTES_PER_PIXEL * pixels
        answer = self._reader.submit(self._said, asked, arrays, 16 * pixels)
        try:
            message, found = self._awaited(answer, seconds, most)
        except (BrokenError, OSError) as error:
            raise self._ended() from error
        if "error" in message:
            raise self._told(message)
        return message, found

    def _said(
        self, asked: dict[str, Any], arrays: tuple[Array, ...], most: int
    ) -> tuple[dict[str, Any], list[Array]]:
        """Send, and return the answer; in a thread, since neither may ever end."""
        assert self._process.stdin is not None and self._process.stdout is not None
        send(self._process.stdin, asked, arrays)
        return receive(self._process.stdout, most, ANSWER_JSON)

    def _awaited(
        self, answer: Future[tuple[dict[str, Any], list[Array]]], seconds: float, most: int
    ) -> tuple[dict[str, Any], list[Array]]:
        end = time.monotonic() + seconds
        while True:
            try:
                return answer.result(LOOK_SECONDS)
            except NotYetError:
                if answer.done():  # it is that thread's
                    raise
            if time.monotonic() > end:
                raise self._refused(f"no answer of its code in {seconds:.0f} s", "code that ends")
            if is_interrupted():
                raise self._refused("Ctrl-C before its code had an answer", "code that ends")
            if self._bytes() > most:
                raise self._refused(f"code that took more than {most / 2**30:.1f} GB",
                                    "a task that takes less")  # fmt: skip

    def _bytes(self) -> int:
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:  # it has ended, which is told elsewhere
            return 0

    def _ended(self) -> AssetError:
        """Return the error for a process that ended, or says what is no answer."""
        self._process.kill()
        code = self._process.wait()
        if code < 0 and -code != signal.SIGKILL:
            return self._odd(f"code that ended its process ({signal.Signals(-code).name})")
        return self._odd("code that ended its process, or spoiled what that says")

    def _told(self, message: dict[str, Any]) -> NeuralShadeError:
        """Return the error that the process says it met, its text made harmless."""
        kind, text = ERRORS.get(str(message["error"])), str(message.get("text"))
        if kind is None:
            return self._odd(f"an error that is no task's ({plain(text[:80])})")
        return kind(plain_lines(text))

    def _odd(self, what: str) -> AssetError:
        return self._refused(what, "a task that is drawn")

    def _refused(self, got: str, need: str) -> AssetError:
        self.close()
        return AssetError(f"{self.wanted.place}: got {got}, need {need}. "
                          "Do not trust where it comes from.")  # fmt: skip


def _started(folder: str) -> subprocess.Popen[bytes]:
    """Return the process; ``folder`` is all that it may write to."""
    if not sys.executable:
        raise DeviceError("trust: got a Python without an executable of its own, need one for a "
                          "process that a stranger's code runs in. Use the command "
                          "line.")  # fmt: skip
    # not -m, which would look for modules in the working folder first
    paths = [path for path in sys.path if path]
    text = f"import sys; sys.path[:] = {paths!r}; import {MODULE} as process; process.main()"
    environment = os.environ | UNKEPT | {"TMPDIR": folder, "TEMP": folder, "TMP": folder}
    return subprocess.Popen(
        [sys.executable, "-c", text, folder, str(MOST_BYTES)], env=environment, cwd=folder,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _order(wanted: Wanted) -> tuple[dict[str, Any], tuple[Array, ...]]:
    """Return what the process is told of the task: plain data, and the arrays it refers to."""
    source = wanted.source
    values: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    pictures: dict[str, list[str]] = {}
    for name, value in wanted.values.items():
        if isinstance(value, Picture):
            pictures[name], arrays[name] = [value.name, value.color_space], value.pixels
        elif isinstance(value, np.ndarray):
            arrays[name] = value.astype(np.float32)
        else:
            values[name] = _json_value(name, value)
    order = {
        "place": wanted.place, "text": source.text, "source": source.place,
        "files": dict(source.files), "values": values, "arrays_of": list(arrays),
        "pictures": pictures, "recipe": to_dict(wanted.recipe), "steps": wanted.steps,
    }  # fmt: skip
    return order, tuple(arrays.values())


def _json_value(name: str, value: Any) -> Any:
    """Return what a member is given as strict JSON has it."""
    try:
        if not isinstance(value, (str, int, float, tuple, list)):
            value = float(value)  # NumPy's numbers
        strict_json(json.dumps(value), file_names=True)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"set: got {name}={shown(value)}, need a finite number. Write for "
                          f"example {name}=0.5.") from error  # fmt: skip
    return value
