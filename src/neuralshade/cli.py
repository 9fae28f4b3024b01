"""The command line: parse, call one public function, print."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import neuralshade
from neuralshade.cli_options import crop_type, recipe_flags, recipe_settings, size_type
from neuralshade.errors import NeuralShadeError
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.presets import PRESETS
from neuralshade.recipes.splats import SplatsRecipe

PRESET_NAMES = ", ".join(PRESETS)
TERMINAL = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0, 1 (an error, explained), 2 (misuse), 130 (interrupted)."""
    try:
        commands.main(arguments, prog_name="neuralshade", standalone_mode=False)
        if sys.stdout is not None:  # None where it is closed
            sys.stdout.flush()  # here, where a refusal can still be told
    except click.UsageError as error:
        where = f" See {error.ctx.command_path} --help." if error.ctx else ""
        _fail(f"{error.format_message()}{where}", 2)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except NeuralShadeError as error:
        _fail(str(error), 1)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted.", 130)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        _drop_output()
        sys.exit(1)
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise  # a file's, which should have been an error of ours
        _drop_output()
        _fail(f"standard output: got '{error.strerror}', need room for the output. "
              "Send it elsewhere.", 1)  # fmt: skip


def _drop_output() -> None:
    """Send what still waits to be printed to nowhere, so that Python can end in peace."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> None:
    _say(message)
    sys.exit(code)


def _say(message: str) -> None:
    print(f"neuralshade: {message}", file=sys.stderr)


class _Interrupted(click.ClickException):
    exit_code = 130


class _Commands(click.Group):
    """Keeps the message of an interruption, which click would replace by an empty line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # FitInterrupted is one
            raise _Interrupted(str(error) or "interrupted.") from error


@click.group(cls=_Commands, context_settings=TERMINAL, no_args_is_help=False)
@click.version_option(neuralshade.__version__, "-V", "--version", prog_name="neuralshade")
def commands() -> None:
    """Make parts of a renderer trainable, and ship the result."""


@commands.group(no_args_is_help=False)
def fit() -> None:
    """Fit something small to something large, and save it as an asset."""


OUTPUT = click.option("-o", "--output", metavar="ASSET", help="File to write. [default: PICTURE's "
                      "name with .nsh, in this folder]")  # fmt: skip
PRESET = click.option("--preset", metavar="NAME", help="Recipe to start from: "
                      f"{PRESET_NAMES}. [default: grid]")  # fmt: skip
RECIPE = click.option("--recipe", metavar="FILE", help="Settings from a .toml file (fields as the "
                      "flags below), or a .json file in tiny-cuda-nn's form for fit "
                      "image.")  # fmt: skip
ENGINE = [
    click.option("--engine", default="auto", show_default=True, help="auto, torch or gpu."),
    click.option("--kernels", default="auto", show_default=True, help="Of the GPU engine: "
                 "auto, wgmma, matrix or fma (loops)."),
    click.option("--deterministic", is_flag=True, help="Equal bits on every run of the GPU "
                 "engine, more slowly."),
]  # fmt: skip
NAIVE = click.option("--naive", is_flag=True, help="Every pixel visits every Gaussian: slow, to "
                     "compare with.")  # fmt: skip
RUNNING = [
    click.option("--device", metavar="NAME", help="Torch device (cpu, cuda:0), or the GPU "
                 "engine's API (cuda, vulkan, metal, d3d12). [default: see devices]"),
    click.option("--snapshots", metavar="DIR", help="Folder for pictures at log-spaced steps."),
    click.option("--report", metavar="FILE.html", help="Page to write at the end."),
    click.option("--resume", metavar="CHECKPOINT", help="Go on with an interrupted fit."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON line."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
]  # fmt: skip


def flags(*given: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds flags, in order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for flag in reversed(given):
            command = flag(command)
        return command

    return add


def _run(fit: Callable[..., Any], picture: str, output: str | None, as_json: bool, quiet: bool,
         options: dict[str, Any], **settings: Any) -> None:  # fmt: skip
    """Fit, with progress for people, and print what was reached."""
    from neuralshade.terminal import print_result, watch

    with watch(quiet) as observer:
        result = fit(picture, output, options=neuralshade.FitOptions(**options),
                     observer=observer, **settings)  # fmt: skip
    if as_json:
        click.echo(json.dumps(vars(result)))
    elif not quiet:
        print_result(result, options["report"])


@fit.command("image", context_settings={**TERMINAL, "ignore_unknown_options": False})
@click.argument("picture")
@flags(OUTPUT, PRESET, RECIPE, *ENGINE, *RUNNING)
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
    from neuralshade.terminal import show_notes

    show_notes(quiet)
    options = {name: given.pop(name)
               for name in ("engine", "device", "kernels", "deterministic", "snapshots", "report",
                            "resume")}  # fmt: skip
    preset, settings = recipe_settings(preset, recipe, given)
    _run(neuralshade.fit_image, picture, output, as_json, quiet, options,
         preset=preset, **settings)  # fmt: skip


@fit.command("splats", context_settings={**TERMINAL, "ignore_unknown_options": False})
@click.argument("picture")
@flags(OUTPUT, RECIPE, NAIVE, *RUNNING)
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
    from neuralshade.terminal import show_notes

    show_notes(quiet)
    options = {name: given.pop(name) for name in ("device", "snapshots", "report", "resume")}
    _, settings = recipe_settings(None, recipe, given)
    _run(neuralshade.fit_splats, picture, output, as_json, quiet, options, **settings)


@commands.command()
@click.argument("asset")
@click.option("-o", "--output", required=True, metavar="OUT",
              help="File to write: .png, .jpg, .ppm, .pgm or .exr.")  # fmt: skip
@click.option("--size", type=size_type, metavar="WxH", help="Pixels. [default: as fitted]")
@click.option("--crop", type=crop_type, metavar="U0,V0,U1,V1", default="0,0,1,1",
              show_default=True, help="Part to draw; u goes right, v down.")  # fmt: skip
def render(asset: str, output: str, size: tuple[int, int] | None, crop: Any) -> None:
    """Draw ASSET at any resolution.

    \b
    neuralshade render photo.nsh -o big.png --size 4096x4096
    neuralshade render photo.nsh -o eye.png --size 512x512 --crop 0.4,0.4,0.5,0.5
    """
    pixels = neuralshade.render(asset, output, size=size, crop=crop)
    click.echo(f"{output}: {pixels.shape[1]} x {pixels.shape[0]}, {pixels.shape[2]} channels")


@commands.command()
@click.argument("asset")
@click.argument("picture")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as one JSON line.")
def evaluate(asset: str, picture: str, as_json: bool) -> None:
    """Compare ASSET with PICTURE, and with what others make of the same bytes.

    Prints PSNR (dB, alpha counts), SSIM and FLIP (colour only) for the asset, for JPEG and
    WebP files of at most its size, and for a thumbnail of its size enlarged bilinearly.
    """
    from neuralshade.terminal import print_quality

    notices: list[str] = []
    rows = neuralshade.evaluate(asset, picture, notice=notices.append)
    for notice in notices:
        _say(notice)
    if as_json:
        facts = {"asset": asset, "picture": picture, "notices": notices}
        click.echo(json.dumps(facts | {"rows": _finite(rows)}))
    else:
        print_quality(rows)


@commands.command()
@click.argument("asset")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
def info(asset: str, as_json: bool) -> None:
    """Say what ASSET is: sizes, bits per pixel, recipe, measured quality."""
    from neuralshade.terminal import print_info

    facts = neuralshade.info(asset)
    if as_json:
        click.echo(json.dumps(facts))
    else:
        print_info(facts)


@commands.command()
@click.argument("asset")
@click.argument("picture")
@click.option("-o", "--output", metavar="PAGE.html", help="[default: ASSET's name with .html]")
@click.option("--snapshots", metavar="DIR", help="Folder that a fit filled with --snapshots.")
def report(asset: str, picture: str, output: str | None, snapshots: str | None) -> None:
    """Write one self-contained page about ASSET, fitted to PICTURE.

    Target, result, error around grey, what was learned, curves, and the same bytes elsewhere.
    """
    page = output or str(Path(Path(asset).name).with_suffix(".html"))
    neuralshade.report(asset, picture, page, snapshots=snapshots or (), notice=_say)
    click.echo(page)


@commands.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
def devices(as_json: bool) -> None:
    """List what can train and evaluate here, and what --engine auto takes.

    Adapters of CUDA, Vulkan, Metal and D3D12 with their features and the kernels that
    --engine gpu would run on each, then the devices of PyTorch. Each adapter is opened in turn;
    one that does not open is listed with the reason.

    \b
    neuralshade devices
    neuralshade devices --json
    """
    from neuralshade.terminal_devices import print_devices

    found = neuralshade.devices()
    if as_json:
        click.echo(json.dumps(found))
    else:
        print_devices(found)


@commands.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
@click.option("--quick", is_flag=True, help="Small batches and few repetitions.")
@click.option("--device", metavar="API", help="cuda, vulkan, metal or d3d12. [default: the first "
              "with hardware]")  # fmt: skip
@click.option("--kernels", default="auto", show_default=True,
              help="auto, wgmma, matrix or fma (loops).")  # fmt: skip
def bench(as_json: bool, quick: bool, device: str | None, kernels: str) -> None:
    """Time training and inference here, beside PyTorch on the same GPU.

    Takes about two minutes. GPU times are the GPU's own, medians after a second of warming up.
    Let nothing else run meanwhile.

    \b
    neuralshade bench
    neuralshade bench --quick --json
    """
    from neuralshade.terminal_bench import print_bench, stages

    with stages() as observer:
        found = neuralshade.bench(quick=quick, device=device, kernels=kernels, observer=observer)
    if as_json:
        click.echo(json.dumps(found))
    else:
        print_bench(found)


def _finite(rows: list[Any]) -> list[Any]:
    """Replace infinity, which JSON lacks, by the string 'inf'."""
    return [{k: "inf" if v == float("inf") else v for k, v in row.items()} for row in rows]


if __name__ == "__main__":
    main()
