"""neuralshade doctor: what is there, and the command that brings what is missing."""

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
def doctor(as_json: bool) -> None:
    """Say on one page what is there, and what brings what is missing.

    Versions, Vulkan, CUDA, GPUs, folders that are kept between runs. Drivers are asked in other
    processes with fifteen seconds each: one that hangs is told, not waited for. Put the page
    into bug reports.

    \b
    neuralshade doctor
    neuralshade doctor --json
    """
    from neuralshade.verbs.doctor.examine import examine
    from neuralshade.verbs.doctor.page import page

    found = examine()
    click.echo(json.dumps(found) if as_json else page(found))
