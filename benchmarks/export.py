"""Exported functions: on a GPU beside the package's own kernels, and in software by runtime.

    python benchmarks/export.py [ASSET ...] [--parts sizes gpu software] [--device vulkan]
        [--rows 4194304] [--name h200]

"sizes": pictures with fields as they start (what they show does not matter here): two dense grids
of 4-bit numbers and networks of several sizes, at as many random positions. Numbers in the text,
in a buffer, and where the device has them as cooperative vectors in float16; beside them what the
package itself runs to draw, in float32 loops and, where there are matrix units, in float16.
"gpu": the same of ASSETs, of materials a screen of points as benchmarks/fit_material.py has it.
"software": each function of ASSETs in each runtime that `neuralshade export --check` knows, wall
clock; how long texts are; and of pictures what `draw` takes on one thread of the CPU.
GPU times are of its own clock, the median of several. Results go to results/export_NAME.json.
"""

import argparse
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from exports.in_software import LANGUAGES, draw_ns, runtime_rows, text_rows
from exports.on_gpu import field_ns, function_rows, material_rows
from exports.slang_in_wgsl import slang_in_wgsl
from shared.results import write_results

import neuralshade
from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.tensors import pack_field
from neuralshade.fitting.recipe import to_dict
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.verbs.export.check.timed_rows import ROWS

Row = dict[str, Any]
GRIDS = "dense_grid:features=8,width=128,height=128 + dense_grid:features=2,width=512,height=512"
NETWORKS = {"16 x 2": (16, 2), "32 x 2": (32, 2), "64 x 2": (64, 2), "64 x 3": (64, 3),
            "64 x 4": (64, 4), "128 x 3": (128, 3)}  # fmt: skip
PARTS = ("sizes", "gpu", "software")
MAIN = ("", "_texel", "_bilinear", "_area", "_sample", "_pdf")  # ends of what is timed
LOOK_UP = ("_albedo",)  # the same of trained mip levels: a trilinear read of a texture


def opened(folder: Path, width: int, layers: int) -> OpenedImage:
    """Return an asset whose field is as it starts."""
    recipe = ImageRecipe(encoding=GRIDS, hidden_width=width, hidden_layers=layers, grid_bits=4,
                         batch=1024)  # fmt: skip
    field = build_field(recipe, 3, torch.Generator().manual_seed(1))
    picture = {"name": "a.png", "width": 512, "height": 512, "channels": 3, "color_space": "srgb",
               "dtype": "uint8", "digest": "0" * 64}  # fmt: skip
    header = Header(to_dict(recipe), {"steps": 1, "seconds": 0.1, "curve": [[1, 0.1, 0.3, 5.0]]},
                    {"psnr_db": 20.0}, picture)  # fmt: skip
    save_asset(folder / "a.nsh", "image", header, pack_field(field))
    return OpenedImage.read(folder / "a.nsh")


def size_row(gpu: Gpu, folder: Path, name: str, at: Any) -> Row:
    """Return all times of one size of network."""
    asset = opened(folder, *NETWORKS[name])
    (found,) = function_rows(gpu, asset.shader("picture"), ["picture"], len(at))
    found = {"network": name, **found}
    for way, exact in (("float32 loops", True), ("usual", False)):
        found[f"own {way} [ns]"], path = field_ns(gpu, asset, at, exact)
        found[f"own {way} is"] = path
    return found


def main_functions(asset: Any) -> list[str]:
    """Return the functions of an asset that are timed."""
    ends = LOOK_UP if asset.kind.name == "mipmaps" else MAIN
    return [f"asset{end}" for end in ends]


def asset_tables(gpu: Gpu, path: str, count: int) -> dict[str, list[Row]]:
    """Return what an asset's functions take on a GPU."""
    asset = neuralshade.load(path)
    name, form = Path(path).stem, asset.shader("asset")
    rows = function_rows(gpu, form, main_functions(asset), count)
    tables = {f"{name}, functions": rows}
    if asset.kind.name == "material":
        tables[f"{name}, a screen"] = material_rows(gpu, asset, "asset")
    if asset.kind.name in ("image", "textures"):
        at = positions(asset, count)
        own: Row = {}
        for way, exact in (("float32 loops", True), ("usual", False)):
            own[f"own {way} [ns]"], own[f"own {way} is"] = field_ns(gpu, asset, at, exact)
        tables[f"{name}, the package's own"] = [own]
    return tables


def positions(asset: Any, count: int) -> Any:
    """Return random positions of the finest level, of materials with directions above."""
    rng = np.random.default_rng(0)
    columns = {"image": 2, "textures": 3, "material": 9}[asset.kind.name]
    at = rng.random((count, columns), np.float32)
    at[:, 2:] = 0
    for first in range(3, columns, 3):
        drawn = rng.normal(size=(count, 3))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        at[:, first : first + 3] = drawn * np.sign(drawn[:, 2:])
    return at


def software_tables(path: str) -> dict[str, list[Row]]:
    """Return what an asset's functions take in each runtime."""
    asset = neuralshade.load(path)
    name, form = Path(path).stem, asset.shader("asset")
    tables = {f"{name}, in software": runtime_rows(form, main_functions(asset), list(LANGUAGES)),
              f"{name}, texts": text_rows(name, form)}  # fmt: skip
    if asset.kind.name in ("image", "textures", "material"):
        own: Row = {}
        with closing(open_gpu("vulkan")) as gpu:
            at = positions(asset, ROWS)
            own["its Slang as WGSL, by wgpu [ns]"], own["lines"] = slang_in_wgsl(
                gpu, asset.field, at
            )
        if asset.kind.name == "image":
            own["draw on one thread [ns]"] = round(draw_ns(asset))
        tables[f"{name}, the package's own in software"] = [own]
    return tables


def main() -> None:
    """Measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assets", nargs="*", metavar="ASSET")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=["sizes"])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rows", type=int, default=2**20)
    parser.add_argument("--name", default="here")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    given = parser.parse_args()
    tables: dict[str, list[Row]] = {}
    facts = {"rows": given.rows, "torch threads": torch.get_num_threads()}
    if "software" not in given.parts or len(given.parts) > 1:
        gpu = open_gpu(given.device)
        facts["device"] = f"{gpu.name}, {gpu.api}"
    if "sizes" in given.parts:
        at = np.random.default_rng(0).random((given.rows, 2), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            tables["networks"] = [size_row(gpu, Path(folder), name, at) for name in given.networks]
    for path in given.assets:
        if "gpu" in given.parts:
            tables |= asset_tables(gpu, path, given.rows)
        if "software" in given.parts:
            tables |= software_tables(path)
    write_results(f"export_{given.name}", tables, facts)


if __name__ == "__main__":
    main()
