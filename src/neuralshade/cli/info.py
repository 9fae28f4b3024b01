"""neuralshade info: what an asset says of itself."""

import json

import click

import neuralshade


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

    if as_json and as_toml:
        raise click.UsageError("got --json beside --toml, need one of the two: leave one out.")
    opened = neuralshade.load(asset)
    if as_toml:
        click.echo(recipe_toml(opened.recipe, opened.kind.made_by), nl=False)
    elif as_json:
        click.echo(json.dumps(opened.facts()))
    else:
        print_info(opened)
