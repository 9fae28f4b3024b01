"""Sandbox for untrusted code: a separate process with limits; faults become error messages.

The sandboxed process runs process.py; both exchange JSON and arrays by wire.py.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil

from neuralshade.base.closeable import Closeable
from neuralshade.base.interrupt import is_interrupted
from neuralshade.base.message_text import plain, plain_lines
from neuralshade.base.sandbox.wire import Array, BrokenError, receive, send
from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import (
    AssetError,
    ConfigError,
    DeviceError,
    KernelError,
    NeuralShadeError,
    PictureError,
    ShapeError,
)

LOOK_SECONDS = 0.05  # between two checks of time, memory and Ctrl-C
ANSWER_JSON = 2**16  # bytes
MODULE = "neuralshade.base.sandbox.process"
RAISED = (AssetError, ConfigError, DeviceError, KernelError, PictureError, ShapeError)
ERRORS = {error.__name__: error for error in RAISED}
UNKEPT = {  # no driver caches kernels of untrusted text
    "MESA_SHADER_CACHE_DISABLE": "true", "CUDA_CACHE_DISABLE": "1",
    "__GL_SHADER_DISK_CACHE": "0",
}  # fmt: skip
# Variables that Python, drivers and their loaders read; no others are passed on.
KEPT = {
    "HOME", "USERPROFILE", "PYTHONHOME", "LANG", "PATH", "TZ", "SYSTEMROOT", "SYSTEMDRIVE",
    "WINDIR", "PROGRAMDATA", "PROGRAMFILES", "COMMONPROGRAMFILES", "LD_LIBRARY_PATH",
}  # fmt: skip
KEPT_PREFIXES = ("LC_", "DYLD_", "XDG_DATA_", "XDG_CONFIG_", "VK_", "CUDA_", "NVIDIA_", "MESA_",
                 "GALLIUM_", "GALLIVM_", "LP_", "LIBGL_", "RADV_", "ANV_", "AMD_", "__GL", "__NV",
                 "__VK", "METAL_", "OMP_", "MKL_", "PYTHONHASHSEED", "PYTHONUTF8")  # fmt: skip


@dataclass(frozen=True)
class SandboxWording:
    """Words for the sandboxed code in error messages."""

    place: str  # the file that messages begin with
    code: str = "code"
    its: str = "its code"
    owner: str = "task"  # whose errors may be raised here
    need: str = "a task that is drawn"
    ends: str = "code that ends"
    less: str = "a task that takes less"
    error: type[NeuralShadeError] = AssetError


class Sandbox(Closeable):
    """A process with few rights that answers requests; close it after use.

    Its code may read the system's folders, Python's, this package's and ``readable``.
    """

    def __init__(
        self, serves: str, wording: SandboxWording, memory: int, readable: Sequence[str] = ()
    ):
        """Start the process.

        ``serves``: "module:name" of the server class, see process.py; ``memory``: the most bytes
        that it may write to. Raises: DeviceError, OutputError.
        """
        self.wording = wording
        self._folder = TempFolder()
        self._reader = ThreadPoolExecutor(1, "neuralshade sandbox")
        try:
            self._process = _started(str(self._folder.path), serves, memory, readable)
        except BaseException:
            self._folder.close()
            raise

    def request(self, message: Mapping[str, Any], arrays: Sequence[Array] = (), *, seconds: float,
            memory: int, most_bytes: int = 0, most_json: int = ANSWER_JSON,
            ) -> tuple[dict[str, Any], list[Array]]:  # fmt: skip
        """Send a message and return the reply.

        Args:
            message, arrays: what to send; see ``send``.
            seconds: time limit, after which the process is ended.
            memory: limit in bytes for the process meanwhile.
            most_bytes, most_json: limits for the reply's arrays and for its JSON, in bytes.

        Raises: the error class of ``wording`` where it ends, exceeds time or memory, or sends an
            invalid reply; errors that its code raises.
        """
        answer = self._reader.submit(self._exchange, message, arrays, most_bytes, most_json)
        try:
            reply, found = self._wait_for(answer, seconds, memory)
        except (BrokenError, OSError) as error:
            raise self._end_error() from error
        if "error" in reply:
            raise self._reported_error(reply)
        return reply, found

    def close(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()
        self._reader.shutdown()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):  # unsent data is dropped
                stream.close()
        self._folder.close()

    def violation(self, what: str) -> NeuralShadeError:
        """End the process and return the error for a violation."""
        return self.refused(what, self.wording.need)

    def refused(self, got: str, need: str) -> NeuralShadeError:
        """End the process and return an error."""
        self.close()
        return self.wording.error(f"{self.wording.place}: got {got}, need {need}. "
                               "Do not trust where it comes from.")  # fmt: skip

    @property
    def is_running(self) -> bool:
        """Return whether the process still runs."""
        return self._process.poll() is None

    def _exchange(
        self, message: Mapping[str, Any], arrays: Sequence[Array], most: int, most_json: int
    ) -> tuple[dict[str, Any], list[Array]]:
        """Send a message and return the answer; runs in a thread, as either may block forever."""
        assert self._process.stdin is not None and self._process.stdout is not None
        send(self._process.stdin, dict(message), arrays)
        return receive(self._process.stdout, most, most_json)

    def _wait_for(
        self, answer: Future[tuple[dict[str, Any], list[Array]]], seconds: float, most: int
    ) -> tuple[dict[str, Any], list[Array]]:
        end, wording = time.monotonic() + seconds, self.wording
        while True:
            try:
                return answer.result(LOOK_SECONDS)
            except NotYetError:
                if answer.done():  # the timeout is an error of that thread
                    raise
            if time.monotonic() > end:
                raise self.refused(f"no answer of {wording.its} in {seconds:.0f} s", wording.ends)
            if is_interrupted():
                raise self.refused(f"Ctrl-C before {wording.its} had an answer", wording.ends)
            if self._bytes() > most:
                raise self.refused(f"{wording.code} that took more than {most / 2**30:.1f} GB",
                                   wording.less)  # fmt: skip

    def _bytes(self) -> int:
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:  # it has ended: reported elsewhere
            return 0

    def _end_error(self) -> NeuralShadeError:
        """Return the error for a process that ended, or sent an invalid reply."""
        self._process.kill()
        code = self._process.wait()
        if code < 0 and -code != signal.SIGKILL:
            return self.violation(f"{self.wording.code} that ended its process "
                            f"({signal.Signals(-code).name})")  # fmt: skip
        return self.violation(
            f"{self.wording.code} that ended its process, or spoiled what that says"
        )

    def _reported_error(self, message: dict[str, Any]) -> NeuralShadeError:
        """Return the error that the process reports, with harmless text."""
        kind, text = ERRORS.get(str(message["error"])), str(message.get("text"))
        if kind is None:
            return self.violation(
                f"an error that is no {self.wording.owner}'s ({plain(text[:80])})"
            )
        return kind(plain_lines(text))


def safe_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a sandboxed process gets: no keys and tokens of the user."""
    return {name: value for name, value in environment.items()
            if name.upper() in KEPT or name.startswith(KEPT_PREFIXES)}  # fmt: skip


def main_text(module: str) -> str:
    """Return Python text that runs ``main`` of a module of this process, in another process.

    Not -m, which searches the working folder for modules first.
    """
    paths = [path for path in sys.path if path]
    return f"import sys; sys.path[:] = {paths!r}; import {module} as process; process.main()"


def _started(
    folder: str, serves: str, memory: int, readable: Sequence[str]
) -> subprocess.Popen[bytes]:
    """Start the process; it may write only to ``folder``."""
    if not sys.executable:
        raise DeviceError("trust: got a Python without an executable of its own, need one for a "
                          "process that a stranger's code runs in. Use the command "
                          "line.")  # fmt: skip
    temporary = {"TMPDIR": folder, "TEMP": folder, "TMP": folder}
    return subprocess.Popen(
        [sys.executable, "-c", main_text(MODULE), folder, str(memory), serves,
         json.dumps(list(readable))],
        env=safe_environment(os.environ) | UNKEPT | temporary, cwd=folder,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
