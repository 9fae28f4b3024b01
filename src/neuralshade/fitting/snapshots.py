"""Snapshots of a running fit at log-spaced steps."""

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.atomic import check_writable, make_folder
from neuralshade.errors import OutputError
from neuralshade.fitting.callback import Callback
from neuralshade.fitting.progress import Progress
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture, PictureForm

log = logging.getLogger("neuralshade")
LONGEST_PX = 1024  # of a snapshot; the field is continuous, so it is drawn at that size directly
KEPT_PX = 256  # of those kept in memory for a report
PREFIX = "snapshots."  # name prefix in checkpoints

SnapshotList = list[tuple[int, npt.NDArray[Any]]]  # (step, float32 [h, w, C])


class Snapshots:
    """Draws the present state: small pictures are kept, larger ones go to the callbacks.

    ``settled``: context in which ``draw`` (width, height in, float32 [h, w, C] out) shows the
    asset's state.
    """

    def __init__(
        self,
        picture: Picture | PictureForm,
        callbacks: Sequence[Callback],
        settled: Callable[[], AbstractContextManager[None]],
        draw: Callable[[int, int], npt.NDArray[Any]],
    ):
        self.picture, self.callbacks = picture, callbacks
        self.settled, self.draw = settled, draw
        self.kept: SnapshotList = []

    def take(self, progress: Progress) -> None:
        """Draw the present state."""
        with self.settled():
            self.kept.append((progress.step, self._draw(KEPT_PX)))
            if self.callbacks:
                drawn = self._draw(LONGEST_PX)
                for callback in self.callbacks:
                    callback.take(progress.step, drawn)

    def _draw(self, longest: int) -> npt.NDArray[Any]:
        width, height = self.picture.width, self.picture.height
        shrink = min(1.0, longest / max(width, height))
        drawn = self.draw(max(1, round(width * shrink)), max(1, round(height * shrink)))
        return np.ascontiguousarray(drawn if self.picture.hdr else drawn.clip(0, 1))

    def state(self) -> dict[str, torch.Tensor]:
        """Return the callbacks' state for a checkpoint."""
        kept: dict[str, torch.Tensor] = {}
        for callback in self.callbacks:
            kept |= callback.state()
        return {PREFIX + name: value for name, value in kept.items()}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore from ``state``."""
        kept = {name.removeprefix(PREFIX): value for name, value in state.items()}
        for callback in self.callbacks:
            callback.load_state(kept)

    def finish(self) -> None:
        """Write final files after a complete fit. Raises OutputError."""
        for callback in self.callbacks:
            callback.finish()


class Folder(Callback):
    """Files: prediction_STEP.png (.exr for HDR), and grid_STEP.png of the last grid, if any.

    A write error is logged once, and the fit continues without snapshots.
    """

    def __init__(
        self,
        folder: Path,
        picture: Picture | PictureForm,
        grids: Callable[[], list[npt.NDArray[Any]]],
    ):
        self.folder, self.picture, self.grids = folder, picture, grids
        self.is_refused = False
        make_folder(folder, "snapshots")
        check_writable(folder / "prediction.png")

    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Save the snapshot of ``step``; log the first error and stop saving."""
        if self.is_refused:
            return
        try:
            self._save(step, drawn)
        except OutputError as error:
            self.is_refused = True
            log.warning("snapshots: %s The fit goes on without.", error)

    def _save(self, step: int, drawn: npt.NDArray[Any]) -> None:
        from neuralshade.source.image_output import save_picture  # few fits write pictures

        suffix = ".exr" if self.picture.hdr else ".png"
        path = self.folder / f"prediction_{step:07d}{suffix}"
        save_picture(path, drawn, self.picture.color_space)
        for grid in self.grids()[-1:]:
            low, high = grid.min(), grid.max()
            shown = ((grid - low) / max(high - low, 1e-12))[:, :, :3]
            shown = shown if shown.shape[2] != 2 else shown[:, :, :1]
            save_picture(self.folder / f"grid_{step:07d}.png", shown, "srgb")


def snapshots_for(
    options: Any,
    picture: Picture | PictureForm,
    settled: Callable[[], AbstractContextManager[None]],
    draw: Callable[[int, int], npt.NDArray[Any]],
    grids: Callable[[], list[npt.NDArray[Any]]],
) -> Snapshots | None:
    """Return the snapshots that a fit's options request, None where there are none.

    ``grids`` returns float32 [h, w, features] each; the rest as in Snapshots. To be closed.

    Raises: OutputError for the folder, DeviceError without a viewer.
    """
    callbacks: list[Callback] = []
    if options.snapshots is not None:
        callbacks.append(Folder(Path(options.snapshots), picture, grids))
    if options.movie is not None:
        from neuralshade.fitting.movie import Movie

        callbacks.append(Movie(options.movie, picture))
    if options.tev is not None:
        from neuralshade.fitting.tev import Tev

        callbacks.append(Tev(options.tev, picture))
    if options.tensorboard is not None:
        from neuralshade.fitting.tensorboard import TensorBoard

        callbacks.append(TensorBoard(options.tensorboard, picture))
    if not callbacks and options.report is None:
        return None
    return Snapshots(picture, callbacks, settled, draw)


def load_snapshots(folder: str | os.PathLike[str]) -> SnapshotList:
    """Return the predictions that a fit saved in ``folder``, in order of steps."""
    paths = sorted(Path(folder).glob("prediction_[0-9]*.*"))
    if not paths:
        raise OutputError(f"{folder}: got no prediction_*.png, need the folder that "
                          "a fit filled with --snapshots. Leave --snapshots out.")  # fmt: skip
    return [(int(path.stem.split("_")[1]), load_picture(path).as_float()) for path in paths]
