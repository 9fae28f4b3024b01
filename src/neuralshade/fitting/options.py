"""How a fit is run, and what is checked of that before it begins."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from neuralshade.base.atomic import check_writable
from neuralshade.base.given import check_output, check_path
from neuralshade.base.work import part
from neuralshade.engine.choose import Chosen, check_engine, check_kernels, choose_engine
from neuralshade.errors import ConfigError, DeviceError, OutputError
from neuralshade.fitting.loop import Control
from neuralshade.fitting.output_checks import (
    check_apart,
    check_asset_place,
    check_events,
    check_no_input,
    check_page,
    check_usual_place,
    events_path,
)
from neuralshade.gpu import kernel_dump
from neuralshade.gpu.open import APIS

# Options that a resumed fit is given again.
GIVEN_AGAIN: tuple[str, ...] = (
    "engine", "device", "kernels", "deterministic", "snapshots", "movie", "tev", "tensorboard",
    "events", "dump_kernels", "report",
)  # fmt: skip
PATHS = ("snapshots", "movie", "tensorboard", "events", "report", "resume", "dump_kernels")


class LivePage(Protocol):
    """A page that shows fits and steers them: ``Live``."""

    def begin(self, job: Any) -> Control: ...
    def sent(self, place: str | None) -> str | None:
        """Return what is called so that a page sent; None for what its user has.

        ``place`` is where it lies; None is what is fitted from memory.
        """
        ...

    def drawn(self, place: str | None) -> Path | None:
        """Return where a picture lies that the page drew itself: its user has no file of it."""
        ...


@dataclass(frozen=True)
class FitOptions:
    """How a fit is run, whatever is fitted; none of it changes what is learned."""

    engine: str = "auto"  # auto, torch or gpu
    device: str | None = None  # torch device (cpu, cuda:0), or API of the GPU engine (vulkan)
    kernels: str = "auto"  # of the GPU engine: matrix or fma
    deterministic: bool = False  # the GPU engine gives equal bits on every run, more slowly
    snapshots: str | os.PathLike[str] | None = None  # folder for log-spaced pictures
    movie: str | os.PathLike[str] | None = None  # .gif or .mp4 of log-spaced pictures, at the end
    tev: str | None = None  # HOST or HOST:PORT of a tev viewer that is sent log-spaced pictures
    tensorboard: str | os.PathLike[str] | None = None  # folder for a TensorBoard log
    events: str | os.PathLike[str] | None = None  # file for JSON lines; "-": standard output
    report: str | os.PathLike[str] | None = None  # HTML file to write at the end
    resume: str | os.PathLike[str] | None = None  # checkpoint to go on from
    live: LivePage | None = None  # page that shows and steers it
    dump_kernels: str | os.PathLike[str] | None = None  # folder for what kernels are compiled to


USUAL = FitOptions()


@contextmanager
def chosen_engine(options: FitOptions, engine: str | None = None) -> Iterator[Chosen]:
    """Give the engine that a fit runs on, closed after the block; ``engine`` where that is told.

    Raises: ConfigError for another engine; DeviceError where it cannot run here; OutputError for
        the folder that kernels are to be written to.
    """
    folder = None if options.dump_kernels is None else Path(options.dump_kernels)
    with kernel_dump.into(folder):
        with part("opening the device"):
            chosen = choose_engine(engine or options.engine, options.device)
        with closing(chosen):
            yield chosen


def check_options(options: FitOptions, name: str, takes: Sequence[str]) -> None:
    """Refuse options that the fit ``name`` does not heed, rather than pass them over.

    Without "engine" among those that it ``takes`` it is written in Slang alone.

    Raises: DeviceError where it is to run on PyTorch, ConfigError for any other and for an engine
        that nobody knows.
    """
    check_type(options)
    check_engine(options.engine)
    if "engine" not in takes and options.engine == "torch":
        raise DeviceError(f'engine: got "{options.engine}", need gpu or auto: Slang runs on a GPU '
                          "or on software Vulkan. Leave --engine out.")  # fmt: skip
    unheeded = [field.name for field in fields(FitOptions) if field.name not in (*takes, "engine")]
    check_left_out(options, unheeded, f"fit {name}")


def check_torch(options: FitOptions) -> None:
    """Refuse what only the GPU engine has where PyTorch is asked for, and unknown names."""
    check_type(options)
    check_engine(options.engine)
    check_kernels(options.kernels)
    torch = options.device is not None and options.device not in APIS
    if options.engine == "torch" or (options.engine == "auto" and torch):
        check_left_out(options, ("kernels", "deterministic"), "the PyTorch engine")


def check_left_out(options: FitOptions, names: Sequence[str], verb: str) -> None:
    """Raise ConfigError for options that ``verb`` has not, rather than pass them over."""
    for name in names:
        given, usual = getattr(options, name), getattr(USUAL, name)
        if given != usual:
            raise ConfigError(f"{name}: got {given!r}, need {usual!r}: {verb} has no choice of it. "
                              f"Leave {name} out.")  # fmt: skip


def resumed_flags(options: FitOptions, takes: Sequence[str]) -> dict[str, Any]:
    """Return the options that a resumed fit is given again, where they are not the default."""
    given = {name: getattr(options, name) for name in GIVEN_AGAIN if name in takes}
    return {name: value for name, value in given.items() if value != getattr(USUAL, name)}


def check_type(options: Any) -> None:
    """Raise ConfigError where ``options`` are no FitOptions, or a path among them is none."""
    if not isinstance(options, FitOptions):
        raise ConfigError(f"options: got {type(options).__name__}, need FitOptions. Write for "
                          'example options=FitOptions(engine="torch").')  # fmt: skip
    for name in PATHS:
        if (given := getattr(options, name)) is not None:
            check_path(f"options.{name}", given)


def checked_output(picture: Any, name: str, output: Any, options: FitOptions, kind: str) -> Path:
    """Return the asset's path; where ``output`` is None that of the picture, or of ``name``.

    Raises: OutputError where it, or another output, cannot be written, or would by default
        replace an asset of another kind; DeviceError or ConfigError where a movie, a viewer or a
        log is asked for that cannot be had.
    """
    check_type(options)
    check_output(output)
    if output is not None and not os.fspath(output):
        raise OutputError("output: got an empty name, need an asset's. Name a file.")
    if isinstance(picture, (str, os.PathLike)):
        name = os.fspath(picture)  # that of a Picture is for people: its file's may be no text
    target = Path(output) if output is not None else Path(Path(name).stem + ".nsh")
    for path in (target, options.movie, options.report, events_path(options.events)):
        check_no_input(path, picture, options.resume)
    check_apart(asset=target, report=options.report, snapshots=options.snapshots,
                movie=options.movie, tensorboard=options.tensorboard,
                events=events_path(options.events))  # fmt: skip
    check_writable(target)
    if options.report is not None:
        check_page(options.report)
    check_asset_place(target)
    if output is None:
        check_usual_place(target, kind)
    check_callbacks(options)
    return target


def check_callbacks(options: FitOptions) -> None:
    """Raise what stands against the movie, the viewer and the logs that are asked for.

    Each is loaded only where it is.
    """
    if options.movie is not None:
        from neuralshade.fitting.movie import check_movie

        check_movie(options.movie)
    if options.tev is not None:
        from neuralshade.fitting.tev import check_tev

        check_tev(options.tev)
    check_events(options.events)
    if options.tensorboard is not None:
        from neuralshade.fitting.tensorboard import check_tensorboard

        check_tensorboard(options.tensorboard)
