"""A fit that is interrupted after its last step: what is kept of it, and what is said."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from neuralshade.base.interrupt import raised_while
from neuralshade.base.message_text import sentence
from neuralshade.errors import DeviceError, FitInterrupted
from neuralshade.fitting.resuming import typed_path
from neuralshade.gpu.patience import StuckError


@contextmanager
def kept_if_cut_off(job: Any, keep_it: Callable[[], str]) -> Iterator[None]:
    """Context of a job's fit: an interruption after its last step loses nothing.

    ``keep_it`` saves what was trained, and says where. Before that step, loops answer a first
    signal between two steps; a second one may have cut a step in half. After it SIGTERM and SIGHUP
    are exceptions as Ctrl-C is, where they would end the process at once.
    """
    try:
        with raised_while(job.loop.is_over):
            yield
    except FitInterrupted:
        raise
    except KeyboardInterrupt as error:
        if not job.loop.is_over():
            raise
        kept = _written(job) if job.is_written else keep_it()
        step = job.loop.progress.step
        raise FitInterrupted(f"interrupted after step {step}: {kept}") from error


def lost(error: DeviceError, step: int, kept: str | None) -> BaseException:
    """Return the error for a device that has what was trained, and answers no more.

    Where the fit was asked to end, that is an interruption. ``kept`` says what is kept of it.
    """
    said = str(error) if kept is None else f"{error} {sentence(kept)}"
    if isinstance(error, StuckError):
        return FitInterrupted(f"interrupted at step {step}: {said}")
    return DeviceError(said)


def _written(job: Any) -> str:
    """Return that the asset is there, and what makes its report, where one was asked for.

    Nobody has the files that a page sent, or what is in memory, at a place that could be typed.
    """
    page, place, live = job.options.report, job.place, job.options.live
    if page is None:
        return f"{job.output} is written."
    told = f"{job.output} is written, its report is not."
    if not place or (live is not None and live.sent(place) is not None):
        return told
    snapshots = job.options.snapshots
    frames = [] if snapshots is None else ["--snapshots", typed_path(snapshots)]
    words = [typed_path(job.output), typed_path(place), "-o", typed_path(page), *frames]
    return f"{told} That is made by: {shlex.join(['neuralshade', 'report', *words])}"
