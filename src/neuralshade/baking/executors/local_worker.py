"""Driver's half of a worker process: the pipe to it, and why it died. Other half: worker.py."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from neuralshade.baking.executors.worker import MODULE
from neuralshade.baking.job import Job, plain_data
from neuralshade.base.json_lines import json_line
from neuralshade.base.message_text import plain
from neuralshade.base.strict_json import strict_json

TAIL_BYTES = 4096  # of what a worker printed, for the reason of its end


class LocalWorker:
    """One process. ``places``: of the outputs, and of inputs that are fetched ahead.

    ``inbox`` gets (worker, message), and (worker, None) once it has ended.
    """

    def __init__(self, number: int, places: Sequence[str], environment: Mapping[str, str],
                 inbox: queue.SimpleQueue[tuple[LocalWorker, dict[str, Any] | None]]):  # fmt: skip
        self.number, self.name = number, ""  # the name comes with its first message
        self.ready = False  # for jobs
        self.job: Job | None = None
        self.next: str | None = None  # job whose inputs it read ahead, or does so
        self.beside = 0  # fits at once when its job began
        self._inbox = inbox
        self._printed: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        words = [sys.executable, "-m", MODULE, *places]
        # a session of its own: Ctrl-C in a terminal reaches the driver alone
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._printed,
            env={**os.environ, **environment}, start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self, job: Job) -> None:
        """Give it a job."""
        self.job = job
        self._send({"job": plain_data(job)})

    def announce(self, job: Job) -> None:
        """Let it read the inputs of a job that somebody has next."""
        self.next = job.name
        self._send({"next": plain_data(job)})

    def kill(self) -> None:
        """End it and what it started, at once."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def hang_up(self) -> None:
        """Close its pipe: it saves the checkpoint of a running fit and ends."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def reason(self) -> str:
        """Return why it ended, for users."""
        code = self._process.wait()
        name = f"worker {self.name or self.pid}"
        if code < 0:
            return f"{name}: {_signal_text(-code)}."
        last = self._last_line()
        return f"{name}: ended with code {code}{f' ({last})' if last else ''}."

    def _last_line(self) -> str:
        size = self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, size - TAIL_BYTES))
        lines = self._printed.read().decode(errors="replace").strip().splitlines()
        return plain(lines[-1])[:200] if lines else ""

    def close(self) -> None:
        """Release what an ended process left."""
        self._process.wait()
        self.hang_up()
        self._printed.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has died or was closed: _listen reports it
            self._process.stdin.write(json_line(message).encode())
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                try:
                    self._inbox.put((self, strict_json(line)))
                except ValueError:  # cut off by a kill
                    break
        self._process.wait()
        self._inbox.put((self, None))


def _signal_text(number: int) -> str:
    if number == signal.SIGKILL:
        return "was killed; the system does so where memory runs out"
    try:
        return f"died of {signal.Signals(number).name}"
    except ValueError:
        return f"died of signal {number}"
