"""The process that compiles and draws a stranger's task, and may do little else."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from neuralshade.base.confine import keep_to_folders, limit_resources

if TYPE_CHECKING:
    from neuralshade.kinds.shader.drawing import DrawnHere

MOST_FILES = 512  # open at once: a driver takes some
# Where systems keep programs, drivers, their settings, and what is known of devices.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/opt", "/nix", "/proc", "/sys", "/run",
          "/var/lib", "/var/cache")  # fmt: skip
PATH_VARIABLES = ("LD_LIBRARY_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "XDG_DATA_DIRS",
                  "CUDA_PATH")  # fmt: skip
LOOK_SECONDS = 1.0  # between two looks at whether who asks is still there


def main() -> None:
    """Serve one task: what is asked on standard input is answered on standard output."""
    folder, memory = sys.argv[1], int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks ends this one
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    asked, answers = sys.stdin.buffer, _answers()
    # software Vulkan's memory is a file without a name: as large as all of it
    limit_resources(memory=memory, files=MOST_FILES, file_bytes=memory)
    keep_to_folders(read=_readable(), write=[folder])
    _serve(asked, answers)


def _answers() -> BinaryIO:
    """Return standard output, which from now on nobody else writes to."""
    kept = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return kept


def _leave_with(parent: int) -> None:
    """End when who asks has ended, also where a kernel does not."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(0)


def _readable() -> Iterator[str]:
    """Yield the folders and files that Python, this package and drivers are read from."""
    yield from SYSTEM
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path)
    yield os.path.realpath(sys.executable)
    home = Path.home()
    yield from (str(home / ".local/share/vulkan"), str(home / ".config/vulkan"))
    for name in PATH_VARIABLES:
        yield from filter(None, os.environ.get(name, "").split(os.pathsep))


def _serve(asked: BinaryIO, answers: BinaryIO) -> None:
    # only now: threads that these start are kept to the folders as well
    from neuralshade.errors import NeuralShadeError
    from neuralshade.kinds.shader.apart.wire import BrokenError, receive, send

    drawing = None
    while True:
        try:
            message, arrays = receive(asked, most_bytes=2**40)
        except BrokenError:  # nobody asks any more
            os._exit(0)  # a device that is busy would not be closed
        try:
            found: tuple[dict[str, Any], tuple[Any, ...]] = ({}, ())
            if drawing is None:
                drawing = _opened(message, arrays)
            elif message["ask"] == "draw":
                crop = tuple(message["crop"])
                found = {}, (drawing.draw(message["width"], message["height"], crop),)
            else:
                found = {"row": drawing.row()}, ()
        except NeuralShadeError as error:
            found = {"error": type(error).__name__, "text": str(error)}, ()
        except Exception as error:
            found = {"error": "bug", "text": f"{type(error).__name__}: {error}"}, ()
        send(answers, *found)


def _opened(order: dict[str, Any], arrays: list[Any]) -> DrawnHere:
    from neuralshade.fitting.recipe import from_dict
    from neuralshade.kinds.shader.drawing import DrawnHere, Wanted
    from neuralshade.kinds.shader.recipe import ShaderRecipe
    from neuralshade.kinds.shader.source import ShaderSource
    from neuralshade.source.picture import Picture

    source = ShaderSource(order["text"], order["source"], order["files"], foreign=True)
    values = dict(order["values"])
    for name, array in zip(order["arrays_of"], arrays, strict=True):
        values[name] = array
        if name in order["pictures"]:
            called, color_space = order["pictures"][name]
            values[name] = Picture(array, color_space, called)
    recipe = from_dict(ShaderRecipe, order["recipe"])
    return DrawnHere(Wanted(source, values, recipe, order["steps"], 0, order["place"]))
