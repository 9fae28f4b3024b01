"""neuralshade scene: path-traced scenes of meshes with fitted materials."""

from typing import Any

import click

import neuralshade
from neuralshade.cli.completion import Text
from neuralshade.cli.options import VALUES, size_type
from neuralshade.cli.work_lines import shown_work
from neuralshade.errors import ConfigError

SHAPES = ("ball", "sphere", "quad", "box")  # completions


@click.command()
@click.argument("scene")
@click.option("-o", "--output", required=True, metavar="OUT",
              help="File to write: .png, .jpg, .ppm, or .exr for linear light.")  # fmt: skip
@click.option("--samples", type=click.IntRange(1, 2**20), metavar="N",
              help="Paths through each pixel. [default: the scene's]")  # fmt: skip
@click.option("--size", type=size_type, metavar="WxH", help="Pixels. [default: the scene's]")
@click.option("--show", metavar="WHAT",
              help="fitted; given: the reference of a material; difference of the two, "
              "four times around grey; panes: all three. [default: fitted; panes with "
              "--reference]")  # fmt: skip
@click.option("--environment", metavar="PICTURE", help="By latitude and longitude, in place of "
              "what surrounds the scene.")  # fmt: skip
@click.option("--shape", metavar="SHAPE", type=Text(SHAPES),
              help="Of an asset: ball, sphere, quad or box. [default: ball]")  # fmt: skip
@click.option("--reference", metavar="MATERIAL", help="Of an asset: what it was fitted to.")
@VALUES
@click.option("--trust", is_flag=True, help="A reference that is a Slang module, or "
              "that brings code, may run here.")  # fmt: skip
@click.option("--device", metavar="API", default="auto", show_default=True,
              help="cuda, vulkan, metal or d3d12; auto takes software Vulkan last.")  # fmt: skip
def scene(scene: str, output: str, size: Any, pairs: tuple[str, ...], **options: Any) -> None:
    """Path trace SCENE, a TOML file of meshes, lights and materials, or a material's asset.

    Materials are what fit material made, or plain ones; an asset by itself is a shader ball under a
    window and a sky. An interruption keeps the picture so far; before there is one the exit code is
    130.

    \b
    neuralshade scene copper.nsh -o ball.png
    neuralshade scene copper.nsh -o three.png --reference copper.mtlx --environment sky.hdr
    neuralshade fit material examples/material/antique_copper.toml -o examples/scene/copper.nsh
    neuralshade scene examples/scene/tray.toml -o tray.png
    neuralshade scene examples/scene/tray.toml -o quick.png --size 320x180 --samples 8
    neuralshade scene examples/scene/tray.toml -o three.png --show panes
    """
    from neuralshade.fitting.typed_values import parse_values

    if size is not None and (isinstance(size, int) or None in size):
        raise ConfigError("size: got one side, need both. Write for example 640x360.")
    values = parse_values(pairs)
    with shown_work("rendering"):
        pixels = neuralshade.render_scene(scene, output, size=size, values=values, **options)
    click.echo(f"{output}: {pixels.shape[1]} x {pixels.shape[0]}")
