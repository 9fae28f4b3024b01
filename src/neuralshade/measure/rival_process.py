"""Worker process that measures a set in blocks, while a fit needs this one's Python lock.

Compression is many short calls on all cores: each hands the lock over, and the thread that trains
waits for it in turn.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
import subprocess
import sys
import weakref
from contextlib import suppress

from neuralshade.asset.texture.bc7_process import can_start_process
from neuralshade.base.sandbox.sandbox import main_text
from neuralshade.base.sandbox.wire import BrokenError, receive, send
from neuralshade.measure.texture_rivals import ByteMaps, TextureRival, half_size_rival

LEAST_APART = 2**18  # numbers of level 0 worth a process: 0.3 s of work, twice its start
MOST_BYTES = 2**30  # of a set
NICENESS = 10  # of 19 at most
LEFT_CORES, MANY_CORES = 2, 8  # that are left to the fit, on machines with so many or more

log = logging.getLogger("neuralshade")


class RivalProcess:
    """A worker process that waits for a set; it ends after one, or with this object.

    Raises: OSError where it does not start.
    """

    def __init__(self) -> None:
        # -S: the text has all paths
        self._worker = subprocess.Popen([sys.executable, "-S", "-c", main_text(__name__)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)  # fmt: skip
        self._end = weakref.finalize(self, _ended, self._worker)

    def measured(self, maps: ByteMaps) -> TextureRival:
        """Return ``half_size_rival`` without its maps. Raises: OSError, BrokenError."""
        worker = self._worker
        facts = {"levels": {name: len(levels) for name, levels in maps.levels.items()},
                 "normals": sorted(maps.normals), "colors": sorted(maps.colors),
                 "wrap": maps.wrap, "opacity": maps.opacity}  # fmt: skip
        assert worker.stdin is not None and worker.stdout is not None
        try:
            send(worker.stdin, facts, [one for levels in maps.levels.values() for one in levels])
            found, _ = receive(worker.stdout, 0)
        finally:
            self._end()
        return TextureRival(**found)


def waiting_process() -> RivalProcess | None:
    """Return a process that is ready sooner for ``half_size_apart``; None where none starts."""
    try:
        return RivalProcess() if can_start_process() else None
    except OSError:
        return None


def half_size_apart(maps: ByteMaps, process: RivalProcess | None = None) -> TextureRival:
    """Return ``half_size_rival`` without its maps, of a process where that is worth it.

    Of this one where that fails, with a log entry. Raises: what ``half_size_rival`` raises.
    """
    if _numbers(maps) < LEAST_APART or not can_start_process():
        return half_size_rival(maps)
    try:
        return (process or RivalProcess()).measured(maps)
    except (OSError, BrokenError) as error:
        log.info("blocks: got no result of a process (%s), need none: this one goes on.", error)
        return half_size_rival(maps)


def _numbers(maps: ByteMaps) -> int:
    return sum(levels[0].size for levels in maps.levels.values())


def _ended(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()  # at its end already, but for one that was not needed
    with suppress(OSError), worker:  # what is still to be written has nobody to read it
        pass


def main() -> None:
    """Measure the set of standard input; the rival goes to standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    _give_way()
    facts, arrays = receive(sys.stdin.buffer, MOST_BYTES)
    rest = iter(arrays)
    levels = {name: [next(rest) for _ in range(count)] for name, count in facts["levels"].items()}
    maps = ByteMaps(levels, frozenset(facts["normals"]), frozenset(facts["colors"]),
                    facts["wrap"], facts["opacity"])  # fmt: skip
    rival = dataclasses.replace(half_size_rival(maps), maps={})
    send(sys.stdout.buffer, dataclasses.asdict(rival))


def _give_way() -> None:
    """Leave cores to the fit, which waits for its GPU in short turns."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if hasattr(os, "sched_setaffinity"):  # not on Windows, nor on a Mac
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) >= MANY_CORES:
            os.sched_setaffinity(0, cores[LEFT_CORES:])
