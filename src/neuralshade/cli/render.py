"""neuralshade render: pictures of an asset."""

from typing import Any

import click

import neuralshade
from neuralshade.cli.completion import Text
from neuralshade.cli.options import TRUST, VALUES, crop_type, numbers_type, size_type, stops_type
from neuralshade.cli.work_lines import shown_work

# completions; the asset has some of them
PANES = ("sphere", "plane", "lit", "map:", "box", "toksvig", "lean", "reference", "difference",
         "given:")  # fmt: skip


@click.command()
@click.argument("asset")
@click.option("-o", "--output", required=True, metavar="OUT",
              help="File to write: .png, .jpg, .ppm, .pgm, .webp, .tif, .exr or .hdr.")  # fmt: skip
@click.option("--size", type=size_type, metavar="N|WxH",
              help="Pixels: N of the longer side, WxH, or Wx or xH, which keep the aspect. "
                   "[default: as fitted]")  # fmt: skip
@click.option("--scale", type=float, metavar="X", help="Times the fitted size, in place of --size.")
@click.option("--stretch", is_flag=True, help="Take a --size of another aspect.")
@click.option("--filter", metavar="[area|point]", default="area", show_default=True,
              help="Smaller than fitted: the mean of what a pixel covers, or its "
              "center.")  # fmt: skip
@click.option("--crop", type=crop_type, metavar="U0,V0,U1,V1", default="0,0,1,1",
              show_default=True, help="Part to draw; u goes right, v down.")  # fmt: skip
@click.option("--exposure", type=stops_type, metavar="X",
              help="Of HDR and lit pictures, in stops; auto brings the 99th percentile to 1, as "
                   "reports do. [default: auto of HDR pictures, but 0 in .exr and .hdr; 0 of lit "
                   "ones]")  # fmt: skip
@click.option("--tonemap", metavar="[clip|reinhard]", default="clip", show_default=True,
              help="Of HDR and lit pictures: what becomes of light above 1.")  # fmt: skip
@click.option("--show", metavar="PANE", type=Text(PANES),
              help="A pane of its live page: of a material sphere or plane; of maps lit or "
              "map:NAME; of mip levels box, toksvig, lean or reference. With --reference also "
              "given:PANE, and difference or difference:PANE.")  # fmt: skip
@click.option("--reference", metavar="SOURCE", help="What ASSET was fitted to.")
@click.option("--light", type=numbers_type, metavar="X,Y,Z|AZ,EL", help="Of a lit pane: the "
              "direction to the light, x right, y up, z to the eye (of planes that recede y away, "
              "z up); or azimuth and elevation in degrees.")  # fmt: skip
@click.option("--turn", type=numbers_type, metavar="AROUND,OVER",
              help="Of a sphere, degrees: to the right, its top to the eye.")  # fmt: skip
@click.option("--level", type=int, default=0, show_default=True, help="Mip level of maps.")
@VALUES
@TRUST
def render(asset: str, output: str, pairs: tuple[str, ...], **options: Any) -> None:
    """Draw ASSET at any resolution.

    \b
    neuralshade render photo.nsh -o big.png --scale 2
    neuralshade render photo.nsh -o small.png --size 1024
    neuralshade render photo.nsh -o eye.png --size 512x --crop 0.4,0.4,0.5,0.5
    neuralshade render sky.nsh -o sky.png --exposure -1.5 --tonemap reinhard
    neuralshade render copper.nsh -o lit.png --show sphere --light 1,1,1
    neuralshade render copper.nsh -o error.png --show difference --reference copper.mtlx
    """
    from neuralshade.cli.terminal import show_notes
    from neuralshade.fitting.typed_values import parse_values

    values = parse_values(pairs)
    show_notes(quiet=False, chosen=True)  # the exposure matters for comparisons
    with shown_work("drawing"):
        pixels = neuralshade.render(asset, output, values=values, **options)
    height, width, channels = pixels.shape
    click.echo(f"{output}: {width} x {height}, {channels} channel{'s' if channels > 1 else ''}")
