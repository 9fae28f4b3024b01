"""The call of a job: what ``neuralshade fit`` would call for the same settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from neuralshade.baking.job import Job
from neuralshade.baking.plans.settings import settings_of
from neuralshade.fitting.command import CommandLine, FitCall, Flag
from neuralshade.kinds import fit_call


def call_of(job: Job, subject: Sequence[str] | None = None, output: str | None = None,
            options: Mapping[str, Any] | None = None) -> FitCall:  # fmt: skip
    """Return the call that makes a job's asset: ``call.fit(*call.subject, **call.named)``.

    It loads what the fit needs. ``named`` has ``options``; an observer may be added.

    Args:
        subject: in place of the job's, such as local copies of what it names by URLs.
        output: the file to write; the job's own is relative to the bake's folder.
        options: fields of FitOptions over the job's, such as ``resume``.

    Raises: ConfigError where settings contradict each other.
    """
    from neuralshade.fitting.options import FitOptions

    known = settings_of(job.kind)
    kind, parts = known.kind, known.split(job.settings)
    sources = tuple(job.subject if subject is None else subject)
    chosen = {**parts.options, **(options or {})}
    line = CommandLine(
        subject=sources if kind.subject.several else sources[0],
        output=job.output if output is None else output,
        flags={flag.key: parts.flags.get(flag.key, _unset(flag)) for flag in kind.flags},
        preset=parts.preset,
        settings=parts.recipe,
        requested={name: parts.recipe.get(name) for name in known.fields},
        options={**dict.fromkeys(kind.takes), **chosen},
    )
    call = fit_call(kind, line)
    return replace(call, named={"options": FitOptions(**chosen), **call.named})


def _unset(flag: Flag) -> Any:
    """Return the value of a flag that was not typed."""
    if not flag.form:
        return False
    return () if flag.several else flag.default
