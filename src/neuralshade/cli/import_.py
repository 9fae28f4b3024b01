"""neuralshade import: assets from networks that another program trained."""

import json
from typing import Any

import click

import neuralshade
from neuralshade.cli.options import size_type
from neuralshade.cli.work_lines import shown_work


@click.command(name="import")
@click.argument("file")
@click.option("-o", "--output", metavar="ASSET", help="[default: FILE's name with .nsh]")
@click.option("--config", metavar="FILE.json",
              help="Of tiny-cuda-nn: encoding and network, as it was trained.")  # fmt: skip
@click.option("--recipe", metavar="FILE.toml",
              help="Of a state dict or an RTXNS network: encoding, activation, output_activation, "
                   "named as settings of fit image.")  # fmt: skip
@click.option("--size", type=size_type, metavar="WxH", default="512x512", show_default=True,
              help="Default size of pictures drawn by render, in pixels.")  # fmt: skip
@click.option("--channels", type=int, metavar="N",
              help="Outputs, where --config has no n_output_dims. [default: 3]")  # fmt: skip
@click.option("--color-space", metavar="[srgb|linear]", default="srgb", show_default=True,
              help="That the network was trained in; linear is HDR.")  # fmt: skip
@click.option("--format", metavar="[auto|tiny-cuda-nn|rtxns|torch]", default="auto",
              show_default=True, help="Of FILE; auto looks into it.")  # fmt: skip
@click.option("--tensor", metavar="NAME",
              help="tiny-cuda-nn's vector in a file of several tensors. "
                   "[default: params]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was imported as one JSON line.")
def import_(file: str, as_json: bool, **options: Any) -> None:
    """Make an asset of FILE, a network of two inputs that another program trained.

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
