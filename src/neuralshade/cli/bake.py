"""neuralshade bake: every asset of a manifest, a folder or a glTF model."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

import neuralshade
from neuralshade.base.toml_file import parse_toml, read_toml
from neuralshade.cli.completion import Text
from neuralshade.errors import ConfigError

if TYPE_CHECKING:
    from neuralshade.baking.bake import BakeResult
    from neuralshade.baking.progress import BakeProgress

KINDS = ("image", "splats", "textures", "material", "shader")  # completions
PLAIN_SECONDS = 10.0  # between two lines of progress without a terminal
MOST_FAILED = 20  # that are listed


class _Refused(click.ClickException):
    """A source or a flag with faults: nothing was run."""

    exit_code = 2


@click.command()
@click.argument("source")
@click.option("-o", "--output", metavar="DIR", help="Folder or URL for the assets. [default: "
              "SOURCE's name with _baked, in this folder]")  # fmt: skip
@click.option("--kind", metavar="KIND", type=Text(KINDS), help="What each source of a folder "
              "becomes: image, splats, textures, material or shader. [default: textures for "
              "folders of maps]")  # fmt: skip
@click.option("--pattern", metavar="GLOB", help="Sources in a folder, as in '**/*.png'. [default: "
              "those of --kind, at any depth]")  # fmt: skip
@click.option("--recipe", metavar="FILE.toml", help="TOML file of settings of all assets.")
@click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Setting of all assets, "
              "as in steps=2000. Can be repeated.")  # fmt: skip
@click.option(
    "--plan",
    is_flag=True,
    help="Print what would be made, made again or kept, with estimates, and write nothing.",
)
@click.option("--jobs", type=int, metavar="N", help="Fits that run at once "
              "on this machine. [default: as many as fit]")  # fmt: skip
@click.option("--ray", metavar="ADDRESS", help="Ray cluster that runs the fits (pip install "
              "neuralshade[ray]); auto takes the one of this machine.")  # fmt: skip
@click.option("--force", is_flag=True, help="Make all assets again, none is kept.")
@click.option("--timeout", type=float, metavar="S",
              help="Seconds after which a fit fails. [default: none]")  # fmt: skip
@click.option("--share", is_flag=True, help="Give all materials the first decoder layer of the "
              "first one, which is fitted before them.")  # fmt: skip
@click.option("--events", metavar="FILE", help="Append progress to FILE as JSON lines, for "
              "programs; - writes to standard output.")  # fmt: skip
@click.option("--table", metavar="FILE", help="Write the rows to FILE.csv or FILE.parquet, too. "
              "DIR always gets bake.csv and the page bake.html.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON line.")
def bake(source: str, recipe: str | None, pairs: tuple[str, ...], as_json: bool,
         **how: Any) -> None:  # fmt: skip
    """Fit every asset of SOURCE: a manifest, a folder or a glTF model.

    A manifest (.toml, .json) lists assets with their settings. Assets of the same inputs and
    settings are kept. A fit that fails is listed at the end, and the others go on; the exit code
    is 1 then, and 2 for a source or a flag with faults: then nothing was run.

    \b
    neuralshade bake assets.toml --plan
    neuralshade bake assets.toml -o out
    neuralshade bake textures/ -o out --set target_psnr=38
    neuralshade bake photos/ --kind image --pattern '**/*.png'
    neuralshade bake helmet.glb -o helmet
    """
    from neuralshade.baking.plans.standing import stale_note
    from neuralshade.cli.streams import say
    from neuralshade.fitting.typed_values import parse_values

    try:
        settings = {} if recipe is None else read_toml(recipe)
        settings |= {name: _value(text) for name, text in parse_values(pairs).items()}
        with _progress() as observer:
            result = neuralshade.bake(source, settings=settings, observer=observer, **how)
    except ConfigError as error:
        place = str(error).partition(":")[0]
        raise _Refused(f"--{error}" if place in how else str(error)) from error
    if result.run is None:
        _print_plan(result, as_json)
        if result.plan is not None and result.plan.broken:
            sys.exit(1)  # as the bake would
        return
    if result.plan is not None:
        for note in result.plan.notes:
            say(note)
        if result.plan.stale:
            say(stale_note(result.plan.stale, result.output))
    _print_result(result, as_json, quiet=how["events"] == "-")
    if result.progress.failed:
        sys.exit(1)


def _print_plan(result: BakeResult, as_json: bool) -> None:
    from neuralshade.base.json_numbers import finite

    assert result.plan is not None
    if as_json:
        click.echo(json.dumps(finite(result.plan.facts()), allow_nan=False))
    else:
        result.plan.print()


def _print_result(result: BakeResult, as_json: bool, quiet: bool) -> None:
    """Print the result, and the fits that failed on standard error."""
    from neuralshade.baking.job import plain_data
    from neuralshade.base.json_numbers import finite
    from neuralshade.cli.streams import say

    if as_json:
        rows = [plain_data(row) for row in result.each_row()]
        stale = [] if result.plan is None else list(result.plan.stale)
        facts = {"output": result.output, **vars(result.progress), "rows": rows, "stale": stale,
                 "files": [str(path) for path in result.files]}  # fmt: skip
        click.echo(json.dumps(finite(facts), allow_nan=False))
    elif not quiet:
        click.echo(f"{result.output}: {result.progress.line()}; see bake.html there")
        for path in result.files:
            click.echo(f"{path}: {path.stat().st_size:,} bytes")
    if result.progress.failed:
        for row in islice(result.each_failed(), MOST_FAILED):
            say(f"{row.name}: {row.message}")
    if result.progress.failed > MOST_FAILED:
        say(f"and {result.progress.failed - MOST_FAILED:,} more")


@contextmanager
def _progress() -> Iterator[Callable[[BakeProgress], None]]:
    """Yield an observer that keeps one line on standard error up to date."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("planning") as status:
            yield lambda progress: status.update(progress.line())
        return
    from neuralshade.cli.streams import say

    shown = time.monotonic()

    def show(progress: BakeProgress) -> None:
        nonlocal shown
        if time.monotonic() - shown >= PLAIN_SECONDS:
            shown = time.monotonic()
            say(progress.line())

    yield show


def _value(text: str) -> Any:
    """Return a value as TOML has it, such as 2000 or true; otherwise as text."""
    try:
        return parse_toml(f"x = {text}", "", "", "")["x"]
    except ConfigError:
        return text
