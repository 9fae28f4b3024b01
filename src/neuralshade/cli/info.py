"""neuralshade info: what an asset says of itself."""

import json
from collections.abc import Mapping
from typing import Any

import click

import neuralshade
from neuralshade.base.message_text import plain
from neuralshade.cli.work_lines import shown_work


@click.command()
@click.argument("asset")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
@click.option("--toml", "as_toml", is_flag=True, help="Print the recipe alone, as --recipe of a "
              "fit takes it.")  # fmt: skip
def info(asset: str, as_json: bool, as_toml: bool) -> None:
    """Say what ASSET is: sizes, bits per pixel, recipe, measured quality.

    \b
    neuralshade info photo.nsh
    neuralshade info photo.nsh --toml > photo.toml
    neuralshade fit image other.png --recipe photo.toml
    """
    from neuralshade.cli.terminal import print_info
    from neuralshade.fitting.recipe_text import recipe_toml
    from neuralshade.verbs.info import unopened_facts

    if as_json and as_toml:
        raise click.UsageError("got --json beside --toml, need one of the two: leave one out.")
    try:
        with shown_work("reading the asset"):
            opened = neuralshade.load(asset)
    except neuralshade.AssetError as error:
        facts = None if as_toml else unopened_facts(asset)
        if facts is None:
            raise
        click.echo(plain(str(error)), err=True)  # of what is read, as far as it is
        _print_unopened(facts, as_json)
        return
    if as_toml:
        click.echo(recipe_toml(opened.recipe, opened.kind.made_by, opened.told_flags()), nl=False)
    elif as_json:
        click.echo(json.dumps(opened.facts()))
    else:
        print_info(opened)


def _print_unopened(facts: Mapping[str, Any], as_json: bool) -> None:
    """Print the header of an asset that is not opened: as JSON, or a line for each part."""
    if as_json:
        click.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        click.echo(f"{name:10}  {plain(value if isinstance(value, str) else json.dumps(value))}")
