"""neuralshade fit material, as it is typed."""

from __future__ import annotations

from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.kinds.material.fit import fit_material


def call_of(typed: CommandLine) -> FitCall:
    """Return the call of what was typed."""
    flags = {name: typed.flags[name] for name in ("element", "share", "trust")}
    named = {"preset": typed.preset, **flags, **typed.settings}
    return FitCall(fit_material, (typed.subject, typed.output), named)
