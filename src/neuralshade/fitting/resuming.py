"""Resuming of an interrupted fit: its checkpoint, its recipe, and the command.

A resumed fit that ends by its number of steps has the bits of one that was not interrupted (on
the CPU). A fit that ends by the clock does not: its step sizes follow the clock, and its number of
threads depends on the measured speed; see docs/resuming.md.
"""

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch

from neuralshade.asset.checkpoint import Checkpoint, not_finite, save_checkpoint
from neuralshade.base.atomic import whole_file
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError, ConfigError, OutputError
from neuralshade.fitting.options import resumed_flags
from neuralshade.fitting.progress import Progress
from neuralshade.fitting.recipe import ENDS, names_of_ends, stored_recipe, to_dict
from neuralshade.fitting.resume_command import PathLike, resume_command
from neuralshade.fitting.snapshots import PREFIX, Snapshots

POSITIVE = (".step", ".count", ".exp_avg_sq")  # name suffixes of values that are never negative
R = TypeVar("R")


class FitSource(Protocol):
    """Source of a fit, a picture or something else: its name and its digest."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...


@dataclasses.dataclass(frozen=True)
class Source:
    """Source of a fit that is not a picture."""

    name: str
    digest: str


class Stateful(Protocol):
    """An object with a state that can be saved and restored."""

    def state(self) -> dict[str, torch.Tensor]: ...
    def load_state(self, state: dict[str, torch.Tensor]) -> None: ...


@dataclasses.dataclass(frozen=True)
class FitState:
    """Contents of a checkpoint: the engine's state and that of the snapshots."""

    engine: Any
    snapshots: Snapshots | None

    def state(self) -> dict[str, torch.Tensor]:
        gathered = {} if self.snapshots is None else self.snapshots.state()
        return {**self.engine.state(), **gathered}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        gathered = {name: value for name, value in state.items() if name.startswith(PREFIX)}
        trained = {n: value for n, value in state.items() if n not in gathered}
        check_state(trained, self.engine.state(), getattr(self.engine, "resized", ()))
        self.engine.load_state(trained)
        if self.snapshots is not None:  # dropped where the resumed fit has none
            self.snapshots.load_state(gathered)


def resumed_recipe(
    checkpoint: Checkpoint,
    place: PathLike | None,
    source: FitSource,
    kind: type[R],
    request: Callable[[dict[str, Any]], R],
    same: str = "picture",
    setting: Callable[[str], str] = str,
) -> R:
    """Return the recipe of the checkpoint read from ``place``, checked against the request.

    ``request`` returns the requested recipe, resolved, from the checkpoint's settings. ``same``:
    what the digest identifies, for messages; ``setting`` returns the flag that set a field, by
    default its own name. The ends may change; the returned recipe has the new ones.

    Raises: ConfigError for another source, for settings other than the fit was started with, or
        for an end that has passed.
    """
    if checkpoint.source["digest"] != source.digest:
        had, now = checkpoint.source["name"], repr(source.name)
        due = f"{now} as it is now" if had == source.name else now
        raise ConfigError(f"{place}: got a checkpoint of {had!r}, need one of {due}. Resume with "
                          f"the same {same}.")  # fmt: skip
    recipe = stored_recipe(kind, checkpoint.recipe)
    kept, ends = to_dict(recipe), {}
    for name, value in to_dict(request(dict(kept))).items():
        if value != kept[name] and name in names_of_ends(kind):
            _check_ahead(place, name, value, checkpoint.progress)
            ends[name] = value
        elif value != kept[name]:
            flag = setting(name).replace("_", "-")
            raise ConfigError(f"{place}: got {name}={value!r}, need {kept[name]!r} as the fit was "
                              f"started with. Leave --{flag} out.")  # fmt: skip
    return dataclasses.replace(recipe, **ends)  # type: ignore[type-var]  # a recipe is one


def _check_ahead(place: PathLike | None, name: str, value: Any, done: Mapping[str, Any]) -> None:
    """Raise ConfigError for a number of steps or seconds that the fit has already had."""
    had = done.get({"steps": "step"}.get(name, name)) or 0
    if name in ENDS and value is not None and value <= had:
        more = had + value if name == "steps" else math.ceil(had + value)
        raise ConfigError(f"{place}: got {name}={value:.9g}, need more than {round(had, 1)}: ends "
                          f"count from the fit's first step on. For {value:.9g} more give "
                          f"--{name} {more}.")  # fmt: skip


def restore(engine: Stateful, checkpoint: Checkpoint, place: PathLike | None) -> Progress:
    """Restore the engine's state from the checkpoint; return its progress."""
    try:
        engine.load_state(checkpoint.state)
    # a tensor is missing or different, or holds impossible counts
    except (KeyError, RuntimeError, ValueError, TypeError, OverflowError) as error:
        raise unfit(place) from error
    fields = {field.name for field in dataclasses.fields(Progress)}
    known = {name: value for name, value in checkpoint.progress.items() if value is not None}
    return Progress(**{name: value for name, value in known.items() if name in fields})


def unfit(place: PathLike | None) -> AssetError:
    """Return the error for a checkpoint whose state does not match its recipe."""
    return AssetError(f"{place}: got a state that does not fit its recipe, need a whole "
                      "checkpoint. Start the fit again.")  # fmt: skip


def check_state(
    state: Mapping[str, torch.Tensor], ours: Mapping[str, torch.Tensor], resized: Sequence[str]
) -> None:
    """Raise ValueError where a tensor of ``state`` does not match the engine's of that name.

    Those of ``resized`` may have other shapes; the engine checks them. Missing tensors are left to
    the engine, which knows both sets of names.
    """
    for name, own in ours.items():
        value = state.get(name)
        if value is None:
            continue
        same = value.dtype == own.dtype and value.dim() == own.dim()
        if not same or (value.shape != own.shape and name not in resized):
            raise ValueError(f"{name}: got {value.dtype} {list(value.shape)}")
        if not value.numel():
            continue
        if name.endswith(POSITIVE) and value.min() < 0:
            raise ValueError(f"{name}: got numbers below 0")
        if value.dtype == torch.int64 and not 0 <= value.min() <= value.max() < 2**32:
            raise ValueError(f"{name}: got numbers that nothing counts to")


def restarted_state(
    state: Mapping[str, torch.Tensor], parameters: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """Return an engine's state at the start of a fit that begins with ``parameters``, by name.

    Random numbers and counts continue; moments and averages restart.
    """
    begun = dict(state)
    for name, value in state.items():
        if name.startswith(("optimizer.", "average.")):
            begun[name] = torch.zeros_like(value)
    if "gpu.steps" in state:
        step, _, _, skipped = state["gpu.steps"].tolist()
        begun["gpu.steps"] = torch.tensor([step, 0, 0, skipped])
    return begun | {f"field.{name}": value.detach() for name, value in parameters.items()}


def keep(
    path: Path, kind: str, recipe: Any, source: FitSource, progress: Progress, engine: Stateful
) -> bool:
    """Save the checkpoint that ``resumed_recipe`` and ``restore`` read.

    Returns False, and keeps the last one, where the fit's numbers are not finite.
    """
    state = engine.state()
    if not_finite(state) is not None or (progress.step and not math.isfinite(progress.loss)):
        return False
    facts = {"name": source.name, "digest": source.digest}
    done = dataclasses.asdict(progress)
    save_checkpoint(path, kind, Checkpoint(to_dict(recipe), facts, done, state))
    return True


def resume_instructions(job: Any) -> str:
    """Return the instructions for resuming a job from its checkpoint.

    Uploads are deleted with the page, so the user needs own copies of them. A picture that the
    page drew is copied beside the checkpoint.
    """
    live, place = job.options.live, job.place
    sent = live.sent(place) if live is not None and place != "" else None
    drawn = None if sent is None else live.drawn(place)
    copy = None if drawn is None else _kept_copy(drawn, job.checkpoint.parent)
    command = resume_command(
        job.kind.name, job.checkpoint, copy or sent or place, job.typed_output or job.output,
        resumed_flags(job.options, job.kind.takes), job.resumed_words, job.subject,
    )  # fmt: skip
    if sent is None:
        return f"Go on with: {command}"
    if copy is not None:
        return f"The page's sample picture is kept in {copy}. Go on with: {command}"
    if place is not None and os.path.isdir(place):
        return f"Go on, with the files that were sent in a folder {shown(sent)}, with: {command}"
    names = " and ".join(map(shown, (sent, *job.resumed_beside)))
    what = "the files that were sent" if job.resumed_beside else "the file that was sent"
    return f"Go on, with {names}, {what}, in this folder, with: {command}"


def _kept_copy(path: Path, folder: Path) -> str | None:
    """Return the path of a copy of a file in ``folder``; None where copying fails."""
    place, numbers = folder / path.name, iter(range(2, 10_000))
    try:
        content = path.read_bytes()
        while os.path.exists(place) and place.read_bytes() != content:
            place = folder / f"{path.stem}_{next(numbers)}{path.suffix}"
        with whole_file(place) as partial:
            partial.write_bytes(content)
    except (OSError, OutputError):
        return None
    return os.fspath(place)
