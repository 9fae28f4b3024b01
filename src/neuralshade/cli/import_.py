"""neuralshade import: assets from networks that another program trained."""

import json
from typing import Any

import click

import neuralshade
from neuralshade.cli.options import size_type
from neuralshade.cli.work_lines import shown_work


@click.command(name="import")
@click.argument("file")
@click.option(
    "-o", "--output", metavar="ASSET", help="Asset to write. [default: FILE's name with .nsh]"
)
@click.option("--config", metavar="FILE.json",
              help="tiny-cuda-nn's JSON config of encoding and network.")  # fmt: skip
@click.option("--recipe", metavar="FILE.toml",
              help="Encoding, activation and output_activation of a state dict or RTXNS network, "
              "named as settings of fit image.")  # fmt: skip
@click.option("--size", type=size_type, metavar="WxH", default="512x512", show_default=True,
              help="Size in pixels that render uses by default. [default: 512x512]")  # fmt: skip
@click.option("--channels", type=int, metavar="N",
              help="Outputs, unless --config has n_output_dims. [default: 3]")  # fmt: skip
@click.option("--color-space", metavar="[srgb|linear]", default="srgb", show_default=True,
              help="Color space of the outputs; linear is HDR.")  # fmt: skip
@click.option("--format", metavar="[auto|tiny-cuda-nn|rtxns|torch]", default="auto",
              show_default=True, help="Format of FILE; auto detects it.")  # fmt: skip
@click.option("--tensor", metavar="NAME",
              help="Name of tiny-cuda-nn's parameters in a file of several tensors. [default: "
              "params]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was imported as one JSON line.")
def import_(file: str, as_json: bool, **options: Any) -> None:
    """Make an asset of a network that another program trained.

    tiny-cuda-nn: its parameters as safetensors, npz, npy or pt with --config, or a snapshot.
    RTXNS: a .ns.bin file. PyTorch: a state dict as safetensors with --recipe. The asset is of kind
    image: render, evaluate, view and export take it.

    \b
    neuralshade import params.safetensors --config mlp.json -o photo.nsh
    neuralshade import network.ns.bin -o photo.nsh
    neuralshade import mlp.safetensors --recipe mlp.toml -o photo.nsh
    """
    with shown_work("importing"):
        opened = neuralshade.import_asset(file, **options)
    if as_json:
        click.echo(json.dumps(opened.facts()))
        return
    click.echo(f"{opened.path}: {opened.byte_count:,} bytes, {opened.header.own['source']}")
