"""neuralshade decode: an asset's texture maps as files."""

import json
from typing import Any

import click

import neuralshade
from neuralshade.cli.early import check_asset
from neuralshade.cli.options import region_type
from neuralshade.cli.work_lines import shown_work


@click.command()
@click.argument("asset")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder for the files.")
@click.option("--format", metavar="[dds|ktx2|png|exr]", default="dds", show_default=True,
              help="File format; dds and ktx2 hold all levels of a map, others one.")  # fmt: skip
@click.option("--block", "blocks", multiple=True, metavar="[bc7|bc6h|bc5|bc4|bc1]",
              help="Block compression for the maps that it suits: bc7 or bc1 for colors, bc6h for "
              "HDR, bc5 for normals, bc4 for one channel. Can be repeated.")  # fmt: skip
@click.option("--map", "maps", multiple=True, metavar="NAME",
              help="Write only this map. Can be repeated.")  # fmt: skip
@click.option(
    "--levels", type=int, metavar="N", help="Number of mip levels, level 0 included. [default: all]"
)
@click.option("--region", type=region_type, metavar="X,Y,W,H",
              help="Write only these texels of level 0; multiples of 4 with --block.")  # fmt: skip
@click.option("--normal-convention", metavar="[opengl|directx]", default="opengl",
              show_default=True, help="Direction of green in normal maps: up (opengl) or down "
              "(directx).")  # fmt: skip
@click.option("--pack", multiple=True, metavar="LETTERS",
              help="Write these maps as channels of one file: orm, arm, mra... with a or o for "
              "ao, r roughness, m metallic, h displacement. Can be repeated.")  # fmt: skip
@click.option("--alpha", is_flag=True, help="Write opacity into the alpha channel of albedo.")
@click.option("--latents", is_flag=True,
              help="Write latents in place of maps: each BC1 texture of fit textures --latents "
              "bc1 as a DDS file, and their decoder as JSON.")  # fmt: skip
@click.option("--device", metavar="API", default="auto", show_default=True,
              help="Where a texture set's network runs: cpu, cuda, vulkan, metal or d3d12; auto "
              "is a GPU if the CPU would take more than 2 s.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the files as one JSON line.")
def decode(asset: str, output: str, maps: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Write the texture maps of ASSET, with all mips, as texture files.

    ASSET is what fit textures or fit mipmaps made. All files are written, or none.

    \b
    neuralshade decode bricks.nsh -o maps --block bc7 --block bc5 --block bc4
    neuralshade decode bricks.nsh -o maps --format png --map albedo --levels 1
    """
    devices: list[str] = []
    check_asset(asset)
    with shown_work("decoding maps"):
        files = neuralshade.decode(asset, output, maps=maps or None, on_device=devices.append,
                                   **options)  # fmt: skip
    if as_json:
        listed = [{"path": str(path), "bytes": path.stat().st_size} for path in files]
        device = devices[0] if devices else None
        click.echo(json.dumps({"asset": asset, "files": listed, "device": device}))
        return
    for path in files:
        click.echo(f"{path}: {path.stat().st_size:,} bytes")
    for device in devices:
        click.echo(f"decoded on {device}")
