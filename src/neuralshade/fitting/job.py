"""Job of every fit: train, keep checkpoints, write the asset."""

from __future__ import annotations

import logging
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from neuralshade.asset.checkpoint import Checkpoint
from neuralshade.base.message_text import sentence
from neuralshade.base.progress_scope import part, phase_listener, working
from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.errors import ConfigError, DeviceError, FitInterrupted, OutputError
from neuralshade.fitting.callbacks import Callbacks
from neuralshade.fitting.facts import Reached, Warnings
from neuralshade.fitting.late_interrupt import keep_if_interrupted, lost
from neuralshade.fitting.loop import Loop, Observer, Restart
from neuralshade.fitting.options import FitOptions
from neuralshade.fitting.output_checks import checkpoint_path, is_same_file
from neuralshade.fitting.progress import DivergedError, Progress
from neuralshade.fitting.recipe import to_dict
from neuralshade.fitting.resuming import FitSource, FitState, keep, restore, resume_instructions
from neuralshade.fitting.scene import Scene
from neuralshade.fitting.snapshots import Snapshots
from neuralshade.fitting.time_plan import log_plan

log = logging.getLogger("neuralshade")
AUTOSAVE_SECONDS = 60.0  # of training between two checkpoints while a fit runs
R = TypeVar("R")


class JobKind(Protocol):
    """A kind, as its job needs it."""

    @property
    def name(self) -> str: ...
    @property
    def takes(self) -> tuple[str, ...]: ...  # supported options


class Reported(Protocol):
    """An opened asset, as a fit needs it."""

    @property
    def memory_bytes(self) -> int | None: ...
    def report(
        self, reference: Any, output: Any, *, snapshots: Any, facts: Sequence[tuple[str, str]]
    ) -> None: ...
    def close(self) -> None: ...


class Job(ABC, Generic[R]):
    """One fit from start to file; ``place``: path of its source, None for memory.

    A kind's job sets ``engine``, ``snapshots`` and ``loop``.
    """

    kind: JobKind
    resumed_words: tuple[str, ...] = ()  # further words of the command that resumes a fit
    resumed_beside: tuple[str, ...] = ()  # files that these name, which may be uploads too
    subject = "picture"  # name of a fit's first argument in Python
    steps_sized_by = "the rates"  # settings
    typed_output: Path | None = None  # the value of -o, where that is not the asset itself
    engine: Any
    snapshots: Snapshots | None = None
    loop: Loop
    preset: str | None = None  # of the recipe, where known
    report_facts: Sequence[tuple[str, str]] = ()  # further lines of the report, with labels
    is_complete = True  # False where a checkpoint stays for work that ended early
    last_state: Any = None  # the trained state, where later work changes the engine's

    def __init__(
        self,
        original: FitSource,
        recipe: R,
        output: Path,
        chosen: EngineChoice,
        options: FitOptions,
        observer: Observer,
        place: str | None,
    ):
        self.observer, self.place = observer, place
        self.checkpoint = checkpoint_path(output)
        self.is_written = False  # the asset; not yet its report and movie
        self.saved_step: int | None = None  # of the checkpoint saved while this fit ran
        self.saved_seconds: float | None = None
        self.original, self.recipe, self.output = original, recipe, output
        self.options, self.chosen = options, chosen
        self.callbacks, self.warnings = Callbacks(self), Warnings()

    def run(self, checkpoint: Checkpoint | None) -> Any:
        """Train, write the outputs and return the result."""
        with self.callbacks.open(), keep_if_interrupted(self, self._save_anywhere):
            self.train(checkpoint)
            try:
                with phase_listener(self.callbacks.finishing), working("writing the asset"):
                    reached = self._completed(self.finish())
                self._settle()
            except OutputError as error:  # a full disk, say: save the state elsewhere
                if self.is_written:
                    raise
                raise OutputError(f"{error} {sentence(self._save_anywhere())}") from error
            except DeviceError as error:  # during code refinement or the measurement
                if self.is_written:
                    raise
                if self.last_state is not None:
                    self._autosave(self.loop.progress.step)
                raise self._lost(error) from error
            self.callbacks.end(reached)
        return reached

    def _completed(self, reached: Any) -> Any:
        """Return a result with the fields that every kind has."""
        if isinstance(reached, Reached):
            reached = replace(reached, memory_bytes=self.open(self.output).memory_bytes,
                              warnings=tuple(self.warnings.lines))  # fmt: skip
        return reached

    def train(self, checkpoint: Checkpoint | None) -> None:
        """Run the loop; after an interruption save a checkpoint and raise FitInterrupted."""
        if checkpoint is not None:
            whole = FitState(self.engine, self.snapshots)
            self.loop.progress = restore(whole, checkpoint, self.options.resume)
        self.callbacks.begin()
        log_plan(self)
        if self.options.live is not None:
            self.loop.control = self.options.live.begin(self)
        try:
            ended = self.loop.run()
        except Restart as restart:
            self._give_up(restart)
            raise
        except DivergedError as error:
            kept = self._kept_before()
            raise ConfigError(f"{error} {self.remedy} {sentence(kept)}") from error
        except DeviceError as error:
            raise self._lost(error) from error
        if not ended:
            step = self.loop.progress.step
            try:
                kept = self._save_anywhere()
            except DeviceError as error:  # the device did not return the trained state
                raise self._lost(error) from error
            raise FitInterrupted(f"interrupted at step {step}: {kept}")

    def _lost(self, error: DeviceError) -> BaseException:
        kept = None if self.saved_step is None else self._kept(self.saved_step)
        return lost(error, self.loop.progress.step, kept)

    def _give_up(self, restart: Restart) -> None:
        """Save a checkpoint where a different fit or asset replaces this one; not for a restart."""
        step = self.loop.progress.step
        if restart.settings["action"] in ("show", "start"):
            log.warning("stopped at step %d: %s", step, self._save_anywhere())
        elif self.saved_step is not None:
            self.checkpoint.unlink(missing_ok=True)

    def _kept(self, step: int) -> str:
        kept = "the fit" if step == self.loop.progress.step else f"step {step}"
        return f"{kept} is kept in {self.checkpoint}. {resume_instructions(self)}"

    def _observe(self, progress: Progress) -> None:
        """Notify observers; save a checkpoint from time to time, in case the device is lost."""
        self.observer(progress)
        self.callbacks.observe(progress)
        if self.saved_seconds is None:
            self.saved_seconds = progress.seconds
        elif progress.seconds - self.saved_seconds >= AUTOSAVE_SECONDS:
            self.saved_seconds = progress.seconds
            self._autosave(progress.step)

    def _settle(self) -> None:
        """Notify observers of the final progress, with the PSNR of the file."""
        progress, control = self.loop.progress, self.loop.control
        self.observer(progress)
        self.callbacks.observe(progress)
        if control is not None:
            control.settle(progress)

    def _autosave(self, step: int) -> None:
        """Save a checkpoint; log where that fails, and continue."""
        try:
            saved = self._save()
        except OutputError as error:
            self.warnings.add(f"no checkpoint of step {step}: {error} The fit goes on.")
        else:
            self.saved_step = step if saved else self.saved_step

    def _save_anywhere(self) -> str:
        """Save a checkpoint beside the asset, or else in a temporary folder; return the message
        about it. A state that is not finite is not saved: the last checkpoint stays.

        Raises: OutputError where neither place has room.
        """
        try:
            if not self._save():
                return self._kept_before()
        except OutputError as error:
            try:
                folder = Path(tempfile.mkdtemp(prefix="neuralshade-"))
            except OSError:  # no room there either
                raise error from None
            self.checkpoint = folder / self.checkpoint.name
            self._save()
        return self._kept(self.loop.progress.step)

    def _kept_before(self) -> str:
        """Return the message about a fit whose numbers are no longer finite."""
        if self.saved_step is not None:
            return self._kept(self.saved_step)
        resumed = self.options.resume
        left = "" if resumed is None else f" {resumed} is as it was."
        return f"no checkpoint was written: its numbers are not finite.{left}"

    def _save(self) -> bool:
        """Save a checkpoint; return False where the state is not finite."""
        return keep(self.checkpoint, self.kind.name, self.recipe, self.original,
                    self.loop.progress,
                    FitState(self.last_state or self.engine, self.snapshots))  # fmt: skip

    @property
    def remedy(self) -> str:
        """Return the remedy for a diverged fit."""
        if self.recipe.epsilon == 0:  # type: ignore[attr-defined]  # every recipe has it
            return "Give epsilon, which is 0, for example 1e-8."
        return f"Lower {self.steps_sized_by}."

    def _check_trained(self) -> None:
        """Raise ConfigError where every step was skipped: nothing was fitted."""
        p = self.loop.progress
        if 0 < p.step == self.engine.skipped:
            raise ConfigError(f"fit: diverged at step 1: no gradient was finite, so all {p.step} "
                              "steps were skipped. Look for values of extreme size, and lower "
                              "the rates.")  # fmt: skip

    def _written(self) -> None:
        """Remove the fit's checkpoint, which is no longer needed, and write the movie if any."""
        self.is_written = True
        own = self.saved_step is not None or is_same_file(self.checkpoint, self.options.resume)
        if own and self.is_complete:
            self.checkpoint.unlink(missing_ok=True)
        if self.snapshots is not None:
            self.snapshots.finish()

    def _report(self) -> None:
        """Write the report if requested."""
        if self.options.report is not None:
            taken = self.snapshots.kept if self.snapshots else ()
            with part("writing the report"):
                self.write_report(self.output, self.options.report, taken)

    def write_report(self, asset: Path, page: Any, snapshots: Any) -> None:
        """Write the report of ``asset``, which this fit made."""
        from neuralshade.measure.warning_facts import warning_facts  # few fits write a page

        facts = [("Engine", f"{self.chosen.engine} on {self.chosen.device_name}"),
                 *self.report_facts, *warning_facts(self.warnings.lines)]  # fmt: skip
        with closing(self.open(asset)) as opened:  # it may hold a GPU
            opened.report(self.reference, page, snapshots=snapshots, facts=facts)

    @property
    def training(self) -> dict[str, Any]:
        """Return the training facts of an asset's header."""
        return self.loop.progress.training

    @property
    def reference(self) -> Any:
        """Return the reference of the report."""
        return self.original

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that reproduce this fit."""
        return to_dict(self.recipe)

    def scene(self) -> Scene | None:
        """Return the scene for live pages; None where there is nothing to see."""
        return None

    def save(self, path: Path) -> Any:
        """Write the asset in its present state. Raises ConfigError where that is unsupported."""
        raise ConfigError(f"save: got a fit of {self.kind.name} that runs, need it to end first.")

    def take_over(self, path: Path) -> None:
        """Continue from an asset's numbers. Raises ConfigError where that is unsupported."""
        raise ConfigError(f"load: got a fit of {self.kind.name}, need one of an image. Show the "
                          "asset instead.")  # fmt: skip

    @abstractmethod
    def open(self, asset: Path) -> Reported:
        """Open an asset that this fit made."""

    @abstractmethod
    def finish(self) -> Any:
        """Write the asset and other outputs; return the result."""
