"""Command-line call of ``neuralshade fit mipmaps``: one set, or several with a shared network."""

from __future__ import annotations

import click

from neuralshade.fitting.command import CommandLine, FitCall, named_sources
from neuralshade.kinds.mipmaps import MAPS, PACKED
from neuralshade.kinds.mipmaps.family.fit import fit_mipmaps_family
from neuralshade.kinds.mipmaps.fit import fit_mipmaps


def call_of(typed: CommandLine) -> FitCall:
    """Return the call for a command line.

    Raises: UsageError for several sources without ``share``, and for a live page of several.
    """
    sources, named_maps = named_sources(typed.subject)
    share = typed.flags["share"]
    if share is None and len(sources) > 1:
        raise click.UsageError(f"got {len(sources)} sources without --share, need one.")
    if share is not None and typed.options.get("live"):
        raise click.UsageError("--live shows one fit, and --share may have many: leave one out.")
    flags = {name: typed.flags[name] for name in (*MAPS, *PACKED)}
    maps = named_maps | {name: path for name, path in flags.items() if path is not None}
    named = {
        "maps": maps,
        "normal_convention": typed.flags["normal_convention"],
        **({"formats": typed.flags["format"]} if typed.flags["format"] else {}),
        **typed.settings,
    }
    if share is not None:
        return FitCall(fit_mipmaps_family, (sources or None, share, typed.output), named)
    return FitCall(fit_mipmaps, (sources[0] if sources else None, typed.output), named)
