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
              help="Paths per pixel. [default: the scene's]")  # fmt: skip
@click.option(
    "--size", type=size_type, metavar="WxH", help="Size in pixels. [default: the scene's]"
)
@click.option("--show", metavar="WHAT",
              help="What to draw: fitted; given, the reference material; difference, of the two, "
              "times four around grey; or panes, all three. [default: fitted; panes "
              "with --reference]")  # fmt: skip
@click.option("--environment", metavar="PICTURE", help="Environment map (latitude and longitude) "
              "in place of the scene's.")  # fmt: skip
@click.option("--shape", metavar="SHAPE", type=Text(SHAPES),
              help="For assets: ball, sphere, quad or box. [default: ball]")  # fmt: skip
@click.option(
    "--reference", metavar="MATERIAL", help="For assets: the material that it was fitted to."
)
@VALUES
@click.option("--trust", is_flag=True, help="Run code of a reference that is a Slang module or "
              "contains code here.")  # fmt: skip
@click.option("--device", metavar="API", default="auto", show_default=True,
              help="GPU API: cuda, vulkan, metal or d3d12; auto picks one.")  # fmt: skip
def scene(scene: str, output: str, size: Any, pairs: tuple[str, ...], **options: Any) -> None:
    """Path trace a scene's TOML file, or a material's asset.

    Materials are assets of fit material, or plain ones; an asset alone is drawn as a shader ball
    under a window and a sky. Ctrl-C keeps the picture so far.

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
