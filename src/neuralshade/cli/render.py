"""neuralshade render: pictures of an asset."""

from typing import Any

import click

import neuralshade
from neuralshade.cli.completion import Text
from neuralshade.cli.early import check_asset, check_picture_name
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
              help="Size in pixels: N for the longer side, WxH, or Wx or xH to keep the aspect. "
              "[default: as fitted]")  # fmt: skip
@click.option(
    "--scale", type=float, metavar="X", help="Multiple of the fitted size, in place of --size."
)
@click.option("--stretch", is_flag=True, help="Allow a --size of another aspect.")
@click.option("--filter", metavar="[area|point]", default="area", show_default=True,
              help="Filter for smaller sizes: mean over a pixel's area, or center.")  # fmt: skip
@click.option("--crop", type=crop_type, metavar="U0,V0,U1,V1", default="0,0,1,1",
              show_default=True, help="Part to draw; u goes right, v down.")  # fmt: skip
@click.option("--exposure", type=stops_type, metavar="X",
              help="Exposure of HDR and lit pictures in stops; auto brings the 99th percentile to "
              "1. [default: auto for HDR pictures, but 0 in .exr and .hdr; 0 for "
              "lit ones]")  # fmt: skip
@click.option("--tonemap", metavar="[clip|reinhard]", default="clip", show_default=True,
              help="Tone mapping of HDR and lit pictures above 1.")  # fmt: skip
@click.option("--show", metavar="PANE", type=Text(PANES),
              help="Pane of the live page to draw: sphere or plane of a material; lit or map:NAME "
              "of maps; box, toksvig, lean or reference of mip levels. With "
              "--reference also given:PANE, difference and difference:PANE.")  # fmt: skip
@click.option("--reference", metavar="SOURCE", help="What ASSET was fitted to.")
@click.option("--light", type=numbers_type, metavar="X,Y,Z|AZ,EL", help="Direction to the light "
              "of a lit pane: x right, y up, z toward the viewer (on planes that "
              "recede: y away, z up), or azimuth and elevation in degrees.")  # fmt: skip
@click.option("--turn", type=numbers_type, metavar="AROUND,OVER",
              help="Rotation of a sphere in degrees: right, and top toward viewer.")  # fmt: skip
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

    check_asset(asset)
    check_picture_name(output)
    values = parse_values(pairs)
    show_notes(quiet=False, chosen=True)  # the exposure matters for comparisons
    with shown_work("drawing"):
        pixels = neuralshade.render(asset, output, values=values, **options)
    height, width, channels = pixels.shape
    click.echo(f"{output}: {width} x {height}, {channels} channel{'s' if channels > 1 else ''}")
