"""Entry point of the command line: parse, call one public function, print."""

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import click

import neuralshade
from neuralshade.base.out_of_memory import out_of_memory_message
from neuralshade.cli.bake import bake
from neuralshade.cli.completion import completed
from neuralshade.cli.decode import decode
from neuralshade.cli.doctor import doctor
from neuralshade.cli.early import check_asset
from neuralshade.cli.export import export
from neuralshade.cli.fit import fit
from neuralshade.cli.groups import show_verbs
from neuralshade.cli.import_ import import_
from neuralshade.cli.info import info
from neuralshade.cli.live import view
from neuralshade.cli.options import SPEED, TERMINAL, TRUST, VALUES, in_flags, is_misuse
from neuralshade.cli.render import render
from neuralshade.cli.sample import sample
from neuralshade.cli.scene import scene
from neuralshade.cli.suggestions import check_no_page, context_of, misuse
from neuralshade.cli.work_lines import shown_work
from neuralshade.errors import NeuralShadeError


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0, 1 (an error, explained), 2 (misuse), 130 (interrupted).

    Interrupting code refinement or a scene's paths exits with 0: all outputs are written.
    """
    words = sys.argv[1:] if arguments is None else arguments
    _check_working_folder()
    try:
        commands.main(words, prog_name="neuralshade", standalone_mode=False)
        if sys.stdout is not None:  # None where it is closed
            sys.stdout.flush()  # here, where an error can still be reported
    except click.UsageError as error:
        error.ctx = error.ctx or context_of(commands, words)  # click knows none for a missing value
        _fail(misuse(error, words), 2)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except NeuralShadeError as error:
        message = in_flags(str(error), words)
        _fail(message, 2 if is_misuse(error, message, words) else 1)
    except _Interrupted as ended:
        _fail(str(ended), ended.code)
    except (KeyboardInterrupt, click.Abort) as error:  # Abort is click's form of the former
        interrupted = _Interrupted(error.__cause__ or error)
        _fail(str(interrupted), interrupted.code)
    except BrokenPipeError:  # the reader closed the pipe
        _drop_output()
        sys.exit(1)
    except (MemoryError, RuntimeError, ImportError, OSError) as error:
        _fail(_foreign_message(error), 1)


def _foreign_message(error: Exception) -> str:
    """Return the message for a foreign exception; raise it where it is a bug."""
    if message := out_of_memory_message(error):
        return message
    if not isinstance(error, OSError) or error.errno is None or error.filename is not None:
        raise error  # errors of files should have been ours
    _drop_output()
    return (f"standard output: got '{error.strerror}', need room for the output. "
            "Send it elsewhere.")  # fmt: skip


def _check_working_folder() -> None:
    """Exit where it was removed: libraries loaded later would end the process silently."""
    try:
        os.getcwd()
    except OSError as error:
        _fail(f"working folder: got '{error.strerror}', need one that is there. "
              "Change to another one first.", 1)  # fmt: skip


def _drop_output() -> None:
    """Discard buffered output, so that Python can exit cleanly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> None:
    _say(message)
    sys.exit(code)


def _say(message: str) -> None:
    from neuralshade.cli.streams import say  # not needed for help

    say(f"neuralshade: {message}")


class _Interrupted(Exception):  # noqa: N818 - not an error: the user's request
    def __init__(self, error: BaseException):
        super().__init__(str(error) or "interrupted.")
        self.code: int = getattr(error, "code", 130)  # Terminated has another


class _Commands(click.Group):
    """Keeps the message of an interruption, which click would replace by an empty line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # FitInterrupted is one
            raise _Interrupted(error) from error


def _show_version(ctx: click.Context, _: click.Parameter, flag: bool) -> None:
    if flag and not ctx.resilient_parsing:  # completion parses with it
        from neuralshade.base.commit import version_with_commit

        click.echo(f"neuralshade, version {version_with_commit()}")
        ctx.exit()


@click.group(cls=_Commands, context_settings=TERMINAL, invoke_without_command=True)
@click.option("-V", "--version", is_flag=True, is_eager=True, expose_value=False,
              callback=_show_version, help="Show the version, with the git commit if known, and "
              "exit.")  # fmt: skip
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Make parts of a renderer trainable, and ship the result."""
    show_verbs(ctx)


for _verb in (fit, bake, view, export, import_, decode, render, scene, sample, doctor, info):
    commands.add_command(_verb)


@commands.command()
@click.argument("asset")
@click.argument("picture", required=False)
@VALUES
@TRUST
@SPEED
@click.option("--json", "as_json", is_flag=True, help="Print the rows as one JSON line.")
def evaluate(asset: str, picture: str | None, pairs: tuple[str, ...], trust: bool, speed: bool,
             as_json: bool) -> None:  # fmt: skip
    """Compare ASSET with PICTURE, and with other codecs at the same size.

    Prints PSNR (dB, with alpha), SSIM and FLIP (color only) of the asset, of JPEG, WebP and AVIF
    files and a thumbnail of its size, and of BC1, BC7 and ASTC, at full size and reduced to its
    bytes.

    For mip levels and texture sets PICTURE is the folder or manifest of their maps. Assets of fit
    shader need no PICTURE: the table has the mean loss over new random numbers. Mip levels and
    shaders need a GPU or software Vulkan.
    """
    check_asset(asset)
    from neuralshade.fitting.typed_values import parse_values

    notices: list[str] = []

    def print_notice(notice: str) -> None:  # at once: the work may take a minute
        notices.append(notice)
        _say(notice)

    with shown_work("comparing"):
        rows = neuralshade.evaluate(asset, picture, values=parse_values(pairs), trust=trust,
                                    speed=speed, notice=print_notice)  # fmt: skip
    if as_json:
        # infinity, which JSON lacks, becomes the string 'inf'
        finite = [{k: "inf" if v == math.inf else v for k, v in row.items()} for row in rows]
        facts = {"asset": asset, "picture": picture, "notices": notices}
        click.echo(json.dumps(facts | {"rows": finite}))
    else:
        rows.print()


@commands.command()
@click.argument("asset")
@click.argument("picture")
@click.option("-o", "--output", metavar="PAGE.html", help="[default: ASSET's name with .html]")
@click.option("--snapshots", metavar="DIR", help="Folder that fit --snapshots filled.")
@VALUES
@TRUST
@SPEED
def report(asset: str, picture: str, output: str | None, snapshots: str | None,
           pairs: tuple[str, ...], trust: bool, speed: bool) -> None:  # fmt: skip
    """Write an HTML report about ASSET, fitted to PICTURE.

    Assets of fit shader need a render function, and a GPU or software Vulkan.
    """
    if output is None:
        check_no_page(picture)
    check_asset(asset)
    from neuralshade.fitting.typed_values import parse_values

    page = output or str(Path(Path(asset).name).with_suffix(".html"))
    with shown_work("writing the report"):
        neuralshade.report(asset, picture, page, snapshots=snapshots or (),
                           values=parse_values(pairs), trust=trust, speed=speed,
                           notice=_say)  # fmt: skip
    click.echo(page)


@commands.command("check-gradients")
@click.argument("task")
@VALUES
@click.option(
    "--threads", metavar="WxH", help="Threads per step: W, WxH or WxHxD. [default: 64x64]"
)
@click.option("--seed", type=int, metavar="N", help="Random seed. [default: 0]")
@click.option("--device", metavar="API", help="GPU API: cuda, vulkan, metal or d3d12. [default: "
              "see neuralshade devices]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the rows as one JSON line.")
def check_gradients(task: str, pairs: tuple[str, ...], device: str | None, as_json: bool,
                    **options: Any) -> None:  # fmt: skip
    """Check the derivatives of TASK against finite differences.

    Tests every trained member at its start and a little away from it; of large members some
    numbers. The tolerance, printed as `allowed`, is 0.2 % of the derivative, 0.1 % of the member's
    largest one, and three times the difference's own error. "no gradient" means that the loss does
    not depend on the member. The exit code is 1 if a derivative is wrong.

    \b
    neuralshade check-gradients task.slang --set photo=photo.png
    """
    from neuralshade.fitting.typed_values import parse_values

    settings = {name: value for name, value in options.items() if value is not None}
    with shown_work("comparing derivatives"):
        rows = neuralshade.check_gradients(task, values=parse_values(pairs), device=device,
                                           **settings)  # fmt: skip
    if as_json:
        click.echo(json.dumps([vars(row) for row in rows]))
    else:
        rows.print()
    if any(row.verdict == "wrong" for row in rows):
        sys.exit(1)


@commands.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
def devices(as_json: bool) -> None:
    """List the devices that can train here, and what --engine auto picks.

    Lists adapters of CUDA, Vulkan, Metal and D3D12 with their features and kernels, then PyTorch's.

    \b
    neuralshade devices
    neuralshade devices --json
    """
    from neuralshade.cli.devices_table import print_devices

    with shown_work("opening devices"):
        found = neuralshade.devices()
    if as_json:
        click.echo(json.dumps(found))
    else:
        print_devices(found)


@commands.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line.")
@click.option("--quick", is_flag=True, help="Use small batches and few repetitions.")
@click.option("--device", metavar="API", help="GPU API: cuda, vulkan, metal or d3d12. [default: "
              "the first hardware GPU]")  # fmt: skip
@click.option("--kernels", metavar="[auto|wgmma|matrix|fma]", default="auto", show_default=True,
              help="Kernels of the GPU engine; fma uses plain loops.")  # fmt: skip
@click.option("--no-torch", is_flag=True, help="Skip PyTorch.")
def bench(as_json: bool, quick: bool, device: str | None, kernels: str, no_torch: bool) -> None:
    """Time training and inference here, and PyTorch on the same GPU.

    Takes about two minutes; run nothing else meanwhile. Times are medians of the GPU's own clock
    after a second of warm-up.

    \b
    neuralshade bench
    neuralshade bench --quick --json
    """
    from neuralshade.cli.bench_table import print_bench, stages

    with stages() as observer:
        found = neuralshade.bench(quick=quick, device=device, kernels=kernels, torch=not no_torch,
                                  observer=observer)  # fmt: skip
    if as_json:
        click.echo(json.dumps(found))
    else:
        print_bench(found)


for command in (*commands.commands.values(), commands):
    completed(command.params)
