"""The fit verbs of the command line."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import click

import neuralshade
from neuralshade.cli.live import LIVE, fitted, live_flags
from neuralshade.cli_options import TERMINAL, VALUES, recipe_flags, recipe_settings
from neuralshade.kinds.image.presets import PRESETS
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.splats.recipe import SplatsRecipe

PRESET_NAMES = ", ".join(PRESETS)
OUTPUT = click.option("-o", "--output", metavar="ASSET", help="File to write. [default: PICTURE's "
                      "name with .nsh, in this folder]")  # fmt: skip
PRESET = click.option("--preset", metavar="NAME", help="Recipe to start from: "
                      f"{PRESET_NAMES}. [default: grid]")  # fmt: skip
RECIPE = click.option("--recipe", metavar="FILE", help="Settings from a .toml file (fields as the "
                      "flags below), or a .json file in tiny-cuda-nn's form for fit "
                      "image.")  # fmt: skip
ENGINE = [
    click.option("--engine", metavar="[auto|torch|gpu]", default="auto", show_default=True,
                 help="PyTorch, or Slang on a GPU."),
    click.option("--kernels", metavar="[auto|wgmma|matrix|fma]", default="auto", show_default=True,
                 help="Of the GPU engine; fma are loops."),
    click.option("--deterministic", is_flag=True, help="Equal bits on every run of the GPU "
                 "engine, more slowly."),
]  # fmt: skip
RECIPE_FILE = click.option("--recipe", metavar="FILE", help="Settings from a .toml file (fields as "
                           "the flags below).")  # fmt: skip
NAIVE = click.option("--naive", is_flag=True, help="Every pixel visits every Gaussian: slow, to "
                     "compare with.")  # fmt: skip
LOGS = [
    click.option("--tensorboard", metavar="DIR", help="Folder for a TensorBoard log: numbers, and "
                 "pictures where there are some. Takes the extra `tensorboard`."),
    click.option("--events", metavar="FILE", help="JSON lines for programs, added to FILE while "
                 "the fit runs; - is standard output, with nothing else on it."),
]  # fmt: skip
DEVICE = click.option("--device", metavar="NAME", help="Torch device (cpu, cuda:0), or the GPU "
                      "engine's API (cuda, vulkan, metal, d3d12). [default: see "
                      "devices]")  # fmt: skip
API = click.option("--device", metavar="API", help="cuda, vulkan, metal or d3d12. [default: see "
                   "devices]")  # fmt: skip
WATCHING = [
    click.option("--snapshots", metavar="DIR", help="Folder for pictures at log-spaced steps."),
    click.option("--movie", metavar="FILE", help="The same pictures as an animation: .gif, or .mp4 "
                 "with the extra `movie`."),
    click.option("--tev", metavar="HOST[:PORT]", help="Running tev viewer to show the same "
                 "pictures. [default of PORT: 14158]"),
    *LOGS,
]  # fmt: skip
REPORT = click.option("--report", metavar="FILE.html", help="Page to write at the end.")
ENDING = [
    click.option("--resume", metavar="CHECKPOINT", help="Go on with an interrupted fit."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON line."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors, and with --live "
                 "the page's address."),
]  # fmt: skip
RUNNING = [*WATCHING, *LIVE, REPORT, *ENDING]
NO_REPORT = click.option("--report", hidden=True)  # told below what there is in its place


def flags(*given: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds flags, in order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for flag in reversed(given):
            command = flag(command)
        return command

    return add


@click.group(no_args_is_help=False)
def fit() -> None:
    """Fit something small to something large, and save it as an asset."""


def silent(quiet: bool, as_json: bool, options: Mapping[str, Any]) -> bool:
    """Return whether no result is printed for people, as events have standard output.

    Raises: UsageError where the result is to be printed there as JSON too.
    """
    from neuralshade.fitting.events import events_path

    taken = options["events"] is not None and events_path(options["events"]) is None
    if taken and as_json:
        raise click.UsageError("got --json beside --events -, whose last line has the result: "
                               "leave --json out.")  # fmt: skip
    return quiet or taken


def _print_json(facts: Mapping[str, Any]) -> None:
    """Print one line, null for what JSON lacks, as events have it."""
    from neuralshade.base.json_numbers import finite

    click.echo(json.dumps(finite(facts), allow_nan=False))


def _run(fit: Callable[..., Any], picture: str, output: str | None, as_json: bool, quiet: bool,
         options: dict[str, Any], live: dict[str, Any], **settings: Any) -> None:  # fmt: skip
    """Fit, with progress for people, and print what was reached."""
    from neuralshade.cli.terminal import print_result, watch

    unsaid = silent(quiet, as_json, options)

    def show(result: Any) -> None:
        if as_json:
            _print_json(vars(result))
        elif not unsaid:
            print_result(result, options["report"])

    with watch(quiet) as observer:
        fitted(fit, live, show, picture, output, options=neuralshade.FitOptions(**options),
               observer=observer, **settings)  # fmt: skip


@fit.command("image", context_settings={**TERMINAL, "ignore_unknown_options": False})
@click.argument("picture")
@flags(OUTPUT, PRESET, RECIPE, *ENGINE, DEVICE, *RUNNING)
@recipe_flags(ImageRecipe)
def fit_image(picture: str, output: str | None, preset: str | None, recipe: str | None,
              as_json: bool, quiet: bool, **given: Any) -> None:  # fmt: skip
    """Fit an encoding and a small network to PICTURE.

    PICTURE is a PNG, JPEG, WebP, TIFF, BMP, PPM, PGM, EXR or Radiance HDR file. Training ends
    at --seconds, --steps or --target-psnr, whichever comes first; Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit image photo.png -o photo.nsh --report photo.html
    neuralshade fit image photo.png --preset detail --seconds 60
    neuralshade fit image photo.png --bpp 1.5 --hidden-width 64
    """
    from neuralshade.cli.terminal import show_notes
    from neuralshade.kinds.image.budget import check_sized
    from neuralshade.kinds.image.presets import preset_recipe

    show_notes(quiet)
    options = {name: given.pop(name)
               for name in ("engine", "device", "kernels", "deterministic", "snapshots", "movie",
                            "tev", "tensorboard", "events", "report", "resume")}  # fmt: skip
    live = live_flags(given)
    sized = given["bpp"] is not None and options["resume"] is None
    preset, settings = recipe_settings(preset, recipe, given)
    if sized:  # a recipe that an asset tells may name both: only a flag is a wish
        check_sized(preset_recipe(preset or "grid", settings))
    _run(neuralshade.fit_image, picture, output, as_json, quiet, options, live,
         preset=preset, **settings)  # fmt: skip


@fit.command("splats", context_settings={**TERMINAL, "ignore_unknown_options": False})
@click.argument("picture")
@flags(OUTPUT, RECIPE, NAIVE, API, *RUNNING)
@recipe_flags(SplatsRecipe)
def fit_splats(picture: str, output: str | None, recipe: str | None, as_json: bool, quiet: bool,
               **given: Any) -> None:  # fmt: skip
    """Fit 2D Gaussians to PICTURE.

    As many as fit into --bpp or --bytes, or --count. Takes a GPU, or software Vulkan.
    PICTURE is a PNG, JPEG, WebP, TIFF, BMP, PPM, PGM, EXR or Radiance HDR file. Training ends
    at --seconds, --steps or --target-psnr, whichever comes first; Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit splats photo.png -o photo.nsh --report photo.html
    neuralshade fit splats photo.png --bpp 0.33
    neuralshade fit splats photo.png --count 200 --compositing over --steps 10000
    """
    from neuralshade.cli.terminal import show_notes

    show_notes(quiet)
    options = {name: given.pop(name)
               for name in ("device", "snapshots", "movie", "tev", "tensorboard", "events",
                            "report", "resume")}  # fmt: skip
    live = live_flags(given)
    preset, settings = recipe_settings(None, recipe, given)
    if preset is not None:  # there is none here, and an unknown setting is refused
        settings["preset"] = preset
    _run(neuralshade.fit_splats, picture, output, as_json, quiet, options, live, **settings)


@fit.command("shader", context_settings={**TERMINAL, "ignore_unknown_options": False})
@click.argument("task")
@click.option("-o", "--output", metavar="ASSET", help="File to write. [default: TASK's name with "
              ".nsh, in this folder]")  # fmt: skip
@flags(VALUES, RECIPE_FILE, API, *WATCHING, *LIVE, NO_REPORT, *ENDING)
@recipe_flags(ShaderRecipe)
def fit_shader(task: str, output: str | None, pairs: tuple[str, ...], recipe: str | None,
               as_json: bool, quiet: bool, **given: Any) -> None:  # fmt: skip
    """Train what the Slang module TASK marks as trainable.

    TASK is a .slang file with a struct Task : ITask whose loss is made small. Takes a GPU, or
    software Vulkan. Training ends at --seconds or --steps; Ctrl-C keeps a checkpoint.

    \b
    neuralshade fit shader fit_tint.slang --set photo=photo.png
    neuralshade fit shader tone.slang --set a=in.png --set b=out.png --steps 2000
    neuralshade fit shader mip.slang --set albedo.size=128x128 --threads 512x512
    """
    from neuralshade.cli.terminal import show_notes, watch
    from neuralshade.kinds.shader.source import parse_values
    from neuralshade.terminal_shader import print_task, task_facts

    if given.pop("report") is not None:
        raise click.UsageError("got --report, which fit shader has not: use neuralshade report "
                               "ASSET PICTURE on what it leaves.")  # fmt: skip
    show_notes(quiet)
    options = {name: given.pop(name)
               for name in ("device", "snapshots", "movie", "tev", "tensorboard", "events",
                            "resume")}  # fmt: skip
    live = live_flags(given)
    preset, settings = recipe_settings(None, recipe, given)
    if preset is not None:  # there is none here, and an unknown setting is refused
        settings["preset"] = preset

    unsaid = silent(quiet, as_json, options)

    def show(result: Any) -> None:
        if as_json:
            _print_json(task_facts(result))
        elif not unsaid:
            print_task(result)

    with watch(quiet, compared=False) as observer:
        fitted(neuralshade.fit_shader, live, show, task, output, values=parse_values(pairs),
               options=neuralshade.FitOptions(**options), observer=observer,
               **settings)  # fmt: skip
