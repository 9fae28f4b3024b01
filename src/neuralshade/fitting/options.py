"""How a fit is run, and what is checked of that before it begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.base.atomic import check_writable
from neuralshade.errors import ConfigError, DeviceError, OutputError
from neuralshade.fitting.callbacks import check_logs
from neuralshade.fitting.events import events_path
from neuralshade.fitting.movie import check_movie
from neuralshade.fitting.output_checks import check_apart, check_asset_place, check_no_input
from neuralshade.fitting.tev import check_tev

if TYPE_CHECKING:
    from neuralshade.live.live import Live

# Options that a resumed fit is given again, where they are not the default.
KEPT_FLAGS: tuple[str, ...] = (
    "engine", "device", "kernels", "deterministic", "snapshots", "movie", "tev", "tensorboard",
    "events", "report",
)  # fmt: skip


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
    live: Live | None = None  # page that shows and steers it


USUAL = FitOptions()


def check_gpu_engine(options: FitOptions) -> None:
    """Raise DeviceError where a fit that is written in Slang alone is to run on PyTorch."""
    check_type(options)
    if options.engine not in ("auto", "gpu"):
        raise DeviceError(f'engine: got "{options.engine}", need gpu or auto: Slang runs on a GPU '
                          "or on software Vulkan. Leave --engine out.")  # fmt: skip


def check_left_out(options: FitOptions, names: Sequence[str], verb: str) -> None:
    """Raise ConfigError for options that ``verb`` has not, rather than pass them over."""
    for name in names:
        given, usual = getattr(options, name), getattr(USUAL, name)
        if given != usual:
            raise ConfigError(f"{name}: got {given!r}, need {usual!r}: {verb} has no choice of it. "
                              f"Leave {name} out.")  # fmt: skip


def check_type(options: Any) -> None:
    """Raise ConfigError where ``options`` are no FitOptions."""
    if not isinstance(options, FitOptions):
        raise ConfigError(f"options: got {type(options).__name__}, need FitOptions. Write for "
                          'example options=FitOptions(engine="torch").')  # fmt: skip


def checked_output(picture: Any, name: str, output: Any, options: FitOptions) -> Path:
    """Return the asset's path.

    Raises: OutputError where it, or another output, cannot be written; DeviceError or
        ConfigError where a movie, a viewer or a log is asked for that cannot be had.
    """
    check_type(options)
    if output is not None and not os.fspath(output):
        raise OutputError("output: got an empty name, need an asset's. Name a file.")
    target = Path(output) if output is not None else Path(Path(name).stem + ".nsh")
    for path in (target, options.movie, options.report, events_path(options.events)):
        check_no_input(path, picture, options.resume)
    check_apart(asset=target, report=options.report, snapshots=options.snapshots,
                movie=options.movie, tensorboard=options.tensorboard,
                events=events_path(options.events))  # fmt: skip
    for path in (target, options.report):
        if path is not None:
            check_writable(path)
    check_asset_place(target)
    check_movie(options.movie)
    check_tev(options.tev)
    check_logs(options)
    return target
