"""Exported functions: numbers in the text beside numbers in the buffer, by size of the network.

    python benchmarks/export.py [--device vulkan] [--rows 4194304] [--name h200]

Pictures with fields as they start (what they show does not matter here): two dense grids of 4-bit
numbers and networks of several sizes. Times are of the GPU's own clock, of one dispatch at as many
random positions, the median of several; beside them what the package itself runs to draw, in
float32 loops and, where the device has matrix units for it, in float16. Results go to
results/export_NAME.{json,md}. Without a hardware GPU it measures software, unless --device names
another.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared.results import write_results

from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.tensors import pack_field
from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.fitting.recipe import to_dict
from neuralshade.gpu.clock import Patience, steps_seconds
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.languages.harness import GROUP, function_of, harness
from neuralshade.languages.printed import printer_of
from neuralshade.verbs.export.check.timed_rows import error_of

Row = dict[str, Any]
GRIDS = "dense_grid:features=8,width=128,height=128 + dense_grid:features=2,width=512,height=512"
NETWORKS = {"16 x 2": (16, 2), "32 x 2": (32, 2), "64 x 2": (64, 2), "64 x 3": (64, 3),
            "64 x 4": (64, 4), "128 x 3": (128, 3)}  # fmt: skip
PATIENCE = Patience(0.1, 5)


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


def exported(gpu: Gpu, asset: OpenedImage, in_text: bool, at: Any) -> tuple[float, float, float]:
    """Return ns a sample, the largest error, and seconds to compile."""
    form = asset.shader("picture")
    (golden,) = form.golden
    printer = printer_of(form, "slang", in_text)
    program = harness(printer, function_of(form, golden))
    rows = at.copy()
    rows[: len(golden.inputs)] = golden.inputs
    answers = gpu.buffer(size=4 * len(rows) * program.results)
    begun = time.perf_counter()
    kernel = gpu.kernel(program.text, program.entry, {
        "rows": gpu.buffer(rows), "answers": answers, "picture_words": gpu.buffer(printer.words),
    })  # fmt: skip
    steps = gpu.steps([(kernel, len(rows) // GROUP)])
    seconds = steps_seconds(gpu, steps, PATIENCE)
    whole = time.perf_counter() - begun
    found = answers.read().view(np.float32)[: len(golden.inputs) * program.results]
    return 1e9 * seconds / len(rows), error_of(golden, found.reshape(-1, program.results)), whole


def own(gpu: Gpu, asset: OpenedImage, exact: bool, at: Any) -> tuple[float, str]:
    """Return ns a sample of what the package draws with, and which way it takes."""
    inference = field_inference(gpu, asset.field, codes=asset.codes, exact=exact)
    steps, _ = inference.positions_steps(at)
    return 1e9 * steps_seconds(gpu, steps, PATIENCE) / len(at), str(inference.path)


def row(gpu: Gpu, folder: Path, name: str, at: Any) -> Row:
    """Return all times of one size."""
    asset = opened(folder, *NETWORKS[name])
    found: Row = {"network": name, "multiply-adds": asset.shader("picture").multiply_adds}
    for where, in_text in (("text", True), ("buffer", False)):
        ns, error, seconds = exported(gpu, asset, in_text, at)
        found |= {f"{where} [ns]": round(ns, 4), f"{where}, error": f"{error:.1e}",
                  f"{where}, compiled and timed [s]": round(seconds, 2)}  # fmt: skip
    for way, exact in (("float32 loops", True), ("usual", False)):
        ns, path = own(gpu, asset, exact, at)
        found |= {f"own {way} [ns]": round(ns, 4)}
    print(found, flush=True)  # compilers may take long over the next one
    return found | {"own usual is": path}


def main() -> None:
    """Measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rows", type=int, default=2**20)
    parser.add_argument("--name", default="here")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    given = parser.parse_args()
    gpu = open_gpu(given.device)
    at = np.random.default_rng(0).random((given.rows, 2), np.float32)
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(gpu, Path(folder), name, at) for name in given.networks]
    write_results(f"export_{given.name}", {"samples": rows},
                  {"device": f"{gpu.name}, {gpu.api}", "rows": given.rows})  # fmt: skip


if __name__ == "__main__":
    main()
