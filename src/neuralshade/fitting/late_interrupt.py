"""Interruption of a fit after its last step: what is kept, and the message about it."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from neuralshade.base.interrupt import signals_raised
from neuralshade.base.message_text import sentence
from neuralshade.errors import DeviceError, FitInterrupted
from neuralshade.fitting.resume_command import typed_path
from neuralshade.gpu.device_wait import StuckError


@contextmanager
def keep_if_interrupted(job: Any, keep_it: Callable[[], str]) -> Iterator[None]:
    """Context of a job's fit in which an interruption after its last step loses nothing.

    ``keep_it`` saves the trained state and returns a message about it. Before that step, loops
    handle a first signal between two steps; a second one may have cut a step in half. After it
    SIGTERM and SIGHUP raise exceptions as Ctrl-C does, instead of ending the process at once.
    """
    try:
        with signals_raised(job.loop.is_over):
            yield
    except FitInterrupted:
        raise
    except KeyboardInterrupt as error:
        if not job.loop.is_over():
            raise
        kept = _asset_message(job) if job.is_written else keep_it()
        step = job.loop.progress.step
        raise FitInterrupted(f"interrupted after step {step}: {kept}") from error


def lost(error: DeviceError, step: int, kept: str | None) -> BaseException:
    """Return the error for a device that holds the trained state and no longer answers.

    A FitInterrupted where a signal had come before. ``kept``: message about what is saved.
    """
    text = str(error) if kept is None else f"{error} {sentence(kept)}"
    if isinstance(error, StuckError):
        return FitInterrupted(f"interrupted at step {step}: {text}")
    return DeviceError(text)


def _asset_message(job: Any) -> str:
    """Return the message that the asset is written, with the command for its report if any.

    Uploads and sources in memory have no path that could be typed.
    """
    page, place, live = job.options.report, job.place, job.options.live
    if page is None:
        return f"{job.output} is written."
    message = f"{job.output} is written, its report is not."
    if not place or (live is not None and live.sent(place) is not None):
        return message
    snapshots = job.options.snapshots
    frames = [] if snapshots is None else ["--snapshots", typed_path(snapshots)]
    words = [typed_path(job.output), typed_path(place), "-o", typed_path(page), *frames]
    return f"{message} That is made by: {shlex.join(['neuralshade', 'report', *words])}"
