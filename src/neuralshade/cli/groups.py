"""Command whose --help lists flags under headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from neuralshade.fitting.command import GROUPS

LAST = "running"  # the default heading, which also has --help
ALL = "help-all"
USUAL = ("output", "preset", "recipe", "steps", "seconds", "live", "open", "report", "resume",
         "quiet", ALL, "help")  # fmt: skip
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
    """A command that lists its flags under the headings of GROUPS, in their order.

    ``usual``: its own flags that --help lists besides USUAL; others are listed by --help-all
    alone. With an empty ``usual``, --help lists all.
    """

    def __init__(self, *arguments: Any, usual: Sequence[str] = (), **settings: Any):
        super().__init__(*arguments, **settings)
        self.usual = {*usual, *USUAL} if usual else None  # None: all
        self.all_help = click.Option([f"--{ALL}"], is_flag=True, is_eager=True, expose_value=False,
                                     callback=_show_all, help="Show every flag and "
                                     "exit.")  # fmt: skip

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its parameters, with the help flags last."""
        parameters = super().get_params(ctx)
        return [*parameters[:-1], self.all_help, *parameters[-1:]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every heading with flags, all in the same two columns."""
        for title, rows in self.sections(ctx, every=ctx.meta.get(ALL, False)).items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(WIDEST), about) for name, about in rows],
                                   col_max=WIDEST)  # fmt: skip

    def sections(self, ctx: click.Context, every: bool = True) -> dict[str, list[tuple[str, str]]]:
        """Return flags and their descriptions, by heading; without ``every`` the usual ones."""
        found: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            if every or self.usual is None or self._is_usual(parameter):
                found[getattr(parameter, "group", LAST)].append(record)
        return {GROUPS[group]: rows for group, rows in found.items() if rows}

    def _is_usual(self, option: click.Option) -> bool:
        names = {name.lstrip("-") for name in option.opts}
        return self.usual is not None and not names.isdisjoint(self.usual)


def _show_all(ctx: click.Context, _: click.Parameter, flag: bool) -> None:
    if flag and not ctx.resilient_parsing:  # completion parses with it
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
