"""neuralshade doctor: installed parts, and commands that install the rest."""

import json
import sys

import click

from neuralshade.cli.work_lines import shown_work


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
def doctor(as_json: bool) -> None:
    """Report what is installed, and how to install what is missing.

    Lists versions, Vulkan, CUDA, GPUs and cache folders. Each driver is tested in a process of its
    own, 15 seconds at most. Add the page to bug reports.

    \b
    neuralshade doctor
    neuralshade doctor --json
    """
    from neuralshade.base.terminal_lines import columns_of
    from neuralshade.verbs.doctor.findings import examine
    from neuralshade.verbs.doctor.page import page

    with shown_work("asking drivers"):
        found = examine(check_table=_check_table)
    click.echo(json.dumps(found) if as_json else page(found, columns_of(sys.stdout)))


def _check_table(verb: str) -> None:
    """Raise ConfigError where a fit would refuse the user's defaults of a verb."""
    from neuralshade.cli.flags import parameters_of
    from neuralshade.cli.recipe_file import check_table
    from neuralshade.kinds import fit_verb

    kind = fit_verb(verb)
    if kind is not None:
        check_table(kind, verb, parameters_of(kind))
