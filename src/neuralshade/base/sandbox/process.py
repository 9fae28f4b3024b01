"""Sandboxed process: serves requests under confinement.

The server is a class: constructed without arguments once the process is confined, and called
with each message and its arrays; it returns those of the reply.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from neuralshade.base.confinement import limit_resources, restrict_paths

MOST_FILES = 512  # open at once: a driver needs some
# Where systems keep programs, drivers, their settings, and information on devices.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/opt", "/nix", "/proc", "/sys", "/run",
          "/var/lib", "/var/cache")  # fmt: skip
PATH_VARIABLES = ("LD_LIBRARY_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "XDG_DATA_DIRS",
                  "CUDA_PATH")  # fmt: skip
LOOK_SECONDS = 1.0  # between two checks of whether the parent still runs


def main() -> None:
    """Serve requests from standard input; replies go to standard output."""
    folder, memory, serves, readable = sys.argv[1:5]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    requests, replies = sys.stdin.buffer, _take_stdout()
    # software Vulkan keeps its memory in an unnamed file of the same size
    limit_resources(memory=int(memory), files=MOST_FILES, file_bytes=int(memory))
    restrict_paths(read=_readable(json.loads(readable)), write=[folder])
    _serve(requests, replies, serves)


def _take_stdout() -> BinaryIO:
    """Return standard output, and redirect all other writers to nowhere."""
    kept = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return kept


def _end_with(parent: int) -> None:
    """End this process when the parent has ended, even while a kernel runs."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(0)


def _readable(more: Iterable[str]) -> Iterator[str]:
    """Yield the folders and files that Python, this package and drivers are read from."""
    yield from SYSTEM
    yield from more
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path)
    yield os.path.realpath(sys.executable)
    home = Path.home()
    yield from (str(home / ".local/share/vulkan"), str(home / ".config/vulkan"))
    for name in PATH_VARIABLES:
        yield from filter(None, os.environ.get(name, "").split(os.pathsep))


def _serve(requests: BinaryIO, replies: BinaryIO, serves: str) -> None:
    # imported only now: threads that these start are confined as well
    from neuralshade.base.lazy_import import import_object
    from neuralshade.base.sandbox.wire import BrokenError, receive, send
    from neuralshade.errors import NeuralShadeError

    served = None
    while True:
        try:
            message, arrays = receive(requests, most_bytes=2**40)
        except BrokenError:  # the parent has closed the pipe
            os._exit(0)  # closing would wait for a busy device
        try:
            served = import_object(serves)() if served is None else served
            found: tuple[dict[str, Any], tuple[Any, ...]] = served(message, arrays)
        except NeuralShadeError as error:
            found = {"error": type(error).__name__, "text": str(error)}, ()
        except Exception as error:
            found = {"error": "bug", "text": f"{type(error).__name__}: {error}"}, ()
        send(replies, *found)
