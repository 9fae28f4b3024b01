"""Event file of a TensorBoard log, flushed after each event.

Not PyTorch's SummaryWriter: it writes in its own thread, which prints a traceback on a full disk,
and does not accept folder names that are not UTF-8.
"""

from __future__ import annotations

import importlib
import itertools
import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

VERSION = "brain.Event:2"  # first event of a file
_NUMBERS = itertools.count()  # of files that this process has opened


class EventFile:
    """A new file in ``folder``, which hides older values from step ``first`` on.

    Methods may be called from any thread, and raise OSError on write errors.
    """

    def __init__(self, folder: str | os.PathLike[str], first: int):
        name = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_NUMBERS)}"
        self._events = importlib.import_module("tensorboard.compat.proto.event_pb2")
        self._summaries = importlib.import_module("torch.utils.tensorboard.summary")
        records = importlib.import_module("tensorboard.summary.writer.record_writer")
        self._file = (Path(folder) / f"events.out.tfevents.{name}").open("xb")
        self._records = records.RecordWriter(self._file)
        self._lock = threading.Lock()
        start = self._events.SessionLog(status=self._events.SessionLog.START)
        try:
            self._add(file_version=VERSION)
            self._add(step=first, session_log=start)
        except OSError:
            with suppress(OSError):  # buffered writes fail again
                self._file.close()
            raise

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """Add a point of a curve."""
        self.add_summary(self._summaries.scalar(tag, value), step)

    def add_text(self, tag: str, text: str, step: int) -> None:
        """Add a text, which TensorBoard renders as Markdown."""
        self.add_summary(self._summaries.text(tag, text), step)

    def add_summary(self, summary: Any, step: int) -> None:
        """Add a Summary protocol buffer."""
        self._add(summary=summary, step=step)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def _add(self, **content: Any) -> None:
        event = self._events.Event(wall_time=time.time(), **content).SerializeToString()
        with self._lock:
            self._records.write(event)
            self._file.flush()
