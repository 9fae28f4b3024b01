"""Fit verbs of the command line: one command for each kind, built from its own description."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

import neuralshade
from neuralshade.base.lazy_import import import_object
from neuralshade.cli.early import check_early, early_device
from neuralshade.cli.flags import OPTIONS, parameters_of, recipe_settings
from neuralshade.cli.groups import GroupedCommand, show_verbs
from neuralshade.cli.live import fitted, live_flags
from neuralshade.cli.options import TERMINAL
from neuralshade.cli.recipe_file import (
    default_settings,
    flags_of,
    is_by_default,
    kind_defaults,
)
from neuralshade.cli.suggestions import check_no_output
from neuralshade.cli.work_lines import starting
from neuralshade.fitting.command import CommandLine
from neuralshade.fitting.defaults import defaults_path
from neuralshade.fitting.recipe import check_settings
from neuralshade.kinds import fit_call, fit_verb, fit_verbs
from neuralshade.kinds.kind import Kind


class FitCommands(click.Group):
    """One command for each kind; only the requested one is loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return fit_verbs()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        kind = fit_verb(cmd_name)
        return None if kind is None or kind.fits is None else command_of(kind)


@click.group(cls=FitCommands, context_settings=TERMINAL, invoke_without_command=True)
@click.pass_context
def fit(ctx: click.Context) -> None:
    """Fit a small model to a picture, texture set, material or shader.

    \b
    neuralshade fit image photo.png
    neuralshade fit image --help
    """
    show_verbs(ctx)


def command_of(kind: Kind) -> click.Command:
    """Return the command that fits ``kind``."""
    return GroupedCommand(
        kind.name,
        callback=partial(run_fit, kind),
        params=parameters_of(kind),
        help=f"{kind.about}\n\n{inspect.cleandoc(kind.manual)}",
        short_help=kind.about,
        context_settings={**TERMINAL, "ignore_unknown_options": False},
        usual=kind.usual,
    )


def run_fit(kind: Kind, output: str | None, recipe: str | None, as_json: bool, quiet: bool,
            preset: str | None = None, **values: Any) -> None:  # fmt: skip
    """Run a fit with progress, and print its result."""
    from neuralshade.base.ahead import kept_ahead
    from neuralshade.cli.terminal import put_away, show_notes, watch
    from neuralshade.fitting.facts import result_facts

    subject = values.pop(kind.subject.name)
    own = {name: values.pop(name) for name in (f.name.replace("-", "_") for f in kind.flags)}
    if output is None and not own.get("share"):  # a family fit, which has many sources
        check_no_output(subject, kind.output_form)
    options = {name: values.pop(name) for name in OPTIONS if name in kind.takes}
    live = live_flags(values) if "live" in kind.takes else {}
    # a page reports its fits and prints its address first; missing sources must not start one
    starts = nullcontext if live.get("live") or _is_missing(subject) else starting
    show_notes(quiet)
    # a resumed fit keeps its settings
    resumed = options.get("resume") is not None
    defaults = {} if resumed else default_settings(kind, parameters_of(kind))
    typed = values | {"preset": preset}
    preset, settings = recipe_settings(kind, preset, recipe, values, defaults)
    check_settings(kind.recipe, settings)  # before the packages of a fit load, which takes seconds
    if preset is not None and kind.presets:
        kind.check_preset(preset)
    check_early(kind, subject, output, own, options, live)
    if not quiet:
        print_defaults(kind, typed, {} if resumed else settings | {"preset": preset})
    line = CommandLine(subject, output, own, preset, settings, values, {**options, **live})
    unsaid = silent(quiet, as_json, options)

    def show(result: Any) -> None:
        with put_away(watching, back=bool(live.get("live"))):  # while its page stays
            if as_json:
                _print_json(result_facts(result))
            elif not unsaid:
                result.print()
                if options.get("report") is not None:
                    click.echo(options["report"])
                beside = kind.beside and import_object(kind.beside)(result, subject)
                if beside:
                    click.echo(beside)
                if hasattr(result, "asset") and not hasattr(result, "sets"):  # of one subject
                    click.echo(next_steps(kind, result.asset))
        if getattr(result, "failed", None):  # of several
            sys.exit(1)

    ahead = nullcontext if unsaid or as_json else kept_ahead
    with (early_device(kind, own, options), watch(quiet, kind.rated) as watching,
          starts(watching) as observer, ahead()):  # fmt: skip
        if kind.subject.ahead and not live.get("live"):  # a page reads anew for each fit
            import_object(kind.subject.ahead)(line)
        call = fit_call(kind, line)
        fitted(call.fit, live, show, *call.subject, options=neuralshade.FitOptions(**options),
               observer=observer, **call.named)  # fmt: skip


def next_steps(kind: Kind, asset: str) -> str:
    """Return a line with commands that take an asset of ``kind``."""
    names = {"asset": shlex.quote(asset), "stem": shlex.quote(Path(asset).stem)}
    return "next: " + ", or ".join(f"neuralshade {each.format(**names)}" for each in kind.after)


def _is_missing(subject: object) -> bool:
    """Return whether one of the sources does not exist."""
    return not all(map(os.path.exists, subject if isinstance(subject, tuple) else (str(subject),)))


def print_defaults(kind: Kind, typed: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Print which of the user's defaults take effect, and their file, on standard error.

    ``typed``: settings by flags, and the preset; ``settings``: those of the fit.
    """
    parameters = parameters_of(kind)
    flags, ctx = flags_of(kind, parameters), click.get_current_context()

    def heeded(name: str, value: Any) -> bool:
        if name in flags:
            return is_by_default(ctx, str(flags[name].name), value)
        return typed.get(name) is None and name in settings and bool(settings[name] == value)

    effective = {n: v for n, v in kind_defaults(kind, parameters).items() if heeded(n, v)}
    if effective:
        from neuralshade.cli.streams import say

        listed = ", ".join(f"{name} = {value!r}" for name, value in effective.items())
        say(f"defaults of {defaults_path()}: {listed}")


def silent(quiet: bool, as_json: bool, options: Mapping[str, Any]) -> bool:
    """Return whether no result is printed, because events use standard output.

    Raises: UsageError where the result as JSON would go there too.
    """
    from neuralshade.fitting.output_checks import events_path

    events = options.get("events")
    taken = events is not None and events_path(events) is None
    if taken and as_json:
        raise click.UsageError("got --json beside --events -, whose last line has the result: "
                               "leave --json out.")  # fmt: skip
    return quiet or taken


def _print_json(facts: Mapping[str, Any]) -> None:
    """Print one line with null for numbers that JSON lacks, as in events."""
    from neuralshade.base.json_numbers import finite

    click.echo(json.dumps(finite(facts), allow_nan=False))
