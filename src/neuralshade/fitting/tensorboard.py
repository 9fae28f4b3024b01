"""TensorBoard log of a fit: numbers, snapshots and recipe."""

from __future__ import annotations

import importlib
import io
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from neuralshade.base.atomic import check_writable
from neuralshade.base.json_numbers import finite
from neuralshade.base.message_text import folder_failure
from neuralshade.base.optional import optional_module
from neuralshade.errors import OutputError
from neuralshade.fitting.callback import Callback, RunningFit, Tick
from neuralshade.fitting.movie import PNG_LEVEL, Frame, opaque_frame
from neuralshade.fitting.plateau import Row
from neuralshade.fitting.progress import Progress
from neuralshade.fitting.recipe import to_dict
from neuralshade.fitting.tensorboard_file import EventFile
from neuralshade.source.picture import Picture, PictureForm

LONGEST_PX = 512  # of a picture: TensorBoard shows them small, and two are written each time
ERROR_SCALE = 4  # of the error around grey; constant, so that errors compare
LEAST_SECONDS, MOST_SECONDS, SHARE = 0.25, 10.0, 0.002  # between two values of a curve

log = logging.getLogger("neuralshade")


def check_tensorboard(folder: str | os.PathLike[str] | None) -> None:
    """Check before a fit that a log can be written to ``folder``; None is no log.

    Creates the folder.

    Raises: DeviceError where the package tensorboard is missing, OutputError for a folder that
        cannot be created or written to.
    """
    if folder is None:
        return
    _package(folder)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: got {folder_failure(error)}, need a folder for TensorBoard. "
                          "Choose another.") from error  # fmt: skip
    check_writable(Path(folder) / "events")


class TensorBoard(Callback):
    """Logs numbers against steps, a few a second at most, and pictures as they are drawn.

    A new fit hides an older one in the folder; a resumed fit continues it. Pictures are encoded
    in their own thread. A write error is logged once, and the fit continues without a log.


    Args:
        folder: to log into.
        picture: the source, or the form of the drawings; None without drawings.
    """

    def __init__(self, folder: str | os.PathLike[str], picture: Picture | PictureForm | None):
        self.folder = folder
        self.target = picture if isinstance(picture, Picture) else None
        self.tick = Tick(LEAST_SECONDS, MOST_SECONDS, SHARE)
        self.stops: float | None = None
        self._small: Frame | None = None  # the target at the last requested size
        self._job: RunningFit | None = None
        self._file: EventFile | None = None
        self._encoder = ThreadPoolExecutor(1, "neuralshade tensorboard")
        self._lock = threading.Lock()
        self._encoding: list[Future[None]] = []
        self._logged = 0  # step of the last numbers
        self._psnr_step = 0  # of the last PSNR

    def begin(self, job: RunningFit) -> None:
        """Open the log; write the recipe, and the target where there is one."""
        from neuralshade.measure.display import exposure_stops  # loads metrics: half a second

        step = job.loop.progress.step
        known = step > 0 and any(Path(self.folder).glob("events.out.tfevents.*"))
        self._job, self._file = job, self._opened(step + 1 if step else 0)
        if self.target is not None and self.target.color_space == "linear":
            self.stops = exposure_stops(self.target.pixels)
        if known:  # the previous session logged its measurements
            self._psnr_step = int(job.loop.progress.psnr_step)
        else:
            facts = _indented(_recipe(job))
            self._log(lambda file: file.add_text("recipe", facts, 0))
            self._encode(self._add_target)

    def observe(self, progress: Progress) -> None:
        """Log the numbers when due."""
        if self.tick.is_due(progress.seconds):
            self._add_numbers(progress)

    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Log the snapshot, and its error where there is a target."""
        self._encode(self._add_snapshot, step, drawn)

    def result(self, reached: Mapping[str, Any]) -> None:
        """Log the result as text."""
        assert self._job is not None
        facts, step = _indented(reached), self._job.loop.progress.step
        self._log(lambda file: file.add_text("result", facts, step))

    def close(self) -> None:
        """Log the last numbers, and wait until everything is written."""
        self._encoder.shutdown()
        if self._job is not None:
            self._add_numbers(self._job.loop.progress, ended=True)
        self._log(lambda file: file.close())
        self._file = None
        for encoding in self._encoding:
            encoding.result()

    def _opened(self, first: int) -> EventFile:
        """Open the log file; it hides older values from step ``first`` on."""
        _package(self.folder)
        try:
            return EventFile(self.folder, first)
        except OSError as error:
            raise OutputError(f"{self.folder}: got '{error.strerror}', need a folder for "
                              "TensorBoard. Choose another.") from error  # fmt: skip

    def _log(self, write: Callable[[EventFile], None]) -> None:
        """Write; report the first error and stop writing."""
        with self._lock:  # pictures come from another thread
            file = self._file
            if file is None:
                return
            try:
                write(file)
                return
            except OSError as error:
                refused, self._file = error, None
            with suppress(OSError):  # buffered writes fail again
                file.close()
        log.warning("tensorboard: got '%s' from %s, need room for a log. The fit goes on "
                    "without.", refused.strerror or refused, self.folder)  # fmt: skip

    def _encode(self, add: Callable[..., None], *args: Any) -> None:
        """Run slow work in the encoder's thread; raise errors of earlier work."""
        for done in [job for job in self._encoding if job.done()]:
            self._encoding.remove(done)
            done.result()
        self._encoding.append(self._encoder.submit(add, *args))

    def _add_numbers(self, p: Progress, ended: bool = False) -> None:
        """Log the progress; the PSNR of the present step only where the fit ``ended``.

        A step's measurement may be replaced until the next step: at the end by the file's.
        """
        assert self._job is not None
        numbers = {"loss": p.loss, "samples_per_second": p.samples_per_second,
                   "rate_factor": self._job.loop.rate_factor}  # fmt: skip
        numbers = {} if p.step == self._logged else numbers
        until = p.step if ended else p.step - 1
        measured = _last_measured(p.curve, self._psnr_step, until)
        self._logged = p.step
        if measured is not None:
            self._psnr_step = int(measured[0] or 0)

        def write(file: EventFile) -> None:
            for name, value in numbers.items():
                file.add_scalar(name, value, p.step)
            if measured is not None:
                file.add_scalar("psnr_db", float(measured[3] or 0), self._psnr_step)

        self._log(write)

    def _add_target(self) -> None:
        from neuralshade.measure.resample import fit_within

        if self.target is not None:
            size = fit_within(self.target.height, self.target.width, LONGEST_PX)
            self._add("target", self._target(*size), 0)

    def _add_snapshot(self, step: int, drawn: npt.NDArray[Any]) -> None:
        from neuralshade.measure.display import error_picture
        from neuralshade.measure.resample import fit_within

        height, width = fit_within(drawn.shape[0], drawn.shape[1], LONGEST_PX)
        result = self._shown(np.nan_to_num(drawn), height, width)
        self._add("result", result, step)
        if self.target is not None:
            error = error_picture(self._target(height, width), result, ERROR_SCALE)
            self._add("error", np.rint(error * 255).astype(np.uint8), step)

    def _target(self, height: int, width: int) -> Frame:
        """Return the target as shown, at that size."""
        assert self.target is not None
        if self._small is None or self._small.shape[:2] != (height, width):
            self._small = self._shown(self.target.pixels, height, width)
        return self._small

    def _shown(self, pixels: npt.NDArray[Any], height: int, width: int) -> Frame:
        straight = self.stops is None and pixels.shape[2] in (2, 4)
        return opaque_frame(_resized(pixels, height, width, straight), self.stops)

    def _add(self, tag: str, frame: Frame, step: int) -> None:
        """Log a picture: uint8 sRGB [h, w, 3]."""
        made = importlib.import_module("tensorboard.compat.proto.summary_pb2")
        file = io.BytesIO()
        # not add_image: its compression takes three times as long
        Image.fromarray(frame).save(file, "PNG", compress_level=PNG_LEVEL)
        height, width, channels = frame.shape
        image = made.Summary.Image(height=height, width=width, colorspace=channels,
                                   encoded_image_string=file.getvalue())  # fmt: skip
        summary = made.Summary(value=[made.Summary.Value(tag=tag, image=image)])
        self._log(lambda file: file.add_summary(summary, step))


def _last_measured(curve: Sequence[Row], after: int, until: int) -> Row | None:
    """Return the last row with a PSNR and a step in (after, until]; None where there is none."""
    rows = (row for row in reversed(curve) if row[3] is not None)
    return next((row for row in rows if after < (row[0] or 0) <= until), None)


def _resized(
    pixels: npt.NDArray[Any], height: int, width: int, straight_alpha: bool
) -> npt.NDArray[np.float32]:
    from neuralshade.measure.pair import unit_float
    from neuralshade.measure.resample import resample

    if pixels.shape[:2] == (height, width):
        return unit_float(pixels)
    return resample(pixels, height, width, Image.Resampling.BOX, alpha_weighted=straight_alpha)


def _recipe(job: RunningFit) -> dict[str, Any]:
    chosen = {"engine": job.chosen.engine, "device": job.chosen.device_name}
    return {"fit": job.kind.name, "of": job.original.name, **chosen, "recipe": to_dict(job.recipe)}


def _indented(facts: Mapping[str, Any]) -> str:
    """Return JSON indented as a Markdown code block."""
    lines = json.dumps(finite(facts), indent=2).splitlines()
    return "\n".join(f"    {line}" for line in lines)


def _package(folder: str | os.PathLike[str]) -> Any:
    remedy = 'Run: pip install "neuralshade[tensorboard]", or leave --tensorboard out.'
    return optional_module(
        "torch.utils.tensorboard", "tensorboard", os.fspath(folder), "for a log", remedy
    )
