"""The command fit mipmaps."""

import dataclasses
import json
from typing import Any

import click

import neuralshade
from neuralshade.cli.live import LIVE, fitted, live_flags
from neuralshade.cli_fit import ENDING, LOGS, RECIPE_FILE, REPORT, flags, silent
from neuralshade.cli_options import TERMINAL, recipe_flags, recipe_settings
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe

ONE = {"albedo": "Base color.", "normal": "Normals, in tangent space.", "roughness": "Roughness.",
       "metallic": "Metallic. [default: 0 everywhere]", "ao": "Ambient occlusion; read, and not "
       "used."}  # fmt: skip
PACKED = ("arm", "orm", "rma", "mra")
ORDER = {"a": "ambient occlusion", "o": "ambient occlusion", "r": "roughness", "m": "metallic"}
MAPS = [
    *(click.option(f"--{name}", metavar="FILE", help=about) for name, about in ONE.items()),
    *(click.option(f"--{name}", metavar="FILE", help="Packed: "
                   f"{', '.join(ORDER[letter] for letter in name)}.") for name in PACKED),
    click.option("--normal-convention", metavar="NAME", help="Which way green points: opengl (up) "
                 "or directx. [default: told by name or slopes]"),
]  # fmt: skip
FORMAT = click.option("--format", "formats", multiple=True, metavar="NAME", help="png, exr, dds, "
                      "dds-bc, ktx2 or ktx2-bc; -bc is in BC7, BC5 and BC4. May come more than "
                      "once. [default: dds]")  # fmt: skip
OUTPUT = click.option("-o", "--output", metavar="DIR", help="Folder to write into. [default: the "
                      "set's name with _mips, in this folder]")  # fmt: skip
SHARE = click.option("--share", metavar="FAMILY.nsh", help="Network of several sets of a family. "
                     "Where there is no such file, several SOURCEs train it; where there is, "
                     "each SOURCE starts from its corrections, and it is not written.")  # fmt: skip
DEVICE = click.option("--device", metavar="API", help="cuda, vulkan, metal or d3d12. [default: see "
                      "devices]")  # fmt: skip


@click.command("mipmaps", context_settings={**TERMINAL, "ignore_unknown_options": False})
@click.argument("source", metavar="[SOURCE]...", nargs=-1)
@flags(*MAPS, OUTPUT, FORMAT, SHARE, RECIPE_FILE, DEVICE, *LOGS, *LIVE, REPORT, *ENDING)
@recipe_flags(MipmapsRecipe)
def fit_mipmaps(source: tuple[str, ...], output: str | None, formats: tuple[str, ...],
                normal_convention: str | None, share: str | None, recipe: str | None,
                as_json: bool, quiet: bool, **given: Any) -> None:  # fmt: skip
    """Train the mip levels of a PBR set to look like what they cover.

    SOURCE is a folder whose maps are told by their names, or a JSON manifest; flags name maps
    in place of its, or all of them. Takes a GPU, or software Vulkan. A level that a box filter,
    Toksvig or LEAN makes better is taken from there. Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit mipmaps bricks/ -o bricks_mips --format ktx2-bc
    neuralshade fit mipmaps --albedo a.png --normal n.png --roughness r.png -o out
    neuralshade fit mipmaps bricks/ bark/ --share family.nsh -o out
    neuralshade fit mipmaps moss/ --share family.nsh
    neuralshade fit mipmaps bricks/ --steps 1000 --pool 512 --report bricks.html
    """
    from neuralshade.cli.terminal import show_notes, watch
    from neuralshade.terminal_mipmaps import print_family, print_mipmaps

    _check_share(share, len(source), given["live"])
    show_notes(quiet)
    maps = {name: given.pop(name) for name in (*ONE, *PACKED)}
    options = {name: given.pop(name)
               for name in ("device", "tensorboard", "events", "report", "resume")}  # fmt: skip
    live = live_flags(given)
    preset, settings = recipe_settings(None, recipe, given)
    if preset is not None:  # there is none here, and an unknown setting is refused
        settings["preset"] = preset
    if formats:
        settings["formats"] = formats

    unsaid = silent(quiet, as_json, options)

    def show(result: Any) -> None:
        if as_json:
            click.echo(json.dumps(vars(result) if share is None else dataclasses.asdict(result)))
        elif not unsaid:
            (print_mipmaps if share is None else print_family)(result, options["report"])

    verb: Any = neuralshade.fit_mipmaps
    subject: tuple[Any, ...] = (source[0] if source else None, output)
    if share is not None:
        verb, subject = neuralshade.fit_mipmaps_family, (list(source) or None, share, output)
    with watch(quiet, compared=False) as observer:
        fitted(
            verb, live, show, *subject,
            maps={name: path for name, path in maps.items() if path is not None},
            normal_convention=normal_convention, observer=observer,
            options=neuralshade.FitOptions(**options), **settings,
        )  # fmt: skip


def _check_share(share: str | None, count: int, live: bool) -> None:
    """Raise UsageError for several sources that share nothing, and for a live page of several."""
    if share is None and count > 1:
        raise click.UsageError(f"got {count} sources without --share, need one.")
    if share is not None and live:
        raise click.UsageError("--live shows one fit, and --share may have many: leave one out.")
