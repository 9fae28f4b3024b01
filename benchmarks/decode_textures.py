"""Texture sets to files: what the network takes on each device, and what blocks and files take.

    python benchmarks/decode_textures.py [ASSET ...] [--devices cpu cuda] [--sets NAME ...]
        [--mosaic 1 4] [--steps 1000] [--runs 3] [--name cuda]

Writes results/decode_textures_<where>.json after every set. Without ASSET it fits --sets below
../shared/data, or the folder that NEURALSHADE_DATA names, N x N copies of each for every N of
--mosaic (1K sets: 4 is 4K), in few steps: what decoding takes does not depend on the numbers.
"network" is all levels into 16 bits in the host's memory; a device is opened once before, kernels
compiled or found compiled, latents sent. "blocks" is the same into BC7, BC5 and BC4 in the host's
memory, by our encoders on a GPU; beside it what the CPU's take for the texels of mip 0, etcpak for
BC7 at two efforts, and the PSNR of both against the texels. CPU rows are the better the less else
runs; OMP_NUM_THREADS limits their threads. The verb is a process of its own, its start and imports
included: to BC7 + BC5 + BC4 in DDS, and to plain DDS.
"""

import argparse
import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from fit_textures import mosaic
from shared.pictures import DATA, VARIABLE
from shared.results import write_results

import neuralshade
from neuralshade.asset.texture.bc7 import SLOWEST_LEVEL, USUAL_LEVEL, compress_bc7
from neuralshade.asset.texture.block_compression import block_tiles, compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_blocks
from neuralshade.asset.texture.map_chain import MapChain, block_format, chain_texels
from neuralshade.asset.texture.mip_chain import stored_texels
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.base.cores import core_count
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.textures.chains import decoded
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


def block_rows(path: Path, device: str, runs: int) -> tuple[list[Row], list[Row]]:
    """Return what blocks of all maps take on a device, and map by map how near they are.

    Beside what the CPU makes of the same texels; nothing where the CPU decodes.
    """
    opened: Any = neuralshade.load(path)
    regions = [(0, 0, *size) for size in opened.sizes]
    forms = [(coding, form) for coding in opened.codings if coding.count
             and (form := block_format(coding.meaning, coding.channels, BLOCKS))]  # fmt: skip
    about: Row = {"set": opened.textures["name"],
                  "size": " x ".join(map(str, opened.size_of_set))}  # fmt: skip
    with closing(Decoding(opened.field, opened.sizes, str(path), device)) as decoding:
        decoding.expect(regions, len(forms))
        if not decoding.blocks(len(regions) - 1, regions[-1], forms):  # compiles kernels
            return [], []

        def all_levels() -> None:
            for level, region in enumerate(regions):
                decoding.blocks(level, region, forms)

        seconds = [timed(all_levels)[0] for _ in range(runs)]
        found = decoding.blocks(0, regions[0], forms)
        words = decoding.words(0, regions[0], opened.codings)
        told = decoding.device
    whole = about | {"device": told, "s of network and blocks, first": round(seconds[0], 3),
                     "s of network and blocks, median": round(median(seconds), 3)}  # fmt: skip
    rows = []
    for coding, form in forms:
        level = decoded(coding, words, regions[0])
        one = MapChain(coding.name, [level], coding.meaning, coding.bits)
        texels = stored_texels(chain_texels(one, level, min(form.channels, 3)), form)
        row = about | {"map": coding.name, "format": form.name,
                       "dB on the GPU": block_psnr(found[coding.name], form, texels)}  # fmt: skip
        rows.append(row | beside(texels, form))
    return [whole], rows


def beside(texels: Any, form: TextureFormat) -> Row:
    """Return what the CPU's encoders take for texels, and how near they come."""
    row: Row = {}
    for effort in (USUAL_LEVEL, SLOWEST_LEVEL):
        name = f"CPU (etcpak at effort {effort} for BC7)"
        row |= {f"s on the {name}": "", f"dB on the {name}": ""}
        if effort == USUAL_LEVEL or form.channels == 4:
            seconds, blocks = timed(functools.partial(cpu_blocks, texels, form, effort))
            row |= {f"s on the {name}": round(seconds, 2),
                    f"dB on the {name}": block_psnr(blocks, form, texels)}  # fmt: skip
    return row


def cpu_blocks(texels: Any, form: TextureFormat, effort: int) -> bytes:
    """Return the blocks that the CPU makes of texels, BC7 at an effort of etcpak's."""
    if form.channels == 4:
        return bytes(compress_bc7(block_tiles(texels), effort).tobytes())
    return compress_blocks(texels, form)


def block_psnr(blocks: bytes, form: TextureFormat, texels: Any) -> float:
    """Return the PSNR in dB of blocks against the texels that they were made of, alpha aside."""
    shown = decompress_blocks(blocks, form, *texels.shape[:2])[..., :3]
    peak = 1 if texels.dtype == np.float32 else 255
    error = np.mean((shown - texels[..., :3].astype(np.float32) / peak) ** 2, dtype=np.float64)
    return round(float(-10 * np.log10(max(error, 1e-12))), 2)


def timed(do: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that a call takes, and what it returns."""
    start = time.perf_counter()
    found = do()
    return time.perf_counter() - start, found


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
    rows: dict[str, list[Row]] = {"Network": [], "Blocks": [], "Encoders": [], "The verb": []}
    with tempfile.TemporaryDirectory() as folder:
        for path in asked.assets or fitted_assets(asked, Path(folder)):
            for device in asked.devices:
                rows["Network"].append(network_row(path, device, asked.runs))
                blocks, encoders = block_rows(path, device, asked.runs)
                rows["Blocks"] += blocks
                rows["Encoders"] += encoders
                rows["The verb"].append(verb_row(path, device))
                print(rows["Network"][-1], *blocks, *encoders, rows["The verb"][-1], sep="\n",
                      flush=True)  # fmt: skip
            told = {title: found for title, found in rows.items() if found}
            write_results(f"decode_textures_{asked.name}", told, quiet=True)


if __name__ == "__main__":
    main()
