"""A material's latents as bytes and in BC7 textures: quality and bytes of both.

    python benchmarks/material_blocks.py [GRAPH ...] [--device cuda] [--size 1024] [--steps 5000]

Each graph is fitted by `fit material` twice, with `--latents plain` and with `--latents bc7`, all
else equal. By default those are copper in layers, worn paint and veined marble. Writes
results/material_blocks_<API>.json. Without a hardware GPU it stops, unless --device names what to
use.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from shared.devices import device_and_name
from shared.results import write_results

import neuralshade

ROOT = Path(__file__).parents[1]
GRAPHS = ("examples/material/antique_copper.toml", "examples/material/worn_paint.toml",
          "benchmarks/materials/veined_marble.mtlx")  # fmt: skip


def fitted(graph: str, latents: str, device: str, size: int, steps: int) -> dict[str, Any]:
    """Return the row of one fit."""
    with tempfile.TemporaryDirectory() as folder:
        asset = Path(folder) / "a.nsh"
        start = time.perf_counter()
        done = neuralshade.fit_material(
            graph, asset, size=size, steps=steps, latents=latents,
            options=neuralshade.FitOptions(engine="gpu", device=device),
        )  # fmt: skip
        seconds = time.perf_counter() - start
        memory = neuralshade.load(asset).memory_bytes
    row = {"graph": Path(graph).name, "latents": latents, "PSNR dB": round(done.psnr_db, 2),
           "worst light dB": round(done.worst_db, 2), "sky dB": round(done.sky_db, 2),
           "file bytes": done.asset_bytes, "GPU bytes": memory,
           "training s": round(done.seconds, 1),
           "all s": round(seconds, 1)}  # fmt: skip
    print(row, flush=True)
    return row


def main() -> None:
    """Fit every graph both ways and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="*", default=[str(ROOT / graph) for graph in GRAPHS])
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--size", type=int, default=1024, help="texels of a side")
    parser.add_argument("--steps", type=int, default=5000)
    options = parser.parse_args()
    found = device_and_name(options.device)
    if found is None:
        return
    device, name = found
    rows = [fitted(graph, latents, device, options.size, options.steps)
            for graph in options.graphs for latents in ("plain", "bc7")]  # fmt: skip
    title = f"{options.size} x {options.size} texels, {options.steps:,} steps"
    write_results(f"material_blocks_{device}", {title: rows}, {"gpu": name})


if __name__ == "__main__":
    main()
