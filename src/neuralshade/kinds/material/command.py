"""Command-line call of ``neuralshade fit material``."""

from __future__ import annotations

from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.kinds.material.fit import fit_material


def call_of(typed: CommandLine) -> FitCall:
    """Return the call for a command line."""
    flags = {name: typed.flags[name] for name in ("element", "share", "trust")}
    named = {"preset": typed.preset, **flags, **typed.settings}
    return FitCall(fit_material, (typed.subject, typed.output), named)
