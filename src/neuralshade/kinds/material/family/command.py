"""Command-line call of ``neuralshade fit materials``."""

from __future__ import annotations

import click

from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.kinds.material.family.fit import fit_materials


def call_of(typed: CommandLine) -> FitCall:
    """Return the call for a command line. Raises: UsageError for a comparison with nothing."""
    share, alone = typed.flags["share"], typed.flags["no_compare"]
    if alone and not share:
        raise click.UsageError("--no-compare is for --share: leave it out.")
    named = {"preset": typed.preset, "share": share, "compare": not alone,
             "reports": typed.flags["reports"], "trust": typed.flags["trust"],
             **typed.settings}  # fmt: skip
    return FitCall(fit_materials, (list(typed.subject), typed.output), named)
