"""Texture sets to files: what the network takes on each device, and what blocks and files take.

    python benchmarks/decode_textures.py [ASSET ...] [--devices cpu cuda] [--sets NAME ...]
        [--mosaic 1 4] [--steps 1000] [--runs 3] [--name cuda]

Writes results/decode_textures_<where>.{json,md} after every set. Without ASSET it fits --sets below
../shared/data, or the folder that NEURALSHADE_DATA names, N x N copies of each for every N of
--mosaic (1K sets: 4 is 4K), in few steps: what decoding takes does not depend on the numbers.
"network" is all levels into 16 bits in the host's memory; a device is opened once before, kernels
compiled or found compiled, latents sent. CPU rows are the better the less else runs;
OMP_NUM_THREADS limits their threads. The verb is a process of its own, its start and imports
included: to BC7 + BC5 + BC4 in DDS, and to plain DDS.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from fit_textures import mosaic
from shared.pictures import DATA, VARIABLE
from shared.results import write_results

import neuralshade
from neuralshade.base.cores import core_count
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.textures.decoding import Decoding
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.source.material_set import load_material_set

Row = dict[str, Any]
BLOCKS = ("bc7", "bc5", "bc4")


def network_row(path: Path, device: str, runs: int) -> Row:
    """Return what the network takes for all levels of an asset, into the host's memory."""
    opened: Any = neuralshade.load(path)
    start = time.perf_counter()
    field = opened.field
    read = time.perf_counter() - start
    texels = sum(width * height for width, height in opened.sizes)
    regions = [(0, 0, *size) for size in opened.sizes]
    with closing(Decoding(field, opened.sizes, str(path), device)) as decoding:
        start = time.perf_counter()
        decoding.expect(regions)
        opening = time.perf_counter() - start
        seconds, cpu_seconds = [], []
        for _ in range(runs):
            start, cpu = time.perf_counter(), time.process_time()
            for level, region in enumerate(regions):
                decoding.words(level, region, opened.codings)
            seconds.append(time.perf_counter() - start)
            cpu_seconds.append(time.process_time() - cpu)
        told = decoding.device
    width, height = opened.size_of_set
    return {
        "set": opened.textures["name"], "size": f"{width} x {height}", "bits": opened.recipe.bpp,
        "channels": opened.channels, "device": told, "threads": core_count(),
        "s to unpack latents": round(read, 3), "s to open the device": round(opening, 3),
        "s of network, first": round(seconds[0], 3),
        "s of network, median": round(median(seconds), 3),
        "M texels/s, median": round(texels / median(seconds) / 1e6, 1),
        "M texels per CPU second": round(texels / min(cpu_seconds) / 1e6, 2),
    }  # fmt: skip


def verb_row(path: Path, device: str) -> Row:
    """Return what the verb takes from the shell, to blocks in DDS and to plain DDS."""
    opened: Any = neuralshade.load(path)
    row: Row = {"set": opened.textures["name"], "size": " x ".join(map(str, opened.size_of_set)),
                "device": device}  # fmt: skip
    for what, blocks in (("BC7 + BC5 + BC4", BLOCKS), ("plain", ())):
        flags = [word for block in blocks for word in ("--block", block)]
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "neuralshade", "decode", str(path), "-o", folder,
                       "--device", device, *flags]  # fmt: skip
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            row[f"s in all, {what}"] = round(time.perf_counter() - start, 2)
            row["decoded on"] = done.stdout.splitlines()[-1].removeprefix("decoded on ")
            row[f"bytes, {what}"] = sum(file.stat().st_size for file in Path(folder).iterdir())
    return row


def fitted_assets(asked: argparse.Namespace, folder: Path) -> Iterator[Path]:
    """Fit what there is to decode in few steps, and yield the assets."""
    for name in asked.sets:
        place = Path(os.environ.get(VARIABLE, DATA)) / name
        if not place.is_dir():
            print(f"left out: no {place}; name a folder by {VARIABLE}")
            continue
        textures = load_material_set(place)
        for count in asked.mosaic:
            path = folder / f"{name}_{count}.nsh"
            copies = mosaic(textures, count) if count > 1 else textures
            fit_textures(copies, path, steps=asked.steps, options=FitOptions(), bpp=asked.bpp)
            yield path


def main() -> None:
    """Decode every asset on every device, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assets", nargs="*", type=Path)
    parser.add_argument("--devices", nargs="+", default=["cpu", "auto"])
    parser.add_argument("--sets", nargs="+", default=["ambientcg_Bark014"])
    parser.add_argument("--mosaic", nargs="+", type=int, default=[1, 4])
    parser.add_argument("--bpp", type=float, default=5.0)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--name", default="cpu", help="behind results/decode_textures_")
    asked = parser.parse_args()
    rows: dict[str, list[Row]] = {"Network": [], "The verb": []}
    with tempfile.TemporaryDirectory() as folder:
        for path in asked.assets or fitted_assets(asked, Path(folder)):
            for device in asked.devices:
                rows["Network"].append(network_row(path, device, asked.runs))
                rows["The verb"].append(verb_row(path, device))
                print(rows["Network"][-1], rows["The verb"][-1], sep="\n", flush=True)
            write_results(f"decode_textures_{asked.name}", rows, quiet=True)


if __name__ == "__main__":
    main()
