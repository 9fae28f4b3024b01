"""What every fit does, whatever is fitted: train, keep a checkpoint, write the asset."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import torch

from neuralshade.asset.checkpoint import Checkpoint
from neuralshade.engine.choose import Chosen
from neuralshade.errors import ConfigError, DeviceError, FitInterrupted
from neuralshade.fitting.callbacks import Telling
from neuralshade.fitting.loop import Loop, Observer, Progress, Restart
from neuralshade.fitting.options import KEPT_FLAGS, USUAL, FitOptions
from neuralshade.fitting.recipe import to_dict
from neuralshade.fitting.resuming import keep, restore, resume_command
from neuralshade.fitting.snapshots import PREFIX, Snapshots
from neuralshade.source.picture import Picture

if TYPE_CHECKING:
    from neuralshade.fitting.scene import Scene

log = logging.getLogger("neuralshade")
AUTOSAVE_SECONDS = 60.0  # of training between two checkpoints while a fit runs

R = TypeVar("R")


@dataclass(frozen=True)
class FitResult:
    """What a fit reached; quality and size are those of the file."""

    asset: str  # path
    engine: str
    device: str
    seconds: float  # of training, measuring on the way included
    steps: int
    samples_per_second: float
    loss: float  # of the last batch
    psnr_db: float  # of the picture as the asset holds it
    asset_bytes: int
    bits_per_pixel: float
    skipped_steps: int  # whose gradient was not finite; of Gaussians, each one's are counted
    bpp_exceeded: bool  # the picture is too small for a file of the bits per pixel asked for


@dataclass(frozen=True)
class _Whole:
    """What a checkpoint keeps: the engine, and what snapshots have gathered."""

    engine: Any
    snapshots: Snapshots | None

    def state(self) -> dict[str, torch.Tensor]:
        gathered = {} if self.snapshots is None else self.snapshots.state()
        return {**self.engine.state(), **gathered}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        gathered = {name: value for name, value in state.items() if name.startswith(PREFIX)}
        self.engine.load_state({n: value for n, value in state.items() if n not in gathered})
        if self.snapshots is not None:  # left out where the resumed fit has none
            self.snapshots.load_state(gathered)


class Job(Generic[R]):
    """One fit from start to file; ``place`` is where the picture was read, None for memory.

    A verb's own job sets ``engine``, ``snapshots`` and ``loop``.
    """

    kind: str  # of asset
    kept_flags = KEPT_FLAGS
    kept_words: tuple[str, ...] = ()  # that a resumed fit is given again besides
    subject = "picture"  # what a fit is given in Python
    steps_sized_by = "the rates"  # settings
    typed_output: Path | None = None  # what -o was given, where that is not the asset itself
    engine: Any
    snapshots: Snapshots | None
    loop: Loop
    preset: str | None = None  # that the recipe is of, where that is known

    def __init__(
        self,
        picture: Picture,
        recipe: R,
        output: Path,
        chosen: Chosen,
        options: FitOptions,
        observer: Observer,
        place: str | None,
    ):
        self.observer, self.place = observer, place
        self.checkpoint = output.with_suffix(".checkpoint.nsh")
        self.saved_step: int | None = None  # of the checkpoint that this fit left while it ran
        self.saved_seconds: float | None = None
        self.original, self.recipe, self.output = picture, recipe, output
        self.picture = picture  # as it is fitted
        self.options, self.chosen = options, chosen
        self.telling = Telling(self)

    def run(self, checkpoint: Checkpoint | None) -> Any:
        """Train, write what was asked for and return what was reached."""
        with self.telling.open():
            self.train(checkpoint)
            reached = self.finish()
            self.telling.end(reached)
        return reached

    def train(self, checkpoint: Checkpoint | None) -> None:
        """Run the loop; on interruption save a checkpoint and raise FitInterrupted."""
        if checkpoint is not None:
            whole = _Whole(self.engine, self.snapshots)
            self.loop.progress = restore(whole, checkpoint, self.options.resume)
        self.telling.begin()
        if self.options.live is not None:
            self.loop.control = self.options.live.begin(self)
        try:
            ended = self.loop.run()
        except Restart as restart:
            self._give_up(restart)
            raise
        except DeviceError as error:
            if self.saved_step is None:
                raise
            kept = self._kept(self.saved_step)
            raise DeviceError(f"{error} {kept[0].upper()}{kept[1:]}") from error
        if not ended:
            self._save()
            step = self.loop.progress.step
            raise FitInterrupted(f"interrupted at step {step}: {self._kept(step)}")

    def _give_up(self, restart: Restart) -> None:
        """Keep what was trained where something else is wanted, but not where the same is."""
        step = self.loop.progress.step
        if restart.settings["action"] in ("show", "start"):
            self._save()
            log.warning("given up at step %d: %s", step, self._kept(step))
        elif self.saved_step is not None:
            self.checkpoint.unlink(missing_ok=True)

    def _kept(self, step: int) -> str:
        given, usual = vars(self.options), vars(USUAL)
        flags = {name: given[name] for name in self.kept_flags if given[name] != usual[name]}
        output = self.typed_output or self.output
        command = resume_command(self.kind, self.checkpoint, self.place, output, flags,
                                 self.kept_words, self.subject)  # fmt: skip
        kept = "the fit" if step == self.loop.progress.step else f"step {step}"
        return f"{kept} is kept in {self.checkpoint}. Go on with: {command}"

    def _observe(self, progress: Progress) -> None:
        """Tell who looks on; leave a checkpoint now and then, for a device that is lost."""
        self.observer(progress)
        self.telling.observe(progress)
        if self.saved_seconds is None:
            self.saved_seconds = progress.seconds
        elif progress.seconds - self.saved_seconds >= AUTOSAVE_SECONDS:
            self._save()
            self.saved_step, self.saved_seconds = progress.step, progress.seconds

    def _save(self) -> None:
        keep(self.checkpoint, self.kind, self.recipe, self.original,
             self.loop.progress, _Whole(self.engine, self.snapshots))  # fmt: skip

    @property
    def remedy(self) -> str:
        """Return what to do where numbers grew beyond all bounds."""
        if self.recipe.epsilon == 0:  # type: ignore[attr-defined]  # every recipe has it
            return "Give epsilon, which is 0, for example 1e-8."
        return f"Lower {self.steps_sized_by}."

    def _check_trained(self) -> None:
        """Raise ConfigError where no step changed anything: what is there was not fitted."""
        p = self.loop.progress
        if 0 < p.step == self.engine.skipped:
            raise ConfigError(f"fit: got {p.step} steps that were all skipped, since no gradient "
                              "was finite, need some that were not. Look for values of "
                              "extreme size, and lower the rates.")  # fmt: skip

    def _written(self) -> None:
        """Take away the checkpoint that was for the case that the asset is not written.

        Then write the movie, where one was asked for.
        """
        if self.saved_step is not None:
            self.checkpoint.unlink(missing_ok=True)
        if self.snapshots is not None:
            self.snapshots.finish()

    def _report(self, snapshots: Any) -> None:
        """Write the report where one was asked for."""
        if self.options.report is not None:
            self.write_report(self.output, self.options.report, snapshots)

    def write_report(self, asset: Path, page: Any, snapshots: Any) -> None:
        """Write the page about ``asset``, which this fit made."""
        from neuralshade.verbs.report import report  # loads plots and metrics: 1.5 s

        facts = [("Engine", f"{self.chosen.engine} on {self.chosen.device_name}")]
        report(asset, self.original, page, snapshots=snapshots, facts=facts)

    @property
    def settings(self) -> dict[str, Any]:
        """Return what the same fit can be asked for with."""
        return to_dict(self.recipe)

    def scene(self) -> Scene | None:
        """Return what a live page shows of it; None where there is nothing to see."""
        return None

    def save(self, path: Path) -> Any:
        """Write the asset as it is now. Raises ConfigError where that can't be done on the way."""
        raise ConfigError(f"save: got a fit of {self.kind} that runs, need it to end first.")

    def take_over(self, path: Path) -> None:
        """Go on from an asset's numbers. Raises ConfigError where that can't be."""
        raise ConfigError(f"load: got a fit of {self.kind}, need one of an image. Show the asset "
                          "instead.")  # fmt: skip

    def finish(self) -> Any:
        """Write the asset and what else was asked for; return what was reached."""
        raise NotImplementedError

    def _result(self, psnr_db: float, size: int, *, bpp_exceeded: bool) -> dict[str, Any]:
        """Return the fields of FitResult."""
        p, pixels = self.loop.progress, self.picture.width * self.picture.height
        return {
            "asset": str(self.output),
            "engine": self.chosen.engine,
            "device": self.chosen.device_name,
            "seconds": p.seconds,
            "steps": p.step,
            "samples_per_second": p.samples_per_second,
            "loss": p.loss,
            "psnr_db": psnr_db,
            "asset_bytes": size,
            "bits_per_pixel": size * 8 / pixels,
            "skipped_steps": self.engine.skipped,
            "bpp_exceeded": bpp_exceeded,
        }
