"""Options of a fit, and their checks before it begins."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from neuralshade.base.argument_checks import check_output, check_path
from neuralshade.base.atomic import check_writable
from neuralshade.base.lazy_import import lazy_module
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError, DeviceError, OutputError
from neuralshade.fitting.loop import Control
from neuralshade.fitting.output_checks import (
    check_asset_place,
    check_distinct,
    check_events,
    check_no_input,
    check_page,
    check_usual_place,
    events_path,
)
from neuralshade.gpu import kernel_dump
from neuralshade.gpu.open import APIS

if TYPE_CHECKING:
    from neuralshade.engine import engine_choice
    from neuralshade.engine.engine_choice import EngineChoice
else:  # loads PyTorch, which takes seconds; whoever only names options needs none
    engine_choice = lazy_module("neuralshade.engine.engine_choice")

# Options that are repeated when a fit is resumed.
REPEATED_OPTIONS: tuple[str, ...] = (
    "engine", "device", "kernels", "deterministic", "snapshots", "movie", "tev", "tensorboard",
    "events", "dump_kernels", "report",
)  # fmt: skip
PATHS = ("snapshots", "movie", "tensorboard", "events", "report", "resume", "dump_kernels")


class LivePage(Protocol):
    """Page that shows and controls fits: ``Live``."""

    def begin(self, job: Any) -> Control: ...
    def sent(self, place: str | None) -> str | None:
        """Return the name of an uploaded source; None for a local one.

        ``place``: its path; None: a source in memory.
        """
        ...

    def drawn(self, place: str | None) -> Path | None:
        """Return the path of a picture that the page drew itself, which the user has no file of."""
        ...


@dataclass(frozen=True)
class FitOptions:
    """How a fit runs; none of this changes what it learns."""

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
    live: LivePage | None = None  # page that shows and controls it
    dump_kernels: str | os.PathLike[str] | None = None  # folder for the compiled kernels


USUAL = FitOptions()


@contextmanager
def chosen_engine(options: FitOptions, engine: str | None = None) -> Iterator[EngineChoice]:
    """Context with the engine that a fit runs on; ``engine`` overrides the options' one.

    Raises: ConfigError for an unknown engine; DeviceError where it cannot run here; OutputError for
        the folder of dumped kernels.
    """
    folder = None if options.dump_kernels is None else Path(options.dump_kernels)
    with kernel_dump.into(folder):
        with part("opening the device"):
            chosen = engine_choice.choose_engine(engine or options.engine, options.device)
        with closing(chosen):
            yield chosen


def check_options(options: FitOptions, name: str, takes: Sequence[str]) -> None:
    """Refuse options that the fit ``name`` does not support, instead of ignoring them.

    Without "engine" in ``takes`` the fit exists in Slang only.

    Raises: DeviceError where it cannot run on PyTorch, ConfigError for any other option and for
        an unknown engine.
    """
    check_type(options)
    engine_choice.check_engine(options.engine)
    if "engine" not in takes and options.engine == "torch":
        raise DeviceError(f'engine: got "{options.engine}", need gpu or auto: Slang runs on a GPU '
                          "or on software Vulkan. Leave --engine out.")  # fmt: skip
    unheeded = [field.name for field in fields(FitOptions) if field.name not in (*takes, "engine")]
    check_left_out(options, unheeded, f"fit {name}")


def check_torch(options: FitOptions) -> None:
    """Refuse options of the GPU engine where PyTorch is chosen, and unknown names."""
    check_type(options)
    engine_choice.check_engine(options.engine)
    engine_choice.check_kernels(options.kernels)
    torch = options.device is not None and options.device not in APIS
    if options.engine == "torch" or (options.engine == "auto" and torch):
        check_left_out(options, ("kernels", "deterministic"), "the PyTorch engine")


def check_left_out(options: FitOptions, names: Sequence[str], verb: str) -> None:
    """Raise ConfigError for options that ``verb`` does not support."""
    for name in names:
        value, usual = getattr(options, name), getattr(USUAL, name)
        if value != usual:
            raise ConfigError(f"{name}: got {value!r}, need {usual!r}: {verb} has no choice of it. "
                              f"Leave {name} out.")  # fmt: skip


def resumed_flags(options: FitOptions, takes: Sequence[str]) -> dict[str, Any]:
    """Return the options that are repeated when a fit is resumed, where not default."""
    value = {name: getattr(options, name) for name in REPEATED_OPTIONS if name in takes}
    return {name: value for name, value in value.items() if value != getattr(USUAL, name)}


def check_type(options: Any) -> None:
    """Raise ConfigError where ``options`` is not FitOptions, or one of its paths is not a path."""
    if not isinstance(options, FitOptions):
        raise ConfigError(f"options: got {type(options).__name__}, need FitOptions. Write for "
                          'example options=FitOptions(engine="torch").')  # fmt: skip
    for name in PATHS:
        if (value := getattr(options, name)) is not None:
            check_path(f"options.{name}", value)


def checked_output(picture: Any, name: str, output: Any, options: FitOptions, kind: str) -> Path:
    """Return the asset's path; by default it is named after the picture, or ``name``.

    Raises: OutputError where it, or another output, cannot be written, or would by default
        replace an asset of another kind; DeviceError or ConfigError for a movie, viewer or log
        that is not available.
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
    check_distinct(asset=target, report=options.report, snapshots=options.snapshots,
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
    """Check that the requested movie, viewer and logs are available.

    Each module is loaded only when requested.
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
