"""neuralshade export: an asset as functions in shading languages."""

import json
import sys
from typing import Any

import click

import neuralshade
from neuralshade.cli.early import check_asset
from neuralshade.cli.options import TRUST, VALUES
from neuralshade.cli.work_lines import shown_work


@click.command()
@click.argument("assets", metavar="ASSET...", nargs=-1, required=True)
@click.option("--to", multiple=True, metavar="TARGET",
              help="web, a page of one file; engines, see docs/engines.md; or languages: slang, "
              "hlsl, glsl, glsl-es (WebGL 2), spirv, wgsl, metal, cuda, cpp, js, torch. Separated "
              "by commas. [default: by the suffix of -o]")  # fmt: skip
@click.option("-o", "--output", metavar="DIR|FILE",
              help="Folder for the files, or one file such as bark.hlsl or bark.html. [default: "
                   "the asset's name with _shader; of a page, with .html]")  # fmt: skip
@click.option(
    "--name",
    metavar="NAME",
    help="Prefix of all names in the code. [default: the name of the file of -o, else of ASSET]",
)
@click.option("--numbers", metavar="[auto|text|buffer]", default="auto", show_default=True,
              help="Where network weights are stored: in the code, which is faster for small "
              "networks, or in a buffer.")  # fmt: skip
@click.option("--matrix", metavar="[none|coopvec]", default="none", show_default=True,
              help="With coopvec, also write NAME.coopvec.slang for GPUs with matrix units."
)  # fmt: skip
@click.option("--half", is_flag=True,
              help="Use 16-bit numbers in hidden layers if the language has them."
)  # fmt: skip
@click.option("--textures", metavar="[dds|ktx2|buffer]", default="dds", show_default=True,
              help="How assets stored as textures are written: texture files, or texels in a "
              "buffer, read exactly.")  # fmt: skip
@click.option(
    "--check",
    is_flag=True,
    help="Also run the code in every language that can run here and compare; the exit code is 1 "
    "if one is wrong.",
)
@click.option("--beside", multiple=True, metavar="SOURCE",
              help="Of a web page: what the asset was fitted to, shown beside it; once for each "
              "asset.")  # fmt: skip
@click.option("--embed", is_flag=True,
              help="Instead of a web page, write what another site includes: a script with the "
              "element <neural-shade>, data and posters.")  # fmt: skip
@VALUES
@TRUST
@click.option("--json", "as_json", is_flag=True, help="Print files and checks as one JSON line.")
def export(assets: tuple[str, ...], to: tuple[str, ...], beside: tuple[str, ...],
           pairs: tuple[str, ...], as_json: bool, **options: Any) -> None:  # fmt: skip
    """Write ASSET as shader functions, for an engine, or as a web page.

    Beside the text stand its numbers (.bin), textures (.dds), 256 inputs and outputs of each
    function (.json) and a README.md that says what to bind. All files are written, or none.

    \b
    neuralshade export photo.nsh -o photo.hlsl
    neuralshade export bark.nsh --to wgsl,glsl-es -o web
    neuralshade export tray.nsh --to cpp,slang --check
    neuralshade export photo.nsh -o photo.html --beside photo.png
    neuralshade export photo.nsh --to web --embed -o site
    """
    from neuralshade.fitting.typed_values import parse_values

    values = parse_values(pairs)
    for asset in assets:
        check_asset(asset)
    with shown_work("exporting"):
        result = neuralshade.export(list(assets), list(to) or None, values=values,
                                    beside=list(beside) or None, **options)  # fmt: skip
    if as_json:
        click.echo(json.dumps({"files": result.files, "functions": result.functions,
                               "multiply_adds": result.multiply_adds,
                               "checks": result.checks and list(result.checks)}))  # fmt: skip
    else:
        result.print()
    if not result.right:
        sys.exit(1)
