"""neuralshade info: facts about an asset."""

import json
import os
from collections.abc import Mapping
from typing import Any

import click

import neuralshade
from neuralshade.cli.work_lines import shown_work


@click.command()
@click.argument("asset")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
@click.option("--toml", "as_toml", is_flag=True, help="Print only the recipe, as --recipe of a "
              "fit takes it.")  # fmt: skip
def info(asset: str, as_json: bool, as_toml: bool) -> None:
    """Show sizes, bits per pixel, recipe and measured quality of ASSET.

    A folder gives a line per asset; a checkpoint, how far its fit is and how to continue.

    \b
    neuralshade info photo.nsh
    neuralshade info .
    neuralshade info photo.nsh --toml > photo.toml
    neuralshade fit image other.png --recipe photo.toml
    """
    from neuralshade.cli.streams import say
    from neuralshade.cli.terminal import print_info
    from neuralshade.fitting.recipe_text import recipe_toml
    from neuralshade.kinds import checkpoint_facts
    from neuralshade.verbs.info import unopened_facts

    if as_json and as_toml:
        raise click.UsageError("got --json beside --toml, need one of the two: leave one out.")
    if os.path.isdir(asset) and not as_toml:
        _print_folder(asset, as_json)
        return
    try:
        with shown_work("reading the asset"):
            opened = neuralshade.load(asset)
    except neuralshade.AssetError as error:
        begun = None if as_toml else checkpoint_facts(asset)
        if begun is not None:
            _print_unfinished(begun, as_json)
            return
        facts = None if as_toml else unopened_facts(asset)
        if facts is None:
            raise
        say(str(error))  # of the readable ones
        _print_unopened(facts, as_json)
        return
    if as_toml:
        click.echo(recipe_toml(opened.recipe, opened.kind.made_by, opened.recipe_flags()), nl=False)
    elif as_json:
        click.echo(json.dumps(opened.facts()))
    else:
        print_info(opened)


def _print_folder(folder: str, as_json: bool) -> None:
    """Print a line for each asset in a folder, or their rows as one line of JSON."""
    from neuralshade.verbs.info import assets_in

    with shown_work("reading the assets"):
        rows = assets_in(folder)
    if as_json:
        click.echo(json.dumps({"folder": folder, "assets": rows}))
    else:
        rows.print()


def _print_unopened(facts: Mapping[str, Any], as_json: bool) -> None:
    """Print the header of an asset that cannot be opened: as JSON, or in the usual lines."""
    if as_json:
        click.echo(json.dumps(facts))
        return
    from neuralshade.asset.plugin_provenance import package_facts
    from neuralshade.measure.table import print_pairs

    lines = [("kind", str(facts["kind"])), ("size", f"{facts['bytes']:,} bytes"),
             *package_facts(facts).items()]  # fmt: skip
    for part in ("quality", "training", "recipe"):  # may have names in common
        lines += _part_lines(part, facts.get(part))
    print_pairs(lines)


def _print_unfinished(facts: Mapping[str, Any], as_json: bool) -> None:
    """Print a checkpoint's facts about its fit, and how to resume it."""
    if as_json:
        click.echo(json.dumps(facts))
        return
    from neuralshade.measure.table import print_pairs

    recipe, name, step = facts["recipe"], facts["picture"], f"{facts['step']:,}"
    if type(recipe.get("steps")) is int:  # unchecked input
        step += f" of {recipe['steps']:,}"
    if facts["seconds"] is not None:
        step += f", {facts['seconds']:.1f} s"
        step += f" of {recipe['seconds']:g}" if type(recipe.get("seconds")) is float else ""
    print_pairs([("kind", f"{facts['kind']}, an unfinished fit"),
                 ("size", f"{facts['bytes']:,} bytes"), ("of", name), ("step", step),
                 ("go on", f"{facts['given']}:"),
                 ("", facts["resume"])])  # fmt: skip


def _part_lines(part: str, values: Any) -> list[tuple[str, str]]:
    """Return a part's values with their titles, one a line; the values are unchecked input.

    Lists and tables, such as a curve, are omitted; --json prints them.
    """
    pairs = values.items() if isinstance(values, Mapping) else ()
    single = [(f"  {name}", str(value)) for name, value in pairs
              if not isinstance(value, (list, dict))]  # fmt: skip
    return [(part, ""), *single] if single else []
