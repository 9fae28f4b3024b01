"""Command whose --help lists flags under headings."""

from __future__ import annotations

from typing import Any

import click

from neuralshade.fitting.command import GROUPS

LAST = "running"  # the default heading, which also has --help
WIDEST = 26  # columns of the left part; longer flags have their text below


class GroupedOption(click.Option):
    """A flag with its heading: ``group`` is a key of GROUPS."""

    def __init__(self, *names: Any, group: str, **settings: Any):
        super().__init__(*names, **settings)
        self.group = group


def show_verbs(ctx: click.Context) -> None:
    """Print the help of a group of verbs that was called without one."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class GroupedCommand(click.Command):
    """A command that lists its flags under the headings of GROUPS, in order."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every heading with flags, all in the same two columns."""
        for title, rows in self.sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(WIDEST), about) for name, about in rows],
                                   col_max=WIDEST)  # fmt: skip

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return flags and their descriptions, by heading."""
        found: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                found[getattr(parameter, "group", LAST)].append(record)
        return {GROUPS[group]: rows for group, rows in found.items() if rows}
