"""neuralshade render: an asset as a picture."""

from typing import Any

import click

import neuralshade
from neuralshade.cli.options import GIVEN, TRUST, crop_type, size_type


@click.command()
@click.argument("asset")
@click.option("-o", "--output", required=True, metavar="OUT",
              help="File to write: .png, .jpg, .ppm, .pgm or .exr.")  # fmt: skip
@click.option("--size", type=size_type, metavar="WxH", help="Pixels. [default: as fitted]")
@click.option("--crop", type=crop_type, metavar="U0,V0,U1,V1", default="0,0,1,1",
              show_default=True, help="Part to draw; u goes right, v down.")  # fmt: skip
@GIVEN
@TRUST
def render(asset: str, output: str, size: tuple[int, int] | None, crop: Any,
           pairs: tuple[str, ...], trust: bool) -> None:  # fmt: skip
    """Draw ASSET at any resolution.

    \b
    neuralshade render photo.nsh -o big.png --size 4096x4096
    neuralshade render photo.nsh -o eye.png --size 512x512 --crop 0.4,0.4,0.5,0.5
    """
    from neuralshade.fitting.values import parse_values

    values = parse_values(pairs)
    pixels = neuralshade.render(asset, output, size=size, crop=crop, values=values,
                                trust=trust)  # fmt: skip
    click.echo(f"{output}: {pixels.shape[1]} x {pixels.shape[0]}, {pixels.shape[2]} channels")
